package sourcecache_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

// lock takes the write lock as another process would, until unlock is called.
func (s *store) lock(t *testing.T) (unlock func()) {
	t.Helper()
	raw, err := sql.Open("sqlite", s.path+"?_txlock=immediate")
	must(t, err)
	tx, err := raw.BeginTx(t.Context(), nil)
	must(t, err)
	return func() {
		must(t, tx.Rollback())
		must(t, raw.Close())
	}
}

// TestLocked has an answer come while another process has the database locked. Were
// it to wait for a write, that would fail, and say so, before it came.
func TestLocked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := sources.Title{Kind: sources.KindMovie, Name: "Film", Year: 2008}
	iface := sources.Interface{URL: "http://if.example/config.json"}
	source := sources.Source{URL: "https://a.example/film.mp4", Name: "Film 720p"}
	site := sourcetest.NewFakeSite("site", sourcetest.Answer(source))
	books := new(sources.Bookkeeper)
	scanner := &sources.Scanner{Store: s, Books: books, Now: s.clock.Now, Logger: s.log.logger(), CacheTTL: time.Hour}
	streams := &sources.StreamResolve{
		Resolvers: []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: func(_ context.Context, src sources.Source) (sources.Stream, error) {
			return sources.Stream{URL: src.URL}, nil
		}}},
		Attempts: &sources.Attempts{Store: s, Books: books, Logger: s.log.logger()},
		Streams:  s, Books: books, Now: s.clock.Now, Logger: s.log.logger(),
	}
	other := title
	other.Name = "Other"
	_, err := scanner.Scan(t.Context(), other, iface, []sources.Site{site}, sources.ScanOptions{})
	must(t, err)

	unlock := s.lock(t)
	defer unlock()
	found, err := scanner.Scan(t.Context(), title, iface, []sources.Site{site}, sources.ScanOptions{})
	if err != nil || len(found.Sources) != 1 {
		t.Fatalf("a new scan: %v, %v", found.Sources, err)
	}
	if s.log.String() != "" {
		t.Errorf("a write was waited for: %s", s.log)
	}
	if stored, err := scanner.Scan(t.Context(), other, iface, []sources.Site{site}, sources.ScanOptions{}); err != nil || !stored.FromCache {
		t.Errorf("a stored list: from the cache %t, %v", stored.FromCache, err)
	}
	if stream, err := streams.Resolve(t.Context(), found.Sources[0], sources.ResolveOptions{Force: true}); err != nil || stream.URL != source.URL {
		t.Errorf("resolved to %q, %v", stream.URL, err)
	}
}
