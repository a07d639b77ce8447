package debridfake

import (
	"path"
	"sync"
	"time"
)

const fileSize = 1_500_000_000

// When the premium time of the fakes' accounts ends, or ended.
var (
	premiumUntil = time.Date(2099, 12, 31, 0, 0, 0, 0, time.UTC)
	premiumOver  = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// fileList is what lies behind links.
type fileList struct {
	mu    sync.Mutex
	files []File
}

func (l *fileList) set(files []File) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = append([]File(nil), files...)
}

// of gives the files behind link, of which there is at least one.
func (l *fileList) of(link string) []File {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.files) == 0 {
		return []File{{Name: path.Base(link)}}
	}
	return append([]File(nil), l.files...)
}

// partOf is what the stream of the i-th file behind link is named by.
func partOf(link string, i int, f File) string {
	if i == 0 {
		return link
	}
	return link + "#" + f.Name
}

// delays make links take a number of calls.
type delays struct {
	mu    sync.Mutex
	calls int
	left  map[string]int
}

func (d *delays) set(calls int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls, d.left = calls, make(map[string]int)
}

// busy takes one of the calls of key, and tells whether it was one too early.
func (d *delays) busy(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.calls == 0 {
		return false
	}
	if _, ok := d.left[key]; !ok {
		d.left[key] = d.calls
	}
	d.left[key]--
	return d.left[key] >= 0
}
