package archive

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
)

func TestValues(t *testing.T) {
	for body, want := range map[string][]string{
		`null`: nil, `""`: nil, `"  "`: nil, `{"a":1}`: nil, `[]`: nil, `[null,{},[1],""]`: nil,
		`"a"`: {"a"}, `" a "`: {"a"}, `7`: {"7"}, `7.5`: {"7.5"}, `true`: {"true"}, `["a",7,null,false]`: {"a", "7", "false"},
		`"` + strings.Repeat("x", maxValue) + `"`: nil,
	} {
		var v values
		if err := json.Unmarshal([]byte(body), &v); err != nil || !slices.Equal(v, want) {
			t.Errorf("%.40s: %q, %v, want %q", body, v, err, want)
		}
	}
	var many values
	if err := json.Unmarshal([]byte("["+strings.Repeat("1,", 1000)+"1]"), &many); err != nil || len(many) != maxValues {
		t.Errorf("%d values, %v", len(many), err)
	}
}

func TestValues_number(t *testing.T) {
	for s, want := range map[string]int64{"": 0, "12": 12, "12.9": 12, "-3": 0, "1e3": 1000, "1e99": 0, "NaN": 0, "Inf": 0, "x": 0, "99999999999999999999": 0} {
		if got := (values{s}).number(); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestValues_size(t *testing.T) {
	for s, want := range map[string]int{"720": 720, "7680": 7680, "9999": 9999, "10000": 0, "99999999999": 0, "-1": 0, "x": 0} {
		if got := (values{s}).size(); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestValues_year(t *testing.T) {
	for s, want := range map[string]int{"": 0, "1968": 1968, "1968-10-01": 1968, "19680": 0, "196": 0, "0012": 0, "9999": 0, "abcd": 0, "[1968]": 0} {
		if got := (values{s}).year(); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestLengthOf(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"5752.84": 5752840 * time.Millisecond, "5752": 5752 * time.Second, "1:35:52": 5752 * time.Second, "95:52": 5752 * time.Second, " 01:02 ": 62 * time.Second, "0:00:01.5": 1500 * time.Millisecond,
		"": 0, ":": 0, "1:": 0, "-5": 0, "1:-5": 0, "1:2:3:4": 0, "1e5": 0, "NaN": 0, "inf": 0, "1.2.3": 0, "5 min": 0, "400000": 0, "9" + strings.Repeat("9", 400): 0, "1_0": 0, "0x10": 0,
	} {
		if got := lengthOf(s); got != want {
			t.Errorf("%.40q: %s, want %s", s, got, want)
		}
	}
}

func TestTitleQuery(t *testing.T) {
	title := sources.Title{Kind: sources.KindMovie, Name: "Night OR Day: (Part) II", OriginalName: "Nacht \\ Tag", Year: 1968, Aliases: []string{"a", "b", "c", "d", "e"}}
	const want = `title:((night or day\: \(part\) ii) OR (night or day\: \(part\) 2) OR (nacht \\ tag) OR (a) OR (b)) AND year:[1967 TO 1969] AND mediatype:(movies) AND -title:trailer`
	if got := titleQuery(title, true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, want := range map[string]string{
		"Some Film (2020)": "title:(some film)",
		"Show Season 2":    "title:(show)",
		"300":              "title:(300)",
		"Film 3":           "title:((film 3) OR (film iii))",
		"9 + 1 = 10!":      `title:(9 \+ 1 10\!)`,
	} {
		got, _, _ := strings.Cut(titleQuery(sources.Title{Kind: sources.KindEpisode, Name: name}, false), " AND ")
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestReadSearch_broken tells an answer from what is none.
func TestReadSearch_broken(t *testing.T) {
	req := fetch.Request{URL: "https://archive.example/advancedsearch.php?q=x"}
	for body, ok := range map[string]bool{
		`{"response":{"numFound":0,"start":0,"docs":[]}}`: true, `{"response":{}}`: true, "\ufeff {\"response\":{\"docs\":null}}": true,
		`{"response":{"docs":[7,null,"x",{"identifier":"a"},{"identifier":null},{"title":"b"}]}}`: true,
		"": false, "42": false, "[]": false, "{}": false, "null": false, "closed": false, `{"response":null}`: false, `{"response":[]}`: false, `{"response":{"docs":{}}}`: false,
		`{"error":"bad query"}`: false, `{"error":"bad\u001b[31m query","response":{"docs":[]}}`: false, "<!DOCTYPE html><title>Offline</title>": false, `{"response":{"docs":[`: false,
	} {
		_, err := readSearch(req, []byte(body))
		if (err == nil) != ok || err != nil && (sources.ClassOf(err) != sources.ClassHosterFault || strings.Contains(err.Error(), "\x1b")) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestReadMetadata_broken(t *testing.T) {
	req := fetch.Request{URL: "https://archive.example/metadata/a"}
	for body, want := range map[string]string{
		`{}`: "it does not exist", `{"metadata":null}`: "it does not exist", `{"metadata":[]}`: "it does not exist", `{"metadata":"x"}`: "it does not exist",
		`{"is_dark":true}`: "it was taken down", `{"is_dark":"true","metadata":{"title":"x"}}`: "it was taken down", `{"servers_unavailable":true}`: "its servers are not available now",
		`{"metadata":{"identifier":"other","title":"x"},"files":null}`: "", `{"metadata":{},"files":[1,null,"x",[],{}]}`: "", `{"metadata":{},"files":"x"}`: "",
	} {
		m, err := readMetadata(req, "a", []byte(body))
		if err != nil || m.Gone != want || want == "" && m.Item.ID != "a" {
			t.Errorf("%s: %+v, %v, want %q", body, m, err, want)
		}
	}
	for _, body := range []string{"", "42", "[]", "null", `{"error":"overloaded"}`, "<html>", `{"metadata":{`} {
		if _, err := readMetadata(req, "a", []byte(body)); sources.ClassOf(err) != sources.ClassHosterFault {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestReadMetadata_manyFiles looks at so many, and no more.
func TestReadMetadata_manyFiles(t *testing.T) {
	file := `{"name":"a.mp4","format":"h.264"},`
	m, err := readMetadata(fetch.Request{}, "a", []byte(`{"metadata":{},"files":[`+strings.Repeat(file, 50_000)+`{}]}`))
	if err != nil || len(m.Item.Files) != maxFiles {
		t.Errorf("%d files, %v", len(m.Item.Files), err)
	}
}

func FuzzReadSearch(f *testing.F) {
	f.Add([]byte(`{"response":{"docs":[{"identifier":"a","title":["b",1,null],"year":1968,"external-identifier":"urn:imdb:tt0063350","licenseurl":"https://creativecommons.org/licenses/by/3.0/"}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		found, err := readSearch(fetch.Request{URL: "https://archive.example/"}, body)
		if err != nil && sources.ClassOf(err) != sources.ClassHosterFault {
			t.Errorf("class %q: %v", sources.ClassOf(err), err)
		}
		for _, item := range found {
			if !isIdentifier(item.ID) {
				t.Errorf("identifier %q", item.ID)
			}
			item.rights(RegionUS, 0, time.Unix(0, 0))
		}
	})
}

func FuzzReadMetadata(f *testing.F) {
	f.Add([]byte(`{"metadata":{"title":"Film"},"files":[{"name":"a/b part 1 of 2.mp4","source":"original","format":"h.264","length":"1:35:52","height":"1080"},{"name":"b.srt"},{"name":"c.mp4","original":"c.mp4","source":"derivative"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := readMetadata(fetch.Request{URL: "https://archive.example/"}, "a", body)
		if err != nil && sources.ClassOf(err) != sources.ClassHosterFault {
			t.Errorf("class %q: %v", sources.ClassOf(err), err)
		}
		for _, title := range []sources.Title{{Kind: sources.KindMovie, Name: "Film", Year: 1968}, {Kind: sources.KindEpisode, Name: "Film", Season: 1, Episode: 1}} {
			spec, err := New(Spec("https://archive.example"), NewClient(Options{}))
			if err != nil {
				t.Fatal(err)
			}
			q := newSearch(spec.(*site), title, func(src sources.Source) {
				if !strings.HasPrefix(src.URL, "https://archive.example/download/a/") || src.Name == "" || src.Duration < 0 || src.SizeBytes < 0 {
					t.Errorf("%+v", src)
				}
			})
			q.offer(candidate{facts: facts{ID: "a"}}, &m)
		}
	})
}

func FuzzLengthOf(f *testing.F) {
	for _, s := range []string{"5752.84", "1:35:52", "95:52", "", "1e5", ":::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d := lengthOf(s); d < 0 || d > longest {
			t.Errorf("%q: %s", s, d)
		}
	})
}
