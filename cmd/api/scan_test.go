package api_test

import (
	"slices"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources"
)

func TestNewScan_interfaceURLs(t *testing.T) {
	l := &engine.List{Scan: engine.Scan{ScanResult: sources.ScanResult{
		Interface: sources.Interface{URL: "http://a.example/?k=s3cr3t"}, FailedOverFrom: []string{"http://b.example/?k=s3cr3t"},
	}}}
	doc := api.NewScan(l, api.ShownURLs{}).Interface
	if doc.URL != "http://a.example/?k=REDACTED" || !slices.Equal(doc.FailedOverFrom, []string{"http://b.example/?k=REDACTED"}) {
		t.Errorf("%+v", doc)
	}
	if doc := api.NewScan(l, api.ShownURLs{Secrets: true}).Interface; doc.URL != "http://a.example/?k=s3cr3t" {
		t.Errorf("with secrets: %+v", doc)
	}
}

func TestNewScan_notes(t *testing.T) {
	src := sources.Listed{Source: sources.Source{ID: "a", Info: []string{"HEVC"}}}
	l := &engine.List{Listing: sources.Listing{Sources: []sources.Listed{src}}, Options: sources.ListOptions{Media: map[string]sources.MediaInfo{"a": {Notes: []string{"behind a\x00 picture"}}}}}
	row := api.NewScan(l, api.ShownURLs{}).Sources[0]
	if !slices.Equal(row.Info, []string{"HEVC", "behind a picture"}) || row.MediaInfo == nil {
		t.Errorf("%+v", row)
	}
}

func TestNewScan_known(t *testing.T) {
	l := &engine.List{Scan: engine.Scan{ScanResult: sources.ScanResult{Title: sources.Title{Kind: sources.KindMovie, Name: "lanterns"}}}}
	if doc := api.NewScan(l, api.ShownURLs{}); doc.Known != nil {
		t.Errorf("nothing is known: %+v", doc.Known)
	}
	l.Facts = &sources.TitleFacts{IMDb: "tt9900001", Name: "Paper\x1b[2J Lanterns", Year: 2014, Runtime: 94 * time.Minute, Exact: true}
	doc := api.NewScan(l, api.ShownURLs{})
	if want := (api.Known{IMDb: "tt9900001", Name: "Paper Lanterns", Year: 2014, RuntimeSeconds: 5640, Exact: true}); *doc.Known != want || doc.Title.Name != "lanterns" || doc.Title.IMDb != nil {
		t.Errorf("%+v of %+v", doc.Known, doc.Title)
	}
}
