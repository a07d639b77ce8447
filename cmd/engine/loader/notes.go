package loader

import (
	"sync"
	"time"

	"xship/sources"
)

// useEvery is how often the use of an interface is recorded at most.
const useEvery = time.Minute

// notes are what a Loader knows before the store does.
type notes struct {
	mu      sync.Mutex
	configs map[string]*sources.StoredConfig
	used    map[string]time.Time
}

// keep has config give what an address answered, until stored is called.
func (n *notes) keep(url string, c sources.StoredConfig) (stored func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.configs == nil {
		n.configs = make(map[string]*sources.StoredConfig)
	}
	kept := &c
	n.configs[url] = kept
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.configs[url] == kept {
			delete(n.configs, url)
		}
	}
}

// config is what an address answered where that is still to be stored, else nil.
func (n *notes) config(url string) *sources.StoredConfig {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, ok := n.configs[url]
	if !ok {
		return nil
	}
	given := *c
	return &given
}

// using tells whether the use of an interface at the given time is to be recorded,
// and takes note of it; before is what the store knows of its last use.
func (n *notes) using(url string, at, before time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, last := range []time.Time{before, n.used[url]} {
		if since := at.Sub(last); since >= 0 && since < useEvery {
			return false
		}
	}
	if n.used == nil {
		n.used = make(map[string]time.Time)
	}
	n.used[url] = at
	return true
}
