package engine

import (
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/idna"

	"xship/config"
	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/fetch"
)

// network is how a run reaches others: the HTTP client, one that waits for debrid
// services as long as the settings want, and the hosts that the operator named, which
// both dial whatever their addresses are.
type network struct {
	*fetch.Client
	services *fetch.Client
	operator *hostSet
}

// newNetwork makes the network of a run. The deadlines of the settings are kept
// by those who use it.
func newNetwork(s *config.Settings, observer sources.Observer, logins *logins) *network {
	operator := &hostSet{hosts: make(map[string]bool)}
	o := fetch.Options{
		Timeout:     max(s.Scan.SiteTimeout, s.Interfaces.Timeout, s.Probe.Timeout),
		DenyPrivate: !s.Network.AllowPrivate,
		Trusted:     operator.has,
		Proxy:       s.Network.Proxy,
		Login:       logins.header,
		Observer:    observer,
	}
	n := &network{operator: operator, Client: fetch.New(o)}
	for _, provider := range config.DebridProviders() {
		o.Timeout = max(o.Timeout, providerTimeout(s, provider))
	}
	o.FirstByte = o.Timeout // one call has a deadline of its own
	n.services = fetch.New(o)
	return n
}

// CloseIdleConnections ends the connections that no request uses.
func (n *network) CloseIdleConnections() {
	n.Client.CloseIdleConnections()
	n.services.CloseIdleConnections()
}

// providerTimeout is how long one call of a provider may take.
func providerTimeout(s *config.Settings, provider string) time.Duration {
	return sources.OrDefault(s.Debrid.Timeout, debrid.Timeout(provider))
}

// hostSet is a set of the hosts of URLs. It is safe for concurrent use.
type hostSet struct {
	mu    sync.RWMutex
	hosts map[string]bool
}

// add adds the host of a URL; what has none is ignored.
func (s *hostSet) add(rawURL string) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Hostname() == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts[dialledName(u.Hostname())] = true
}

func (s *hostSet) has(host string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.hosts[dialledName(host)]
}

// dialledName is a host as it is dialled: in ASCII and lower case.
func dialledName(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.ToLower(host)
}
