package world_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/sourcetest/world"
)

func addT4(t *testing.T, c world.T4Config) *world.T4 {
	t.Helper()
	if c.Films == nil {
		c.Films = catalogue()
	}
	t4, err := start(t, world.Config{}).AddT4("t", c)
	if err != nil {
		t.Fatal(err)
	}
	return t4
}

// askT4 adds pairs of name and value to the query of the API.
func askT4(t *testing.T, t4 *world.T4, pairs ...string) []byte {
	t.Helper()
	u, err := url.Parse(t4.URL())
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	u.RawQuery = q.Encode()
	_, body := mustGet(t, newClient(t), u.String())
	return body
}

func decode[V any](t *testing.T, body []byte) V {
	t.Helper()
	var v V
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return v
}

func TestT4_Dispatch(t *testing.T) {
	t4 := addT4(t, world.T4Config{})
	const first = "/film/1.html?a=1&b=2"
	tests := []struct {
		name  string
		query []string
		want  []string // names of films; nil: no list of them
	}{
		{"home", nil, []string{}},
		{"home by ac alone", []string{"ac", "detail"}, []string{}},
		{"search", []string{"wd", "alpha", "quick", "false"}, []string{"Alpha", "The alphabet"}},
		{"search with ac", []string{"ac", "detail", "wd", "alpha"}, []string{"Alpha", "The alphabet"}},
		{"search, page 2", []string{"wd", "alpha", "pg", "2"}, []string{}},
		{"category", []string{"ac", "detail", "t", "2"}, []string{"Beta"}},
		{"category before ids", []string{"ac", "detail", "t", "2", "ids", first}, []string{"Beta"}},
		{"detail", []string{"ac", "detail", "ids", first}, []string{"Alpha"}},
		{"detail before search", []string{"ac", "detail", "ids", first, "wd", "beta"}, []string{"Alpha"}},
		{"ids without ac", []string{"ids", first, "wd", "beta"}, []string{"Beta"}},
		{"unknown id", []string{"ac", "detail", "ids", "/film/9.html"}, []string{}},
		{"play before all", []string{"play", "/play/1-0-0?x=1&y=2", "ac", "detail", "t", "2"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := askT4(t, t4, tt.query...)
			if tt.want == nil {
				if play := decode[map[string]any](t, body); play["url"] != "http://h/a.m3u8" {
					t.Errorf("got %s", body)
				}
				return
			}
			if diff := cmp.Diff(tt.want, decode[answer](t, body).names()); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestT4_Links(t *testing.T) {
	t4 := addT4(t, world.T4Config{})
	row := decode[answer](t, askT4(t, t4, "wd", "alpha")).List[0]
	if row.PlayURL != nil || row.Year != nil {
		t.Errorf("a search gives %+v, want neither links nor year", row)
	}
	id := decode[string](t, row.ID)
	row = decode[answer](t, askT4(t, t4, "ac", "detail", "ids", id)).List[0]
	const links = "HD$/play/1-0-0?x=1&y=2#/play/1-0-1?x=1&y=2$$$SD$/play/1-1-0?x=1&y=2"
	if row.From != "m3u8$$$mp4" || row.PlayURL == nil || *row.PlayURL != links || row.TypeName != "Film" {
		t.Errorf("detail %+v, want links %q", row, links)
	}

	t4 = addT4(t, world.T4Config{DirectIDs: true, DetailArray: true})
	rows := decode[[]struct {
		PlayURL string `json:"vod_play_url"`
	}](t, askT4(t, t4, "ac", "detail", "ids", id))
	if len(rows) != 1 || !strings.HasPrefix(rows[0].PlayURL, "HD$http://h/a.m3u8#") {
		t.Errorf("array of details %+v", rows)
	}
	if play := decode[map[string]any](t, askT4(t, t4, "play", "http://h/a.mp4", "flag", "mp4")); play["url"] != "http://h/a.mp4" {
		t.Errorf("play of a link gives %v", play)
	}
}

func TestT4_Play(t *testing.T) {
	header := map[string]string{"Referer": "http://r/"}
	tests := []struct {
		name   string
		config world.T4Config
		want   string
	}{
		{"plain", world.T4Config{}, `{"jx":0,"parse":0,"url":"http://h/a.m3u8"}`},
		{"parse", world.T4Config{NeedsParser: true}, `{"jx":0,"parse":1,"url":"http://h/a.m3u8"}`},
		{"jx", world.T4Config{NeedsJX: true, PlayURL: "json:http://p/"}, `{"jx":1,"parse":0,"playUrl":"json:http://p/","url":"http://h/a.m3u8"}`},
		{"pairs", world.T4Config{URLForm: world.URLPairs}, `{"jx":0,"parse":0,"url":["HD","http://h/a.m3u8","again","http://h/a.m3u8"]}`},
		{"values", world.T4Config{URLForm: world.URLValues}, `{"jx":0,"parse":0,"url":{"position":0,"values":[{"n":"HD","v":"http://h/a.m3u8"},{"n":"again","v":"http://h/a.m3u8"}]}}`},
		{"header", world.T4Config{Header: header}, `{"header":{"Referer":"http://r/"},"jx":0,"parse":0,"url":"http://h/a.m3u8"}`},
		{"header as a string", world.T4Config{Header: header, HeaderAsString: true}, `{"header":"{\"Referer\":\"http://r/\"}","jx":0,"parse":0,"url":"http://h/a.m3u8"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t4 := addT4(t, tt.config)
			if got := string(askT4(t, t4, "play", "/play/1-0-0?x=1&y=2", "flag", "m3u8")); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := string(askT4(t, t4, "play", "/play/7-0-0")); got != `{"error":"no such episode"}` {
				t.Errorf("unknown episode: got %s", got)
			}
		})
	}
}

func TestT4_Ext(t *testing.T) {
	t4 := addT4(t, world.T4Config{Ext: "the text", ExtURL: true})
	if _, body := mustGet(t, newClient(t), t4.ExtURL()); string(body) != "the text" {
		t.Errorf("ext is %q", body)
	}
	if got := askT4(t, t4, "wd", "beta"); !strings.Contains(string(got), `"error"`) {
		t.Errorf("without extend: %s", got)
	}
	if got := decode[answer](t, askT4(t, t4, "wd", "beta", "extend", "the text")).names(); len(got) != 1 {
		t.Errorf("with extend: %v", got)
	}
	want := world.Entry{Key: "t", Name: "t", Type: 4, API: t4.URL(), Searchable: 1, Ext: t4.ExtURL()}
	if diff := cmp.Diff(want, t4.Entry()); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if got := addT4(t, world.T4Config{Ext: "the text"}).Entry().Ext; got != "the text" {
		t.Errorf("ext of the entry: %v", got)
	}
}

// TestT4_Post asks by a form, as clients do whose ext is long.
func TestT4_Post(t *testing.T) {
	long := strings.Repeat("x", 5000)
	t4 := addT4(t, world.T4Config{Ext: long, Query: "site=one"})
	resp, err := newClient(t).PostForm(t4.URL(), url.Values{"wd": {"beta"}, "extend": {long}})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a answer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || len(a.List) != 1 {
		t.Errorf("answer %+v, %v", a, err)
	}
	log := t4.Log()
	if len(log) != 1 || log[0].Method != http.MethodPost || log[0].Form.Get("site") != "one" || log[0].Form.Get("extend") != long || log[0].URI != "/api/t4?site=one" {
		t.Errorf("log %+v", log)
	}
}

func TestT4_OwnQuery(t *testing.T) {
	t4 := addT4(t, world.T4Config{Query: "site=one"})
	if got := decode[answer](t, askT4(t, t4, "wd", "beta")).names(); len(got) != 1 {
		t.Errorf("with the query: %v", got)
	}
	without, _, _ := strings.Cut(t4.URL(), "?")
	if resp, _ := mustGet(t, newClient(t), without+"?wd=beta"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("without the query: status %d, want 404", resp.StatusCode)
	}
}

func TestT4_Films(t *testing.T) {
	w := start(t, world.Config{})
	t4, err := w.AddT4("t", world.T4Config{Films: catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	if w.T4("t") != t4 || w.T4("s") != nil {
		t.Error("lookup by key finds the wrong server")
	}
	t4.SetFilms(append(t4.Films(), world.Film{Name: "Gamma"})...)
	if got := decode[answer](t, askT4(t, t4, "wd", "gamma")).names(); len(got) != 1 {
		t.Errorf("a film added later is found %d times, want once", len(got))
	}
	t4.SetMode(world.ModeEmpty)
	if got := decode[answer](t, askT4(t, t4, "wd", "gamma")).names(); len(got) != 0 {
		t.Errorf("empty server answers %v", got)
	}
}
