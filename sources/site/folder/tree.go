package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/site/files"
	"xship/sources/text"
)

// tree is a files.Tree over a folder of this machine.
type tree struct {
	dir   string // absolute
	now   func() time.Time
	watch *watch
}

var _ files.Looker = (*tree)(nil)

// sameTime is how far apart two changes of a folder may be that have one time: what was
// changed so lately may have been listed before.
const sameTime = 3 * time.Second

// Root implements files.Tree.
func (t *tree) Root() string { return "folder:" + filepath.ToSlash(t.dir) }

// Link implements files.Tree.
func (t *tree) Link(file string) string { return filepath.Join(t.dir, filepath.FromSlash(file)) }

// Stamp implements files.Tree. It is of the time when something came into the folder, or
// went away, and of its inode. A file that changes in its place changes neither.
func (t *tree) Stamp(ctx context.Context, folder string) (string, error) {
	return access(ctx, t.watch, func(func() bool) (string, error) {
		root, err := t.root()
		if err != nil {
			return "", err
		}
		defer func() { _ = root.Close() }() // only read
		_, info, err := t.locate(root, folder)
		if err == nil && !info.IsDir() {
			err = errNoFolder
		}
		if err != nil {
			return "", t.failed(folder, err)
		}
		if !info.ModTime().Before(t.now().Add(-sameTime)) {
			return "", nil
		}
		return fmt.Sprintf("%d %s", info.ModTime().UnixNano(), inode(info)), nil
	})
}

// Gone implements files.Looker. A file is gone as well where something else lies in its
// place, such as a link that leads out of the folder.
func (t *tree) Gone(ctx context.Context, file string) bool {
	gone, err := access(ctx, t.watch, func(func() bool) (bool, error) {
		root, err := t.root()
		if err != nil {
			return false, err
		}
		defer func() { _ = root.Close() }() // only read
		_, info, err := t.locate(root, file)
		return err != nil && !errors.Is(err, fs.ErrPermission) || err == nil && !info.Mode().IsRegular(), nil
	})
	return gone && err == nil
}

// List implements files.Tree.
func (t *tree) List(ctx context.Context, folder string) ([]files.Entry, error) {
	return access(ctx, t.watch, func(on func() bool) ([]files.Entry, error) {
		entries, err := t.list(folder, on)
		if err != nil {
			return nil, t.failed(folder, err)
		}
		return entries, nil
	})
}

// batch is how many entries are read at once.
const batch = 512

func (t *tree) list(folder string, on func() bool) ([]files.Entry, error) {
	root, err := t.root()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only read
	name, info, err := t.locate(root, folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errNoFolder
	}
	// What lies in the folder is asked of the folder itself: its names have no folders.
	in, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read
	dir, err := in.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // only read
	var entries []files.Entry
	links := linksOf{tree: t, folder: folder}
	for {
		some, err := dir.ReadDir(batch)
		for _, e := range some {
			if !on() {
				return nil, context.Canceled
			}
			if entry, ok := t.entry(in, e, &links); ok {
				entries = append(entries, entry)
			}
		}
		if errors.Is(err, io.EOF) || err == nil && len(some) == 0 {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// entry is what a folder has by a name. It is not ok for what is neither a file nor a
// folder, such as a pipe, and for what went away meanwhile.
func (t *tree) entry(in *os.Root, e fs.DirEntry, links *linksOf) (files.Entry, bool) {
	found := files.Entry{Name: e.Name(), Folder: e.IsDir()}
	if found.Folder {
		return found, true
	}
	if e.Type()&fs.ModeSymlink != 0 {
		info, ok := links.follow(e.Name())
		if !ok {
			return found, false
		}
		found.Folder, found.Size, found.ModTime = info.IsDir(), info.Size(), info.ModTime()
		return found, true
	}
	if !e.Type().IsRegular() {
		return found, false
	}
	info, err := in.Lstat(e.Name())
	if err != nil || !info.Mode().IsRegular() {
		return found, false
	}
	found.Size, found.ModTime = info.Size(), info.ModTime()
	return found, true
}

// linksOf follows the symbolic links of a folder.
type linksOf struct {
	tree   *tree
	folder string
	real   string // where the folder lies, once a link was met
	met    bool
}

// follow is what a link leads to, where that is a file of the tree, or a folder of it that
// may be followed: no link stands in the path before, and it does not lie around the link.
func (l *linksOf) follow(name string) (fs.FileInfo, bool) {
	target, ok := l.tree.within(join(l.folder, name))
	if !ok {
		return nil, false
	}
	root, err := l.tree.root()
	if err != nil {
		return nil, false
	}
	defer func() { _ = root.Close() }() // only read
	info, err := root.Lstat(target)
	switch {
	case err != nil:
		return nil, false
	case info.Mode().IsRegular():
		return info, true
	case !info.IsDir():
		return nil, false
	}
	if !l.met {
		l.met = true
		l.real, _ = l.tree.within(l.folder)
	}
	slashed := filepath.ToSlash(target)
	around := slashed == "." || l.real == target || strings.HasPrefix(filepath.ToSlash(l.real)+"/", slashed+"/")
	return info, !around && filepath.ToSlash(l.real) == dot(l.folder)
}

// within is where a path of the tree leads, below the folder of the tree, with all links
// followed. It is not ok where that is not in the folder.
func (t *tree) within(name string) (string, bool) {
	base, err := filepath.EvalSymlinks(t.dir)
	if err != nil {
		return "", false
	}
	target, err := filepath.EvalSymlinks(t.Link(name))
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(base, target)
	return rel, err == nil && filepath.IsLocal(rel)
}

// root opens the folder. Its errors have a class.
func (t *tree) root() (*os.Root, error) {
	root, err := os.OpenRoot(t.dir)
	if err == nil {
		return root, nil
	}
	if info, statErr := os.Stat(t.dir); statErr == nil && !info.IsDir() {
		err = errNoFolder
	}
	return nil, t.failed("", err)
}

// locate finds what lies at a path of the tree, and where in the root. A link that is
// absolute stands for what it leads to, for a root takes none such.
func (t *tree) locate(root *os.Root, name string) (local string, info fs.FileInfo, err error) {
	local = filepath.FromSlash(dot(name))
	if info, err = root.Stat(local); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		if target, ok := t.within(name); ok {
			local = target
			info, err = root.Stat(local)
		}
	}
	return local, info, err
}

// Read implements files.Tree.
func (t *tree) Read(ctx context.Context, file string, most int64) ([]byte, error) {
	return access(ctx, t.watch, func(func() bool) ([]byte, error) {
		data, err := t.read(file, most)
		if err != nil {
			return nil, t.failed(file, err)
		}
		return data, nil
	})
}

func (t *tree) read(file string, most int64) ([]byte, error) {
	root, err := t.root()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()     // only read
	name, info, err := t.locate(root, file) // before it is opened: opening a pipe waits
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if int64(len(data)) > most {
		return nil, errLarge
	}
	return data, err
}

var (
	errNoFolder = errors.New("it is no folder")
	errNoFile   = errors.New("it is no regular file")
	errLarge    = errors.New("it is larger than a file of its kind may be")
)

// failed is err, of an access to what lies at name, with its class.
func (t *tree) failed(name string, err error) error {
	if classified := (*sources.Error)(nil); errors.Is(err, context.Canceled) || errors.As(err, &classified) {
		return err
	}
	class, hint := sources.ClassHosterFault, ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if name != "" {
			class = sources.ClassDeadLink
		} else {
			hint = "; is its disk mounted?"
		}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errNoFolder), errors.Is(err, errNoFile), errors.Is(err, errLarge):
		class = sources.ClassUnsupported
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err // the path is said here
	}
	return sources.Errorf(class, "%s: %w%s", text.Printable(t.Link(name)), err, hint)
}

func join(folder, name string) string { return path.Join(folder, name) }

// dot is a path in a root, which is called "." itself.
func dot(name string) string {
	if name == "" {
		return "."
	}
	return name
}
