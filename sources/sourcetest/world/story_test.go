package world_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/sourcetest/world"
)

func startStory(t *testing.T) *world.Story {
	t.Helper()
	s, err := world.StartStory(t.Context(), world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestStory_Cast(t *testing.T) {
	s := startStory(t)
	if len(s.Hosters) != 3 || len(s.Sites) != 4 {
		t.Errorf("%d hosters and %d sites, want 3 and 4", len(s.Hosters), len(s.Sites))
	}
	if s.Hanging.Mode() != world.ModeHang || s.Broken.Mode() != world.Mode500 || s.Good.Mode() != world.ModeOK {
		t.Error("the hanging site, the broken or the good interface is in the wrong mode")
	}
	for _, title := range []sources.Title{s.Film, s.Foreign, s.Episode, s.Special, s.Series, s.Unknown} {
		if err := title.Validate(); err != nil {
			t.Errorf("%v: %v", title, err)
		}
	}
}

// A name that is typed wrong has the site that searches the full text answer with what
// shares a word with it, and no other.
func TestStory_FullText(t *testing.T) {
	s := startStory(t)
	s.Hanging.SetMode(world.ModeOK)
	for i, site := range s.Sites {
		names := ask(t, site, "ac=detail&wd=paper+lantrens").names()
		if found := slices.Contains(names, s.Series.Name); found != (i == 1) {
			t.Errorf("%s answers %q", site.Name(), names)
		}
		if names := ask(t, site, "ac=detail&wd=lantrens").names(); len(names) > 0 {
			t.Errorf("%s answers %q to what nothing shares a word with", site.Name(), names)
		}
	}
}

// TestStory_LinksLieInTheWorld follows each link of each site.
func TestStory_LinksLieInTheWorld(t *testing.T) {
	s := startStory(t)
	c := newClient(t)
	hosters := map[string]bool{}
	for _, h := range s.Hosters {
		hosters[h.Addr()] = true
	}
	for _, site := range s.Sites {
		for _, f := range site.Films() {
			for _, g := range f.Groups {
				for _, it := range g.Items {
					u, err := url.Parse(it.URL)
					if err != nil || !hosters[u.Host] {
						t.Errorf("%s at %s: %q lies on no hoster", f.Name, site.Name(), it.URL)
						continue
					}
					if resp, _ := mustGet(t, c, it.URL); resp.StatusCode != http.StatusOK {
						t.Errorf("%s: status %d", it.URL, resp.StatusCode)
					}
				}
			}
		}
	}
}

// TestStory_Titles checks that the catalogues have what the titles promise, on
// the three sites that answer, and sequels and namesakes beside it.
func TestStory_Titles(t *testing.T) {
	s := startStory(t)
	rows := map[string]int{}
	labels := map[string]int{}
	for _, site := range s.Sites[:3] {
		for _, f := range site.Films() {
			rows[f.Name]++
			for _, g := range f.Groups {
				for _, it := range g.Items {
					labels[f.Name+" "+it.Label]++
				}
			}
		}
	}
	for _, name := range []string{s.Film.Name, s.Film.Name + " 2", s.Foreign.OriginalName} {
		if rows[name] == 0 {
			t.Errorf("no site has %q", name)
		}
	}
	if rows[s.Unknown.Name] != 0 {
		t.Errorf("a site has %q", s.Unknown.Name)
	}
	for _, label := range []string{"Paper Submarines Trailer", "Harbour Nine S01E01", "Harbour Nine S00E01", "Harbour Nine Season 2 S02E01", "九号海港 第二季 第01集"} {
		if labels[label] == 0 {
			t.Errorf("no site has %q", label)
		}
	}
}

func TestStory_InterfacesListAllSites(t *testing.T) {
	s := startStory(t)
	body := string(config(t, s.Good))
	for _, site := range s.Sites {
		if !strings.Contains(body, site.URL()) {
			t.Errorf("the good interface does not list %s", site.Name())
		}
	}
	if resp, _ := mustGet(t, newClient(t), s.Broken.URL()); resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("the broken interface answers %d, want 500", resp.StatusCode)
	}
}
