package cmd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
)

// listed is a list of a source of each kind that only --all lists.
func listed() *engine.List {
	now := time.Unix(1000, 0)
	health := sources.HosterSnapshot{"archive.example": {ConsecutiveFails: 12, BackoffUntil: now.Add(300 * time.Second)}}
	all := []sources.Source{
		{ID: "1", Site: "m", Hoster: "good.example", Quality: sources.Quality1440p, Language: "en", Name: strings.Repeat("name ", 12), Info: []string{"HEVC", "5.1", "HDR10"}},
		{ID: "2", Site: "m", Hoster: "archive.example", Quality: sources.Quality1440p, Language: "en", Name: strings.Repeat("name ", 12)},
		{ID: "3", Site: "m", Hoster: "good.example", Quality: sources.Quality720p, Language: "en", Name: "page", Unplayable: "needs a browser"},
	}
	wanted := sources.ListOptions{All: true, Now: now}
	return &engine.List{
		Scan: engine.Scan{ScanResult: sources.ScanResult{
			Title: sources.Title{Name: "X"}, Sources: all, Sites: []sources.SiteReport{{SiteInfo: sources.SiteInfo{Key: "m", Name: "Meridian of the North"}, Status: sources.SiteOK, Sources: 3}},
		}},
		Listing: sources.Filter(nil, all, health, wanted), Health: health, Options: wanted,
	}
}

func TestScanList_allInTable(t *testing.T) {
	var b bytes.Buffer
	l := listed()
	if err := scanList(l, l.Live().Rows(), shownList{}).WriteTable(&b, 80, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HIDDEN\n", "12 fails, 300 s\n", "needs a browser\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := term.CellWidth(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d Columns: %s", n, line)
		}
	}
	if want := "hidden without --all: 1 source on failing hosters: archive.example (12 fails, 300 s)"; !slices.Contains(scanNotes(l), want) {
		t.Errorf("no %q in %q", want, scanNotes(l))
	}
}

func TestScanList_unplayable(t *testing.T) {
	l := listed()
	doc := api.NewScan(l, api.ShownURLs{})
	if got, want := []string{doc.Sources[0].Unplayable, doc.Sources[2].Unplayable}, []string{"", "needs a browser"}; !slices.Equal(got, want) {
		t.Errorf("unplayable: %q, want %q", got, want)
	}
	text, err := json.Marshal(doc.Sources[0])
	if err != nil || !strings.Contains(string(text), `"unplayable":""`) {
		t.Errorf("%s, %v", text, err)
	}
	var b bytes.Buffer
	if err := scanList(l, l.Live().Rows(), shownList{}).WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.Contains(lines[0], "\turl\tunplayable\tprovider\t") || !strings.Contains(lines[3], "\tneeds a browser\t") {
		t.Errorf("tsv:\n%s", b.String())
	}
}

// besideOthers is the report of a site that is asked beside the others.
func besideOthers(r sources.SiteReport) sources.SiteReport {
	r.Beside = true
	return r
}

func TestScanList_siteNotes(t *testing.T) {
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
		{
			"a site beside them that failed",
			sources.ScanResult{Sources: source, Sites: []sources.SiteReport{site(sources.SiteOK, 1), besideOthers(site(sources.SiteTimeout, 0))}},
			[]string{"1 source from 1 of 1 site in 0 ms"},
		},
		{
			"a site beside them that answered",
			sources.ScanResult{Sources: source, Sites: []sources.SiteReport{site(sources.SiteOK, 1), besideOthers(site(sources.SiteEmpty, 0))}},
			[]string{"1 source from 2 of 2 sites in 0 ms"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &engine.List{Scan: engine.Scan{ScanResult: c.result}, Listing: sources.Filter(nil, c.result.Sources, nil, sources.ListOptions{})}
			if got := scanNotes(l); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestScanList_unsupported names sites that are only not searchable no less rightly
// than those of other kinds.
func TestScanList_unsupported(t *testing.T) {
	site := func(name, kind string, status sources.SiteStatus) sources.SiteReport {
		return sources.SiteReport{SiteInfo: sources.SiteInfo{Name: name, Type: kind}, Status: status}
	}
	l := &engine.List{Scan: engine.Scan{ScanResult: sources.ScanResult{Sites: []sources.SiteReport{
		site("Live", "1", sources.SiteUnsupported), site("Spider", "3", sources.SiteUnsupported), site("A", "1", sources.SiteEmpty),
	}}}}
	if got, want := siteNotes(l), []string{"2 sites that xship cannot ask: Live, Spider"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestScanList_notes tells what the answer of a site leaves out.
func TestScanList_notes(t *testing.T) {
	report := sources.SiteReport{SiteInfo: sources.SiteInfo{Name: "Add-on"}, Status: sources.SiteEmpty, Note: "12 torrents"}
	l := &engine.List{Scan: engine.Scan{ScanResult: sources.ScanResult{Sites: []sources.SiteReport{report}}}}
	if got, want := siteNotes(l), []string{"site Add-on: 12 torrents"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
