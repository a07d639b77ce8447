package sources_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/sourcetest"
)

// after is a try that takes a while.
func after(d time.Duration, err error) func(context.Context) error {
	return func(context.Context) error {
		time.Sleep(d)
		return err
	}
}

// TestAttemptsObserved checks that each try at a hoster is told once, with the class
// that is reported, and that what is no try is not told.
func TestAttemptsObserved(t *testing.T) {
	fault := sources.Errorf(sources.ClassHosterFault, "refused\x1b")
	tests := []struct {
		name   string
		src    sources.Source
		broken bool // the hoster table
		rests  bool // the hoster
		cancel bool
		try    func(context.Context) error
		want   []sources.AttemptEnded
	}{
		{name: "works", src: at("h.example", "a"), try: after(3*time.Second, nil), want: []sources.AttemptEnded{
			{Source: "h.example/a", Class: sources.ClassOK, Elapsed: 3 * time.Second},
		}},
		{name: "fails", src: at("h.example", "a"), try: after(time.Second, fault), want: []sources.AttemptEnded{
			{Source: "h.example/a", Class: sources.ClassHosterFault, Detail: "refused", Elapsed: time.Second},
		}},
		{name: "is cancelled", src: at("h.example", "a"), cancel: true, try: after(0, fault), want: []sources.AttemptEnded{
			{Source: "h.example/a", Class: sources.ClassCancelled, Detail: "refused"},
		}},
		{name: "panics", src: at("h.example", "a"), try: func(context.Context) error { panic("boom") }, want: []sources.AttemptEnded{
			{Source: "h.example/a", Class: sources.ClassBug},
		}},
		{name: "may not be tried", src: at("h.example", "a"), rests: true, try: after(0, nil)},
		{name: "no hoster", src: at("", "a"), try: after(0, nil)},
		{name: "a file", src: at("local", "a"), try: after(0, nil)},
		{name: "without a table", src: at("h.example", "a"), broken: true, try: after(0, nil)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				hosters, told := sourcetest.NewMemory(time.Now), new(sourcetest.Observed)
				if tt.rests {
					hosters.SetHoster("h.example", health.Hoster{ConsecutiveFails: 3, BackoffUntil: time.Now().Unix() + 10})
				}
				if tt.broken {
					hosters.SetError(errors.New("disk is full"))
				}
				a := &sources.Attempts{Store: hosters, Observer: told}
				func() {
					defer func() { _ = recover() }()
					_ = a.Do(ctx, tt.src, false, func(ctx context.Context) error {
						if tt.cancel {
							cancel()
						}
						return tt.try(ctx)
					})
				}()
				got := sourcetest.EventsOf[sources.AttemptEnded](told)
				for i := range got {
					if got[i].Hoster != tt.src.Hoster || got[i].Link != tt.src.URL {
						t.Errorf("told of %q, %q", got[i].Hoster, got[i].Link)
					}
					got[i].Attempt = sources.Attempt{}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestScanObserved checks that each site that was asked is told of once, as it stands
// in the report, and that one that was not asked is not.
func TestScanObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := new(sourcetest.Observed)
		s := newScanner(nil)
		s.Observer, s.Workers, s.Timeout = told, 5, 8*time.Second
		got := scan(t, s, sources.ScanOptions{},
			sourcetest.NewFakeSite("ok", sourcetest.Answer(linkAt("a", "sd", sources.QualitySD))),
			sourcetest.NewFakeSite("hung", sourcetest.Hang()),
			sourcetest.NewFakeSite("mad", sourcetest.Panic("boom")),
			sourcetest.NewFakeSite("hung2", sourcetest.Hang()),
			sourcetest.NewFakeSite("hung3", sourcetest.Hang()),
			sourcetest.NewFakeSite("hung4", sourcetest.Hang()),
			sourcetest.NewFakeSite("hung5", sourcetest.Hang()),
			sourcetest.NewFakeSite("late", sourcetest.Answer()),
		)
		const statusesWant = "ok=ok hung=timeout mad=error hung2=timeout hung3=timeout hung4=timeout hung5=timeout late=skipped"
		if got := statuses(got.Sites); got != statusesWant {
			t.Fatalf("sites %s,\nwant  %s", got, statusesWant)
		}
		var reports []sources.SiteReport
		classes := make(map[string]sources.Class)
		for _, e := range sourcetest.EventsOf[sources.SiteDone](told) {
			if e.Title.Key() != film.Key() || e.Interface != iface {
				t.Errorf("told of %v at %v", e.Title, e.Interface)
			}
			reports = append(reports, e.Report)
			classes[e.Report.Key] = e.Class
		}
		asked := slices.DeleteFunc(slices.Clone(got.Sites), func(r sources.SiteReport) bool { return r.Key == "late" })
		byKey := func(a, b sources.SiteReport) int { return strings.Compare(a.Key, b.Key) }
		slices.SortFunc(reports, byKey)
		slices.SortFunc(asked, byKey)
		if diff := cmp.Diff(asked, reports); diff != "" {
			t.Errorf("told (-report +told):\n%s", diff)
		}
		if classes["ok"] != sources.ClassOK || classes["mad"] != sources.ClassBug || classes["hung"] != sources.ClassCancelled {
			t.Errorf("classes %v", classes)
		}
	})
}

// TestAccountsObserved checks that a cooldown is told of with what remains of it, and
// another fault is not.
func TestAccountsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, told := newAccountsTest(t), new(sourcetest.Observed)
		a.Accounts.Observer = told
		a.fails(sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderItem, Message: "not now"})
		_, _ = a.resolve(t, 1, "https://page.example/a/ok")
		next()
		a.fails(sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Message: "limited"})
		_, _ = a.resolve(t, 1, "https://page.example/a/ok")
		next()
		_, _ = a.resolve(t, 1, "https://page.example/b/ok") // it rests
		want := []sources.CooldownMarked{{
			Key: sources.CooldownKey{User: 1, Provider: "real_debrid"}, Cooldown: sources.Cooldown{Remaining: 30 * time.Second, Reason: "limited"},
		}}
		if diff := cmp.Diff(want, sourcetest.EventsOf[sources.CooldownMarked](told)); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}
