package world_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/sourcetest/world"
)

// answer is what clients read of a site's answer; numbers stay as they came.
type answer struct {
	Code, Page, PageCount, Limit, Total json.RawMessage
	List                                []struct {
		ID       json.RawMessage `json:"vod_id"`
		Name     string          `json:"vod_name"`
		TypeName string          `json:"type_name"`
		Year     *string         `json:"vod_year"`
		Remarks  string          `json:"vod_remarks"`
		From     string          `json:"vod_play_from"`
		PlayURL  *string         `json:"vod_play_url"`
	}
	Class []struct {
		TypeName string `json:"type_name"`
	}
}

func (a answer) names() []string {
	names := []string{}
	for _, row := range a.List {
		names = append(names, row.Name)
	}
	return names
}

func catalogue() []world.Film {
	return []world.Film{
		{
			Name: "Alpha", Year: 2001, Type: "Film", Remarks: "HD", Groups: []world.Group{
				{From: "m3u8", Items: []world.Item{{Label: "HD", URL: "http://h/a.m3u8"}, {URL: "http://h/b.m3u8"}}},
				{From: "mp4", Items: []world.Item{{Label: "SD", URL: "http://h/a.mp4"}}},
			},
		},
		{Name: "Beta", Type: "Series"},
		{Name: "The alphabet", Year: 2003, Type: "Film"},
	}
}

func ask(t *testing.T, s *world.Site, query string) answer {
	t.Helper()
	return askURL(t, s.URL()+"?"+query)
}

func askURL(t *testing.T, url string) answer {
	t.Helper()
	_, body := mustGet(t, newClient(t), url)
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("answer to %s: %v\n%s", url, err, body)
	}
	return a
}

func addSite(t *testing.T, c world.SiteConfig) *world.Site {
	t.Helper()
	s, err := start(t, world.Config{}).AddSite("s", c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSite_Query(t *testing.T) {
	s := addSite(t, world.SiteConfig{Films: catalogue()})
	tests := []struct {
		query string
		want  []string
	}{
		{"", []string{"Alpha", "Beta", "The alphabet"}},
		{"ac=list", []string{"Alpha", "Beta", "The alphabet"}},
		{"ac=detail&wd=alpha", []string{"Alpha", "The alphabet"}},
		{"ac=videolist&wd=beta", []string{"Beta"}},
		{"wd=film", []string{}},
		{"ac=detail&ids=3,1", []string{"Alpha", "The alphabet"}},
		{"ac=detail&ids=9", []string{}},
		{"t=2", []string{"Beta"}},
		{"wd=alpha&year=2003", []string{"The alphabet"}},
		{"pagesize=2", []string{"Alpha", "Beta"}},
		{"pagesize=2&pg=2", []string{"The alphabet"}},
		{"pagesize=2&pg=9", []string{}},
		{"pg=9223372036854775807", []string{}},
		{"pagesize=x&pg=-1", []string{"Alpha", "Beta", "The alphabet"}},
	}
	for _, tt := range tests {
		t.Run(tt.query, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ask(t, s, tt.query).names()); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSite_ListHasNoLinks(t *testing.T) {
	s := addSite(t, world.SiteConfig{Films: catalogue()})
	a := ask(t, s, "wd=alpha")
	row := a.List[0]
	if row.PlayURL != nil || row.Year != nil || row.From != "m3u8,mp4" || row.Remarks != "HD" {
		t.Errorf("list row %+v, want players joined by commas, no links, no year", row)
	}
	if len(a.Class) != 2 || a.Class[1].TypeName != "Series" {
		t.Errorf("classes %v, want Film and Series", a.Class)
	}
}

func TestSite_DetailHasLinks(t *testing.T) {
	s := addSite(t, world.SiteConfig{Films: catalogue()})
	a := ask(t, s, "ac=detail&ids=1")
	row := a.List[0]
	const links = "HD$http://h/a.m3u8#http://h/b.m3u8$$$SD$http://h/a.mp4"
	if row.PlayURL == nil || *row.PlayURL != links || row.From != "m3u8$$$mp4" {
		t.Errorf("detail row from %q, want links %q", row.From, links)
	}
	if row.Year == nil || *row.Year != "2001" || a.Class != nil {
		t.Errorf("detail has year %v and classes %v, want 2001 and none", row.Year, a.Class)
	}
}

func TestSite_Numbers(t *testing.T) {
	for _, tt := range []struct {
		asStrings bool
		format    string
	}{{false, `%d`}, {true, `"%d"`}} {
		t.Run(fmt.Sprintf("strings %v", tt.asStrings), func(t *testing.T) {
			s := addSite(t, world.SiteConfig{Films: catalogue(), StringNumbers: tt.asStrings, PageSize: 2})
			a := ask(t, s, "pg=2")
			got := []string{string(a.Code), string(a.Page), string(a.PageCount), string(a.Limit), string(a.Total), string(a.List[0].ID)}
			var want []string
			for _, n := range []int{1, 2, 2, 2, 3, 3} {
				want = append(want, fmt.Sprintf(tt.format, n))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("code, page, pagecount, limit, total, id (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSite_Empty(t *testing.T) {
	s := addSite(t, world.SiteConfig{Films: catalogue()})
	s.SetMode(world.ModeEmpty)
	if a := ask(t, s, "ac=detail"); len(a.List) != 0 || string(a.Total) != "0" || string(a.Code) != "1" {
		t.Errorf("empty site answers %+v", a)
	}
}

func TestSite_SetFilms(t *testing.T) {
	s := addSite(t, world.SiteConfig{Films: catalogue()})
	s.SetFilms(append(s.Films(), world.Film{Name: "Gamma"})...)
	if got := ask(t, s, "wd=gamma").names(); len(got) != 1 {
		t.Errorf("a film added later is found %d times, want once", len(got))
	}
}

func TestSite_OtherPaths(t *testing.T) {
	s := addSite(t, world.SiteConfig{})
	u, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/other", u.Path + "at"} {
		u.Path = path
		if resp, _ := mustGet(t, newClient(t), u.String()); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d beside the API, want 404", path, resp.StatusCode)
		}
	}
}

func TestSite_Entry(t *testing.T) {
	s := addSite(t, world.SiteConfig{Name: "Site"})
	want := world.Entry{Key: "s", Name: "Site", Type: 1, API: s.URL(), Searchable: 1}
	if diff := cmp.Diff(want, s.Entry()); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
}
