package t4

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/tvbox"
)

// Bounds of what Exts keeps.
const (
	maxKept      = 256
	maxKeptBytes = 16 << 20
)

// Exts fetches the exts of sites that are URLs, and keeps what came, for all sites
// that share it. Concurrent calls for the same text are one request. It is safe for
// concurrent use.
type Exts struct {
	client *fetch.Client
	maxAge time.Duration
	now    func() time.Time

	mu      sync.Mutex
	flights map[extKey]*flight
	kept    map[extKey]kept
	bytes   int // of all texts kept
}

// extKey stands for an address and the headers sent there: what needs a secret is
// not told to a site without it.
type extKey [sha256.Size]byte

// flight is a request that is under way. It is cancelled when nobody waits for it.
type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	text    string
	err     error
}

// kept is a text that was fetched.
type kept struct {
	text string
	at   time.Time
}

// NewExts makes an Exts that asks for a text again when it is maxAge old, and after
// a failure. now nil = time.Now.
func NewExts(client *fetch.Client, maxAge time.Duration, now func() time.Time) *Exts {
	now = sources.OrNow(now)
	return &Exts{client: client, maxAge: maxAge, now: now, flights: make(map[extKey]*flight), kept: make(map[extKey]kept)}
}

// isExtURL tells an ext that stands for the text at its address.
func isExtURL(ext string) bool {
	return strings.HasPrefix(ext, "http://") || strings.HasPrefix(ext, "https://")
}

// get gives the text at rawURL. It waits no longer than ctx lives, and then leaves
// the request to those who still wait for it.
func (e *Exts) get(ctx context.Context, rawURL string, headers map[string]string) (string, error) {
	key := extKey(sha256.Sum256(fmt.Appendf(nil, "%q %q", rawURL, headers))) // a map is printed in the order of its keys
	e.mu.Lock()
	if k, ok := e.kept[key]; ok && e.fresh(k) {
		e.mu.Unlock()
		return k.text, nil
	}
	f := e.join(ctx, key, fetch.Request{URL: rawURL, Headers: headers, MaxBody: maxExtBody})
	e.mu.Unlock()
	defer e.leave(key, f)
	select {
	case <-f.done:
		return f.text, f.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// fresh tells whether a text is used without asking. One from the future is not.
func (e *Exts) fresh(k kept) bool {
	age := e.now().Sub(k.at)
	return age >= 0 && age < e.maxAge
}

// join gives the flight of key, starting it where there is none.
func (e *Exts) join(ctx context.Context, key extKey, req fetch.Request) *flight {
	if f, ok := e.flights[key]; ok {
		f.waiting++
		return f
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{waiting: 1, cancel: cancel, done: make(chan struct{})}
	e.flights[key] = f
	go func() {
		resp, err := e.client.Get(ctx, req)
		e.mu.Lock()
		defer e.mu.Unlock()
		defer close(f.done)
		if e.flights[key] == f {
			delete(e.flights, key)
		}
		if err != nil {
			f.err = err
			return
		}
		f.text = strings.TrimSpace(string(resp.Body))
		if body, err := tvbox.Body(req, resp); err == nil { // else it is sent as it came
			f.text = strings.TrimSpace(string(body))
		}
		e.keep(key, f.text)
	}()
	return f
}

// leave ends waiting for f.
func (e *Exts) leave(key extKey, f *flight) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.cancel()
	if e.flights[key] == f {
		delete(e.flights, key)
	}
}

// keep keeps a text, in the place of old ones where there is no room.
func (e *Exts) keep(key extKey, text string) {
	e.drop(key)
	for k, old := range e.kept {
		if !e.fresh(old) {
			e.drop(k)
		}
	}
	for len(e.kept) == maxKept || e.bytes+len(text) > maxKeptBytes {
		e.drop(e.oldest())
	}
	e.kept[key] = kept{text: text, at: e.now()}
	e.bytes += len(text)
}

func (e *Exts) drop(key extKey) {
	e.bytes -= len(e.kept[key].text)
	delete(e.kept, key)
}

func (e *Exts) oldest() extKey {
	var (
		key   extKey
		found *kept
	)
	for k, old := range e.kept {
		if found == nil || old.at.Before(found.at) {
			key, found = k, &old
		}
	}
	return key
}
