package t4

import (
	"context"
	"strings"
)

// extension is the ext of a site. One that is a URL stands for the text there,
// which is fetched once; a failure is not kept.
type extension struct {
	turn chan struct{} // held by the one call that reads or fetches
	url  string        // "" where text is known
	text string
}

func newExtension(ext string) *extension {
	e := &extension{turn: make(chan struct{}, 1)}
	if trimmed := strings.TrimSpace(ext); strings.HasPrefix(trimmed, "http://") || strings.HasPrefix(trimmed, "https://") {
		e.url = trimmed
	} else {
		e.text = ext
	}
	return e
}

// get gives the text, fetching it with load where that is still to be done.
func (e *extension) get(ctx context.Context, load func(ctx context.Context, rawURL string) (string, error)) (string, error) {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if e.url == "" {
		return e.text, nil
	}
	text, err := load(ctx, e.url)
	if err != nil {
		return "", err
	}
	e.url, e.text = "", text
	return text, nil
}
