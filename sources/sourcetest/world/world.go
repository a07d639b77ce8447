package world

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Config says how the servers of a world behave. The zero value is usable.
type Config struct {
	Latency    time.Duration // before each answer, see Server.SetLatency
	SlowPause  time.Duration // between two pieces in ModeSlow, 0 = 50 ms
	RetryAfter time.Duration // told in Mode429, in whole seconds, 0 = 5 s
}

const (
	defaultSlowPause  = 50 * time.Millisecond
	defaultRetryAfter = 5 * time.Second
)

// ErrClosed is returned where a server is added to a world that has ended.
var ErrClosed = errors.New("the loopback world is closed")

// World is a running set of loopback servers. Its methods are safe for
// concurrent use.
type World struct {
	config Config
	done   chan struct{} // closed when the world ends
	stop   func() bool   // stops watching the context of Start
	close  func()

	mu         sync.Mutex
	closed     bool
	hosters    map[string]*Hoster
	sites      map[string]*Site
	t4s        map[string]*T4
	addons     map[string]*Stremio
	ids        map[string]*IDs
	interfaces map[string]*Interface
	archives   map[string]*Archive
	others     map[string]*Server
	servers    []*Server
}

// Start begins a world without any server. It ends with Close or when ctx is
// done.
func Start(ctx context.Context, c Config) (*World, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start the loopback world: %w", err)
	}
	if c.SlowPause <= 0 {
		c.SlowPause = defaultSlowPause
	}
	if c.RetryAfter <= 0 {
		c.RetryAfter = defaultRetryAfter
	}
	w := &World{
		config:     c,
		done:       make(chan struct{}),
		hosters:    map[string]*Hoster{},
		sites:      map[string]*Site{},
		t4s:        map[string]*T4{},
		addons:     map[string]*Stremio{},
		ids:        map[string]*IDs{},
		interfaces: map[string]*Interface{},
		archives:   map[string]*Archive{},
		others:     map[string]*Server{},
	}
	w.close = sync.OnceFunc(w.shutdown)
	w.stop = context.AfterFunc(ctx, w.close)
	return w, nil
}

// Close ends all servers, hanging answers included, and returns when no
// goroutine of theirs is left. It may be called more than once.
func (w *World) Close() {
	w.stop()
	w.close()
}

func (w *World) shutdown() {
	w.mu.Lock()
	w.closed = true
	servers := w.servers
	w.mu.Unlock()

	close(w.done)
	var wg sync.WaitGroup
	for _, s := range servers {
		wg.Go(s.close)
	}
	wg.Wait()
}

// Hoster returns the hoster of that name, or nil.
func (w *World) Hoster(name string) *Hoster { return lookup(w, w.hosters, name) }

// Site returns the site of that key, or nil.
func (w *World) Site(key string) *Site { return lookup(w, w.sites, key) }

// Interface returns the interface of that name, or nil.
func (w *World) Interface(name string) *Interface { return lookup(w, w.interfaces, name) }

// Archive returns the Archive of that name, or nil.
func (w *World) Archive(name string) *Archive { return lookup(w, w.archives, name) }

func lookup[S any](w *World, servers map[string]*S, name string) *S {
	w.mu.Lock()
	defer w.mu.Unlock()
	return servers[name]
}

// network is the third byte of the addresses of one kind of server.
type network byte

const (
	hosterNet    network = 1
	siteNet      network = 2
	interfaceNet network = 3
	t4Net        network = 4
	idsNet       network = 5
	otherNet     network = 6
	stremioNet   network = 7
	archiveNet   network = 8
	lastNet              = archiveNet
)

// perNet is how many hosts of a network are used before the second byte counts up.
const perNet = 250

// address is that of server number n (from 0) in the network.
func (k network) address(n int) string {
	return net.IPv4(127, byte(n/perNet), byte(k), byte(n%perNet+1)).String()
}

// add starts a server and puts what wrap makes of it under name into servers.
func add[S any](w *World, servers map[string]*S, k network, name string, wrap func(*Server) *S) (*S, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, ErrClosed
	}
	if servers[name] != nil {
		return nil, fmt.Errorf("the loopback world already has a server named %q", name)
	}
	s := newServer(name, w.config, w.done)
	made := wrap(s)
	if err := s.listen(k.address(len(servers))); err != nil {
		return nil, err
	}
	servers[name] = made
	w.servers = append(w.servers, s)
	return made, nil
}

// AddressError tells that a loopback address cannot be listened on.
type AddressError struct {
	Addr string // without port
	Err  error
}

func (e *AddressError) Error() string {
	msg := fmt.Sprintf("listen on the loopback address %s: %v", e.Addr, e.Err)
	if hint := e.Hint(); hint != "" {
		msg += "; add the addresses with: " + hint
	}
	return msg
}

func (e *AddressError) Unwrap() error { return e.Err }

// hintHosts is how many addresses a network gets by the hint: more than the
// story has servers of a kind.
const hintHosts = 8

// Hint is the command that adds the missing addresses where the system, as
// macOS does, has none in 127.0.0.0/8 but 127.0.0.1. It is empty where the
// address is not what is missing.
func (e *AddressError) Hint() string {
	if !errors.Is(e.Err, syscall.EADDRNOTAVAIL) {
		return ""
	}
	var hosts strings.Builder
	for i := range hintHosts {
		fmt.Fprintf(&hosts, " %d", i+1)
	}
	own := ""
	if ip := net.ParseIP(e.Addr).To4(); ip != nil && (ip[1] != 0 || ip[3] > hintHosts) {
		own = "; sudo ifconfig lo0 alias " + e.Addr
	}
	var nets strings.Builder
	for n := network(1); n <= lastNet; n++ {
		fmt.Fprintf(&nets, " %d", n)
	}
	return fmt.Sprintf("for n in%s; do for i in%s; do sudo ifconfig lo0 alias 127.0.$n.$i; done; done%s", nets.String(), hosts.String(), own)
}
