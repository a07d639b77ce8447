package health_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache/health"
)

func TestHolder(t *testing.T) {
	t.Parallel()
	type holder = *health.Holder[string]
	type try = health.Try[string]
	end := func(hoster string, success bool, from, to int) try {
		word := "failed"
		if success {
			word = "worked"
		}
		return try{
			Hoster: hoster, Started: int64(from), Ended: int64(to), Success: success, Report: fmt.Sprintf("%s %s at %d", hoster, word, to),
		}
	}
	ok := func(hoster string, from, to int) try { return end(hoster, true, from, to) }
	fail := func(hoster string, from, to int) try { return end(hoster, false, from, to) }
	tests := []struct {
		name   string
		atOnce int
		tries  []try
		want   []string // reported by then
		late   []string // at the end of the run
	}{
		{"a fail waits", 3, []try{fail("a", 0, 10)}, nil, []string{"a failed at 10"}},
		{"a success does not", 3, []try{ok("a", 0, 10)}, []string{"a worked at 10"}, nil},
		{
			"a success vouches for what ended while it was under way", 3,
			[]try{fail("a", 0, 10), fail("b", 0, 12), ok("c", 5, 20)},
			[]string{"c worked at 20", "a failed at 10", "b failed at 12"},
			nil,
		},
		{
			"and for what ended as it began", 3,
			[]try{fail("a", 0, 10), ok("c", 10, 20)},
			[]string{"c worked at 20", "a failed at 10"},
			nil,
		},
		{
			"but not for what ended before it began", 3,
			[]try{fail("a", 0, 10), fail("b", 0, 12), ok("c", 11, 20)},
			[]string{"a failed at 10", "c worked at 20", "b failed at 12"},
			nil,
		},
		{
			"nor for earlier fails of the same hoster", 3,
			[]try{fail("a", 0, 10), fail("b", 0, 11), fail("a", 0, 12), ok("a", 0, 20)},
			[]string{"a failed at 10", "a failed at 12", "a worked at 20", "b failed at 11"},
			nil,
		},
		{
			"after a success nothing waits", 3,
			[]try{ok("a", 0, 10), fail("b", 0, 11), fail("a", 0, 12)},
			[]string{"a worked at 10", "b failed at 11", "a failed at 12"},
			nil,
		},
		{
			"as many hosters as tries at once", 2,
			[]try{fail("a", 0, 10), fail("b", 0, 11), fail("c", 0, 12)},
			[]string{"a failed at 10", "b failed at 11", "c failed at 12"},
			nil,
		},
		{
			"a hoster that fails twice is one", 2,
			[]try{fail("a", 0, 10), fail("a", 0, 11)},
			nil,
			[]string{"a failed at 10", "a failed at 11"},
		},
		{"one try at a time", 1, []try{fail("a", 0, 10), ok("b", 10, 20)}, []string{"a failed at 10", "b worked at 20"}, nil},
		{"no try at all was expected", 0, []try{fail("a", 0, 10)}, []string{"a failed at 10"}, nil},
	}
	for _, tt := range tests {
		for how, last := range map[string]func(holder, func(string)){
			"flushed": func(h holder, report func(string)) { h.Flush(report) },
			"ended":   holder.End,
		} {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				t.Parallel()
				var got []string
				report := func(s string) { got = append(got, s) }
				h := health.NewHolder[string](tt.atOnce, new(sync.Mutex))
				for _, try := range tt.tries {
					h.Report(try, report)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("reported during the run (-want +got):\n%s", diff)
				}
				got = nil
				last(h, report)
				if diff := cmp.Diff(tt.late, got); diff != "" {
					t.Errorf("reported at its end (-want +got):\n%s", diff)
				}
				if h.Flush(report) {
					t.Error("something is reported twice")
				}
			})
		}
	}
}

// A run that was flushed goes on, one that ended holds nothing back any more.
func TestHolder_afterwards(t *testing.T) {
	t.Parallel()
	fail := health.Try[string]{Hoster: "a", Report: "a failed"}
	reports := 0
	report := func(string) { reports++ }
	h := health.NewHolder[string](2, new(sync.Mutex))
	h.Report(fail, report)
	if !h.Flush(report) || reports != 1 {
		t.Errorf("%d reports of the flush, want 1", reports)
	}
	if h.Report(fail, report); reports != 1 {
		t.Error("a fail after the flush is not held back")
	}
	if h.End(report); reports != 2 {
		t.Errorf("%d reports after the end, want 2", reports)
	}
	if h.Report(fail, report); reports != 3 {
		t.Error("a fail after the end is held back")
	}
}

// What fails while a success is being reported is not lost.
func TestHolder_failMeanwhile(t *testing.T) {
	t.Parallel()
	h := health.NewHolder[string](2, new(sync.Mutex))
	var got []string
	report := func(s string) { got = append(got, s) }
	h.Report(health.Try[string]{Hoster: "a", Success: true, Report: "a worked"}, func(s string) {
		report(s)
		if s == "a worked" {
			h.Report(health.Try[string]{Hoster: "b", Report: "b failed"}, func(string) { t.Error("reported before the success was") })
		}
	})
	if diff := cmp.Diff([]string{"a worked", "b failed"}, got); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}
