package sourcetest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/sourcetest"
)

func title() sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: "Paper Submarines", Year: 2016}
}

func source(url string) sources.Source { return sources.Source{Name: url, URL: url} }

// search gives the URLs that the site yields.
func search(ctx context.Context, s sources.Site) ([]string, error) {
	var urls []string
	err := s.Search(ctx, title(), func(src sources.Source) { urls = append(urls, src.URL) })
	return urls, err
}

func TestFakeSite_Search(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		do   sourcetest.SearchFunc
		want []string
		err  error
	}{
		{"nothing", nil, nil, nil},
		{"answer", sourcetest.Answer(source("a"), source("b")), []string{"a", "b"}, nil},
		{"fail", sourcetest.Fail(broken, source("a")), []string{"a"}, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site := sourcetest.NewFakeSite("k", tt.do)
			got, err := search(t.Context(), site)
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
				t.Errorf("error %v, sources (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff([]sources.Title{title()}, site.Calls()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if info := site.Info(); info.Key != "k" || info.Name != "k" {
				t.Errorf("info %+v", info)
			}
		})
	}
}

func TestSequence(t *testing.T) {
	broken := errors.New("broken")
	site := sourcetest.NewFakeSite("k", sourcetest.Sequence(sourcetest.Fail(broken), sourcetest.Answer(source("a"))))
	if _, err := search(t.Context(), site); !errors.Is(err, broken) {
		t.Errorf("first search: %v, want the first step", err)
	}
	for range 2 {
		if got, err := search(t.Context(), site); err != nil || len(got) != 1 {
			t.Errorf("later search: %q, %v, want the last step", got, err)
		}
	}
}

func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		if _, err := search(ctx, sourcetest.NewFakeSite("k", sourcetest.Hang())); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the deadline", err)
		}
		if d := time.Since(begin); d != time.Minute {
			t.Errorf("it hung for %v, want its deadline", d)
		}
	})
}

func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := sourcetest.NewFakeSite("k", sourcetest.After(time.Hour, sourcetest.Answer(source("a"))))
		begin := time.Now()
		if got, err := search(t.Context(), site); err != nil || len(got) != 1 || time.Since(begin) != time.Hour {
			t.Errorf("%q, %v after %v, want an answer after an hour", got, err, time.Since(begin))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := search(ctx, site); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("%q, %v with an ended context, want its error", got, err)
		}
	})
}

func TestPanic(t *testing.T) {
	defer func() {
		if p := recover(); p != "boom" {
			t.Errorf("panics with %v, want boom", p)
		}
	}()
	_, _ = search(t.Context(), sourcetest.NewFakeSite("k", sourcetest.Panic("boom")))
}
