package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// privateError is an address that the operator does not allow.
type privateError struct{ addr string }

func (e *privateError) Error() string {
	return fmt.Sprintf("%s is a private address, and network.allow_private is off", e.addr)
}

// special are the blocks that no public server has, beside those that netip
// knows.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // carrier-grade NAT
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), // benchmarks
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b:1::/48"), // NAT64 of one's own
	netip.MustParsePrefix("fec0::/10"),      // site-local
}

// embedding are the blocks of IPv6 that hold an IPv4 address, and where.
var embedding = []struct {
	block  netip.Prefix
	offset int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
}

// isPrivate tells whether addr leads to this machine, its network, or nowhere.
func isPrivate(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || !addr.IsGlobalUnicast() || addr.IsPrivate() {
		return true
	}
	for _, block := range special {
		if block.Contains(addr) {
			return true
		}
	}
	for _, e := range embedding {
		if e.block.Contains(addr) {
			raw := addr.As16()
			return isPrivate(netip.AddrFrom4([4]byte(raw[e.offset : e.offset+4])))
		}
	}
	return false
}

// gate decides which addresses are dialled. The check comes after the name was
// resolved, so that neither DNS nor a redirect leads around it.
type gate struct {
	denyPrivate bool
	trusted     func(host string) bool
	proxies     proxies
	ways        map[string]bool // host:port of the operator's proxies
	open        *net.Dialer
	guarded     *net.Dialer
}

func newGate(o Options) *gate {
	g := &gate{denyPrivate: o.DenyPrivate, trusted: o.Trusted, proxies: newProxies(o.Proxy), ways: make(map[string]bool)}
	for _, one := range g.proxies.of {
		if one.url != nil {
			g.ways[proxyAddr(one.url)] = true
		}
	}
	g.open = &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	g.guarded = &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Control: refusePrivate}
	return g
}

// refusePrivate is the Control of a dialer: address is what is dialled.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil || isPrivate(addr.Addr()) {
		return &privateError{addr: address}
	}
	return nil
}

func (g *gate) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	if !g.denyPrivate || g.ways[addr] || g.trusts(host) {
		return g.open.DialContext(ctx, network, addr)
	}
	return g.guarded.DialContext(ctx, network, addr)
}

func (g *gate) trusts(host string) bool { return g.trusted != nil && g.trusted(host) }

// forProxy is the proxy for req, nil for none. A proxy resolves names itself,
// so that only addresses can be refused.
func (g *gate) forProxy(req *http.Request) (*url.URL, error) {
	proxy, err := g.proxies.through(req.URL)
	if err != nil || proxy == nil || !g.denyPrivate || g.trusts(req.URL.Hostname()) {
		return proxy, err
	}
	if addr, err := netip.ParseAddr(req.URL.Hostname()); err == nil && isPrivate(addr) {
		return nil, &privateError{addr: addr.String()}
	}
	return proxy, nil
}

// Refused tells why the client would not ask rawURL: it lies on private addresses alone,
// which the operator does not allow. It is nil for all else, also where the name is
// unknown, or a proxy's to resolve.
func (c *Client) Refused(ctx context.Context, rawURL string) error {
	u, err := parseURL(rawURL)
	if err != nil || !c.gate.denyPrivate || c.gate.trusts(u.Hostname()) {
		return nil //nolint:nilerr // what is no URL is refused for another reason
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err == nil {
		return refusedOf([]netip.Addr{addr})
	}
	if proxy, err := c.gate.proxies.through(u); err != nil || proxy != nil {
		return nil //nolint:nilerr // a request says so
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil //nolint:nilerr // a request says so
	}
	return refusedOf(addrs)
}

// refusedOf is the error of a host with these addresses, nil where one may be dialled.
func refusedOf(addrs []netip.Addr) error {
	for _, addr := range addrs {
		if !isPrivate(addr) {
			return nil
		}
	}
	if len(addrs) == 0 {
		return nil
	}
	return &privateError{addr: addrs[0].Unmap().String()}
}
