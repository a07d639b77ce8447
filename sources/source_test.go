package sources_test

import (
	"testing"

	"xship/sources"
)

func TestQualityOf(t *testing.T) {
	tests := []struct {
		w, h int
		want sources.Quality
	}{
		{0, 0, sources.QualityUnknown},
		{3840, 2160, sources.Quality4K},
		{3840, 1600, sources.Quality4K},
		{2560, 1440, sources.Quality1440p},
		{1920, 1080, sources.Quality1080p},
		{1920, 804, sources.Quality1080p}, // wide: the height alone would say 720p
		{1440, 1080, sources.Quality1080p},
		{1280, 720, sources.Quality720p},
		{1280, 534, sources.Quality720p},
		{0, 720, sources.Quality720p},
		{720, 576, sources.QualitySD},
		{320, 240, sources.QualitySD},
	}
	for _, tt := range tests {
		if got := sources.QualityOf(tt.w, tt.h); got != tt.want {
			t.Errorf("QualityOf(%d, %d) = %q, want %q", tt.w, tt.h, got, tt.want)
		}
	}
}

func TestQuality_Rank(t *testing.T) {
	last := -1
	for _, q := range sources.Qualities() {
		if q.Rank() <= last {
			t.Errorf("%s has rank %d, not more than %d", q, q.Rank(), last)
		}
		last = q.Rank()
	}
	if sources.QualityUnknown.Rank() != sources.QualitySD.Rank() {
		t.Error("unknown quality does not rank with SD")
	}
}

func TestSourceID(t *testing.T) {
	film := sources.Title{Kind: sources.KindMovie, Name: "Film"}
	other := sources.Title{Kind: sources.KindMovie, Name: "Film", Year: 2001}
	id := sources.SourceID(film, "http://H.example:80/a?utm_source=x&b=1")
	if id != sources.SourceID(film, "http://h.example/a?b=1#t") {
		t.Error("the same link has two ids")
	}
	if id == sources.SourceID(film, "http://h.example/a?b=2") || id == sources.SourceID(other, "http://h.example/a?b=1") {
		t.Error("two links or two titles share an id")
	}
}

func TestLinkID(t *testing.T) {
	const link = "https://h.example/a"
	seen := map[string]string{sources.SourceID(sources.Title{}, link): "that of a title"}
	for _, other := range []string{link, link + "#t=5", link + "|Referer=https://r.example/", link + "?utm_source=x", "https://H.example/a"} {
		id := sources.LinkID(other)
		if before, ok := seen[id]; ok || id != sources.LinkID(other) || len(id) != 12 {
			t.Errorf("the id of %q is %q, and that of %q", other, id, before)
		}
		seen[id] = other
	}
}
