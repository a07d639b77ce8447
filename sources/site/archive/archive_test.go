package archive_test

import (
	"context"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/archive"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// startArchive starts an Archive, in a world of its own that ends with the test.
func startArchive(tb testing.TB, items ...world.ArchiveItem) *world.Archive {
	tb.Helper()
	a, err := sourcetest.StartWorld(tb, world.Config{}).AddArchive("archive", world.ArchiveConfig{Items: items})
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// forgetful are Answers that keep nothing.
type forgetful struct{ sources.Answers }

func (forgetful) Answer(context.Context, string) (body []byte, at time.Time, err error) {
	return nil, time.Time{}, nil
}

func (forgetful) PutAnswer(context.Context, string, []byte) error { return nil }

func newFetch(tb testing.TB) *fetch.Client {
	tb.Helper()
	client := fetch.New(fetch.Options{})
	tb.Cleanup(client.CloseIdleConnections)
	return client
}

// newSite is the site of an Archive, without the time between its requests.
func newSite(tb testing.TB, baseURL string, change func(o *archive.Options)) sources.Site {
	tb.Helper()
	o := archive.Options{Fetch: newFetch(tb), Interval: time.Nanosecond}
	if change != nil {
		change(&o)
	}
	site, err := archive.New(archive.Spec(baseURL), archive.NewClient(o))
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

func TestConformance(t *testing.T) {
	sourcetest.RunSite(t, sourcetest.Harness{
		Start: func(tb testing.TB, films []world.Film) sourcetest.Instance {
			a := startArchive(tb, world.ArchiveItems(films)...)
			return sourcetest.Instance{
				Site:   newSite(tb, a.URL(), func(o *archive.Options) { o.Answers = forgetful{} }),
				Server: a, Link: a.Link,
			}
		},
	})
}
