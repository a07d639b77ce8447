package world_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/sourcetest/world"
)

// rss is what clients read of an answer in XML.
type rss struct {
	XMLName xml.Name `xml:"rss"`
	List    struct {
		Page   int     `xml:"page,attr"`
		Pages  int     `xml:"pagecount,attr"`
		Size   int     `xml:"pagesize,attr"`
		Total  int     `xml:"recordcount,attr"`
		Videos []video `xml:"video"`
	} `xml:"list"`
	Types []string `xml:"class>ty"`
}

type video struct {
	ID     string `xml:"id"`
	Name   string `xml:"name"`
	Type   string `xml:"type"`
	Year   string `xml:"year"`
	Note   string `xml:"note"`
	Pic    string `xml:"pic"`
	Groups string `xml:"dt"`
	Links  []dd   `xml:"dl>dd"`
}

type dd struct {
	Flag string `xml:"flag,attr"`
	From string `xml:"from,attr"`
	Text string `xml:",chardata"`
}

func askXML(t *testing.T, url string) rss {
	t.Helper()
	resp, body := mustGet(t, newClient(t), url)
	if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/xml") {
		t.Errorf("%s: type %q", url, got)
	}
	var r rss
	if err := xml.Unmarshal(body, &r); err != nil {
		t.Fatalf("answer to %s: %v\n%s", url, err, body)
	}
	return r
}

func TestSite_XML(t *testing.T) {
	films := append(catalogue(), world.Film{Name: "A & B ]]> <C>", Type: "Film & more"})
	s := addSite(t, world.SiteConfig{Films: films})
	for _, url := range []string{s.XMLURL() + "?ac=videolist&wd=alpha", s.URL() + "?at=xml&ac=detail&wd=alpha", s.URL() + "ac/detail/at/xml?wd=alpha"} {
		r := askXML(t, url)
		if r.List.Page != 1 || r.List.Pages != 1 || r.List.Size != 20 || r.List.Total != 2 || len(r.Types) != 0 {
			t.Errorf("%s: head %+v", url, r.List)
		}
		want := video{
			ID: "1", Name: "Alpha", Type: "Film", Year: "2001", Note: "HD", Pic: "http://pictures.example.com/1.jpg?w=270&h=400",
			Links: []dd{{Flag: "m3u8", Text: "HD$http://h/a.m3u8#http://h/b.m3u8"}, {Flag: "mp4", Text: "SD$http://h/a.mp4"}},
		}
		if diff := cmp.Diff(want, r.List.Videos[0]); diff != "" {
			t.Errorf("%s: film (-want +got):\n%s", url, diff)
		}
	}

	r := askXML(t, s.XMLURL())
	if diff := cmp.Diff([]string{"Film", "Series", "Film & more"}, r.Types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	want := video{ID: "1", Name: "Alpha", Type: "Film", Note: "HD", Groups: "m3u8,mp4"}
	if diff := cmp.Diff(want, r.List.Videos[0]); diff != "" {
		t.Errorf("list row (-want +got):\n%s", diff)
	}
	if got := r.List.Videos[3].Name; got != "A & B ]]> <C>" {
		t.Errorf("name %q", got)
	}

	s.SetMode(world.ModeEmpty)
	if r := askXML(t, s.XMLURL()); r.List.Total != 0 || len(r.List.Videos) != 0 {
		t.Errorf("empty site answers %+v", r)
	}
}

func TestSite_XMLQuirks(t *testing.T) {
	s := addSite(t, world.SiteConfig{Films: catalogue(), XML: world.XMLQuirks{BareAmpersands: true, From: true, LineBreaks: true}})
	_, body := mustGet(t, newClient(t), s.XMLURL()+"?ac=videolist&ids=1")
	for _, part := range []string{
		"<pic>http://pictures.example.com/1.jpg?w=270&h=400</pic>",
		`<dd from="m3u8"><![CDATA[HD$http://h/a.m3u8` + "\r\n" + `http://h/b.m3u8]]></dd>`,
	} {
		if !strings.Contains(string(body), part) {
			t.Errorf("the answer lacks %q:\n%s", part, body)
		}
	}
}

// TestSite_From asks for the links of some players: their names, but not their
// links, are joined by commas then.
func TestSite_From(t *testing.T) {
	s := addSite(t, world.SiteConfig{Films: catalogue()})
	tests := []struct{ path, from, links string }{
		{"?from=mp4&", "mp4", "SD$http://h/a.mp4"},
		{"from/m3u8,mp4/?", "m3u8,mp4", "HD$http://h/a.m3u8#http://h/b.m3u8$$$SD$http://h/a.mp4"},
	}
	for _, tt := range tests {
		a := askURL(t, s.URL()+tt.path+"ac=detail")
		if len(a.List) != 1 || a.List[0].From != tt.from || a.List[0].PlayURL == nil || *a.List[0].PlayURL != tt.links {
			t.Errorf("%s: %+v, want %q and %q", tt.path, a.List, tt.from, tt.links)
		}
	}
}

func TestSite_XMLEntry(t *testing.T) {
	s := addSite(t, world.SiteConfig{Name: "Site"})
	want := world.Entry{Key: "s", Name: "Site", Type: 0, API: s.URL() + "at/xml/", Searchable: 1}
	if diff := cmp.Diff(want, s.XMLEntry()); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
}
