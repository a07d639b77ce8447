package engine_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"xship/cmd/engine"
	"xship/config"
	"xship/sources"
	"xship/sources/sourcetest"
)

// TestEngine_observed has an engine do what it does, and checks that who listens is
// told of every kind of event, once for what happened once, and the log as well.
func TestEngine_observed(t *testing.T) {
	limited := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }))
	defer limited.Close()
	settings, err := config.Load(config.LoadOptions{Overrides: map[string]any{"resolve.ytdlp": "off", "ids.enabled": false, "archive.enabled": false}})
	if err != nil {
		t.Fatal(err)
	}
	settings.Debrid.Accounts = []config.DebridAccount{{User: 1, Provider: "torbox", APIKey: "s3cret", BaseURL: limited.URL}}
	r, told := newRig(t, nil), new(sourcetest.Observed)
	var log sourcetest.Buffer
	r.Close() // another one takes its place
	r.Engine, err = engine.Open(engine.Config{
		Settings: settings, Store: r.store, DataDir: r.dataDir, Observer: told,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)

	r.add(r.story.Broken, r.story.Good)
	scan := r.scan(engine.ScanRequest{Title: r.story.Film})
	r.play(engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: r.story.Film}, User: 1})
	if _, _, err := r.Watch(t.Context(), r.story.Film); err != nil {
		t.Fatal(err)
	}
	if err := r.PrecacheOnce(t.Context(), engine.PrecacheRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.CheckAccounts(t.Context(), []sources.Account{{User: 1, Provider: "torbox", Key: "s3cret", BaseURL: limited.URL}}, nil); err != nil {
		t.Fatal(err)
	}

	counts := make(map[string]int)
	for _, e := range told.Events() {
		counts[strings.TrimPrefix(fmt.Sprintf("%T", e), "sources.")]++
	}
	want := map[string]int{
		"InterfaceTried": 2, "InterfaceSwitched": 1, "InterfaceLoaded": 1, "SiteDone": len(scan.Sites), "CooldownMarked": 1, "CycleEnded": 1, "TitleReady": 1,
	}
	for kind, n := range want {
		if counts[kind] != n {
			t.Errorf("told of %d %s, want %d", counts[kind], kind, n)
		}
	}
	asked := r.story.Broken.Requests() + r.story.Good.Requests()
	for _, site := range r.story.Sites {
		asked += site.Requests()
	}
	atHosters := 0
	for _, h := range r.story.Hosters {
		atHosters += h.Requests()
	}
	requests := sourcetest.EventsOf[sources.RequestMade](told)
	if asked+atHosters+1 != len(requests) { // and one of the account
		t.Errorf("told of %d requests, %d were made", len(requests), asked+atHosters+1)
	}
	attempts := sourcetest.EventsOf[sources.AttemptEnded](told)
	hosters, _, err := r.Hosters(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	for _, h := range hosters {
		reported += int(h.OKCount + h.FailCount)
	}
	touching := slices.DeleteFunc(attempts, func(e sources.AttemptEnded) bool {
		return e.Class != sources.ClassOK && e.Class != sources.ClassHosterFault
	})
	if len(touching) != reported || reported == 0 {
		t.Errorf("told of %d attempts that touch a hoster, %d did", len(touching), reported)
	}
	for _, line := range []string{"an attempt ended", "a site is done", "a request", "an interface was tried", "trying the next one", "another interface", "a provider cools down", "[Hoster-Stats]", "precache cycle done"} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log has no line with %q", line)
		}
	}
	if strings.Contains(log.String(), "s3cret") {
		t.Error("the log has a key")
	}
}
