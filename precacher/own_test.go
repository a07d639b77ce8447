package precacher_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/precacher"
	"xship/sources"
)

const (
	localFilm  = "file:///home/user/films/film.mkv"
	serverFilm = "http://nas.example/film.mkv"
	publicFilm = "http://nas.example/public.mkv"
)

// tries counts what a shelf is asked.
type tries struct {
	mu sync.Mutex
	of map[string]int
}

func (n *tries) add(link string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = make(map[string]int)
	}
	n.of[link]++
}

// state gives the state of the source of a link.
func (s *shelf) state(link string) sources.State {
	s.Helper()
	scan, err := s.LoadScan(s.Context(), shelfInterface, s.film)
	s.must(err)
	for _, src := range scan.Answers[0].Sources {
		if src.URL == link {
			return src.State
		}
	}
	return ""
}

// oneCycle runs a cycle of a shelf to its end.
func (s *shelf) oneCycle(change ...func(*precacher.Config)) sources.CycleSummary {
	s.Helper()
	sum, err := s.precacher(change...).Cycle(s.Context())
	s.must(err)
	return sum
}

// hosterNames are the names of the hoster table.
func (s *shelf) hosterNames() []string {
	s.Helper()
	hosters, err := s.Hosters(s.Context())
	s.must(err)
	names := make([]string, len(hosters))
	for i, h := range hosters {
		names[i] = h.Name
	}
	return names
}

// The user's own files are resolved and probed, once, and nothing is said of their
// hosters.
func TestPrecacher_Cycle_own(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		s.answers = func(context.Context, string) error { return nil }
		s.watchMixed([]string{localFilm, serverFilm}, nil)
		if sum := s.oneCycle(); sum.Resolved != 2 || sum.Probed != 2 || sum.Failed != 0 {
			s.Errorf("%+v", sum)
		}
		if l, n := s.state(localFilm), s.state(serverFilm); l != sources.StateProbed || n != sources.StateProbed {
			s.Errorf("states %s and %s", l, n)
		}
		if names := s.hosterNames(); len(names) > 0 {
			s.Errorf("the hoster table has %q", names)
		}
		if strings.Contains(s.log.String(), "[Hoster-Stats]") {
			s.Errorf("log:\n%s", s.log.String())
		}
		time.Sleep(time.Minute)
		if sum := s.oneCycle(); sum.Resolved+sum.Probed+sum.Failed+sum.Skipped != 0 {
			s.Errorf("again: %+v", sum)
		}
	})
}

// What is the user's own does not wait for its hoster, and says nothing of it.
func TestPrecacher_Cycle_ownOfBlockedHoster(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		for _, class := range []sources.Class{sources.ClassOK, sources.ClassHosterFault} {
			host := map[sources.Class]string{sources.ClassOK: "good.example", sources.ClassHosterFault: "nas.example"}[class]
			a, _, err := s.BeginAttempt(s.Context(), host, "http://"+host+"/x", false)
			s.must(err)
			_, err = s.EndAttempt(s.Context(), a, class, "no")
			s.must(err)
		}
		before, err := s.Hosters(s.Context())
		s.must(err)
		s.answers = func(context.Context, string) error { return nil }
		s.watchMixed([]string{serverFilm}, []string{publicFilm})
		if sum := s.oneCycle(); sum.Resolved != 1 || sum.Probed != 1 {
			s.Errorf("%+v", sum)
		}
		if own, public := s.state(serverFilm), s.state(publicFilm); own != sources.StateProbed || public != sources.StateFound {
			s.Errorf("the user's own is %s, the other one %s", own, public)
		}
		after, err := s.Hosters(s.Context())
		s.must(err)
		if fmt.Sprint(after) != fmt.Sprint(before) {
			s.Errorf("the hoster table was %+v, and is %+v", before, after)
		}
	})
}

// What is the user's own and does not work is tried once a cycle, whatever is wrong with
// it, and does not keep others from their turn.
func TestPrecacher_Cycle_ownFails(t *testing.T) {
	failures := map[string]error{
		"nothing answers": errFault, "no media": sources.Errorf(sources.ClassUnsupported, "a disc image"), "gone": sources.Errorf(sources.ClassDeadLink, "no such file"),
		"a bug": sources.Errorf(sources.ClassBug, "oh"),
	}
	for what, failure := range failures {
		for _, probing := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, probing %t", what, probing), func(t *testing.T) {
				eachShelf(t, func(s *shelf) {
					var own []string
					for i := range 60 {
						own = append(own, fmt.Sprintf("file:///home/user/films/%d.mkv", i))
					}
					var tried tries
					fails := func(_ context.Context, link string) error {
						tried.add(link)
						if strings.HasPrefix(link, "file:") {
							return failure
						}
						return nil
					}
					s.answers = func(context.Context, string) error { return nil }
					if s.probes = fails; !probing {
						s.answers, s.probes = fails, nil
					}
					s.watchMixed(own, []string{publicFilm})
					dead := sources.ClassOf(failure) == sources.ClassDeadLink
					for n := range 3 {
						sum := s.oneCycle()
						want := 60
						if dead && n > 0 {
							want = 0
						}
						if sum.Failed != want || n == 0 && s.state(publicFilm) != sources.StateProbed {
							s.Errorf("cycle %d: %+v, want %d failed; the public one is %s", n, sum, want, s.state(publicFilm))
						}
						time.Sleep(time.Minute)
					}
					for _, link := range own {
						want := 3
						if dead {
							want = 1
						}
						if tried.of[link] != want {
							s.Fatalf("%s was tried %d times, want %d", link, tried.of[link], want)
						}
						if state := s.state(link); (state == sources.StateDead) != dead {
							s.Fatalf("%s is %s", link, state)
						}
					}
					if names := s.hosterNames(); !slices.Equal(names, []string{"nas.example"}) {
						s.Errorf("the hoster table has %q", names)
					}
				})
			})
		}
	}
}

// While the network is down what is the user's own is worked on, and nothing else.
func TestPrecacher_Cycle_ownInAnOutage(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		s.proven(10, 2)
		down := func(_ context.Context, link string) error {
			if strings.HasPrefix(link, "file:") {
				return nil
			}
			return errFault
		}
		s.answers = down
		s.oneCycle()
		if guard, err := s.Guard(s.Context()); err != nil || guard.Network != sources.NetworkOutage {
			s.Fatalf("%+v, %v: want an outage", guard, err)
		}
		time.Sleep(time.Minute)
		var tried tries
		s.answers = func(ctx context.Context, link string) error {
			tried.add(link)
			return down(ctx, link)
		}
		s.watchMixed([]string{localFilm}, []string{"http://h0.example/0", "http://h0.example/1"})
		if sum := s.oneCycle(); sum.Probed != 1 || s.state(localFilm) != sources.StateProbed {
			s.Errorf("%+v; the user's own is %s", sum, s.state(localFilm))
		}
		if others := len(tried.of) - 1; others > 1 { // the test of the network
			s.Errorf("tried in the outage: %v", tried.of)
		}
	})
}

// A server of the user's own is asked for no more at once than any other, other links of
// its hoster included.
func TestPrecacher_Cycle_ownAtOnce(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		var own, public []string
		for i := range 10 {
			own, public = append(own, fmt.Sprint("http://nas.example/own", i)), append(public, fmt.Sprint("http://nas.example/", i))
		}
		var mu sync.Mutex
		busy, most := 0, 0
		s.answers = func(ctx context.Context, _ string) error {
			mu.Lock()
			busy++
			most = max(most, busy)
			mu.Unlock()
			err := takes(time.Second, nil)(ctx)
			mu.Lock()
			busy--
			mu.Unlock()
			return err
		}
		s.watchMixed(own, public)
		if sum := s.oneCycle(); sum.Probed != 20 || most != 2 {
			s.Errorf("%+v, at most %d at once", sum, most)
		}
	})
}
