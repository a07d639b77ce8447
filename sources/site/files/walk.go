package files

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// Limits bound a walk. A zero is no bound, but for Parallel, where it is one.
type Limits struct {
	Depth    int // of folders, those of the root having 1
	Requests int // calls of the tree, in one walk
	Reads    int // of .nfo and .strm files, in one walk
	Files    int // media files of the tree
	Parallel int // calls of the tree at once
}

// Walker keeps what an index knows of a tree up to date.
type Walker struct {
	Index  sources.Index
	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: silent
	Limits Limits
	// Fresh is how long the listing of a folder is good where the tree cannot tell
	// whether it has changed; 0: each walk lists it.
	Fresh time.Duration
}

const (
	// batchFolders and batchFiles are how much is put into an index at once.
	batchFolders = 256
	batchFiles   = 2000
	// mostFaults is how many calls in a row may fail before a tree is left alone.
	mostFaults = 3
)

// Update walks tree and records in the index what has changed there: only folders
// whose stamp changed are listed, and what is gone is dropped. progress, which may be
// nil, is told by the calling goroutine how many folders and files were seen so far.
//
// A folder that cannot be read for good, for want of a permission, is skipped and told
// in Left, and what was known of it stays; so is what lies beyond a limit. Where the
// tree stops answering, or ctx ends, what was found till then stays in the index, with
// what was known of the rest, the walk is not recorded, and the error says why. Its
// class is that of the tree's error.
func (w Walker) Update(ctx context.Context, tree Tree, progress func(folders, files int)) (sources.IndexedRoot, error) {
	known, err := w.Index.IndexedFolders(ctx, tree.Root())
	if err != nil {
		return sources.IndexedRoot{}, ofIndex(ctx, err)
	}
	k := &walk{Walker: w, tree: tree, known: known, children: childrenOf(known), now: sources.OrNow(w.Now)(), told: progress, seen: make(map[string]bool), batch: make(map[string]sources.IndexedFolder)}
	if err = k.all(ctx); err == nil {
		k.dropUnseen()
	}
	if flushErr := k.flush(ctx); err == nil {
		err = flushErr
	}
	result := sources.IndexedRoot{WalkedAt: sources.OrNow(w.Now)(), Files: k.files, Left: k.left.String()}
	if err != nil {
		return result, err
	}
	return result, ofIndex(ctx, w.Index.EndWalk(ctx, tree.Root(), result))
}

// walk is one walk.
type walk struct {
	Walker
	tree     Tree
	known    map[string]string   // composed stamps by folder
	children map[string][]string // of known folders
	now      time.Time
	told     func(folders, files int)

	requests, reads atomic.Int64 // made so far
	faults          atomic.Int64 // visits in a row that failed
	unanswered      atomic.Int64 // reads in a row that did

	seen    map[string]bool // folders of which it is known what becomes of them
	folders int
	files   int
	left    left
	batch   map[string]sources.IndexedFolder // to be put into the index
	filed   int                              // files in batch
	gone    []string                         // folders to be dropped from it
}

// place is a folder to be visited.
type place struct {
	path  string
	depth int
	in    show
}

// visit is what became of a place.
type visit struct {
	place
	stamp   stamp
	listed  bool // it was listed, and is to be put into the index
	skipped bool // for the limit of requests
	files   []sources.IndexedFile
	folders []string
	err     error
}

// all visits all folders, those nearer to the root first.
func (k *walk) all(ctx context.Context) error {
	var fault error
	level := []place{{depth: 1}}
	for len(level) > 0 {
		var next []place
		for chunk := range slices.Chunk(level, batchFolders) {
			for _, v := range k.visitAll(ctx, chunk) {
				if v.err != nil {
					err, stop := k.fails(ctx, v)
					if fault = cmp.Or(fault, err); stop {
						return fault
					}
					continue
				}
				if err := k.take(ctx, v); err != nil {
					return err
				}
				for _, name := range v.folders {
					next = append(next, place{path: join(v.path, name), depth: v.depth + 1, in: v.stamp.Out})
				}
			}
		}
		level = next
	}
	return fault
}

// fails notes that a folder could not be visited. stop says that the walk ends.
func (k *walk) fails(ctx context.Context, v visit) (err error, stop bool) {
	if ctx.Err() != nil {
		return ctx.Err(), true
	}
	if v.path == "" {
		return v.err, true
	}
	k.keep(v.path)
	switch sources.ClassOf(v.err) {
	case sources.ClassDeadLink: // it went away meanwhile, as the next walk sees in the folder around it
		return nil, false
	case sources.ClassUnsupported, sources.ClassBug: // a bug would be met again by each walk
		k.left.Unreadable++
		return nil, false
	default:
		return v.err, k.faults.Load() >= mostFaults
	}
}

// keep leaves a folder and those below it as they are known.
func (k *walk) keep(folder string) {
	k.seen[folder] = true
	for _, name := range k.children[folder] {
		k.keep(join(folder, name))
	}
}

// take adds a folder to what was found.
func (k *walk) take(ctx context.Context, v visit) error {
	if v.skipped {
		k.left.Requests++
		k.keep(v.path)
		return nil
	}
	k.seen[v.path] = true
	if v.listed {
		if over := k.files + len(v.files) - k.Limits.Files; k.Limits.Files > 0 && over > 0 {
			over = min(over, len(v.files))
			v.files, v.stamp.Left.Files = v.files[:len(v.files)-over], v.stamp.Left.Files+over
			v.stamp.Count -= over
		}
		k.put(v)
		if len(k.batch) >= batchFolders || k.filed >= batchFiles {
			if err := k.flush(ctx); err != nil {
				return err
			}
		}
	}
	k.folders++
	k.files += v.stamp.Count
	k.left.add(v.stamp.Left)
	if k.told != nil {
		k.told(k.folders, k.files)
	}
	return nil
}

// put has a folder put into the index. Those in it are put there as well, as not listed
// yet: where the walk ends before it comes to them, the next one does. Those that are not
// in it any more are dropped.
func (k *walk) put(v visit) {
	k.batch[v.path] = sources.IndexedFolder{Path: v.path, Stamp: v.stamp.String(), Files: v.files}
	k.filed += len(v.files)
	for _, name := range v.folders {
		folder := join(v.path, name)
		if _, known := k.known[folder]; !known {
			k.batch[folder] = sources.IndexedFolder{Path: folder}
		}
	}
	for _, name := range k.children[v.path] {
		if _, ok := slices.BinarySearch(v.folders, name); !ok {
			k.drop(join(v.path, name))
		}
	}
}

// drop has a folder and those below it dropped.
func (k *walk) drop(folder string) {
	k.seen[folder] = true
	k.gone = append(k.gone, folder)
	for _, name := range k.children[folder] {
		k.drop(join(folder, name))
	}
}

// dropUnseen drops what a walk that came to its end did not come to: what lies in folders
// that are not there.
func (k *walk) dropUnseen() {
	for folder := range k.known {
		if !k.seen[folder] {
			k.gone = append(k.gone, folder)
		}
	}
}

// flush brings the index to where the walk is. It is short, and not worth less when the
// walk ends.
func (k *walk) flush(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if len(k.gone) > 0 {
		if err := k.Index.DropFolders(ctx, k.tree.Root(), k.gone); err != nil {
			return ofIndex(ctx, err)
		}
	}
	if len(k.batch) > 0 {
		batch := slices.SortedFunc(maps.Values(k.batch), func(a, b sources.IndexedFolder) int { return cmp.Compare(a.Path, b.Path) })
		if err := k.Index.PutFolders(ctx, k.tree.Root(), batch); err != nil {
			return ofIndex(ctx, err)
		}
	}
	clear(k.batch)
	k.filed, k.gone = 0, nil
	return nil
}

// visitAll visits places, several at once, and gives what became of each in their order.
func (k *walk) visitAll(ctx context.Context, places []place) []visit {
	visits := make([]visit, len(places))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(k.Limits.Parallel, 1), len(places)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(places) {
					return
				}
				visits[i] = k.visit(ctx, places[i])
			}
		})
	}
	wg.Wait()
	return visits
}

// errBroken says that a tree was left alone.
var errBroken = sources.Errorf(sources.ClassHosterFault, "it failed too often")

func (k *walk) visit(ctx context.Context, p place) visit {
	if k.faults.Load() >= mostFaults {
		return visit{place: p, err: errBroken}
	}
	var v visit
	if err := sources.Contain(k.Logger, "indexing a folder", func() error {
		v = k.look(ctx, p)
		return nil
	}, "root", k.tree.Root(), "folder", text.Printable(p.path)); err != nil {
		v = visit{place: p, err: err}
	}
	switch sources.ClassOf(v.err) {
	case sources.ClassOK, sources.ClassDeadLink, sources.ClassUnsupported, sources.ClassBug:
		k.faults.Store(0)
	default:
		k.faults.Add(1)
	}
	return v
}

// look looks into a folder, where it has changed.
func (k *walk) look(ctx context.Context, p place) visit {
	v := visit{place: p}
	if v.err = ctx.Err(); v.err != nil {
		return v
	}
	was, known := parseStamp(k.known[p.path])
	var now string
	if now, v.err = k.tree.Stamp(ctx, p.path); v.err != nil {
		return v
	}
	if known && was.isOf(now, p.in, k.now, k.Fresh) {
		v.stamp, v.folders = was, k.children[p.path]
		return v
	}
	if v.skipped = !spend(&k.requests, k.Limits.Requests); v.skipped {
		return v
	}
	if !known {
		was = stamp{}
	}
	var entries []Entry
	if entries, v.err = k.tree.List(ctx, p.path); v.err != nil {
		return v
	}
	if p.path == "" && len(entries) == 0 && (was.Count > 0 || len(k.children[""]) > 0) {
		v.err = sources.Errorf(sources.ClassHosterFault, "%s is empty, where files were; is its disk mounted?", text.Printable(k.tree.Root()))
		return v
	}
	v.listed = true
	v.stamp = stamp{Version: stampVersion, Tree: now, Listed: k.now.Unix(), In: p.in, Out: p.in}
	k.read(ctx, &v, was, entries)
	if k.Limits.Depth > 0 && p.depth >= k.Limits.Depth {
		v.stamp.Left.Deep, v.folders = len(v.folders), nil
	}
	v.stamp.Count = len(v.files)
	return v
}

// spend takes one of what there is most of.
func spend(used *atomic.Int64, most int) bool {
	return used.Add(1) <= int64(most) || most == 0
}

// childrenOf are the names of the folders in each folder that is known.
func childrenOf(known map[string]string) map[string][]string {
	children := make(map[string][]string)
	for folder := range known {
		if folder != "" {
			parent, name := split(folder)
			children[parent] = append(children[parent], name)
		}
	}
	for _, names := range children {
		slices.Sort(names)
	}
	return children
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

func split(file string) (folder, name string) {
	folder, name = path.Split(file)
	return strings.TrimSuffix(folder, "/"), name
}

// left counts what a walk left out.
type left struct {
	Unreadable int `json:"u,omitempty"` // folders
	Deep       int `json:"d,omitempty"` // folders that lie too deep
	Requests   int `json:"r,omitempty"` // folders beyond the limit of requests
	Files      int `json:"f,omitempty"` // files beyond the limit of files
	Ignored    int `json:"i,omitempty"` // folders that say themselves that nothing in them counts
	Unread     int `json:"n,omitempty"` // .nfo and .strm files that could not be read, or not now
	Links      int `json:"l,omitempty"` // .strm files without a link that can be played
}

func (l *left) add(o left) {
	l.Unreadable += o.Unreadable
	l.Deep += o.Deep
	l.Requests += o.Requests
	l.Files += o.Files
	l.Ignored += o.Ignored
	l.Unread += o.Unread
	l.Links += o.Links
}

// beyondRequests says of folders that a later walk will list them.
const beyondRequests = "beyond the limit of requests"

func (l left) String() string {
	var parts []string
	for _, part := range []struct {
		n          int
		what, says string
	}{
		{l.Unreadable, "folder", "that cannot be read"},
		{l.Deep, "folder", "too deep"},
		{l.Requests, "folder", beyondRequests},
		{l.Files, "file", "beyond the limit of files"},
		{l.Ignored, "folder", "with .nomedia or .ignore"},
		{l.Unread, ".nfo or .strm file", "not read"},
		{l.Links, ".strm file", "without an http link"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", text.Plural(part.n, part.what), part.says))
		}
	}
	return strings.Join(parts, ", ")
}
