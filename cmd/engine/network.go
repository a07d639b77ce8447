package engine

import (
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/idna"

	"xship/config"
	"xship/sources"
	"xship/sources/fetch"
)

// network is how a run reaches others: the one HTTP client, and the hosts that
// the operator named, which it dials whatever their addresses are.
type network struct {
	*fetch.Client
	operator *hostSet
}

// newNetwork makes the network of a run. The deadlines of the settings are kept
// by those who use it.
func newNetwork(s *config.Settings, observer sources.Observer) *network {
	operator := &hostSet{hosts: make(map[string]bool)}
	return &network{
		operator: operator,
		Client: fetch.New(fetch.Options{
			Timeout:     max(s.Scan.SiteTimeout, s.Interfaces.Timeout, s.Probe.Timeout),
			DenyPrivate: !s.Network.AllowPrivate,
			Trusted:     operator.has,
			Observer:    observer,
		}),
	}
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
