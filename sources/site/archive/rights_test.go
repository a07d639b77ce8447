package archive_test

import (
	"strings"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/archive"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// TestSearch_rights asks for films in each region, in November 2026.
func TestSearch_rights(t *testing.T) {
	now := func() time.Time { return time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC) }
	none := func(more fields) fields {
		if _, ok := more["licenseurl"]; !ok {
			more["licenseurl"] = nil
		}
		return more
	}
	for _, c := range []struct {
		name  string
		year  any
		more  fields
		title int    // year looked for, 0 = that of the item
		us    string // label there, "" = left out
		world string // in Germany and in the world
		any   string
	}{
		{"a licence", 2010, fields{"licenseurl": "https://creativecommons.org/licenses/by-sa/4.0/"}, 0, "CC BY-SA 4.0", "CC BY-SA 4.0", "CC BY-SA 4.0"},
		{"of a country", 2010, fields{"licenseurl": "http://www.creativecommons.org/licenses/by-nc-nd/2.5/se/"}, 0, "CC BY-NC-ND 2.5", "CC BY-NC-ND 2.5", "CC BY-NC-ND 2.5"},
		{"zero", 2010, fields{"licenseurl": "HTTPS://CreativeCommons.org/publicdomain/zero/1.0"}, 0, "CC0", "CC0", "CC0"},
		{"mark", 2010, fields{"licenseurl": []string{"", "http://creativecommons.org/publicdomain/mark/1.0/"}}, 0, "public domain mark", "public domain mark", "public domain mark"},
		{"an old dedication", 2010, fields{"licenseurl": "http://creativecommons.org/licenses/publicdomain/"}, 0, "public domain", "public domain", "public domain"},
		{"without a scheme", 2010, fields{"licenseurl": "creativecommons.org/licenses/by/3.0"}, 0, "CC BY 3.0", "CC BY 3.0", "CC BY 3.0"},
		{"of any scheme", 2010, fields{"licenseurl": "//creativecommons.org/licenses/by/3.0/"}, 0, "CC BY 3.0", "CC BY 3.0", "CC BY 3.0"},
		{"of any scheme and another host", 2010, fields{"licenseurl": "//evil.example/creativecommons.org/licenses/by/3.0/"}, 0, "", "", "rights not checked"},
		{"an unknown one", 2010, fields{"licenseurl": "https://creativecommons.org/licenses/by-xx/\x1b[31m/"}, 0, "", "", "rights not checked"},
		{"one of theirs that is not known", 2010, fields{"licenseurl": "https://creativecommons.org/licenses/sampling/1.0/"}, 0, "Creative Commons", "Creative Commons", "Creative Commons"},
		{"the name in a path", 2010, fields{"licenseurl": "https://evil.example/creativecommons.org/licenses/by/4.0/"}, 0, "", "", "rights not checked"},
		{"the name before a host", 2010, fields{"licenseurl": "https://creativecommons.org@evil.example/licenses/by/4.0/"}, 0, "", "", "rights not checked"},
		{"the name in a host", 2010, fields{"licenseurl": "https://creativecommons.org.evil.example/licenses/by/4.0/"}, 0, "", "", "rights not checked"},
		{"the end of a name", 2010, fields{"licenseurl": "https://notcreativecommons.org/licenses/by/4.0/"}, 0, "", "", "rights not checked"},
		{"another scheme", 2010, fields{"licenseurl": "javascript://creativecommons.org/licenses/by/4.0/"}, 0, "", "", "rights not checked"},
		{"words", 2010, none(fields{"rights": "Creative Commons, public domain, free for all"}), 0, "", "", "rights not checked"},
		{"curated", 1946, none(fields{"collection": []string{"film_noir", "moviesandfilms"}}), 0, "US public domain, curated", "", "US public domain, curated"},
		{"any upload", 1946, none(fields{"collection": []string{"opensource_movies"}}), 0, "", "", "rights not checked"},
		{"a status", 1946, none(fields{"possible-copyright-status": "NOT_IN_COPYRIGHT"}), 0, "US public domain, by its status", "", "US public domain, by its status"},
		{"another status", 1946, none(fields{"possible-copyright-status": "IN_COPYRIGHT"}), 0, "", "", "rights not checked"},
		{"old enough", 1930, none(fields{}), 0, "US public domain, by its age", "", "US public domain, by its age"},
		{"a year too young", 1931, none(fields{}), 0, "", "", "rights not checked"},
		{"older than the film", "1930", none(fields{}), 1931, "", "", "rights not checked"},
		{"no year", nil, none(fields{}), 1920, "", "", "rights not checked"},
		{"an impossible year", "0012", none(fields{}), 1920, "", "", "rights not checked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			film := movie("Paper Submarines", c.title)
			if year, ok := c.year.(int); ok && c.title == 0 {
				film.Year = year
			}
			a := startArchive(t, item("a", "Paper Submarines", c.year, c.more, video("a.mp4", nil)))
			for region, want := range map[archive.Region]string{archive.RegionUS: c.us, archive.RegionDE: c.world, archive.RegionWorld: c.world, archive.RegionAny: c.any} {
				site := newSite(t, a.URL(), func(o *archive.Options) { o.Region, o.Now = region, now })
				found := search(t, site, film)
				if want == "" != (len(found) == 0) || want != "" && found[0].Info[0] != want {
					t.Errorf("%s: %+v, want %q", region, found, want)
				}
			}
		})
	}
}

// TestSearch_otherRegion has nothing of what was kept for another region in its list.
func TestSearch_otherRegion(t *testing.T) {
	a := startArchive(t, item("a", "Paper Submarines", 1946, fields{"licenseurl": nil, "collection": "film_noir"}, video("a.mp4", nil)))
	store := sourcetest.NewMemory(time.Now)
	scanner := &sources.Scanner{Store: store, CacheTTL: time.Hour}
	for _, region := range []archive.Region{archive.RegionUS, archive.RegionDE, archive.RegionAny} {
		site := newSite(t, a.URL(), func(o *archive.Options) { o.Region, o.Answers = region, store })
		got, err := scanner.Scan(t.Context(), movie("Paper Submarines", 1946), sources.Interface{URL: "x"}, []sources.Site{site}, sources.ScanOptions{})
		if err != nil || got.FromCache || (len(got.Sources) == 0) != (region == archive.RegionDE) {
			t.Errorf("%s: %v, %+v", region, err, got)
		}
	}
}

// TestSearch_leftOut tells how many items the rights leave out.
func TestSearch_leftOut(t *testing.T) {
	taken := fields{"licenseurl": nil}
	a := startArchive(t, item("a", "Paper Submarines", 1990, taken, video("a.mp4", nil)), item("b", "Paper Submarines", 1990, nil, video("b.mp4", nil)),
		item("c", "Paper Submarines", 1990, taken, video("c.mp4", nil)), item("d", "Tin Parade", 1990, taken, video("d.mp4", nil)))
	for region, want := range map[archive.Region]string{
		"": "2 items left out by their rights (setting archive.rights_region)", archive.RegionWorld: "2 items left out by their rights (setting archive.rights_region)", archive.RegionAny: "",
	} {
		site := newSite(t, a.URL(), func(o *archive.Options) { o.Region = region })
		got, err := (&sources.Scanner{}).Scan(t.Context(), movie("Paper Submarines", 1990), sources.Interface{URL: "x"}, []sources.Site{site}, sources.ScanOptions{})
		if err != nil || got.Sites[0].Note != want {
			t.Errorf("%q: %v, note %q, want %q", region, err, got.Sites[0].Note, want)
		}
	}
}

// TestSearch_partly yields what could be read, and tells that not all could; what is
// asked beside others fails then, so that it is asked again.
func TestSearch_partly(t *testing.T) {
	for _, beside := range []bool{false, true} {
		a := startArchive(t, item("a", "Paper Submarines", 1990, nil, video("a.mp4", nil)), item("b", "Paper Submarines", 1990, nil, video("b.mp4", nil)))
		a.SetModeAfter(2, world.Mode500)
		spec := archive.Spec(a.URL())
		spec.Beside = beside
		site, err := archive.New(spec, archive.NewClient(archive.Options{Fetch: newFetch(t), Interval: time.Nanosecond}))
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&sources.Scanner{}).Scan(t.Context(), movie("Paper Submarines", 1990), sources.Interface{URL: "x"}, []sources.Site{site}, sources.ScanOptions{})
		if err != nil || len(got.Sources) != 1 {
			t.Fatalf("%v, %+v", err, got)
		}
		told, status := got.Sites[0].Note, sources.SiteOK
		if beside {
			told, status = got.Sites[0].Error, sources.SiteError
		}
		if got.Sites[0].Status != status || !strings.Contains(told, "GET http") || !strings.Contains(told, "500") {
			t.Errorf("%+v", got.Sites[0])
		}
		a.SetMode(world.ModeOK)
		a.ResetCounters()
		if found := search(t, site, movie("Paper Submarines", 1990)); len(found) != 2 || a.Requests() != 1 {
			t.Errorf("%d sources after %d more requests, want 2 after 1", len(found), a.Requests())
		}
	}
}
