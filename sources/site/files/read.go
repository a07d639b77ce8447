package files

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// listing is what lies in a folder.
type listing struct {
	media     []Entry // videos and .strm files, by name
	nfos      map[string]Entry
	subtitles []string
	folders   []string
	ignored   bool // it says itself that nothing in it counts
}

func sortListing(entries []Entry) listing {
	l := listing{nfos: make(map[string]Entry)}
	for _, e := range entries {
		ext := strings.ToLower(extensionOf(e.Name))
		switch {
		case !isName(e.Name):
		case !e.Folder && (e.Name == ".nomedia" || e.Name == ".ignore"):
			l.ignored = true
		case strings.HasPrefix(e.Name, "."):
		case e.Folder:
			l.folders = append(l.folders, e.Name)
		case ext == ".strm", link.MediaOf(e.Name).Video:
			l.media = append(l.media, e)
		case ext == ".nfo":
			l.nfos[e.Name[:len(e.Name)-len(ext)]] = e
		case isSubtitle(e.Name):
			l.subtitles = append(l.subtitles, e.Name)
		}
	}
	slices.SortFunc(l.media, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	slices.Sort(l.folders)
	slices.Sort(l.subtitles)
	return l
}

// maxEntryName is the longest name of a file or a folder, in bytes: file systems have 255
// characters at most, in UTF-8 or UTF-16.
const maxEntryName = 1 << 10

// isName tells whether name is that of something in a folder, rather than a path or the
// folder itself.
func isName(name string) bool {
	return name != "" && len(name) <= maxEntryName && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

// item is a media file of a folder on its way into the index.
type item struct {
	Entry
	named
	parts int  // of the film, 0 where that is not known
	later bool // it is another part than the first
}

// reader reads one folder.
type reader struct {
	*walk
	ctx    context.Context //nolint:containedctx // of the visit, which is one call
	v      *visit
	was    stamp
	in     around
	before map[string]facts // what is known of files for which others were read, by path
	nfos   map[string]*nfo  // and of .nfo files, by what they are known by
	again  bool             // it is to be listed by the next walk as well
}

// read finds the media files among the entries of a folder, and the folders to visit.
func (k *walk) read(ctx context.Context, v *visit, was stamp, entries []Entry) {
	l := sortListing(entries)
	if l.ignored {
		v.stamp.Left.Ignored = 1
		return
	}
	r := reader{walk: k, ctx: ctx, v: v, was: was}
	r.readShow(l)
	r.in = readFolder(path.Base(k.tree.Root()), v.path, v.stamp.Out)
	items := r.items(l)
	stems := make(map[string]bool, len(items))
	for _, it := range items {
		stems[it.stem] = true
	}
	subtitles := subtitlesOf(l.subtitles, stems)
	single := isSingle(items)
	shared := sharedTitle(items)
	for _, it := range items {
		f, ok := r.facts(l, it, single, shared)
		if !ok {
			continue
		}
		f.Subtitles = subtitles[it.stem]
		file := join(v.path, it.Name)
		v.files = append(v.files, sources.IndexedFile{Path: file, Keys: f.keys(file), Facts: f.encode()})
	}
	v.folders = r.foldersOf(l, len(items) > 0)
	if r.again {
		v.stamp.Tree, v.stamp.Listed = "", 0
	}
}

// foldersOf are the folders to visit. Those of extras are such only beside what they are
// extras of: a series may be called so too.
func (r *reader) foldersOf(l listing, media bool) []string {
	beside := sync.OnceValue(func() bool {
		return media || r.in.isShow() || slices.ContainsFunc(l.folders, func(name string) bool { return readFolder("", name, show{}).season >= 0 })
	})
	var folders []string
	for _, name := range l.folders {
		lower := strings.ToLower(name)
		if slices.Contains(otherFolders, lower) || slices.Contains(extraFolders, lower) && beside() {
			continue
		}
		folders = append(folders, name)
	}
	return folders
}

// readShow reads a tvshow.nfo, which goes for the folders below too.
func (r *reader) readShow(l listing) {
	e, ok := l.nfos[kindShow]
	if !ok {
		return
	}
	sig := signature(e)
	if sig != "" && sig == r.was.ShowSig {
		r.v.stamp.Out, r.v.stamp.ShowSig = r.was.Out, sig
		return
	}
	data, ok := r.readFile(e.Name, maxNFO)
	if !ok {
		if !r.was.Out.equal(r.was.In) {
			r.v.stamp.Out = r.was.Out // as it was known
		}
		return
	}
	n := parseNFO(data)
	if n.Kind == kindShow || n.Kind == "" && n.IMDb != "" {
		r.v.stamp.Out, r.v.stamp.ShowSig = show{Names: n.Names, Year: n.Year, IMDb: n.IMDb}, sig
	}
}

// items are the media files that count. Of a film in several files each is one: a player
// opens one at a time.
func (r *reader) items(l listing) []item {
	var items []item
	parts := make(map[string][]int) // of films, by what they have in common
	for _, e := range l.media {
		n, ok := readFile(e.Name, r.in)
		_, told := l.nfos[n.stem]
		if !ok || n.apart && !told {
			continue
		}
		if n.part.of != "" {
			n.part.of += extensionOf(e.Name)
			parts[n.part.of] = append(parts[n.part.of], n.part.number)
		}
		items = append(items, item{Entry: e, named: n})
	}
	for i, it := range items {
		if all := parts[it.part.of]; len(all) > 1 {
			items[i].parts, items[i].later = max(len(all), slices.Max(all)), it.part.number > slices.Min(all)
		}
	}
	return items
}

// facts puts together what is known of a file.
func (r *reader) facts(l listing, it item, single bool, shared string) (facts, bool) {
	f := facts{Size: max(it.Size, 0), Address: it.Link, Trailer: it.trailer, Part: it.part.number, Parts: it.parts, Edition: it.edition}
	if strings.EqualFold(extensionOf(it.Name), ".strm") {
		f.Size, f.Address = 0, ""
		if f.Link, f.LinkSig = r.readLink(it.Entry); f.Link == "" {
			return f, false
		}
	}
	e, ok := l.nfos[it.stem]
	if !ok && single && !it.episode {
		e, ok = l.nfos[kindMovie]
	}
	if ok {
		if f.NFO, f.NFOSig = r.readNFO(e); f.NFO == nil {
			f.NFO = r.before[join(r.v.path, it.Name)].NFO // as it was known
		}
	}
	told := f.NFO
	if told == nil {
		told = &nfo{}
	}
	if season, first, last, ok := told.run(); ok {
		f.Episode, f.Season, f.First, f.Last = true, season, first, last
		if season < 0 {
			f.Season = r.in.season
		}
	} else if it.episode && told.Kind != kindMovie {
		f.Episode, f.Weak, f.Season, f.First, f.Last = true, it.weak, it.numbers.Season, it.numbers.First, it.numbers.Last
	} else if it.apart {
		return f, false
	}
	if f.Episode {
		r.ofSeries(&f, it, told, shared)
	} else {
		r.ofFilm(&f, it, told, single)
	}
	return f, len(f.Names) > 0 || f.IMDb != ""
}

// ofSeries fills in the series of an episode.
func (r *reader) ofSeries(f *facts, it item, told *nfo, shared string) {
	names := slices.Concat(r.in.show.Names, told.Names)
	own := titles(it.info)
	if it.bare || it.leads && shared != "" && text.NormalizeName(it.info.Title) != shared {
		own = nil
	}
	names = append(names, own...)
	if len(own) == 0 || it.leads && shared == "" || r.in.season >= 0 || len(r.in.show.Names) > 0 {
		names = append(names, r.in.names...)
	}
	f.Names = distinct(names)
	f.Year = cmp.Or(r.in.show.Year, it.info.Year)
	if f.Year == 0 && (len(own) == 0 || r.in.season >= 0) {
		f.Year = r.in.year
	}
	f.IMDb = cmp.Or(r.in.show.IMDb, r.in.imdb)
}

// ofFilm fills in a film.
func (r *reader) ofFilm(f *facts, it item, told *nfo, single bool) {
	nameless := it.name == "" || generic.MatchString(it.name)
	if !nameless {
		f.Names = titles(it.info)
		if len(f.Names) == 0 {
			f.Names = []string{it.name}
		}
	}
	f.Names = append(slices.Clone(told.Names), f.Names...)
	f.Year = cmp.Or(told.Year, it.info.Year)
	f.IMDb = cmp.Or(told.IMDb, it.imdb)
	otherYear := f.Year != 0 && r.in.year != 0 && max(f.Year-r.in.year, r.in.year-f.Year) > 1
	if own := single && (r.in.year != 0 || r.in.ownIMDb != "") && !otherYear; own || nameless {
		f.Names = append(f.Names, r.in.names...)
		f.Year = cmp.Or(f.Year, r.in.year)
		f.IMDb = cmp.Or(f.IMDb, r.in.ownIMDb)
	}
	f.Names = distinct(f.Names)
}

// isSingle tells whether a folder has one film only, in several versions maybe.
func isSingle(items []item) bool {
	title, year := "", 0
	for _, it := range items {
		if it.trailer || it.name == "" || generic.MatchString(it.name) {
			continue
		}
		if it.episode && !it.weak {
			return false
		}
		key := text.NormalizeName(it.info.Title)
		if title != "" && title != key || year != 0 && it.info.Year != 0 && year != it.info.Year {
			return false
		}
		title, year = key, cmp.Or(year, it.info.Year)
	}
	return true
}

// sharedTitle is the title behind the numbers that start the names of several files:
// where all have the same, that is the series, and otherwise they are those of episodes.
// It is "" where there is one file only, of which nobody knows.
func sharedTitle(items []item) string {
	const none = "/" // no title
	shared, n := "", 0
	for _, it := range items {
		if !it.leads || it.later {
			continue
		}
		n++
		if title := text.NormalizeName(it.info.Title); shared == "" {
			shared = title
		} else if shared != title {
			shared = none
		}
	}
	if n < 2 {
		return ""
	}
	return shared
}

// maxName is the longest name kept, in bytes. None that long is compared.
const maxName = 512

// distinct are names without those that are the same to who compares names.
func distinct(names []string) []string {
	var all []string
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if key := text.NormalizeName(name); key != "" && len(name) <= maxName && !seen[key] {
			seen[key] = true
			all = append(all, name)
		}
	}
	return all
}

// signature tells a file that is read from what it was, "" where a listing does not say
// enough for that.
func signature(e Entry) string {
	if e.ModTime.IsZero() {
		return ""
	}
	return e.Name + "|" + strconv.FormatInt(e.Size, 10) + "|" + strconv.FormatInt(e.ModTime.UnixNano(), 10)
}

// readNFO is what a .nfo file tells, nil where it cannot be read.
func (r *reader) readNFO(e Entry) (told *nfo, sig string) {
	sig = signature(e)
	r.recall()
	if told = r.nfos[sig]; told != nil && sig != "" {
		return told, sig
	}
	data, ok := r.readFile(e.Name, maxNFO)
	if !ok {
		return nil, ""
	}
	n := parseNFO(data)
	if sig != "" {
		r.nfos[sig] = &n
	}
	return &n, sig
}

// readLink is the link that a .strm file holds, "" where it has none to be played.
func (r *reader) readLink(e Entry) (address, sig string) {
	sig = signature(e)
	r.recall()
	if f, ok := r.before[join(r.v.path, e.Name)]; ok && sig != "" && f.LinkSig == sig {
		return f.Link, sig
	}
	data, ok := r.readFile(e.Name, maxSTRM)
	if !ok {
		return r.before[join(r.v.path, e.Name)].Link, "" // as it was known
	}
	if address = parseSTRM(data); address == "" {
		r.v.stamp.Left.Links++
	}
	return address, sig
}

// readFile reads a file of the folder. It is not ok where that is not to be had, which
// says nothing of what lies beside it: where it may be had later, the next walk looks
// again. After several in a row that were not answered the walk reads no more.
func (r *reader) readFile(name string, most int64) (data []byte, ok bool) {
	if r.unanswered.Load() >= mostFaults || !spend(&r.reads, r.Limits.Reads) || !spend(&r.requests, r.Limits.Requests) {
		r.v.stamp.Left.Unread++
		r.again = true
		return nil, false
	}
	data, err := r.tree.Read(r.ctx, join(r.v.path, name), most)
	if ended := r.ctx.Err(); ended != nil {
		r.v.err = cmp.Or(r.v.err, ended)
		return nil, false
	}
	switch sources.ClassOf(err) {
	case sources.ClassOK:
		r.unanswered.Store(0)
		return data, true
	case sources.ClassDeadLink, sources.ClassUnsupported:
		r.unanswered.Store(0)
	default:
		r.unanswered.Add(1)
		r.again = true
	}
	r.v.stamp.Left.Unread++
	return nil, false
}

// recall gets what is known of the files of the folder for which others were read.
func (r *reader) recall() {
	if r.before != nil {
		return
	}
	r.before, r.nfos = make(map[string]facts), make(map[string]*nfo)
	if r.was.Version == 0 {
		return // it was not listed before
	}
	known, err := r.Index.FindFiles(r.ctx, r.tree.Root(), []string{readKey(r.v.path)}, batchFiles)
	if err != nil {
		return // they are read again
	}
	for _, file := range known {
		if f, ok := parseFacts(file.Facts); ok {
			r.before[file.Path] = f
			if f.NFO != nil {
				r.nfos[f.NFOSig] = f.NFO
			}
		}
	}
}
