package direct

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

const (
	// headSize is read of a file to tell what it is.
	headSize = 8 << 10
	// maxHops is how many .strm files may lead from one to the next.
	maxHops = 2
)

// Resolver implements sources.Resolver. It is safe for concurrent use.
type Resolver struct {
	fetch *fetch.Client
	now   func() time.Time
}

var _ sources.Resolver = (*Resolver)(nil)

// New makes a Resolver that reads through c. now tells which expiry of a URL
// lies ahead; nil is time.Now.
func New(c *fetch.Client, now func() time.Time) *Resolver {
	return &Resolver{fetch: c, now: sources.OrNow(now)}
}

// Name implements sources.Resolver.
func (r *Resolver) Name() string { return "direct" }

// Guesses implements sources.Guesser.
func (r *Resolver) Guesses() {}

var _ sources.Guesser = (*Resolver)(nil)

// Resolve implements sources.Resolver. It is responsible for http and https
// links and for files of this machine, unless their site knows that they are
// not playable as they are.
//
// The stream has the source's own URL, behind which the hoster may move the
// file from node to node, and not the one that a redirect led to. Only where
// the source has secret headers and another hoster serves the file, or the source
// takes a login and another server does, is it the other way round: a player would
// send them there too.
func (r *Resolver) Resolve(ctx context.Context, src sources.Source) (sources.Stream, error) {
	if src.Unplayable != "" {
		return sources.Stream{}, sources.ErrNotResponsible
	}
	if path, ok := localPath(src.URL); ok {
		return r.file(ctx, path)
	}
	address, own := link.SplitHeaders(src.URL)
	if !isHTTP(address) {
		return sources.Stream{}, sources.ErrNotResponsible
	}
	stream, err := r.follow(ctx, address, merge(src.Headers, own), 0, hasWorked(src))
	if link.IsPage(src.URL) && isWebPage(err) && sources.ClassOf(err) == sources.ClassUnsupported {
		err = &sources.NeedsError{
			Needs: sources.NeedsAccount,
			Err:   fmt.Errorf("%w; it needs an account that serves its hoster (xship accounts add PROVIDER), or yt-dlp", err),
		}
	}
	if src.Own && fetch.Refusal(err) != 0 {
		err = fmt.Errorf("%w; the server wants a login, or takes the stored one no more: xship interfaces add URL --login NAME --password-stdin", err)
	}
	return stream, err
}

// hasWorked tells whether a source once gave media. A page in the place of that is the
// hoster's fault; one behind a link that nobody said to be media is what it is.
func hasWorked(src sources.Source) bool {
	return src.State == sources.StateResolved || src.State == sources.StateProbed
}

// isWebPage tells whether an answer was HTML, and not a text or a list that stands where
// media should be.
func isWebPage(err error) bool {
	page, ok := errors.AsType[*fetch.PageError](err)
	return ok && page.IsHTML()
}

// Check reads the first bytes of a stream and tells what is wrong with them.
func (r *Resolver) Check(ctx context.Context, s sources.Stream) error {
	if path, ok := localPath(s.URL); ok {
		_, err := openFile(ctx, path)
		return err
	}
	found, _, err := r.open(ctx, s.URL, s.Headers, s.MIME != "")
	if err == nil && found.link != "" {
		return sources.Errorf(sources.ClassHosterFault, "GET %s: a link where media should be", link.Redact(s.URL))
	}
	return err
}

// CheckLink tells whether link still works, as a sign that its hoster and the network
// do. A page is enough where it came over TLS, which no portal of a network can forge,
// and from a link that does not name media: those that another resolver takes are pages.
// Any other page stands in the place of what worked before, or says that it is gone.
func (r *Resolver) CheckLink(ctx context.Context, checked string) error {
	address, headers := link.SplitHeaders(checked)
	var err error
	if isHTTP(address) {
		_, err = r.follow(ctx, address, headers, 0, true)
	} else {
		_, err = r.Resolve(ctx, sources.Source{URL: checked})
	}
	if isSecurePage(checked, err) {
		return nil
	}
	return err
}

func isSecurePage(checked string, err error) bool {
	scheme, _, _ := strings.Cut(checked, ":")
	return errors.Is(err, sources.ErrPage) && strings.EqualFold(scheme, "https") && link.IsPage(checked)
}

// follow opens address and, where it is a .strm file, what that names. media says that
// it worked before.
func (r *Resolver) follow(ctx context.Context, address string, headers map[string]string, hops int, media bool) (sources.Stream, error) {
	found, finalURL, err := r.open(ctx, address, headers, media)
	if err != nil {
		return sources.Stream{}, err
	}
	if found.link != "" {
		return r.followLink(ctx, address, found.link, hops)
	}
	if givesAway(address, finalURL, headers) || r.fetch.UsesLogin(ctx, address) && link.OriginOf(address) != link.OriginOf(finalURL) {
		address, headers = finalURL, keep(headers, "User-Agent", "Accept", "Accept-Language")
	}
	return sources.Stream{URL: link.Escape(address), Headers: headers, MIME: found.mime, ExpiresAt: link.Expiry(address, r.now())}, nil
}

// followLink opens the link that the .strm file from holds. The headers of the
// file are not for whoever serves the link.
func (r *Resolver) followLink(ctx context.Context, from, raw string, hops int) (sources.Stream, error) {
	if hops == maxHops {
		return sources.Stream{}, sources.Errorf(sources.ClassUnsupported, "%s: more than %d .strm files lead from one to the next", link.Redact(from), maxHops)
	}
	address, headers := link.SplitHeaders(raw)
	return r.follow(ctx, address, headers, hops+1, false)
}

// open reads the first bytes behind link, and more where they are those of a page.
// media says that it was media before.
func (r *Resolver) open(ctx context.Context, address string, headers map[string]string, media bool) (found content, finalURL string, err error) {
	request := fetch.Request{URL: address, Headers: headers}
	part, err := r.fetch.GetRange(ctx, request, 0, headSize)
	if err == nil && len(part.Data) == headSize && fetch.IsHTML(part.Data) {
		part, err = r.fetch.GetRange(ctx, request, 0, fetch.PageSize)
	}
	if err != nil {
		return content{}, "", err
	}
	if name := message(address, part); name != "" {
		return content{}, "", sources.Errorf(sources.ClassUnsupported, "GET %s: %w: %s", link.Redact(address), sources.ErrMessage, name)
	}
	page := fetch.NewPage(address, part.FinalURL, part.Header, part.Data)
	page.Media = media
	if found, err = look(page); err != nil {
		return content{}, "", fmt.Errorf("GET %s: %w", link.Redact(address), err)
	}
	return found, part.FinalURL, nil
}

// maxMessage is more than a video that shows a message has, and less than a film.
const maxMessage = 64 << 20

const maxMessageName = 80 // characters

// message is the name of a video that shows a message, to which a request for address was
// sent on, as add-ons of Stremio do where a service has not the film; else it is "".
func message(address string, part *fetch.Part) string {
	asked, err := link.Parse(address)
	if err != nil || link.ShowsMessage(asked) || part.Total >= maxMessage {
		return ""
	}
	final, err := link.Parse(part.FinalURL)
	if err != nil || !link.ShowsMessage(final) {
		return ""
	}
	return text.Shorten(path.Base(final.Path), maxMessageName)
}

func isHTTP(link string) bool {
	scheme, _, ok := strings.Cut(link, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// merge gives the headers of both maps by their canonical names; those of own
// win. It is nil where there are none.
func merge(headers, own map[string]string) map[string]string {
	if len(headers)+len(own) == 0 {
		return nil
	}
	merged := make(map[string]string, len(headers)+len(own))
	for _, from := range []map[string]string{headers, own} {
		for name, value := range from {
			merged[http.CanonicalHeaderKey(name)] = value
		}
	}
	return merged
}

// harmless are headers that another hoster may see.
var harmless = []string{"User-Agent", "Accept", "Accept-Language", "Referer", "Origin"}

// givesAway tells whether a player that follows the redirect from address to
// finalURL would show secret headers to another hoster.
func givesAway(address, finalURL string, headers map[string]string) bool {
	from, err := link.Parse(address)
	if err != nil {
		return false
	}
	to, err := link.Parse(finalURL)
	if err != nil || fetch.SameHoster(from, to) {
		return false
	}
	for name := range headers {
		if !slices.Contains(harmless, name) {
			return true
		}
	}
	return false
}

// keep gives those of headers that are named.
func keep(headers map[string]string, names ...string) map[string]string {
	var kept map[string]string
	for _, name := range names {
		if value, ok := headers[name]; ok {
			if kept == nil {
				kept = make(map[string]string)
			}
			kept[name] = value
		}
	}
	return kept
}
