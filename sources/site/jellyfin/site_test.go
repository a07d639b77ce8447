package jellyfin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/jellyfin"
	"xship/sources/sourcetest/jellyfinfake"
	"xship/sources/sourcetest/world"
)

// answering serves one body for each path, and remembers the requests.
func answering(t *testing.T, bodies map[string]string) (address string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.RequestURI())
		body, ok := bodies[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func search(t *testing.T, site sources.Site, title sources.Title) ([]sources.Source, error) {
	t.Helper()
	var found []sources.Source
	err := site.Search(t.Context(), title, func(src sources.Source) { found = append(found, src) })
	return found, err
}

var (
	submarines = sources.Title{Kind: sources.KindMovie, Name: "Paper Submarines", Year: 2016}
	harbour    = sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: 2}
)

// TestSource reads all that a server tells of a file.
func TestSource(t *testing.T) {
	address, _ := answering(t, map[string]string{"/Items": `{"Items":[{"Id":"f1","Type":"Movie","Name":"Paper Submarines","ProductionYear":2016,"RunTimeTicks":54000000000,
		"MediaSources":[{"Id":"v1","Name":"4K","Path":"/media/Paper Submarines (2016)/Paper.Submarines.2016.2160p.mkv","Container":"mkv","Size":123456789012,"VideoType":"VideoFile","MediaStreams":[
			{"Type":"EmbeddedImage","Codec":"mjpeg","Width":600,"Height":900},
			{"Type":"Video","Codec":"hevc","Width":3840,"Height":1604,"VideoRange":"HDR","VideoRangeType":"DOVIWithHDR10"},
			{"Type":"Audio","Codec":"truehd","Channels":8,"Language":"eng"},{"Type":"Audio","Codec":"ac3","Channels":6,"Language":"dut"},
			{"Type":"Subtitle","Codec":"subrip","Index":3,"Language":"ger","IsExternal":true,"IsTextSubtitleStream":true},
			{"Type":"Subtitle","Codec":"ass","Index":4,"Language":"","IsExternal":true,"IsTextSubtitleStream":true},
			{"Type":"Subtitle","Codec":"pgssub","Index":5,"Language":"eng","IsExternal":false,"IsTextSubtitleStream":false}]},
		 {"Id":"v2","Name":"Disc","Path":"D:\\films\\Paper Submarines","VideoType":"BluRay","Container":null,"Size":null,"RunTimeTicks":36000000000,"MediaStreams":null},
		 {"Id":"v3","Name":"Net","Path":"https://u:s3cr3t@host.example/a.mp4?token=s3cr3t","Protocol":"Http","IsRemote":true,"Container":"mov,mp4,m4a","MediaStreams":[{"Type":"Audio","Language":"en-US"},{"Type":"Video","Codec":"h264","Width":1920,"Height":804}]},
		 {"Id":"v4","Type":"Placeholder"},{"Id":"../../x"},{"Id":""},null,5]}]}`})
	found, err := search(t, newSite(t, spec(jellyfin.Type, address+"/?x=1"), fetch.New(fetch.Options{})), submarines)
	if err != nil {
		t.Fatal(err)
	}
	want := []sources.Source{
		{
			Name: "Paper Submarines (2016): Paper.Submarines.2016.2160p.mkv", URL: address + "/Videos/f1/stream.mkv?mediaSourceId=v1&static=true", Quality: sources.Quality4K, Language: sources.LanguageMulti,
			Info: []string{"HEVC", "DV", "TrueHD", "7.1"}, SizeBytes: 123456789012, Own: true, Duration: 5400,
			Subtitles: []sources.Subtitle{{URL: address + "/Videos/f1/v1/Subtitles/3/Stream.srt", Language: "de"}, {URL: address + "/Videos/f1/v1/Subtitles/4/Stream.ass"}},
		},
		{
			Name: "Paper Submarines (2016): Paper Submarines", URL: address + "/Videos/f1/stream?mediaSourceId=v2&static=true", Own: true, Duration: 3600,
			Unplayable: "a disc image or folder, which only apps of the server play",
		},
		{
			Name: "Paper Submarines (2016): Net", URL: address + "/Videos/f1/stream.mov?mediaSourceId=v3&static=true", Own: true, Duration: 5400,
			Quality: sources.Quality1080p, Language: "en", Info: []string{"H264"},
		},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

// TestEpisodes finds one in what servers list for a season.
func TestEpisodes(t *testing.T) {
	episode := func(id, season, number, end, more string) string {
		return fmt.Sprintf(`{"Id":%q,"Type":"Episode","Name":"Part","ParentIndexNumber":%s,"IndexNumber":%s,"IndexNumberEnd":%s,"MediaSources":[{"Id":%q,"Container":"mkv"}]%s}`, id, season, number, end, id, more)
	}
	rows := strings.Join([]string{
		episode("two", "1", "2", "null", ""),
		episode("run", "1", "1", "3", ""),
		episode("pack", "1", "1", "12", ""),
		episode("special", "0", "2", "null", `,"AirsBeforeSeasonNumber":1`),
		episode("missing", "1", "2", "null", `,"LocationType":"Virtual"`),
		episode("unnumbered", "1", "null", "null", ""),
		episode("seasonless", "null", "2", "null", ""),
		episode("text", `"1"`, `"2"`, "null", ""),
		episode("three", "1", "3", "null", ""),
		`{"Id":"old","Type":"Episode","ParentIndexNumber":1,"IndexNumber":2,"Path":"/tv/Harbour Nine S01E02.avi"}`,
		"null", "7", `"x"`, `{}`,
	}, ",")
	address, asked := answering(t, map[string]string{
		"/Items":             `{"Items":[{"Id":"s1","Type":"Series","Name":"Harbour Nine"},{"Id":"m1","Type":"Movie","Name":"Harbour Nine"}]}`,
		"/Shows/s1/Episodes": `{"Items":[` + rows + `],"TotalRecordCount":14}`,
	})
	site := newSite(t, spec(jellyfin.Type, address), fetch.New(fetch.Options{}))
	for _, tt := range []struct {
		title sources.Title
		want  []string
	}{
		{harbour, []string{"two", "run", "old"}},
		{sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 0, Episode: 2}, []string{"special"}},
		{sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: 3}, []string{"run", "three"}},
		{sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: 5}, nil},
	} {
		*asked = nil
		found, err := search(t, site, tt.title)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, src := range found {
			got = append(got, strings.Split(src.URL, "/")[4])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: found %q, want %q", tt.title, got, tt.want)
		}
		if season := fmt.Sprintf("season=%d", tt.title.Season); len(*asked) != 2 || !strings.Contains((*asked)[1], season) {
			t.Errorf("%v: asked %q", tt.title, *asked)
		}
	}
	if found, _ := search(t, site, harbour); len(found) < 3 || found[0].Name != "Harbour Nine S01E02 Part" || found[1].Name != "Harbour Nine S01E01-E03 Part" ||
		found[2].URL != address+"/Videos/old/stream.avi?mediaSourceId=old&static=true" {
		t.Errorf("names and links: %+v", found)
	}
}

// TestMatch compares what the server finds: an id before names, names before a year off.
func TestMatch(t *testing.T) {
	film := func(id, name, original string, year int, imdb string) string {
		return fmt.Sprintf(`{"Id":%q,"Type":"Movie","Name":%q,"OriginalTitle":%q,"ProductionYear":%d,"ProviderIds":{"Tmdb":7,"IMDB":%q},"MediaSources":[{"Id":%q}]}`, id, name, original, year, imdb, id)
	}
	rows := []string{
		film("same", "Paper Submarines", "", 2016, ""), film("original", "Sous-marins de papier", "Paper Submarines", 2016, ""),
		film("id", "A Working Title", "", 0, "tt0000007"), film("otherid", "Paper Submarines", "", 2016, "tt0000008"),
		film("near", "Paper Submarines", "", 2017, ""), film("other", "Paper Submarines 2", "", 2016, ""),
		`{"Id":"null","Type":"Movie","Name":null,"OriginalTitle":null,"ProductionYear":null,"ProviderIds":null,"MediaSources":null}`,
		`{"Id":"noids","Type":"Movie","Name":"Paper Submarines","ProductionYear":2016,"ProviderIds":{"Imdb":null},"MediaSources":[{"Id":"noids"}]}`,
	}
	address, _ := answering(t, map[string]string{"/Items": `{"Items":[` + strings.Join(rows, ",") + `]}`})
	site := newSite(t, spec(jellyfin.Type, address), fetch.New(fetch.Options{}))
	withID := submarines
	withID.IMDb = "tt0000007"
	for _, tt := range []struct {
		title    sources.Title
		want     []string
		priority int
	}{
		{submarines, []string{"same", "original", "otherid", "noids"}, 0},
		{withID, []string{"same", "original", "id", "noids"}, 0},
		{sources.Title{Kind: sources.KindMovie, Name: "Paper Submarines", Year: 2018}, []string{"near"}, sources.PriorityNear},
	} {
		found, err := search(t, site, tt.title)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, src := range found {
			got = append(got, strings.Split(src.URL, "/")[4])
			if src.Priority != tt.priority {
				t.Errorf("%v: %s has the priority %d, want %d", tt.title, src.URL, src.Priority, tt.priority)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: found %q, want %q", tt.title, got, tt.want)
		}
	}
}

// TestEmby_id finds a film by its id alone, in one request.
func TestEmby_id(t *testing.T) {
	films := []world.Film{{Name: "A Working Title", Year: 2015, Groups: []world.Group{{Items: []world.Item{{URL: "https://media.example.com/a.mp4"}}}}}}
	server := newFake(t, jellyfinfake.Config{Emby: true, Films: films, IMDb: map[string]string{"A Working Title": "tt0000007"}})
	site := newSite(t, spec(jellyfin.TypeEmby, server.URL()), newClient(t, jellyfin.TypeEmby, server.URL(), key))
	title := submarines
	title.IMDb = "tt0000007"
	found, err := search(t, site, title)
	if err != nil || len(found) != 1 || server.Requests() != 1 {
		t.Fatalf("found %+v, %v after %d requests", found, err, server.Requests())
	}
	if want := server.Link("https://media.example.com/a.mp4"); found[0].URL != want {
		t.Errorf("link %s, want %s", found[0].URL, want)
	}
}

// TestBadAnswers are errors that say what came, of a class that is not our own fault,
// where the server is none, and nothing found where it has nothing.
func TestBadAnswers(t *testing.T) {
	for body, want := range map[string]string{
		"": "no list", "null": "no list", "[]": "no list", "{}": "no list", `"x"`: "no list", `{"Items":5}`: "no list", `{"error":"no"}`: "no list",
		"<html><head><title>Sign in</title></head></html>": "Sign in", `{"Items":[`: "no list", "\x00\x01": "no list",
		`{"Items":null,"TotalRecordCount":0}`: "", `{"Items":[],"TotalRecordCount":0}`: "", `{"Items":[null,null,{}]}`: "", `{"Items":[{"Id":null,"Name":null}]}`: "",
		"\ufeff" + `{"Items":[]}`: "", `{"items":[],"totalRecordCount":0}`: "",
	} {
		address, _ := answering(t, map[string]string{"/Items": body})
		found, err := search(t, newSite(t, spec(jellyfin.Type, address), fetch.New(fetch.Options{})), submarines)
		switch {
		case len(found) > 0:
			t.Errorf("%q: found %+v", body, found)
		case want == "" && err != nil:
			t.Errorf("%q: %v", body, err)
		case want != "" && (sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %s %v, want %q", body, sources.ClassOf(err), err, want)
		}
	}
}

// TestManyRows asks a server that answers with far more than it was asked for.
func TestManyRows(t *testing.T) {
	row := `{"Id":"a%d","Type":"Movie","Name":"Paper Submarines","ProductionYear":2016,"MediaSources":[%s]}`
	versions := strings.Repeat(`{"Id":"v"},`, 100) + `{"Id":"v"}`
	var rows []string
	for n := range 3000 {
		rows = append(rows, fmt.Sprintf(row, n, versions))
	}
	address, asked := answering(t, map[string]string{"/Items": `{"Items":[` + strings.Join(rows, ",") + `]}`})
	found, err := search(t, newSite(t, spec(jellyfin.Type, address), fetch.New(fetch.Options{})), submarines)
	if err != nil || len(found) == 0 || len(found) > 200 || len(*asked) != 1 {
		t.Errorf("%d sources, %v after %d requests", len(found), err, len(*asked))
	}
}

// TestManyEpisodes finds the last episode of a series that has but one season, and those of a
// series beside one that cannot be had.
func TestManyEpisodes(t *testing.T) {
	var rows []string
	for n := range 1200 {
		rows = append(rows, fmt.Sprintf(`{"Id":"e%d","Type":"Episode","Name":"x","ParentIndexNumber":1,"IndexNumber":%d,"MediaSources":[{"Id":"v"}]}`, n+1, n+1))
	}
	address, asked := answering(t, map[string]string{
		"/Items":             `{"Items":[{"Id":"s1","Type":"Series","Name":"Harbour Nine"},{"Id":"s2","Type":"Series","Name":"Harbour Nine"},{"Id":"s3","Type":"Series","Name":"Harbour Nine"}]}`,
		"/Shows/s2/Episodes": `{"Items":[` + strings.Join(rows, ",") + `]}`,
	})
	last := harbour
	last.Episode = 1200
	found, err := search(t, newSite(t, spec(jellyfin.Type, address), fetch.New(fetch.Options{})), last)
	if len(found) != 1 || sources.ClassOf(err) != sources.ClassDeadLink || len(*asked) != 4 {
		t.Errorf("%d sources, %v after %q", len(found), err, *asked)
	}
}

// TestRefused asks with no key, one that was revoked, and one of another server.
func TestRefused(t *testing.T) {
	for siteType, emby := range map[string]bool{jellyfin.Type: false, jellyfin.TypeEmby: true} {
		server := newFake(t, jellyfinfake.Config{Emby: emby})
		client := newClient(t, siteType, server.URL(), key)
		site := newSite(t, spec(siteType, server.URL()), client)
		if _, err := search(t, site, submarines); err != nil {
			t.Fatal(err)
		}
		remote := spec(siteType, server.URL())
		remote.Trusted = false
		if _, err := search(t, newSite(t, remote, client), submarines); err == nil || !strings.Contains(err.Error(), "401") || !strings.Contains(err.Error(), "of your own") {
			t.Errorf("%s of a remote config: %v", siteType, err)
		}
		server.Revoke(key)
		_, err := search(t, site, submarines)
		if err == nil || sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), "takes the stored one no more") || strings.Contains(err.Error(), key) {
			t.Errorf("%s after the key was revoked: %s %v", siteType, sources.ClassOf(err), err)
		}
		if _, err := search(t, newSite(t, spec(siteType, server.URL()), newClient(t, siteType, server.URL(), "")), submarines); err == nil {
			t.Errorf("%s without a key: no error", siteType)
		}
	}
}

// The older ways of a key are none of Jellyfin's any more.
func TestHeader(t *testing.T) {
	jelly, emby := newFake(t, jellyfinfake.Config{}), newFake(t, jellyfinfake.Config{Emby: true})
	d := jellyfin.Device{ID: "d 1\"\r\n", Version: "v1"}
	for _, tt := range []struct {
		server   *jellyfinfake.Server
		siteType string
		want     int
	}{
		{jelly, jellyfin.Type, 200}, {jelly, jellyfin.TypeEmby, 401}, {emby, jellyfin.TypeEmby, 200},
	} {
		address := tt.server.URL() + "/Items"
		if tt.server == emby {
			address = tt.server.URL() + "/emby/Items"
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = jellyfin.Header(tt.siteType, key, d)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("header of %s: status %d, want %d", tt.siteType, resp.StatusCode, tt.want)
		}
	}
}

func TestLogin(t *testing.T) {
	c := fetch.New(fetch.Options{})
	t.Cleanup(c.CloseIdleConnections)
	d := jellyfin.Device{ID: "d1", Version: "v1"}
	for siteType, emby := range map[string]bool{jellyfin.Type: false, jellyfin.TypeEmby: true} {
		server := newFake(t, jellyfinfake.Config{Emby: emby, Users: map[string]string{"me": "pass s3cr3t"}})
		recognised, err := jellyfin.Recognise(t.Context(), c.Call, server.URL()+"/web/index.html#!/home")
		if err != nil || recognised.Type != siteType || recognised.Name != "home" || recognised.Version == "" {
			t.Errorf("recognised %+v, %v", recognised, err)
		}
		token, err := jellyfin.Login(t.Context(), c.Call, siteType, server.URL(), "me", "pass s3cr3t", d)
		if err != nil || !slices.Contains(server.Tokens(), token.Reveal()) {
			t.Fatalf("%s: %v, %v", siteType, token, err)
		}
		if _, err := search(t, newSite(t, spec(siteType, server.URL()), newClient(t, siteType, server.URL(), token)), submarines); err != nil {
			t.Errorf("%s with the token: %v", siteType, err)
		}
		for name, password := range map[string]sources.Secret{"me": "wrong", "you": "pass s3cr3t", "": ""} {
			if token, err := jellyfin.Login(t.Context(), c.Call, siteType, server.URL(), name, password, d); err == nil || token != "" || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%s: %s logged in: %v", siteType, name, err)
			}
		}
	}
	for body, status := range map[string]int{`{"AccessToken":""}`: 200, `{"AccessToken":5,"Pw":"s3cr3t"}`: 200, "<html>": 200, "oops s3cr3t": 500, "": 204} {
		call := func(context.Context, fetch.Request) (*fetch.Response, error) {
			return &fetch.Response{Status: status, Body: []byte(body)}, nil
		}
		if _, err := jellyfin.Login(t.Context(), call, jellyfin.Type, "http://nas.example", "me", "s3cr3t", d); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q: %v", body, err)
		}
	}
}

func TestRecognise(t *testing.T) {
	for _, tt := range []struct {
		address, body string
		status        int
		want          string
	}{
		{"http://nas.example", `{"ProductName":"Jellyfin Server","Version":"10.8.13","Id":"1"}`, 200, jellyfin.Type},
		{"http://nas.example/", `{"ServerName":"x","Version":"4.8","Id":"1"}`, 200, jellyfin.TypeEmby},
		{"http://nas.example", `{"ServerName":null,"Version":null,"Id":null}`, 200, ""},
		{"http://nas.example", "<html>", 200, ""},
		{"http://nas.example", "null", 200, ""},
		{"http://nas.example", "", 404, ""},
		{"http://nas.example", `{"Version":"1","Id":"1"}`, 401, ""},
		{"/a/path", `{"Version":"1","Id":"1"}`, 200, ""},
	} {
		call := func(_ context.Context, r fetch.Request) (*fetch.Response, error) {
			if r.URL != "http://nas.example/System/Info/Public" {
				t.Errorf("asked %s", r.URL)
			}
			return &fetch.Response{Status: tt.status, Body: []byte(tt.body)}, nil
		}
		got, err := jellyfin.Recognise(t.Context(), call, tt.address)
		if got.Type != tt.want || (tt.want == "") != errors.Is(err, jellyfin.ErrNoServer) {
			t.Errorf("%s %q: %q, %v", tt.address, tt.body, got.Type, err)
		}
	}
	broken := errors.New("no way")
	_, err := jellyfin.Recognise(t.Context(), func(context.Context, fetch.Request) (*fetch.Response, error) { return nil, broken }, "http://nas.example")
	if !errors.Is(err, broken) {
		t.Errorf("a server that cannot be reached: %v", err)
	}
}

// TestNew asks at the addresses that people give.
func TestNew(t *testing.T) {
	for given, want := range map[string]string{
		"http://nas.example:8096":                              "http://nas.example:8096/Items",
		"http://nas.example:8096/":                             "http://nas.example:8096/Items",
		"http://me:pw@nas.example/jelly/?ApiKey=x#y":           "http://nas.example/jelly/Items",
		"https://nas.example/web":                              "https://nas.example/Items",
		"https://nas.example/jelly/web/index.html#!/home.html": "https://nas.example/jelly/Items",
		"https://nas.example/web/#/home":                       "https://nas.example/Items",
		"https://nas.example/website":                          "https://nas.example/website/Items",
	} {
		if got := jellyfin.Address(t, jellyfin.Type, given, "/Items"); got != want {
			t.Errorf("%s: asked %s, want %s", given, got, want)
		}
	}
	for given, want := range map[string]string{
		"http://nas.example:8096":      "http://nas.example:8096/emby/Items",
		"http://nas.example/emby/":     "http://nas.example/emby/Items",
		"http://nas.example/Emby/web/": "http://nas.example/Emby/Items",
	} {
		if got := jellyfin.Address(t, jellyfin.TypeEmby, given, "/Items"); got != want {
			t.Errorf("%s: asked %s, want %s", given, got, want)
		}
	}
	for _, bad := range []sources.SiteSpec{spec("1", "http://nas.example"), spec(jellyfin.Type, "nas.example"), spec(jellyfin.Type, ""), spec(jellyfin.TypeEmby, "ftp://nas.example?api_key=s3cr3t")} {
		_, err := jellyfin.New(bad, nil)
		if sources.ClassOf(err) != sources.ClassUnsupported || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s at %s: %v", bad.Type, bad.API, err)
		}
	}
}

// TestBare asks an old server, which does not tell the files of its items.
func TestBare(t *testing.T) {
	films := []world.Film{{Name: "Paper Submarines", Year: 2016, Groups: []world.Group{{Items: []world.Item{{URL: "https://media.example.com/a.mp4"}}}}}}
	server := newFake(t, jellyfinfake.Config{Films: films, Bare: true})
	client := newClient(t, jellyfin.Type, server.URL(), key)
	found, err := search(t, newSite(t, spec(jellyfin.Type, server.URL()), client), submarines)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	part, err := client.GetRange(fetch.WithLogins(t.Context()), fetch.Request{URL: found[0].URL}, 0, 8)
	if err != nil || part.Total != int64(len(world.Media("/a.mp4"))) || !part.Partial {
		t.Errorf("%s: %+v, %v", found[0].URL, part, err)
	}
}

func FuzzItems(f *testing.F) {
	for _, seed := range []string{
		`{"Items":[{"Id":"a","Type":"Movie","Name":"Paper Submarines","MediaSources":[{"Id":"b","Path":"c:\\x.mkv","MediaStreams":[{"Type":"Video","Width":1}]}]}]}`,
		`{"Items":[{"Id":"a","Type":"Movie","Name":"Paper Submarines","MediaSources":null}]}`, `{"Items":null}`, `[]`,
		`{"Items":[{"Id":"a","Type":"Movie","Name":"Paper Submarines","RunTimeTicks":-9223372036854775808,"MediaSources":[{"Id":"b","Size":-1,"Container":",,"}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) {
			return
		}
		for _, src := range jellyfin.Sources(body) {
			if !strings.HasPrefix(src.URL, "http://nas.example/Videos/") || src.Name == "" || src.SizeBytes < 0 || src.Duration < 0 {
				t.Errorf("%s gives %+v", body, src)
			}
		}
	})
}
