package sourcecache

import (
	"os"
	"sync"
	"time"
)

// Progress is how the update of an older database goes.
type Progress struct {
	Version int           // of the schema, to which it is brought
	Copying bool          // the database is copied before it is changed
	Done    int64         // bytes that are copied, while Copying
	Total   int64         // bytes of the database
	Elapsed time.Duration // since the update began
}

// progressInterval is how often an update says how it goes.
const progressInterval = time.Second

// progress tells how an update goes: when a part of it begins, and each
// progressInterval meanwhile.
type progress struct {
	tell  func(Progress)
	size  func() int64
	start time.Time

	mu     sync.Mutex // one call at a time
	now    Progress
	copied string // file that is being written, while Copying

	stop chan struct{}
	done sync.WaitGroup
}

// newProgress begins to tell, nil for nobody. end has to be called.
func newProgress(tell func(Progress), size func() int64) *progress {
	p := &progress{tell: tell, size: size, start: time.Now(), stop: make(chan struct{})}
	if tell == nil {
		return p
	}
	p.done.Go(func() {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.mu.Lock()
				p.say()
				p.mu.Unlock()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// end tells nothing any more.
func (p *progress) end() {
	close(p.stop)
	p.done.Wait()
}

// begin tells that a part begins: the copy to a file, or the step to a version.
func (p *progress) begin(version int, copied string) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.copied = Progress{Version: version, Copying: copied != "", Total: p.size()}, copied
	p.say()
}

// say is called with mu held, and does nothing before the first part.
func (p *progress) say() {
	if p.now.Version == 0 {
		return
	}
	if p.copied != "" {
		if info, err := os.Stat(p.copied); err == nil { // else it is not there yet, or done
			p.now.Done = info.Size()
		}
	}
	p.now.Elapsed = time.Since(p.start)
	p.tell(p.now)
}
