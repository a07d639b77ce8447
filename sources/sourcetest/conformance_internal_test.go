package sourcetest

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/sourcetest/world"
	"xship/sources/text"
)

// referenceSite is the plainest client of a protocol that keeps the contract.
type referenceSite struct {
	api    string
	client *http.Client
	// rows is what the server has by that name. Links of a row may be ids: then
	// play gives the link.
	rows func(ctx context.Context, s *referenceSite, name string) ([]referenceRow, error)
	play func(ctx context.Context, s *referenceSite, id string) (link string, err error)
}

func newReferenceSite(tb testing.TB, api string) *referenceSite {
	tr := &http.Transport{}
	tb.Cleanup(tr.CloseIdleConnections)
	return &referenceSite{api: api, client: &http.Client{Transport: tr}, rows: jsonRows}
}

func (s *referenceSite) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	for _, name := range t.Names() {
		name, _, _ = match.SplitSeason(name)
		rows, err := s.rows(ctx, s, strings.TrimSuffix(name, " II"))
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := s.yield(ctx, t, r, yield); err != nil {
				return err
			}
		}
	}
	return nil
}

type referenceRow struct {
	ID    string `json:"vod_id"`
	Name  string `json:"vod_name"`
	Year  string `json:"vod_year"`
	Links string `json:"vod_play_url"`
}

// ask gives the body of an answer. The query is added to that of the API.
func (s *referenceSite) ask(ctx context.Context, query ...string) ([]byte, error) {
	const most = 4 << 20
	q := make(url.Values)
	for pair := range slices.Chunk(query, 2) {
		q.Set(pair[0], pair[1])
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api+"?"+q.Encode(), http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, blame(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, sources.Errorf(sources.ClassHosterFault, "GET %s: status %d", s.api, resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most))
	if err != nil {
		return nil, blame(ctx, err)
	}
	return body, nil
}

// jsonRows asks a MacCMS server in JSON.
func jsonRows(ctx context.Context, s *referenceSite, name string) ([]referenceRow, error) {
	return s.list(ctx, "ac", "detail", "pagesize", "100", "wd", name)
}

func (s *referenceSite) list(ctx context.Context, query ...string) ([]referenceRow, error) {
	body, err := s.ask(ctx, query...)
	if err != nil {
		return nil, err
	}
	var answer struct {
		List []struct {
			referenceRow
			ID any `json:"vod_id"`
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, sources.Errorf(sources.ClassHosterFault, "GET %s: not the JSON of a site", s.api)
	}
	rows := make([]referenceRow, len(answer.List))
	for i, r := range answer.List {
		rows[i] = r.referenceRow
		rows[i].ID = fmt.Sprint(r.ID)
	}
	return rows, nil
}

// xmlRows asks a MacCMS server in XML. Control characters, which are legal in
// none, pass the decoder in private ones of Unicode.
func xmlRows(ctx context.Context, s *referenceSite, name string) ([]referenceRow, error) {
	body, err := s.ask(ctx, "ac", "videolist", "pagesize", "100", "wd", name)
	if err != nil {
		return nil, err
	}
	const private = '\ue000'
	body = bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' {
			return private + r
		}
		return r
	}, body)
	restored := func(s string) string {
		return strings.Map(func(r rune) rune {
			if private <= r && r < private+' ' {
				return r - private
			}
			return r
		}, s)
	}
	var answer struct {
		XMLName xml.Name `xml:"rss"`
		Videos  []struct {
			Name  string   `xml:"name"`
			Year  string   `xml:"year"`
			Links []string `xml:"dl>dd"`
		} `xml:"list>video"`
	}
	decoder := xml.NewDecoder(bytes.NewReader(body))
	decoder.Strict = false
	if err := decoder.Decode(&answer); err != nil {
		return nil, sources.Errorf(sources.ClassHosterFault, "GET %s: not the XML of a site", s.api)
	}
	rows := make([]referenceRow, len(answer.Videos))
	for i, v := range answer.Videos {
		rows[i] = referenceRow{Name: restored(v.Name), Year: v.Year, Links: restored(strings.Join(v.Links, "#"))}
	}
	return rows, nil
}

// t4Rows asks a T4 server, whose searches give no links.
func t4Rows(ctx context.Context, s *referenceSite, name string) ([]referenceRow, error) {
	found, err := s.list(ctx, "wd", name)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range found[:min(len(found), 5)] {
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return s.list(ctx, "ac", "detail", "ids", strings.Join(ids, ","))
}

func t4Play(ctx context.Context, s *referenceSite, id string) (string, error) {
	body, err := s.ask(ctx, "play", id)
	if err != nil {
		return "", err
	}
	var answer struct{ URL string }
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", sources.Errorf(sources.ClassHosterFault, "GET %s: not the JSON of a site", s.api)
	}
	return answer.URL, nil
}

// blame is the error of ctx if that ended the request, else the server's fault.
func blame(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return sources.Errorf(sources.ClassHosterFault, "%w", err)
}

func (s *referenceSite) yield(ctx context.Context, t sources.Title, r referenceRow, yield func(sources.Source)) error {
	var year int
	_, _ = fmt.Sscan(r.Year, &year)
	if match.Title(t, match.Candidate{Names: []string{r.Name}, Year: year}) == match.None {
		return nil
	}
	season := -1
	if _, n, ok := match.SplitSeason(r.Name); ok {
		season = n
	}
	for item := range strings.SplitSeq(strings.ReplaceAll(r.Links, "$$$", "#"), "#") {
		label, link, _ := strings.Cut(item, "$")
		if !match.Episode(t, label, match.Item{Season: season}) {
			continue
		}
		if s.play != nil {
			var err error
			if link, err = s.play(ctx, s, link); err != nil {
				return err
			}
		}
		yield(sources.Source{URL: link, Name: text.Clean(r.Name + " " + label)})
		base, _, _ := match.SplitSeason(text.Clean(r.Name))
		seen := sources.Sighting{Name: base, Year: year, Kind: t.Kind}
		if t.Kind == sources.KindEpisode {
			seen.Episodes = []sources.EpisodeNumber{{Season: t.Season, Episode: t.Episode}}
		}
		sources.Saw(ctx, seen)
	}
	return nil
}

// reference is the harness of the reference site, seen through wrap.
func reference(wrap func(SearchFunc) SearchFunc) Harness {
	return Harness{Start: func(tb testing.TB, films []world.Film) Instance {
		server := StartSite(tb, films)
		site := newReferenceSite(tb, server.URL())
		fake := NewFakeSite("reference", site.Search)
		if wrap != nil {
			fake.SearchFunc = wrap(site.Search)
		}
		return Instance{Site: fake, Server: server}
	}}
}

// TestRunSite runs the suite on each protocol.
func TestRunSite(t *testing.T) {
	t.Run("JSON", func(t *testing.T) { RunSite(t, reference(nil)) })
	t.Run("XML", func(t *testing.T) {
		RunSite(t, Harness{Start: func(tb testing.TB, films []world.Film) Instance {
			server := StartSite(tb, films)
			site := newReferenceSite(tb, server.XMLURL())
			site.rows = xmlRows
			return Instance{Site: NewFakeSite("reference", site.Search), Server: server}
		}})
	})
	t.Run("T4", func(t *testing.T) {
		RunSite(t, Harness{Start: func(tb testing.TB, films []world.Film) Instance {
			server := StartT4(tb, world.T4Config{Films: films})
			site := newReferenceSite(tb, server.URL())
			site.rows, site.play = t4Rows, t4Play
			return Instance{Site: NewFakeSite("reference", site.Search), Server: server}
		}})
	})
}

// embedded is a harness of a site with a catalogue of its own.
func embedded(search SearchFunc) Harness {
	return Harness{
		Start: func(testing.TB, []world.Film) Instance {
			return Instance{Site: NewFakeSite("embedded", search)}
		},
		Cases: []Case{{
			Name: "film", Some: true,
			Title: sources.Title{Kind: sources.KindMovie, Name: "Paper Submarines", Year: 2016},
		}},
	}
}

func TestRunSite_Embedded(t *testing.T) {
	RunSite(t, embedded(func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
		own := match.Candidate{Names: []string{"Paper Submarines"}, Year: 2016}
		sources.Saw(ctx, sources.Sighting{Name: "Paper Submarines", Year: 2016, Kind: sources.KindMovie})
		if t.Kind == sources.KindMovie && match.Title(t, own) == match.Exact {
			yield(sources.Source{Name: "Paper Submarines", URL: mediaLink("paper-submarines.mp4")})
		}
		return nil
	}))
}

// TestChecks_CatchViolations breaks the reference site in one way after the
// other: the check named must notice.
func TestChecks_CatchViolations(t *testing.T) {
	mapError := func(f func(error) error) func(SearchFunc) SearchFunc {
		return func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				return f(search(ctx, t, yield))
			}
		}
	}
	mapSource := func(f func(sources.Source) sources.Source) func(SearchFunc) SearchFunc {
		return func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				return search(ctx, t, func(s sources.Source) { yield(f(s)) })
			}
		}
	}
	mapTitle := func(f func(sources.Title) sources.Title) func(SearchFunc) SearchFunc {
		return func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				return search(ctx, f(t), yield)
			}
		}
	}
	mapSighting := func(f func(sources.Sighting) sources.Sighting) func(SearchFunc) SearchFunc {
		return func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				heard := sources.WithSightings(ctx, func(n sources.Sighting) { sources.Saw(ctx, f(n)) })
				return search(heard, t, yield)
			}
		}
	}
	swallow := mapError(func(error) error { return nil })
	isFault := func(err error) bool { return sources.ClassOf(err) == sources.ClassHosterFault }

	tests := []struct {
		name  string
		check string
		wrap  func(SearchFunc) SearchFunc
	}{
		{"finds nothing", "finds what it has and nothing else", func(SearchFunc) SearchFunc { return nil }},
		{"ignores the year", "finds what it has and nothing else", mapTitle(func(t sources.Title) sources.Title {
			t.Year = 0
			return t
		})},
		{"takes specials for the first season", "finds what it has and nothing else", mapTitle(func(t sources.Title) sources.Title {
			t.Season = max(t.Season, 1)
			return t
		})},
		{"knows one name only", "finds what it has and nothing else", mapTitle(func(t sources.Title) sources.Title {
			t.OriginalName, t.Aliases = "", nil
			return t
		})},
		{"keeps what it sees to itself", "tells what it comes across", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				return search(sources.WithSightings(ctx, func(sources.Sighting) {}), t, yield)
			}
		}},
		{"sees another episode", "tells what it comes across", mapSighting(func(n sources.Sighting) sources.Sighting {
			n.Episodes = []sources.EpisodeNumber{{Season: 99, Episode: 99}}
			return n
		})},
		{"takes a series for a film", "tells what it comes across", mapSighting(func(n sources.Sighting) sources.Sighting {
			n.Kind = sources.KindMovie
			return n
		})},
		{"sees names with control characters", "tells what it comes across", mapSighting(func(n sources.Sighting) sources.Sighting {
			n.Name = "\x1b[31m" + n.Name
			return n
		})},
		{"asks more for what it sees", "tells what it comes across", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				if sources.WantsSightings(ctx) {
					_ = search(ctx, t, func(sources.Source) {}) // for its request
				}
				return search(ctx, t, yield)
			}
		}},
		{"fails where nothing is found", "finds what it has and nothing else", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				n := 0
				err := search(ctx, t, func(s sources.Source) { n++; yield(s) })
				if n == 0 && err == nil {
					return errors.New("not found")
				}
				return err
			}
		}},
		{"mixes up concurrent searches", "serves concurrent searches", func(search SearchFunc) SearchFunc {
			var (
				mu   sync.Mutex
				last sources.Title
				came int
			)
			all := make(chan struct{}) // closed once all searches of the check run
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				mu.Lock()
				last = t
				if came++; came == 2*len(cases()) {
					close(all)
				}
				mu.Unlock()
				<-all
				return search(ctx, last, yield)
			}
		}},
		{"keeps escape sequences", "yields well-formed sources", mapSource(func(s sources.Source) sources.Source {
			s.Info = append(s.Info, "\x1b[31m")
			return s
		})},
		{"keeps the rest of escape sequences", "yields well-formed sources", mapSource(func(s sources.Source) sources.Source {
			s.Name += "[31m"
			return s
		})},
		{"gives no name", "yields well-formed sources", mapSource(func(s sources.Source) sources.Source {
			s.Name = " "
			return s
		})},
		{"gives relative links", "yields well-formed sources", mapSource(func(s sources.Source) sources.Source {
			s.URL = strings.TrimPrefix(s.URL, "https://")
			return s
		})},
		{"swallows server errors", "blames the server for 500", swallow},
		{"swallows pages", "blames the server for html", swallow},
		{"swallows broken bodies", "blames the server for truncated", swallow},
		{"swallows garbage", "fails on garbage", swallow},
		{"takes a page not found for no film", "fails on 404", swallow},
		{"takes a limit for a bug", "blames the server for 429", mapError(func(err error) error {
			if err == nil {
				return nil
			}
			return errors.New(err.Error())
		})},
		{"calls a cancellation a fault", "stops when cancelled", mapError(func(err error) error {
			if err == nil {
				return nil
			}
			return sources.Errorf(sources.ClassHosterFault, "%w", err)
		})},
		{"calls an ended context a fault", "heeds an ended context", mapError(func(err error) error {
			if err == nil {
				return nil
			}
			return sources.Errorf(sources.ClassHosterFault, "%w", err)
		})},
		{"hides its deadline", "keeps its deadline in mode hang", mapError(func(err error) error {
			if err == nil {
				return nil
			}
			return sources.Errorf(sources.ClassHosterFault, "no luck")
		})},
		{"ignores its context", "keeps its deadline in mode hang", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				return search(context.WithoutCancel(ctx), t, yield)
			}
		}},
		{"ignores a cancellation", "stops when cancelled", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				return search(context.WithoutCancel(ctx), t, yield)
			}
		}},
		{"takes a failure midway for nothing found", "tells a failure midway from an empty answer", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				if err := search(ctx, t, func(sources.Source) {}); err != nil {
					return err
				}
				_ = search(ctx, t, yield)
				return nil
			}
		}},
		{"leaves goroutines behind", "leaves no goroutine behind", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, title sources.Title, yield func(sources.Source)) error {
				go func() { <-t.Context().Done() }()
				return search(ctx, title, yield)
			}
		}},
		{"takes a login page for nothing found", "blames the server for login", swallow},
		{"never asks again after a fault", "recovers with its server", func(search SearchFunc) SearchFunc {
			var broken atomic.Bool
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				if broken.Load() {
					return sources.Errorf(sources.ClassHosterFault, "it failed before")
				}
				err := search(ctx, t, yield)
				broken.Store(isFault(err))
				return err
			}
		}},
		{"asks too often", "bounds its requests", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				for range defaultMaxRequests {
					_ = search(ctx, t, func(sources.Source) {})
				}
				return search(ctx, t, yield)
			}
		}},
		{"retries without end", "blames the server for 503", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				var err error
				for range 2 * defaultMaxRequests {
					if err = search(ctx, t, yield); err == nil {
						return nil
					}
				}
				return err
			}
		}},
		{"takes an empty answer for a fault", "tells an empty answer from a broken one", mapError(func(error) error {
			return sources.Errorf(sources.ClassHosterFault, "no rows")
		})},
		{"shows what came", "keeps control characters out of errors", func(search SearchFunc) SearchFunc {
			return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
				if search(ctx, t, yield) == nil {
					return nil
				}
				return sources.Errorf(sources.ClassHosterFault, "unexpected answer \x1b[31mno")
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			i := slices.IndexFunc(checks(), func(c check) bool { return c.name == tt.check })
			if i < 0 {
				t.Fatalf("the suite has no check named %q", tt.check)
			}
			bad := reference(tt.wrap).subject(t, 100*time.Millisecond)
			if err := checks()[i].run(t.Context(), bad); err == nil {
				t.Errorf("check %q lets it pass", tt.check)
			}
		})
	}
}

func TestCheckInfo_CatchesViolations(t *testing.T) {
	site := NewFakeSite("", nil)
	if checkInfo(t.Context(), subject{site: site}) == nil {
		t.Error("a site without a key passes")
	}
}

// TestNeighbours_CatchViolations runs the check of an embedded site that takes
// every title for its own film.
func TestNeighbours_CatchViolations(t *testing.T) {
	greedy := embedded(Answer(sources.Source{Name: "Paper Submarines", URL: mediaLink("paper-submarines.mp4")}))
	err := checkCases(t.Context(), greedy.subject(t, time.Second))
	if err == nil {
		t.Fatal("a site that yields its film for every title passes")
	}
	for _, part := range []string{"film, another year", "film, a sequel", "film, an episode"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks the case %q:\n%v", part, err)
		}
	}
}

// TestStory_TitlesAreFound asks the answering sites of the story.
func TestStory_TitlesAreFound(t *testing.T) {
	story, err := world.StartStory(t.Context(), world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(story.Close)
	tests := []struct {
		title sources.Title
		want  []int // sources by site
	}{
		{story.Film, []int{4, 4, 1}}, // with a trailer
		{story.Foreign, []int{0, 0, 3}},
		{story.Episode, []int{1, 1, 1}},
		{story.Special, []int{1, 1, 0}},
		{story.Unknown, []int{0, 0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.title.Name, func(t *testing.T) {
			for i, want := range tt.want {
				got := 0
				err := newReferenceSite(t, story.Sites[i].URL()).Search(t.Context(), tt.title, func(sources.Source) { got++ })
				if err != nil || got != want {
					t.Errorf("%s yields %d sources of %v (error %v), want %d", story.Sites[i].Name(), got, tt.title, err, want)
				}
			}
		})
	}
}
