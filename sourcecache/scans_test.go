package sourcecache_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sourcecache"
	"xship/sources"
)

const iface = "https://interface.example/config.json"

func movie() sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: "Big Buck Bunny", Year: 2008, IMDb: "tt1254207"}
}

// sourceAt is an ordinary source of a site.
func sourceAt(t sources.Title, site, path string) sources.Source {
	url := "https://hoster.example/" + path
	return sources.Source{
		ID: sources.SourceID(t, url), Site: site, Hoster: "hoster.example", Name: path, URL: url,
		Quality: sources.Quality1080p, Priority: sources.PriorityDefault, State: sources.StateFound,
	}
}

func answer(t sources.Title, at time.Time, site string, paths ...string) sources.SiteAnswer {
	a := sources.SiteAnswer{Site: site, SeenAt: at}
	for _, path := range paths {
		a.Sources = append(a.Sources, sourceAt(t, site, path))
	}
	return a
}

// report is that of a scan of the given sites, all of them well.
func report(sites ...string) []sources.SiteReport {
	reports := make([]sources.SiteReport, len(sites))
	for i, site := range sites {
		reports[i] = sources.SiteReport{SiteInfo: sources.SiteInfo{Key: site}, Status: sources.SiteOK}
	}
	return reports
}

func (s *store) save(tb testing.TB, t sources.Title, answers ...sources.SiteAnswer) {
	tb.Helper()
	var sites []string
	for _, a := range answers {
		sites = append(sites, a.Site)
	}
	must(tb, s.SaveScan(tb.Context(), iface, t, sources.StoredScan{ScannedAt: s.clock.Now(), Sites: report(sites...), Answers: answers}))
}

func (s *store) load(tb testing.TB, t sources.Title) *sources.StoredScan {
	tb.Helper()
	scan, err := s.LoadScan(tb.Context(), iface, t)
	must(tb, err)
	return scan
}

// listing writes a scan as "site:path path, site:path", with the states that
// are not found.
func listing(scan *sources.StoredScan) string {
	if scan == nil {
		return ""
	}
	sites := make([]string, len(scan.Answers))
	for i, a := range scan.Answers {
		paths := make([]string, len(a.Sources))
		for j, src := range a.Sources {
			paths[j] = strings.TrimPrefix(src.URL, "https://hoster.example/")
			if src.State != sources.StateFound {
				paths[j] += "=" + string(src.State)
			}
		}
		sites[i] = a.Site + ":" + strings.Join(paths, " ")
	}
	return strings.Join(sites, ", ")
}

func TestDB_SaveScan_roundTrip(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	full := sources.Source{
		ID: "0123456789ab", Site: "one", Hoster: "hoster.example", Name: "Big Buck Bunny 4K", URL: "https://hoster.example/x?token=1",
		Headers: map[string]string{"Referer": "https://hoster.example/", "User-Agent": "x"},
		Quality: sources.Quality4K, Language: "de", Info: []string{"HEVC", "5.1"}, SizeBytes: 1 << 40, Priority: sources.PriorityLast,
		Trailer: true, Unplayable: "needs a parser", State: sources.StateResolved,
	}
	scan := sources.StoredScan{
		ScannedAt: s.clock.Now(),
		Sites: []sources.SiteReport{
			{SiteInfo: sources.SiteInfo{Key: "two", Name: "Two", Type: "1", Timeout: 1500 * time.Millisecond}, Status: sources.SiteOK, Sources: 1, Elapsed: 210 * time.Millisecond},
			{SiteInfo: sources.SiteInfo{Key: "broken", Name: "Broken", Type: "4"}, Status: sources.SiteError, Error: "answered 500"},
			{SiteInfo: sources.SiteInfo{Key: "one", Name: "One", Type: "1"}, Status: sources.SiteOK, Sources: 2},
		},
		Answers: []sources.SiteAnswer{
			{Site: "two", SeenAt: s.clock.Now(), Sources: []sources.Source{sourceAt(title, "two", "b")}},
			{Site: "one", SeenAt: s.clock.Now().Add(-time.Second), Sources: []sources.Source{full, sourceAt(title, "one", "a")}},
		},
	}
	must(t, s.SaveScan(t.Context(), iface, title, scan))
	for _, db := range []*sourcecache.DB{s.DB, s.open(t)} {
		got, err := db.LoadScan(t.Context(), iface, title)
		must(t, err)
		if diff := cmp.Diff(&scan, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("scan (-want +got):\n%s", diff)
		}
	}
}

func TestDB_LoadScan_identity(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	episode := func(season, number int) sources.Title {
		return sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: season, Episode: number}
	}
	stored := episode(1, 2)
	s.save(t, stored, answer(stored, s.clock.Now(), "one", "e2"))
	others := []sources.Title{
		episode(1, 1), episode(1, 12), episode(2, 2), episode(0, 2), episode(12, 0),
		{Kind: sources.KindMovie, Name: "Show"},
		{Kind: sources.KindEpisode, Name: "Show", Year: 2008, Season: 1, Episode: 2},
		{Kind: sources.KindEpisode, Name: "Show", IMDb: "tt1254207", Season: 1, Episode: 2},
		{Kind: sources.KindEpisode, Name: "Show", Aliases: []string{"Other"}, Season: 1, Episode: 2},
		{Kind: sources.KindEpisode, Name: "Shows", Season: 1, Episode: 2},
	}
	for _, other := range others {
		if got := s.load(t, other); got != nil {
			t.Errorf("%+v is answered with %s", other, listing(got))
		}
	}
	if scan, err := s.LoadScan(t.Context(), iface+"?other", stored); err != nil || scan != nil {
		t.Errorf("another interface is answered with %s, %v", listing(scan), err)
	}
	if got := listing(s.load(t, stored)); got != "one:e2" {
		t.Errorf("stored %q, want %q", got, "one:e2")
	}
	if got := s.query(t, `SELECT kind || ' ' || season || ' ' || episode FROM title`); !slices.Equal(got, []string{"episode 1 2"}) {
		t.Errorf("title row %q", got)
	}
}

func TestDB_SaveScan_replacesOwnRowsOnly(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	first := s.clock.Now()
	s.save(t, title, answer(title, first, "one", "a", "b", "c"), answer(title, first, "two", "a", "x"))
	s.clock.Advance(time.Hour)
	s.save(t, title, answer(title, s.clock.Now(), "one", "d", "c", "a"), answer(title, s.clock.Now(), "three", "y"))

	scan := s.load(t, title)
	if got, want := listing(scan), "one:d c a, three:y, two:a x"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	if !scan.ScannedAt.Equal(s.clock.Now()) || !scan.Answers[2].SeenAt.Equal(first) || !scan.Answers[0].SeenAt.Equal(s.clock.Now()) {
		t.Errorf("times %v, %v, %v", scan.ScannedAt, scan.Answers[0].SeenAt, scan.Answers[2].SeenAt)
	}
}

func TestDB_SaveScan_emptyAnswerKeepsRows(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.save(t, title, answer(title, s.clock.Now(), "one", "a"))
	stored := s.load(t, title)
	s.clock.Advance(time.Hour)

	s.save(t, title, answer(title, s.clock.Now(), "one"))
	if diff := cmp.Diff(stored, s.load(t, title)); diff != "" {
		t.Errorf("after a scan without sources (-want +got):\n%s", diff)
	}
	s.save(t, title, answer(title, s.clock.Now(), "one"), answer(title, s.clock.Now(), "two", "b"))
	if got, want := listing(s.load(t, title)), "one:a, two:b"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	nobody := sources.Title{Kind: sources.KindMovie, Name: "Nobody has it"}
	s.save(t, nobody, answer(nobody, s.clock.Now(), "one"))
	if got := s.load(t, nobody); got != nil {
		t.Errorf("a title that nobody has is stored: %+v", got)
	}
}

func TestDB_SaveScan_keepsState(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	a := answer(title, s.clock.Now(), "one", "a", "b", "c")
	a.Sources[0].State, a.Sources[1].State = sources.StateProbed, sources.StateResolved
	s.save(t, title, a)
	ids := s.query(t, `SELECT id FROM sources ORDER BY name`)

	again := answer(title, s.clock.Now(), "one", "c", "a", "b")
	again.Sources[1].Name = "a, renamed"
	s.save(t, title, again)
	if got, want := listing(s.load(t, title)), "one:c a=probed b=resolved"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	if got := s.query(t, `SELECT id FROM sources ORDER BY name`); !slices.Equal(got, ids) {
		t.Errorf("rows %v, want those of before, %v", got, ids)
	}
	if got := s.load(t, title).Answers[0].Sources[1].Name; got != "a, renamed" {
		t.Errorf("name %q", got)
	}

	// Whoever lost its row starts anew.
	s.save(t, title, answer(title, s.clock.Now(), "one", "c"))
	s.save(t, title, answer(title, s.clock.Now(), "one", "c", "a"))
	if got, want := listing(s.load(t, title)), "one:c a"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
}

func TestDB_SaveScan_deadForADay(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	a := answer(title, s.clock.Now(), "one", "a")
	a.Sources[0].State = sources.StateDead
	s.save(t, title, a)
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, "one:a=dead"},
		{sourcecache.Deadness - time.Second, "one:a=dead"},
		{time.Second, "one:a"},
		{sourcecache.Deadness, "one:a"},
	} {
		s.clock.Advance(step.after)
		s.save(t, title, answer(title, s.clock.Now(), "one", "a"))
		if got := listing(s.load(t, title)); got != step.want {
			t.Errorf("another %v later: %q, want %q", step.after, got, step.want)
		}
	}
}

func TestDB_SaveScan_deathInTheFuture(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	a := answer(title, s.clock.Now(), "one", "a")
	a.Sources[0].State = sources.StateDead
	s.save(t, title, a)
	s.clock.Advance(-time.Second)
	s.save(t, title, answer(title, s.clock.Now(), "one", "a"))
	if got, want := listing(s.load(t, title)), "one:a"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
}

func TestDB_SaveScan_sloppyAnswers(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	a := answer(title, s.clock.Now(), "one", "a", "b", "a")
	a.Sources[2].Name = "the second a"
	a.Sources[1].ID = ""
	a.Sources[1].State = "unheard of"
	s.save(t, title, a)
	scan := s.load(t, title)
	if got, want := listing(scan), "one:a b"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	if src := scan.Answers[0].Sources[1]; src.ID != sources.SourceID(title, src.URL) {
		t.Errorf("id %q", src.ID)
	}
	if name := scan.Answers[0].Sources[0].Name; name != "a" {
		t.Errorf("the first of duplicates should win, not %q", name)
	}
}

func TestDB_SaveScan_writesOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.save(t, title, answer(title, s.clock.Now(), "one", "a", "b", "c", "d"))
	s.exec(t, `CREATE TABLE written (id); CREATE TRIGGER w AFTER UPDATE ON sources BEGIN INSERT INTO written VALUES (new.id); END;
		CREATE TRIGGER i AFTER INSERT ON sources BEGIN INSERT INTO written VALUES (new.id); END`)
	s.clock.Advance(time.Hour)
	changed := answer(title, s.clock.Now(), "one", "a", "b", "c", "d")
	s.save(t, title, changed)
	changed.Sources[2].Language = "de"
	s.save(t, title, changed)
	if got := s.query(t, `SELECT count(*) FROM written`); got[0] != "1" {
		t.Errorf("%s rows written, want the one that differs", got[0])
	}
}

func TestDB_SaveScan_hostileText(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i, text := range hostileTexts() {
		title := sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("%d %s", i, text), OriginalName: text, Aliases: []string{text}}
		src := sources.Source{ID: text, Site: text, Hoster: text, Name: text, URL: text, Quality: sources.Quality(text), Language: text, Unplayable: text, State: sources.StateFound}
		valid := strings.ToValidUTF8(text, "\ufffd") // JSON holds nothing else
		scan := sources.StoredScan{
			ScannedAt: s.clock.Now(),
			Sites:     []sources.SiteReport{{SiteInfo: sources.SiteInfo{Key: valid}, Status: sources.SiteOK, Error: valid}},
			Answers:   []sources.SiteAnswer{{Site: text, SeenAt: s.clock.Now(), Sources: []sources.Source{src}}},
		}
		scan.Answers[0].Sources[0].Headers = map[string]string{valid: valid}
		scan.Answers[0].Sources[0].Info = []string{valid}
		for range 2 {
			must(t, s.SaveScan(t.Context(), text, title, scan))
		}
		got, err := s.LoadScan(t.Context(), text, title)
		must(t, err)
		if diff := cmp.Diff(&scan, got); diff != "" {
			t.Errorf("%.40q (-want +got):\n%.2000s", text, diff)
		}
	}
}

func TestDB_SaveScan_hugeAnswer(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	var answers []sources.SiteAnswer
	want := 0
	for i, n := range []int{1, 99, 1, 250, 60, 60, 3} {
		var paths []string
		for j := range n {
			paths = append(paths, fmt.Sprintf("%d/%d", i, j))
		}
		answers = append(answers, answer(title, s.clock.Now(), fmt.Sprintf("site%d", i), paths...))
		want += n
	}
	s.save(t, title, answers...)
	if diff := cmp.Diff(answers, s.load(t, title).Answers, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("answers (-want +got):\n%.2000s", diff)
	}
	if got := s.query(t, `SELECT count(*) FROM sources`); got[0] != fmt.Sprint(want) {
		t.Errorf("%s rows, want %d", got[0], want)
	}
}

func TestDB_SaveScan_parallel(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	handles := []*sourcecache.DB{s.DB, s.open(t)}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			site := fmt.Sprintf("site%d", i)
			for n := range 10 {
				scan := sources.StoredScan{ScannedAt: s.clock.Now(), Sites: report(site), Answers: []sources.SiteAnswer{answer(title, s.clock.Now(), site, "a", fmt.Sprint(n))}}
				if err := handles[i%2].SaveScan(t.Context(), iface, title, scan); err != nil {
					t.Error(err)
				}
				if _, err := handles[(i+1)%2].LoadScan(t.Context(), iface, title); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := s.load(t, title)
	if len(got.Answers) != 6 {
		t.Errorf("stored %q", listing(got))
	}
	for _, a := range got.Answers {
		if len(a.Sources) != 2 || a.Sources[1].Name != "9" {
			t.Errorf("site %s has %d sources, the last %q", a.Site, len(a.Sources), a.Sources[len(a.Sources)-1].Name)
		}
	}
}

// TestDB_SaveScan_likeAMap plays random scans against a map of maps.
func TestDB_SaveScan_likeAMap(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	r := rand.New(rand.NewPCG(1, 2))
	titles := []sources.Title{movie(), {Kind: sources.KindMovie, Name: "Sintel"}, {Kind: sources.KindEpisode, Name: "Show"}}
	model := make(map[string]map[string]string) // title -> site -> listing
	for range 200 {
		title := titles[r.IntN(len(titles))]
		var answers []sources.SiteAnswer
		for _, site := range r.Perm(4)[:r.IntN(4)] {
			var paths []string
			for _, p := range r.Perm(6)[:r.IntN(6)] {
				paths = append(paths, fmt.Sprint(p))
			}
			a := answer(title, s.clock.Now(), fmt.Sprint(site), paths...)
			answers = append(answers, a)
			if len(paths) == 0 {
				continue
			}
			if model[title.Key()] == nil {
				model[title.Key()] = make(map[string]string)
			}
			model[title.Key()][a.Site] = a.Site + ":" + strings.Join(paths, " ")
		}
		s.save(t, title, answers...)
		s.clock.Advance(time.Duration(r.IntN(1000)) * time.Second)

		var got []string
		if scan := s.load(t, title); scan != nil {
			got = strings.Split(listing(scan), ", ")
		}
		var want []string
		for _, l := range model[title.Key()] {
			want = append(want, l)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: stored %q, want %q", title, got, want)
		}
	}
}
