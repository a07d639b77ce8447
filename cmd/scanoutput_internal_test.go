package cmd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// listedView is a view of a source of each kind that only --all lists.
func listedView() scanView {
	now := time.Unix(1000, 0)
	health := sources.HosterSnapshot{"archive.example": {ConsecutiveFails: 12, BackoffUntil: now.Add(300 * time.Second)}}
	all := []sources.Source{
		{ID: "1", Site: "m", Hoster: "good.example", Quality: sources.Quality1440p, Language: "en", Name: strings.Repeat("name ", 12), Info: []string{"HEVC", "5.1", "HDR10"}},
		{ID: "2", Site: "m", Hoster: "archive.example", Quality: sources.Quality1440p, Language: "en", Name: strings.Repeat("name ", 12)},
		{ID: "3", Site: "m", Hoster: "good.example", Quality: sources.Quality720p, Language: "en", Name: "page", Unplayable: "needs a browser"},
	}
	wanted := sources.ListOptions{All: true, Now: now}
	return scanView{
		result: sources.ScanResult{
			Title: sources.Title{Name: "X"}, Sources: all, Sites: []sources.SiteReport{{SiteInfo: sources.SiteInfo{Key: "m", Name: "Meridian of the North"}, Status: sources.SiteOK, Sources: 3}},
		},
		listing: sources.Filter(nil, all, health, wanted), health: health, wanted: wanted, all: true,
	}
}

func TestScanView_allInTable(t *testing.T) {
	var b bytes.Buffer
	v := listedView()
	l := v.list().pick(func(c column) bool { return !c.tsvOnly })
	l.paint = nil
	if err := writeTable(&b, l, 80); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HIDDEN\n", "12 fails, 300 s\n", "needs a browser\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := cellWidth(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if want := "hidden without --all: 1 source on failing hosters: archive.example (12 fails, 300 s)"; !slices.Contains(v.notes(), want) {
		t.Errorf("no %q in %q", want, v.notes())
	}
}

func TestScanView_unplayable(t *testing.T) {
	v := listedView()
	doc := v.doc()
	if got, want := []string{doc.Sources[0].Unplayable, doc.Sources[2].Unplayable}, []string{"", "needs a browser"}; !slices.Equal(got, want) {
		t.Errorf("unplayable: %q, want %q", got, want)
	}
	text, err := json.Marshal(doc.Sources[0])
	if err != nil || !strings.Contains(string(text), `"unplayable":""`) {
		t.Errorf("%s, %v", text, err)
	}
	var b bytes.Buffer
	if err := writeTSV(&b, v.list().pick(func(c column) bool { return !c.noTSV })); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.HasSuffix(lines[0], "\turl\tunplayable") || !strings.HasSuffix(lines[3], "\tneeds a browser") {
		t.Errorf("tsv:\n%s", b.String())
	}
}

func TestScanView_siteNotes(t *testing.T) {
	source := []sources.Source{{ID: "1"}}
	site := func(status sources.SiteStatus, n int) sources.SiteReport {
		return sources.SiteReport{SiteInfo: sources.SiteInfo{Name: "A", Type: "1"}, Status: status, Sources: n, Error: "because"}
	}
	for _, c := range []struct {
		name   string
		result sources.ScanResult
		want   []string
	}{
		{
			"partial and failed",
			sources.ScanResult{Sources: source, Sites: []sources.SiteReport{site(sources.SiteError, 1)}},
			[]string{"1 source from 0 of 1 site in 0 ms", "site A: error: because"},
		},
		{"no answer", sources.ScanResult{Sites: []sources.SiteReport{site(sources.SiteError, 0)}}, nil},
		{
			"from the cache",
			sources.ScanResult{FromCache: true, Sources: source, Sites: []sources.SiteReport{site(sources.SiteOK, 1), site(sources.SiteTimeout, 0), site(sources.SiteSkipped, 0)}},
			[]string{"1 source from the cache; --refresh asks again", "site A when the list was scanned: timeout: because"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := scanView{result: c.result, listing: sources.Filter(nil, c.result.Sources, nil, sources.ListOptions{})}
			if got := v.notes(); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestScanView_interfaceURLs(t *testing.T) {
	v := scanView{result: sources.ScanResult{Interface: sources.Interface{URL: "http://a.example/?k=s3cr3t"}, FailedOverFrom: []string{"http://b.example/?k=s3cr3t"}}}
	doc := v.doc().Interface
	if doc.URL != "http://a.example/?k=REDACTED" || !slices.Equal(doc.FailedOverFrom, []string{"http://b.example/?k=REDACTED"}) {
		t.Errorf("%+v", doc)
	}
	v.showURLs = true
	if doc := v.doc().Interface; doc.URL != "http://a.example/?k=s3cr3t" {
		t.Errorf("with --show-urls: %+v", doc)
	}
}

// TestScanView_unsupported names sites that are only not searchable no less rightly
// than those of other kinds.
func TestScanView_unsupported(t *testing.T) {
	site := func(name, kind string, status sources.SiteStatus) sources.SiteReport {
		return sources.SiteReport{SiteInfo: sources.SiteInfo{Name: name, Type: kind}, Status: status}
	}
	v := scanView{result: sources.ScanResult{Sites: []sources.SiteReport{
		site("Live", "1", sources.SiteUnsupported), site("Spider", "3", sources.SiteUnsupported), site("A", "1", sources.SiteEmpty),
	}}}
	if got, want := v.siteNotes(), []string{"2 sites that xship cannot ask: Live, Spider"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoAnswerMessage(t *testing.T) {
	none := func(n int) *sources.NoAnswerError {
		e := &sources.NoAnswerError{Title: sources.Title{Name: "X"}}
		for range n {
			e.Sites = append(e.Sites, sources.SiteReport{SiteInfo: sources.SiteInfo{Name: "A"}, Status: sources.SiteError, Error: "because"})
		}
		return e
	}
	const line = "\n  A: error: because"
	for n, want := range map[int]string{
		1:   "none of 1 site gave a usable answer for X" + line,
		20:  "none of 20 sites gave a usable answer for X" + strings.Repeat(line, 20),
		500: "none of 500 sites gave a usable answer for X" + strings.Repeat(line, 20) + "\n  and 480 more, see -o json",
	} {
		if got := failureOf(none(n)).Message; got != want {
			t.Errorf("%d sites: %q, want %q", n, got, want)
		}
	}
}

func TestNoAnswerHint(t *testing.T) {
	site := func(kind string, status sources.SiteStatus) sources.SiteReport {
		return sources.SiteReport{SiteInfo: sources.SiteInfo{Type: kind}, Status: status}
	}
	for _, c := range []struct {
		sites []sources.SiteReport
		want  string
	}{
		{nil, "try again later"},
		{[]sources.SiteReport{site("3", sources.SiteUnsupported), site("1", sources.SiteError)}, "try again later"},
		{[]sources.SiteReport{site("3", sources.SiteUnsupported), site("2", sources.SiteUnsupported)}, "types 0, 1 and 4"},
		{[]sources.SiteReport{site("3", sources.SiteUnsupported), site("1", sources.SiteUnsupported)}, "waiting does not help"},
	} {
		if got := noAnswerHint(&sources.NoAnswerError{Sites: c.sites}); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.sites, got, c.want)
		}
	}
}
