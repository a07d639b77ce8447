package archive_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/release"
	"xship/sources/site/archive"
	"xship/sources/sourcetest/world"
)

// fields are those of a file, or more of an item.
type fields = map[string]any

// item is an item of a film that anybody may use. What of more is nil is left out of it.
func item(id, title string, year any, more fields, files ...fields) world.ArchiveItem {
	i := world.ArchiveItem{Fields: fields{
		"identifier": id, "title": title, "year": year, "mediatype": "movies", "licenseurl": "https://creativecommons.org/publicdomain/zero/1.0/",
	}, Files: files}
	maps.Copy(i.Fields, more)
	maps.DeleteFunc(i.Fields, func(_ string, value any) bool { return value == nil })
	return i
}

// video is an original file of an hour.
func video(name string, more fields) fields {
	f := fields{"name": name, "source": "original", "format": "MPEG4", "length": "3600.00", "size": "1000000"}
	maps.Copy(f, more)
	return f
}

// made is a file that was made from an original.
func made(name, original, format, height string) fields {
	return video(name, fields{"source": "derivative", "original": original, "format": format, "height": height})
}

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

func episode(name string, season, number int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: number}
}

func withID(t sources.Title, imdb string) sources.Title {
	t.IMDb = imdb
	return t
}

// search gives what a site yields.
func search(t *testing.T, site sources.Site, title sources.Title) []sources.Source {
	t.Helper()
	var found []sources.Source
	if err := site.Search(t.Context(), title, func(src sources.Source) { found = append(found, src) }); sources.ClassOf(err) != sources.ClassOK {
		t.Fatal(err)
	}
	return found
}

// files are the ids and file names of sources, sorted.
func files(t *testing.T, a *world.Archive, found []sources.Source) []string {
	t.Helper()
	names := make([]string, len(found))
	for i, src := range found {
		rest, ok := strings.CutPrefix(src.URL, a.URL()+"/download/")
		if !ok {
			t.Errorf("%s is no download of the Archive", src.URL)
		}
		name, err := url.PathUnescape(rest)
		if err != nil {
			t.Error(err)
		}
		names[i] = name
	}
	slices.Sort(names)
	return names
}

// TestSearch_traps are the odd things that the Archive and its uploaders do.
func TestSearch_traps(t *testing.T) {
	film := movie("Paper Submarines", 1934)
	gone := item("gone", "Paper Submarines", 1934, nil, video("gone.mp4", nil))
	gone.Gone = true
	dark := item("dark", "Paper Submarines", 1934, nil, video("dark.mp4", nil))
	dark.Beside = fields{"is_dark": true}
	down := item("down", "Paper Submarines", 1934, nil, video("down.mp4", nil))
	down.Beside = fields{"servers_unavailable": "true"}
	for _, c := range []struct {
		name  string
		title sources.Title
		items []world.ArchiveItem
		want  []string
	}{
		{"year as number, text, list", film, []world.ArchiveItem{
			item("a", "Paper Submarines", 1934, nil, video("a.mp4", nil)), item("b", "Paper Submarines", "1934", nil, video("b.mp4", nil)),
			item("c", "Paper Submarines", []any{"1934", "1990"}, nil, video("c.mp4", nil)),
		}, []string{"a/a.mp4", "b/b.mp4", "c/c.mp4"}},
		{"fields of odd types", film, []world.ArchiveItem{
			item("a", "Paper Submarines", 1934, fields{"title": []any{"Paper Submarines", nil, 7}, "collection": nil, "language": fields{"x": 1}, "external-identifier": 12, "access-restricted-item": false},
				video("a.mp4", fields{"size": 12, "length": 90.5, "width": nil, "height": []any{"720", 3}, "private": false, "md5": fields{}})),
		}, []string{"a/a.mp4"}},
		{"year by the date", film, []world.ArchiveItem{item("a", "Paper Submarines", nil, fields{"date": "1934-10-01T00:00:00Z"}, video("a.mp4", nil))}, []string{"a/a.mp4"}},
		{"year off by one", film, []world.ArchiveItem{item("a", "Paper Submarines", 1935, nil, video("a.mp4", nil))}, []string{"a/a.mp4"}},
		{"another year", film, []world.ArchiveItem{item("a", "Paper Submarines", 1974, nil, video("a.mp4", nil))}, nil},
		{"no year", film, []world.ArchiveItem{item("a", "Paper Submarines", nil, nil, video("a.mp4", nil)), item("b", "Paper Submarines", 1999, nil, video("b.mp4", nil))}, []string{"a/a.mp4"}},
		{"the year in the title", film, []world.ArchiveItem{item("a", "Paper Submarines (1934)", nil, nil, video("a.mp4", nil))}, []string{"a/a.mp4"}},
		{"near ones only for want of others", film, []world.ArchiveItem{
			item("a", "Paper Submarines", 1935, nil, video("a.mp4", nil)), item("b", "Paper Submarines", 1934, nil, video("b.mp4", nil)),
		}, []string{"b/b.mp4"}},
		{"near ones where the others have nothing", film, []world.ArchiveItem{item("a", "Paper Submarines", 1935, nil, video("a.mp4", nil)), gone, dark}, []string{"a/a.mp4"}},
		{"by its id, under another name", withID(film, "tt0024680"), []world.ArchiveItem{
			item("a", "U-Boote aus Papier", 1960, fields{"external-identifier": []string{"urn:x:1", "urn:imdb:tt0024680"}}, video("a.mp4", nil)),
			item("b", "Paper Submarines", 1934, fields{"external-identifier": "urn:imdb:tt0099999"}, video("b.mp4", nil)),
			item("c", "Paper Submarines", 1934, nil, video("c.mp4", nil)),
		}, []string{"a/a.mp4", "c/c.mp4"}},
		{"operators and signs", movie(`To Have AND "Have": Not (1/2) [TO] x < y?`, 1934), []world.ArchiveItem{
			item("a", `To Have AND "Have": Not (1/2) [TO] x < y?`, 1934, nil, video("a.mp4", nil)),
		}, []string{"a/a.mp4"}},
		{"a film that is called a trailer", movie("Trailer of Dust", 1934), []world.ArchiveItem{item("a", "Trailer of Dust", 1934, nil, video("trailer of dust.mp4", nil))}, []string{"a/trailer of dust.mp4"}},
		{"trailers", film, []world.ArchiveItem{
			item("a", "Paper Submarines Trailer", 1934, nil, video("a.mp4", nil)),
			item("b", "Paper Submarines", 1934, nil, video("Paper Submarines.mp4", fields{"length": nil}), video("Paper Submarines trailer.mp4", fields{"length": nil})),
		}, []string{"b/Paper Submarines.mp4"}},
		{"not for everybody", film, []world.ArchiveItem{
			gone, dark, down,
			item("restricted", "Paper Submarines", 1934, fields{"access-restricted-item": "true"}, video("r.mp4", nil)),
			item("library", "Paper Submarines", 1934, fields{"collection": []string{"inlibrary", "x"}}, video("r.mp4", nil)),
			item("print", "Paper Submarines", 1934, fields{"collection": "printdisabled"}, video("r.mp4", nil)),
			item("stream", "Paper Submarines", 1934, fields{"collection": []string{"stream_only"}}, video("r.mp4", nil)),
			item("sound", "Paper Submarines", 1934, fields{"mediatype": "audio"}, video("r.mp4", nil)),
		}, nil},
		{"a private original", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("a.mkv", fields{"private": "true", "format": "Matroska"}), made("a.mp4", "a.mkv", "h.264", "480"))}, []string{"a/a.mp4"}},
		{
			"one of each quality", film,
			[]world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
				video("a.mkv", fields{"format": "Matroska", "height": "1080"}), made("a.mp4", "a.mkv", "h.264 HD", "1080"), made("a.ia.mp4", "a.mkv", "h.264 IA", "1080"),
				made("a_720.mp4", "a.mkv", "h.264", "720"), made("a.ogv", "a.mkv", "Ogg Video", "480"), made("a_edit.mp4", "a.mp4", "MPEG4", "480"),
				made("a_512kb.mp4", "a.mkv", "512Kb MPEG4", "240"))},
			[]string{"a/a.ia.mp4", "a/a_512kb.mp4", "a/a_720.mp4", "a/a_edit.mp4"},
		},
		{"no pictures", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("a.mp4", nil), video("a.torrent", fields{"format": "Archive BitTorrent"}), video("a.gif", fields{"format": "Animated GIF"}), video("a.mp3", fields{"format": "VBR MP3"}),
			video("VIDEO_TS/VTS_01_1.VOB", fields{"format": "VOB"}), video("a.iso", fields{"format": "ISO Image"}), video("a_thumb.jpg", fields{"format": "Thumbnail"}))}, []string{"a/a.mp4"}},
		{"clips and extras", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("feature.mp4", fields{"length": "1:35:52"}), made("feature_sample.ogv", "feature.mp4", "Ogg Video", "480"), fields{"name": "feature_clip.mp4", "source": "derivative", "original": "feature.mp4", "format": "h.264", "length": "60", "height": "720"},
			video("interview.mp4", fields{"length": "12:00"}))}, []string{"a/feature.mp4"}},
		{"copies of one film", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("Paper_Submarines.mp4", nil), video("PS.mkv", fields{"length": "3590"}), video("Tin Parade.mp4", fields{"length": "2400"}))}, []string{"a/PS.mkv", "a/Paper_Submarines.mp4"}},
		{"a collection of other films", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("One.mp4", nil), video("Two.mp4", nil), video("Three.mp4", nil), video("Four.mp4", nil))}, nil},
		{"a film among others", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("One.mp4", fields{"length": "3000"}), video("Two.mp4", fields{"length": "3100"}), video("paper_submarines_1934.mp4", nil), video("Four.mp4", fields{"length": "2900"}))}, []string{"a/paper_submarines_1934.mp4"}},
		{
			"in parts", film,
			[]world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
				video("PS part 2 of 3.mp4", fields{"length": "1200"}), video("PS part 1 of 3.mp4", fields{"length": "1200"}), video("PS part 3 of 3.mp4", fields{"length": "400"}))},
			[]string{"a/PS part 1 of 3.mp4", "a/PS part 2 of 3.mp4", "a/PS part 3 of 3.mp4"},
		},
		{"in parts beside the whole", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("ps_cd1.avi", nil), video("ps_cd2.avi", nil), video("ps.mp4", fields{"length": "7200"}))}, []string{"a/ps.mp4"}},
		{"in parts, and whole in another item", film, []world.ArchiveItem{
			item("a", "Paper Submarines", 1934, nil, video("ps_part1.avi", nil), video("ps_part2.avi", nil)), item("b", "Paper Submarines", 1934, nil, video("ps.mp4", nil)),
		}, []string{"b/ps.mp4"}},
		{"a first part alone", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil, video("ps_part1.avi", nil))}, []string{"a/ps_part1.avi"}},
		{"a part in its name", movie("Paper Submarines Part II", 1934), []world.ArchiveItem{item("a", "Paper Submarines Part II", 1934, nil, video("Paper Submarines Part II.mp4", nil))}, []string{"a/Paper Submarines Part II.mp4"}},
		{"characters with a meaning in URLs", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("Paper Submarines/100% #1? a+b&c=d;e ü 钟|[x].mp4", nil))}, []string{"a/Paper Submarines/100% #1? a+b&c=d;e ü 钟|[x].mp4"}},
		{"names that lead elsewhere", film, []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil,
			video("../b/a.mp4", nil), video("/a.mp4", nil), video("x/./a.mp4", nil), video("", nil), fields{"format": "h.264"}, video("history/files/a.mp4.~1~", nil), video("-rf.mp4", nil))}, []string{"a/-rf.mp4"}},
		{"identifiers that lead elsewhere", film, []world.ArchiveItem{
			item("..", "Paper Submarines", 1934, nil, video("a.mp4", nil)), item("a/b", "Paper Submarines", 1934, nil, video("a.mp4", nil)),
			item("a?b", "Paper Submarines", 1934, nil, video("a.mp4", nil)), item("A.b-c_1", "Paper Submarines", 1934, nil, video("a.mp4", nil)),
		}, []string{"A.b-c_1/a.mp4"}},
		{"a file that is no object", film, []world.ArchiveItem{{
			Fields: item("a", "Paper Submarines", 1934, nil).Fields, Files: []map[string]any{nil, video("a.mp4", nil)},
		}}, []string{"a/a.mp4"}},
		{"files that are no list", film, []world.ArchiveItem{{
			Fields: item("a", "Paper Submarines", 1934, nil).Fields, Beside: fields{"files": fields{"a.mp4": video("a.mp4", nil)}},
		}}, nil},
		{"episodes by their names", episode("Tin Parade", 1, 2), []world.ArchiveItem{item("a", "Tin Parade", nil, nil,
			video("Tin_Parade_S01E01.mp4", nil), video("Tin_Parade_S01E02_The_Drum.mkv", nil), made("Tin_Parade_S01E02_The_Drum.mp4", "Tin_Parade_S01E02_The_Drum.mkv", "h.264", ""),
			video("Tin_Parade_S01E12.mp4", nil), video("Tin Parade - 1x03.mp4", nil))}, []string{"a/Tin_Parade_S01E02_The_Drum.mp4"}},
		{"episodes with an x", episode("Tin Parade", 1, 3), []world.ArchiveItem{item("a", "Tin Parade", nil, nil, video("Tin Parade - 1x03.mp4", nil), video("Tin Parade - 1x13.mp4", nil))}, []string{"a/Tin Parade - 1x03.mp4"}},
		{"episodes in folders", episode("Tin Parade", 2, 3), []world.ArchiveItem{item("a", "Tin Parade", nil, nil,
			video("Season_1/03.mp4", nil), video("Season_2/03.mp4", nil), video("Season_2/04.mp4", nil), video("Extras/03.mp4", nil))}, []string{"a/Season_2/03.mp4"}},
		{"an item for a season", episode("Tin Parade", 2, 3), []world.ArchiveItem{
			item("a", "Tin Parade Season 1", nil, nil, video("03.mp4", nil)), item("b", "Tin Parade - Season 2", nil, nil, video("03.mp4", nil), video("04.mp4", nil)),
		}, []string{"b/03.mp4"}},
		{"an item for an episode", episode("Tin Parade", 2, 3), []world.ArchiveItem{
			item("a", "Tin Parade S02E03", nil, nil, video("drum.mp4", nil)), item("b", "Tin Parade S02E04", nil, nil, video("march.mp4", nil)), item("c", "Tin Parade S02E03", nil, nil, video("S02E05.mp4", nil)),
		}, []string{"a/drum.mp4"}},
		{"an item for an episode with a title", episode("Tin Parade", 2, 3), []world.ArchiveItem{
			item("a", "Tin Parade - S02E03 - The Drum", nil, nil, video("drum.mp4", nil)), item("b", "Tin Parade 2x04 The March", nil, nil, video("march.mp4", nil)),
			item("c", "Tin Parade Revisited - S02E03 - The Drum", nil, nil, video("other.mp4", nil)), item("d", "Tin Parade 3: The Drum", nil, nil, video("three.mp4", nil)),
		}, []string{"a/drum.mp4"}},
		{"praise behind a title", film, []world.ArchiveItem{
			item("a", "Paper Submarines (1934) Full Movie", nil, nil, video("a.mp4", nil)), item("b", "PAPER SUBMARINES [1934] - public domain film (full length movie)!", nil, nil, video("b.mp4", nil)),
			item("c", "Paper Submarines (1934) Extras", nil, nil, video("c.mp4", nil)), item("d", "Full Movie", nil, nil, video("d.mp4", nil)),
		}, []string{"a/a.mp4", "b/b.mp4"}},
		{"a film is no series", movie("Tin Parade", 0), []world.ArchiveItem{item("a", "Tin Parade", nil, nil, video("S01E01.mp4", nil), video("S01E02.mp4", nil))}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := startArchive(t, c.items...)
			found := search(t, newSite(t, a.URL(), nil), c.title)
			if got := files(t, a, found); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			for _, src := range found { // an address has to lead to the file
				resp, err := fetch.New(fetch.Options{}).Get(t.Context(), fetch.Request{URL: src.URL, Headers: map[string]string{"Range": "bytes=0-9"}})
				if err != nil {
					t.Error(err)
				} else if resp.Status != http.StatusOK && resp.Status != http.StatusPartialContent {
					t.Errorf("%s: status %d", src.URL, resp.Status)
				}
			}
		})
	}
}

// TestSearch_source looks at all that a source tells.
func TestSearch_source(t *testing.T) {
	a := startArchive(t, item("paper", "Paper\x1b[31m Submarines", 1934, fields{"language": "eng", "licenseurl": "https://creativecommons.org/licenses/by-nc/3.0/us/"},
		video("ps.mkv", fields{"format": "Matroska", "width": "1920", "height": "804", "length": "1:35:52", "size": "4000000000"}),
		video("ps.ia.mp4", fields{"source": "derivative", "original": "ps.mkv", "format": "h.264 IA", "height": "480", "length": "5751"}),
		fields{"name": "ps.en.srt", "format": "SubRip"}, fields{"name": "ps_German.vtt"}, fields{"name": "ps.asr.ass"}, fields{"name": "ps.txt"}))
	found := search(t, newSite(t, a.URL(), nil), movie("Paper Submarines", 1934))
	if len(found) != 2 {
		t.Fatalf("found %+v", found)
	}
	src := found[0]
	if src.Quality != sources.Quality1080p || src.SizeBytes != 4_000_000_000 || src.Duration != 5752 || src.Language != "en" || src.Name != "Paper Submarines (1934)" ||
		strings.Join(src.Info, ", ") != "CC BY-NC 3.0, Matroska" || src.Priority != 0 || src.Trailer || src.Group != "" || src.Own {
		t.Errorf("the original: %+v", src)
	}
	var subtitles []string
	for _, s := range src.Subtitles {
		subtitles = append(subtitles, s.Language+" "+path.Base(s.URL))
	}
	if want := []string{"en ps.en.srt", "de ps_German.vtt", " ps.asr.ass"}; !slices.Equal(subtitles, want) {
		t.Errorf("subtitles %q, want %q", subtitles, want)
	}
	if small := found[1]; small.Quality != sources.QualitySD || small.Duration != 5751 {
		t.Errorf("what was made of it: %+v", small)
	}
}

// TestSearch_order yields the best picture first, that for slow lines last.
func TestSearch_order(t *testing.T) {
	a := startArchive(t,
		item("low", "Paper Submarines", 1934, nil, made("b_512kb.mp4", "b.mpeg", "512Kb MPEG4", "240")),
		item("a", "Paper Submarines", 1934, nil,
			made("a_512kb.mp4", "a.mpeg", "512Kb MPEG4", "240"), made("a.mp4", "a.mpeg", "h.264", "480"), made("a.ogv", "a.mpeg", "Ogg Video", "720")))
	var got []string
	for _, src := range search(t, newSite(t, a.URL(), nil), movie("Paper Submarines", 1934)) {
		got = append(got, path.Base(src.URL))
	}
	slices.Sort(got[min(len(got), 2):])
	if want := []string{"a.ogv", "a.mp4", "a_512kb.mp4", "b_512kb.mp4"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSearch_second has near ones and parts behind all others.
func TestSearch_second(t *testing.T) {
	for name, i := range map[string]world.ArchiveItem{
		"near":  item("a", "Paper Submarines", 1935, nil, video("a.mp4", nil)),
		"parts": item("a", "Paper Submarines", 1934, nil, video("a part 1.mp4", nil), video("a part 2.mp4", nil)),
	} {
		found := search(t, newSite(t, startArchive(t, i).URL(), nil), movie("Paper Submarines", 1934))
		if len(found) == 0 || found[0].Priority != sources.PriorityNear {
			t.Errorf("%s: %+v", name, found)
		}
		if name == "parts" && (len(found) != 2 || !strings.HasSuffix(found[1].Name, " part 2 of 2")) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestSearch_group has the episodes of one release in one group.
func TestSearch_group(t *testing.T) {
	a := startArchive(t, item("tin", "Tin Parade", nil, nil, video("S01E01.mp4", nil), video("S01E02.mp4", nil)))
	site := newSite(t, a.URL(), nil)
	one, two := search(t, site, episode("Tin Parade", 1, 1)), search(t, site, episode("Tin Parade", 1, 2))
	if len(one) != 1 || len(two) != 1 || one[0].Group == "" || one[0].Group != two[0].Group || one[0].Name != "Tin Parade · S01E01" {
		t.Errorf("%+v\n%+v", one, two)
	}
}

// TestSearch_names says a title once, so that no word of it is taken for a tag.
func TestSearch_names(t *testing.T) {
	a := startArchive(t, item("cam", "The German Cam", 2018, nil,
		video("The German Cam.mp4", nil), video("films/the_german_cam.2018.remaster.mkv", nil), video("The German Camera.mp4", fields{"length": "3590"}), video("the.german.cam-720p.mp4", nil)))
	var names []string
	for _, src := range search(t, newSite(t, a.URL(), nil), movie("The German Cam", 2018)) {
		names = append(names, src.Name)
		release.Describe(&src)
		if wrong := src.Language != "" || slices.Contains(src.Info, "CAM"); wrong && !strings.Contains(src.Name, "Camera") {
			t.Errorf("%s: language %q, %q", src.Name, src.Language, src.Info)
		}
	}
	slices.Sort(names)
	if want := []string{"The German Cam (2018)", "The German Cam (2018) · 2018.remaster", "The German Cam (2018) · 720p", "The German Cam (2018) · The German Camera"}; !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
}

// TestSearch_manyItems looks into few items of many.
func TestSearch_manyItems(t *testing.T) {
	var items []world.ArchiveItem
	for i := range 200 {
		items = append(items, item(fmt.Sprint("a", i), "Paper Submarines", 1934, nil, video("a.mp4", nil)))
	}
	a := startArchive(t, items...)
	if found := search(t, newSite(t, a.URL(), nil), movie("Paper Submarines", 1934)); len(found) != 5 || a.Requests() != 6 {
		t.Errorf("%d sources, %d requests", len(found), a.Requests())
	}
}

func TestNew(t *testing.T) {
	client := archive.NewClient(archive.Options{Fetch: fetch.New(fetch.Options{})})
	for _, c := range []struct {
		api string
		ok  bool
	}{
		{"", true},
		{archive.DefaultURL, true},
		{"http://127.0.0.1:8080/mirror/", true},
		{"ftp://archive.org", false},
		{"archive.org", false},
		{"https://u:p@archive.org", false},
		{"https://archive.org/?a=b", false},
		{"https://archive.org/#a", false},
		{"://", false},
	} {
		_, err := archive.New(archive.Spec(c.api), client)
		if (err == nil) != c.ok || err != nil && (sources.ClassOf(err) != sources.ClassUnsupported || strings.Contains(err.Error(), "u:p")) {
			t.Errorf("%q: %v", c.api, err)
		}
	}
	if _, err := archive.New(sources.SiteSpec{}, client); sources.ClassOf(err) != sources.ClassUnsupported {
		t.Error(err)
	}
}

// TestSearch_mirror asks a mirror below a path.
func TestSearch_mirror(t *testing.T) {
	a := startArchive(t)
	err := newSite(t, a.URL()+"/a%20b/", nil).Search(t.Context(), movie("Paper Submarines", 0), nil)
	if log := a.Log(); sources.ClassOf(err) != sources.ClassDeadLink || len(log) != 1 || !strings.HasPrefix(log[0].URI, "/a%20b/advancedsearch.php?") {
		t.Errorf("%v, %+v", err, log)
	}
}
