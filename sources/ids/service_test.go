package ids_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/ids"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// fake answers by the path that is asked for.
type fake struct {
	mu      sync.Mutex
	bodies  map[string]string
	err     error
	delay   time.Duration // before each answer
	asked   []string      // paths
	running int
	most    int // requests at once
}

const base = "https://ids.example"

func (f *fake) get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	if r.MaxBody != 8<<20 {
		return nil, fmt.Errorf("a body of %d bytes may come", r.MaxBody)
	}
	f.mu.Lock()
	path := strings.TrimPrefix(r.URL, base)
	f.asked = append(f.asked, path)
	f.running++
	f.most = max(f.most, f.running)
	body, err, delay := f.bodies[path], f.err, f.delay
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.running--
	}()
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	if body == "" {
		body = "{}"
	}
	return &fetch.Response{Status: 200, Body: []byte(body)}, nil
}

func newService(f *fake) *ids.Service {
	return ids.New(ids.Options{Get: f.get, URL: base, Answers: sourcetest.NewMemory(time.Now)})
}

// look finds a title and asks for all that is known of it.
func look(ctx context.Context, s *ids.Service, t sources.Title) (sources.TitleFacts, error) {
	found, err := s.Find(ctx, t, false)
	if err != nil || found.IMDb == "" {
		return found, err
	}
	return s.Details(ctx, found)
}

func film(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

func episode(name string, season, number int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: number}
}

// lanterns are three films of one name, and one that is called alike.
const lanterns = `{"metas":[
	{"id":"tt9900001","type":"movie","name":"Paper Lanterns","releaseInfo":"2014","poster":"https://images.example/1.jpg"},
	{"id":"tt9900002","type":"movie","name":"Paper Lanterns of May","releaseInfo":"2014"},
	{"id":"tt9900003","type":"movie","name":"Paper Lanterns","releaseInfo":"1988"},
	{"id":"tt9900004","type":"series","name":"Paper Lanterns","releaseInfo":"2014-"},
	{"id":"tt9900005","type":"movie","name":"PAPER LANTERNS","releaseInfo":"2015"},
	{"id":"kitsu:1","type":"movie","name":"Paper Lanterns","releaseInfo":"2014"}
]}`

const searchLanterns = "/catalog/movie/top/search=Paper%20Lanterns.json"

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		title  sources.Title
		path   string
		body   string
		id     string // "" where nothing is known
		others string // ids
		sure   bool
	}{
		"year":           {title: film("Paper Lanterns", 1988), path: searchLanterns, body: lanterns, id: "tt9900003", sure: true},
		"year in name":   {title: film("Paper Lanterns (1988)", 0), path: searchLanterns, body: lanterns, id: "tt9900003", sure: true},
		"no year":        {title: film("Paper Lanterns", 0), path: searchLanterns, body: lanterns, id: "tt9900001", others: "tt9900003 tt9900005"},
		"a year off":     {title: film("Paper Lanterns", 1987), path: searchLanterns, body: lanterns, id: "tt9900003"},
		"another year":   {title: film("Paper Lanterns", 1970), path: searchLanterns, body: lanterns},
		"another name":   {title: film("Lanterns", 0), path: "/catalog/movie/top/search=Lanterns.json", body: lanterns},
		"nothing":        {title: film("Nobody", 0), path: "/catalog/movie/top/search=Nobody.json", body: `{"metas":[]}`},
		"no list":        {title: film("Nobody", 0), path: "/catalog/movie/top/search=Nobody.json", body: `{"metas":null}`},
		"an object":      {title: film("Nobody", 0), path: "/catalog/movie/top/search=Nobody.json", body: `{"metas":{"id":"tt9900001"}}`},
		"an empty array": {title: film("Nobody", 0), path: "/catalog/movie/top/search=Nobody.json", body: `[]`},
		"rows that are none": {
			title: film("Paper Lanterns", 0), path: searchLanterns, id: "tt9900001", sure: true,
			body: `{"metas":[null,7,"tt9900009",[],{},{"id":null,"name":"Paper Lanterns"},{"id":"tt9900009","name":null},{"id":["tt9900009"],"name":"Paper Lanterns"},
				{"id":"tt9900008","type":"channel","name":"Paper Lanterns"},{"id":"x:1","imdb_id":"tt9900001","name":"Paper Lanterns","releaseInfo":null},{"id":"tt9900001","name":"Paper Lanterns"}]}`,
		},
		"hostile text": {
			title: film("Paper Lanterns", 0), path: searchLanterns, id: "tt9900001", sure: true,
			body: "{\"metas\":[{\"id\":\"tt9900001\",\"name\":\"Paper\\u001b[2J Lanterns\\u202e\",\"releaseInfo\":\"2014\\u0000\"}]}",
		},
		"a year that is a number": {title: film("Paper Lanterns", 2014), path: searchLanterns, body: `{"metas":[{"id":"tt9900001","name":"Paper Lanterns","year":2014}]}`, id: "tt9900001", sure: true},
		"a mark of bytes":         {title: film("Paper Lanterns", 2014), path: searchLanterns, body: "\ufeff \n" + lanterns, id: "tt9900001", sure: true},
		"signs in the name":       {title: film("A&B=C+D/E? 100% ü", 0), path: "/catalog/movie/top/search=A%26B%3DC%2BD%2FE%3F%20100%25%20%C3%BC.json", body: `{"metas":[{"id":"tt9900001","name":"A&B=C+D/E? 100% ü"}]}`, id: "tt9900001", sure: true},
		"a series": {
			title: episode("Harbour Nine", 3, 1), path: "/catalog/series/top/search=Harbour%20Nine.json", id: "tt9900010", sure: true,
			body: `{"metas":[{"id":"tt9900011","type":"movie","name":"Harbour Nine","releaseInfo":"2011"},{"id":"tt9900010","type":"series","name":"Harbour Nine","releaseInfo":"2011-2019"}]}`,
		},
		"a series whose year is far off": {
			title: sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Year: 2011, Season: 4, Episode: 1}, path: "/catalog/series/top/search=Harbour%20Nine.json",
			body: `{"metas":[{"id":"tt9900010","type":"series","name":"Harbour Nine","releaseInfo":"2022-"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{bodies: map[string]string{c.path: c.body}}
			found, err := newService(f).Find(t.Context(), c.title, false)
			if err != nil || found.IMDb != c.id {
				t.Fatalf("%+v, %v after %q; want %q", found, err, f.asked, c.id)
			}
			var others []string
			for _, o := range found.Others {
				others = append(others, o.IMDb)
			}
			if got := strings.Join(others, " "); got != c.others {
				t.Errorf("others %q, want %q", got, c.others)
			}
			if c.id == "" {
				return
			}
			if found.Exact || found.Kind != c.title.Kind || ids.Sure(c.title, found) != c.sure {
				t.Errorf("%+v, sure %t", found, ids.Sure(c.title, found))
			}
			if strings.ContainsAny(found.Name, "\x1b\u202e") {
				t.Errorf("the name is %q", found.Name)
			}
		})
	}
}

// TestFind_manyOthers bounds what a name may mean.
func TestFind_manyOthers(t *testing.T) {
	var rows []string
	for i := range 5000 {
		rows = append(rows, fmt.Sprintf(`{"id":"tt99%05d","name":"Same"}`, i))
	}
	f := &fake{bodies: map[string]string{"/catalog/movie/top/search=Same.json": `{"metas":[` + strings.Join(rows, ",") + `]}`}}
	found, err := newService(f).Find(t.Context(), film("Same", 0), false)
	if err != nil || found.IMDb != "tt9900000" || len(found.Others) != 10 {
		t.Errorf("%s with %d others, %v", found.IMDb, len(found.Others), err)
	}
}

// TestFind_secondName looks for the original name where the name is not known.
func TestFind_secondName(t *testing.T) {
	f := &fake{bodies: map[string]string{"/catalog/movie/top/search=Papierlaternen.json": `{"metas":[{"id":"tt9900001","name":"Papierlaternen","releaseInfo":"2014"}]}`}}
	title := film("Lampions", 2014)
	title.OriginalName, title.Aliases = "Papierlaternen", []string{"Third", "Fourth"}
	if found, err := newService(f).Find(t.Context(), title, false); err != nil || found.IMDb != "tt9900001" {
		t.Errorf("%+v, %v", found, err)
	}
	f.bodies = nil
	title.Name = "Lampione"
	if found, err := newService(f).Find(t.Context(), title, false); err != nil || found.IMDb != "" || len(f.asked) != 4 {
		t.Errorf("%+v, %v after %q", found, err, f.asked)
	}
}

func date(year int, month time.Month, day, hour int) time.Time {
	return time.Date(year, month, day, hour, 0, 0, 0, time.UTC)
}

func TestLook(t *testing.T) {
	exact := func(f sources.TitleFacts) sources.TitleFacts {
		f.IMDb, f.Exact = "tt9900001", true
		if f.Kind == "" {
			f.Kind = sources.KindMovie
		}
		return f
	}
	series := func(f sources.TitleFacts) sources.TitleFacts {
		f.Kind = sources.KindEpisode
		return exact(f)
	}
	for name, c := range map[string]struct {
		kind sources.Kind
		body string
		want sources.TitleFacts
	}{
		"a film": {
			body: `{"meta":{"id":"tt9900001","imdb_id":"tt9900001","type":"movie","name":"Paper Lanterns","year":"2014","releaseInfo":"2014","released":"2014-05-02T00:00:00.000Z",
				"runtime":"94 min","genres":["Drama"],"moviedb_id":4711,"poster":"https://images.example/1.jpg","videos":[]}}`,
			want: exact(sources.TitleFacts{Name: "Paper Lanterns", Year: 2014, Runtime: 94 * time.Minute}),
		},
		"names": {
			body: `{"meta":{"id":"tt9900001","name":"Paper Lanterns","originalName":"Papierlaternen","aliases":["Lampions",null,7,"Lanternes"]}}`,
			want: exact(sources.TitleFacts{Name: "Paper Lanterns", OriginalName: "Papierlaternen", Aliases: []string{"Lampions", "7", "Lanternes"}}),
		},
		"one alias":       {body: `{"meta":{"id":"tt9900001","name":"A","original_title":"A","aliases":"B"}}`, want: exact(sources.TitleFacts{Name: "A", Aliases: []string{"B"}})},
		"nulls":           {body: `{"meta":{"id":"tt9900001","name":"A","year":null,"releaseInfo":null,"runtime":null,"status":null,"videos":null,"aliases":null,"imdb_id":null,"type":null}}`, want: exact(sources.TitleFacts{Name: "A"})},
		"other types":     {body: `{"meta":{"id":"tt9900001","name":"A","year":{},"releaseInfo":[2014],"runtime":94,"status":true,"videos":{"1":2},"aliases":{"a":1}}}`, want: exact(sources.TitleFacts{Name: "A", Runtime: 94 * time.Minute})},
		"no year":         {body: `{"meta":{"id":"tt9900001","name":"A","year":"soon","releaseInfo":"20140","released":"2014-05-02"}}`, want: exact(sources.TitleFacts{Name: "A", Year: 2014})},
		"nothing":         {body: `{}`},
		"empty":           {body: `{"meta":{}}`},
		"null":            {body: `{"meta":null}`},
		"a list":          {body: `{"meta":[]}`},
		"no name":         {body: `{"meta":{"id":"tt9900001","name":""}}`},
		"another id":      {body: `{"meta":{"id":"tt9900002","name":"A"}}`},
		"of another kind": {body: `{"meta":{"id":"tt9900001","type":"series","name":"A"}}`},
		"a series": {
			kind: sources.KindEpisode,
			body: `{"meta":{"id":"tt9900001","type":"series","name":"Harbour Nine","releaseInfo":"2011–2019","runtime":"45 min","status":"Ended","videos":[
				{"id":"tt9900001:2:1","season":2,"number":1,"name":"Fog","released":"2012-04-01T01:00:00.000Z"},
				{"id":"tt9900001:1:2","season":"1","episode":"2","title":"Tide","firstAired":"2011-04-09"},
				{"id":"tt9900001:1:2","season":1,"episode":2,"name":"Tide again","released":"2011-05-09"},
				{"id":"tt9900001:0:1","season":0,"episode":1,"name":"Making of","released":null},
				"tt9900001:1:3", {"id":"tt9900001:1:4"}, {"season":1}, {"season":-1,"episode":1}, {"season":1,"episode":1.5}, {"season":1,"episode":1e9},
				null, 7, [], "tt9900001", {"id":"tt9900001:x:y"}, {"season":1,"episode":1.0,"released":"0000-00-00"}]}}`,
			want: series(sources.TitleFacts{Name: "Harbour Nine", Year: 2011, Runtime: 45 * time.Minute, Ended: true, Episodes: []sources.EpisodeFacts{
				{Season: 0, Episode: 1, Name: "Making of"},
				{Season: 1, Episode: 1},
				{Season: 1, Episode: 2, Name: "Tide", AiredAt: date(2011, time.April, 9, 0)},
				{Season: 1, Episode: 3},
				{Season: 1, Episode: 4},
				{Season: 2, Episode: 1, Name: "Fog", AiredAt: date(2012, time.April, 1, 1)},
			}}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			title := sources.Title{Kind: sources.KindMovie, Name: "Anything", IMDb: "tt9900001"}
			path := "/meta/movie/tt9900001.json"
			if c.kind != "" {
				title.Kind, path = c.kind, "/meta/series/tt9900001.json"
			}
			f := &fake{bodies: map[string]string{path: c.body}}
			service := newService(f)
			got, err := look(t.Context(), service, title)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, service.Known(t.Context(), title)); diff != "" {
				t.Errorf("known (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLook_byName asks for what is best by its name.
func TestLook_byName(t *testing.T) {
	f := &fake{bodies: map[string]string{
		searchLanterns:               lanterns,
		"/meta/movie/tt9900001.json": `{"meta":{"id":"tt9900001","name":"Paper Lanterns","runtime":"1h 34min"}}`,
	}}
	service, title := newService(f), film("Paper Lanterns", 0)
	if known := service.Known(t.Context(), title); known.IMDb != "" || len(f.asked) != 0 {
		t.Errorf("known before: %+v after %q", known, f.asked)
	}
	got, err := look(t.Context(), service, title)
	if err != nil || got.IMDb != "tt9900001" || got.Exact || got.Runtime != 94*time.Minute || got.Year != 2014 || len(got.Others) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if known := service.Known(t.Context(), title); cmp.Diff(got, known) != "" {
		t.Errorf("known: %+v", known)
	}
	// The user chooses another one: for all episodes, and until asked anew.
	if err := service.Choose(t.Context(), title, "tt9900003"); err != nil {
		t.Fatal(err)
	}
	f.bodies["/meta/movie/tt9900003.json"] = `{"meta":{"id":"tt9900003","name":"Paper Lanterns"}}`
	if got, err = look(t.Context(), service, title); err != nil || got.IMDb != "tt9900003" || !got.Exact || len(got.Others) != 0 {
		t.Errorf("chosen: %+v, %v", got, err)
	}
	if got, err = service.Find(t.Context(), title, true); err != nil || got.IMDb != "tt9900001" || got.Exact {
		t.Errorf("again: %+v, %v", got, err)
	}
	if err := service.Choose(t.Context(), episode("Harbour Nine", 1, 1), "tt9900010"); err != nil {
		t.Fatal(err)
	}
	if got, err = service.Find(t.Context(), episode("Harbour Nine", 2, 5), false); err != nil || got.IMDb != "tt9900010" || !got.Exact {
		t.Errorf("another episode: %+v, %v", got, err)
	}
}

// TestLook_detailsFail has what a search told where the service tells no more.
func TestLook_detailsFail(t *testing.T) {
	f := &fake{bodies: map[string]string{searchLanterns: lanterns, "/meta/movie/tt9900003.json": "<html>"}}
	got, err := look(t.Context(), newService(f), film("Paper Lanterns", 1988))
	if err != nil || got.IMDb != "tt9900003" || got.Name != "Paper Lanterns" || got.Year != 1988 {
		t.Errorf("%+v, %v", got, err)
	}
	f.bodies = map[string]string{searchLanterns: lanterns}
	if got, err = look(t.Context(), newService(f), film("Paper Lanterns", 1988)); err != nil || got.IMDb != "tt9900003" {
		t.Errorf("not known: %+v, %v", got, err)
	}
}

// TestLook_cache asks again after half a day, and for what was not known after an hour.
func TestLook_cache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{bodies: map[string]string{"/meta/movie/tt9900001.json": `{"meta":{"id":"tt9900001","name":"A"}}`, searchLanterns: lanterns}}
		service := newService(f)
		for _, c := range []struct {
			title sources.Title
			kept  time.Duration
		}{
			{sources.Title{Kind: sources.KindMovie, Name: "A", IMDb: "tt9900001"}, 12 * time.Hour},
			{sources.Title{Kind: sources.KindMovie, Name: "B", IMDb: "tt9900002"}, time.Hour},
			{film("Paper Lanterns", 1970), time.Hour},
			{film("Nobody", 0), time.Hour},
		} {
			for i, wait := range []time.Duration{0, c.kept - time.Second, time.Second} {
				time.Sleep(wait)
				before := len(f.asked)
				if _, err := look(t.Context(), service, c.title); err != nil {
					t.Error(err)
				}
				if asked := len(f.asked) > before; asked != (i != 1) {
					t.Errorf("%s: asked is %t at step %d", c.title, asked, i)
				}
			}
		}
	})
}

// TestLook_oneAtATime asks one thing at a time, and each once.
func TestLook_oneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		service := newService(f)
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				if _, err := look(t.Context(), service, film(fmt.Sprint("Film ", i%4), 0)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if f.most != 1 || len(f.asked) != 4 {
			t.Errorf("%d requests, %d at once: %q", len(f.asked), f.most, f.asked)
		}
	})
}

// TestLook_rest leaves a service that failed alone for a minute, or for as long as it
// says.
func TestLook_rest(t *testing.T) {
	refused := func(after time.Duration) error {
		return &fetch.Error{Reason: fetch.ReasonStatus, Status: 503, RetryAfter: after}
	}
	for name, c := range map[string]struct {
		fail error
		body string
		rest time.Duration
	}{
		"no connection":  {fail: errors.New("no route"), rest: time.Minute},
		"a pause":        {fail: refused(5 * time.Minute), rest: 5 * time.Minute},
		"a short pause":  {fail: refused(time.Second), rest: time.Minute},
		"a long pause":   {fail: refused(100 * time.Hour), rest: time.Hour},
		"a web page":     {body: "<!DOCTYPE html><html><body>hello</body></html>", rest: time.Minute},
		"no JSON":        {body: `{"metas":[`, rest: time.Minute},
		"text":           {body: `"metas"`, rest: time.Minute},
		"nothing at all": {body: " ", rest: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{err: c.fail, bodies: map[string]string{"/catalog/movie/top/search=A.json": c.body}}
				service := newService(f)
				_, err := look(t.Context(), service, film("A", 0))
				if resting := new(ids.RestingError); err == nil || errors.As(err, &resting) {
					t.Errorf("the fail: %v", err)
				}
				if c.fail == nil && sources.ClassOf(err) != sources.ClassHosterFault {
					t.Errorf("what it answers is of class %s: %v", sources.ClassOf(err), err)
				}
				f.err, f.bodies = nil, nil
				time.Sleep(c.rest - time.Second)
				_, err = look(t.Context(), service, film("B", 0))
				if resting := new(ids.RestingError); !errors.As(err, &resting) || len(f.asked) != 1 {
					t.Errorf("in its rest: %v after %q", err, f.asked)
				}
				time.Sleep(time.Second)
				if _, err = look(t.Context(), service, film("B", 0)); err != nil || len(f.asked) != 2 {
					t.Errorf("after its rest: %v after %q", err, f.asked)
				}
			})
		})
	}
}

// TestLook_stale goes by what was answered long ago while the service fails or rests, but
// not by that nothing was known.
// A service that failed rests for the next process too: each command is one.
func TestLook_restOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, answers := &fake{err: errors.New("no route")}, sourcetest.NewMemory(time.Now)
		another := func(url string) *ids.Service {
			return ids.New(ids.Options{Get: f.get, URL: url, Answers: answers})
		}
		_, _ = look(t.Context(), another("http://ids.example"), film("A", 0))
		f.err = nil
		for _, c := range []struct {
			after time.Duration
			url   string
			asked int
		}{
			{59 * time.Second, "http://ids.example", 1},
			{0, "http://other.example", 2},
			{time.Second, "http://ids.example", 3},
		} {
			time.Sleep(c.after)
			_, err := look(t.Context(), another(c.url), film("B", 0))
			if resting := new(ids.RestingError); len(f.asked) != c.asked || errors.As(err, &resting) != (c.asked == 1) {
				t.Errorf("%s later at %s: asked %q, %v", c.after, c.url, f.asked, err)
			}
		}
	})
}

func TestLook_stale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{bodies: map[string]string{searchLanterns: lanterns, "/meta/movie/tt9900001.json": `{"meta":{"id":"tt9900001","name":"Paper Lanterns","runtime":"94 min"}}`}}
		service, known, unknown := newService(f), film("Paper Lanterns", 2014), film("Nobody", 0)
		for _, title := range []sources.Title{known, unknown} {
			if _, err := look(t.Context(), service, title); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(48 * time.Hour)
		f.err = errors.New("no route")
		for range 2 {
			if got, err := look(t.Context(), service, known); err != nil || got.IMDb != "tt9900001" || got.Runtime != 94*time.Minute {
				t.Errorf("%+v, %v", got, err)
			}
			if got, err := look(t.Context(), service, unknown); err == nil {
				t.Errorf("%+v", got)
			}
		}
		if len(f.asked) != 4 { // three before
			t.Errorf("asked %q", f.asked)
		}
	})
}

// TestLook_leaving tells a service that hangs from a user who leaves.
func TestLook_leaving(t *testing.T) {
	for name, c := range map[string]struct {
		wait   func(context.Context) (context.Context, context.CancelFunc)
		rests  bool
		asking error
	}{
		"the user leaves": {
			wait: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(2*time.Second, cancel)
				return ctx, cancel
			},
			asking: context.Canceled,
		},
		"it hangs": {
			wait: func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 3*time.Second)
			}, rests: true,
			asking: context.DeadlineExceeded,
		},
		"it had no time": {
			wait: func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 500*time.Millisecond)
			},
			asking: context.DeadlineExceeded,
		},
		"it hangs for all": {
			wait: func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }, rests: true,
			asking: context.DeadlineExceeded,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{delay: time.Hour}
				service := newService(f)
				ctx, cancel := c.wait(t.Context())
				defer cancel()
				if _, err := look(ctx, service, film("A", 0)); !errors.Is(err, c.asking) {
					t.Errorf("it ends with %v", err)
				}
				f.delay = 0
				_, err := look(t.Context(), service, film("A", 0))
				if resting := new(ids.RestingError); errors.As(err, &resting) != c.rests {
					t.Errorf("after that: %v", err)
				}
			})
		})
	}
}

// TestLook_notFound takes a 404 for an id that is not known.
func TestLook_notFound(t *testing.T) {
	f := &fake{err: &fetch.Error{Reason: fetch.ReasonStatus, Status: 404}}
	service := newService(f)
	for range 2 {
		if got, err := look(t.Context(), service, sources.Title{Kind: sources.KindMovie, Name: "A", IMDb: "tt9900001"}); err != nil || got.IMDb != "" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if len(f.asked) != 1 {
		t.Errorf("asked %q", f.asked)
	}
}

// TestService_stores keeps no picture, and no part of its address in a key; it works
// without a store, and with one that fails.
func TestService_stores(t *testing.T) {
	f := &fake{bodies: map[string]string{searchLanterns: lanterns}}
	kept := &recording{}
	announced := 0
	service := ids.New(ids.Options{Get: f.get, URL: base, Answers: kept, Announce: func(context.Context) { announced++ }})
	for range 2 {
		if got, err := look(t.Context(), service, film("Paper Lanterns", 2014)); err != nil || got.IMDb != "tt9900001" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if len(kept.bodies) != 4 || announced != 4 {
		t.Errorf("%d answers kept, %d announced", len(kept.bodies), announced)
	}
	for _, body := range kept.bodies {
		if strings.Contains(body, "images.example") || strings.Contains(body, "ids.example") {
			t.Errorf("kept: %s", body)
		}
	}
	service = ids.New(ids.Options{Get: f.get, URL: base})
	if got, err := look(t.Context(), service, film("Paper Lanterns", 2014)); err != nil || got.IMDb != "tt9900001" {
		t.Errorf("without a store: %+v, %v", got, err)
	}
	if err := service.Choose(t.Context(), film("A", 0), "tt9900001"); err != nil {
		t.Error(err)
	}
}

// recording is a store that keeps what it is given, and cannot be read.
type recording struct{ bodies []string }

func (r *recording) Answer(context.Context, string) ([]byte, time.Time, error) {
	return nil, time.Time{}, errors.New("the database is locked")
}

func (r *recording) PutAnswer(_ context.Context, key string, body []byte) error {
	r.bodies = append(r.bodies, key+" "+string(body))
	return errors.New("the database is locked")
}

func (r *recording) FirstTime(context.Context, string) (bool, error) { return true, nil }

// TestLook_server asks a real server, also one that redirects to another.
func TestLook_server(t *testing.T) {
	w, err := world.Start(t.Context(), world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	server, err := w.AddIDs("ids", world.IDTitle{ID: "tt9900001", Name: "Paper / Lanterns", ReleaseInfo: "2014", Runtime: "94 min"})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	service := ids.New(ids.Options{Get: client.Get, URL: server.URL()})
	got, err := look(t.Context(), service, film("Paper / Lanterns", 2014))
	if err != nil || got.IMDb != "tt9900001" || got.Runtime != 94*time.Minute {
		t.Errorf("%+v, %v", got, err)
	}
	server.SetMode(world.ModeLogin) // redirects to a web page
	if _, err := look(t.Context(), service, film("Other", 0)); err == nil || !strings.Contains(err.Error(), "web page") {
		t.Errorf("a login page: %v", err)
	}
}
