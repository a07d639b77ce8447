package sourcetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// RunAnswers checks that a store keeps the contract of sources.Answers.
func RunAnswers(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"answers", checkAnswers},
		{"an answer under another clock", checkAnswersClock},
		{"callers keep their copies of answers", checkAnswersCopies},
		{"told once", checkFirstTime},
		{"told once to many who ask", checkFirstTimeAtOnce},
	})
}

// answered gives what is stored under a key, and for how long; -1 for nothing.
func (s *storeSubject) answered(key string) (body string, age time.Duration) {
	s.Helper()
	b, at, err := s.Answer(s.Context(), key)
	s.must(err)
	if b == nil {
		s.want("time of nothing", at, time.Time{})
		return "", -1
	}
	return string(b), s.now().Sub(at)
}

func (s *storeSubject) answers(what, key, body string, age time.Duration) {
	s.Helper()
	gotBody, gotAge := s.answered(key)
	s.want(what, []any{gotBody, gotAge}, []any{body, age})
}

func checkAnswers(s *storeSubject) {
	s.answers("nothing", "k", "", -1)
	s.must(s.PutAnswer(s.Context(), "k", []byte("\x00\xff{}")))
	s.must(s.PutAnswer(s.Context(), "l", nil))
	s.advance(time.Hour)
	s.answers("an answer", "k", "\x00\xff{}", time.Hour)
	s.answers("an empty one", "l", "", time.Hour)
	s.answers("another key", "K", "", -1)
	s.must(s.PutAnswer(s.Context(), "k", []byte("b")))
	s.answers("a later one", "k", "b", 0)
	s.advance(29 * 24 * time.Hour)
	s.answers("for a month", "k", "b", 29*24*time.Hour)
}

func checkAnswersClock(s *storeSubject) {
	s.must(s.PutAnswer(s.Context(), "k", []byte("a")))
	s.advance(-time.Second)
	s.answers("set back", "k", "", -1)
	s.must(s.PutAnswer(s.Context(), "k", []byte("b")))
	s.answers("put again", "k", "b", 0)
}

func checkAnswersCopies(s *storeSubject) {
	body := []byte("a")
	s.must(s.PutAnswer(s.Context(), "k", body))
	body[0] = 'x'
	got, _, err := s.Answer(s.Context(), "k")
	s.must(err)
	got[0] = 'y'
	s.answers("an answer", "k", "a", 0)
}

func checkFirstTime(s *storeSubject) {
	for _, want := range []bool{true, false, false} {
		for _, what := range []string{"ids", "archive", ""} {
			first, err := s.FirstTime(s.Context(), what)
			s.must(err)
			s.want("the first time of "+what, first, want)
		}
		s.advance(400 * 24 * time.Hour)
	}
}

func checkFirstTimeAtOnce(s *storeSubject) {
	var asking sync.WaitGroup
	var firsts atomic.Int64
	for range 8 {
		asking.Go(func() {
			first, err := s.FirstTime(s.Context(), "ids")
			if err != nil {
				s.Error(err)
			}
			if first {
				firsts.Add(1)
			}
		})
	}
	asking.Wait()
	s.want("first times", firsts.Load(), int64(1))
}
