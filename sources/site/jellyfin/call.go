package jellyfin

import (
	"bytes"
	"context"
	"fmt"
	"net/url"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
)

// maxEpisodesBody bounds the list of a season: a daily show has hundreds of episodes, each
// with all that is known of its files.
const maxEpisodesBody = 32 << 20

// items asks for a list of items.
func (s *site) items(ctx context.Context, path string, params url.Values, maxBody int64) ([]item, error) {
	params.Set("enableImages", "false")
	params.Set("enableUserData", "false")
	req := fetch.Request{URL: s.address(path, params), Headers: s.spec.Headers, MaxBody: maxBody}
	resp, err := s.client.Get(ctx, req)
	if err != nil {
		return nil, s.refused(err)
	}
	found, ok := decodeItems(bytes.TrimPrefix(resp.Body, []byte("\ufeff")))
	if !ok {
		return nil, badAnswer(req, resp, "the answer is no list of "+s.title())
	}
	return found, nil
}

// badAnswer is the error of an answer to req that cannot be used.
func badAnswer(req fetch.Request, resp *fetch.Response, what string) error {
	if snippet := resp.Snippet(); snippet != "" {
		what += ": " + snippet
	}
	return sources.Errorf(sources.ClassHosterFault, "%s: %s", link.Redact(req.URL), what)
}

// refused says of a refusal what there is to do.
func (s *site) refused(err error) error {
	switch {
	case fetch.Refusal(err) == 0:
		return err
	case !s.spec.Trusted:
		return fmt.Errorf("%w; it wants a login, which only an interface of your own may use: xship interfaces add URL --key-stdin", err)
	default:
		return fmt.Errorf("%w; it wants a login, or takes the stored one no more: xship interfaces add URL --key-stdin (or --login NAME --password-stdin) stores another", err)
	}
}

// title is what people call the server.
func (s server) title() string {
	if s.emby {
		return "Emby"
	}
	return "Jellyfin"
}
