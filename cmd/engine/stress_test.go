package engine_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
	"xship/sources/text"
)

// TestEngine_stress has 64 users do at random what an engine does, and leave at random,
// over servers that break, hang and come back. Each gets an answer of its own question,
// every call returns, the engine works as before afterwards, and Close leaves nothing
// behind. XSHIP_STRESS is how long they go on; without it each does a few acts.
func TestEngine_stress(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the seed was %d", seed)
		}
	})
	s := newStress(t)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	goOn := func(act int) bool { return act < 12 }
	if value := os.Getenv("XSHIP_STRESS"); value != "" {
		d, err := time.ParseDuration(value)
		if err != nil {
			t.Fatal(err)
		}
		end := time.Now().Add(d)
		goOn = func(int) bool { return time.Now().Before(end) }
	}
	var wg sync.WaitGroup
	for user := range uint64(64) {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, user))
			for act := 0; goOn(act); act++ {
				s.act(random)
				s.acts.Add(1)
			}
		})
	}
	s.await(&wg)
	s.checkAfterwards()
	s.Close()
	s.poll("goroutines", goroutines, runtime.NumGoroutine)
	s.poll("open files", files, func() int { return openFiles(t) })
	t.Logf("%d acts: %d scans and %d plays succeeded, %d calls failed as they may, %d were left", s.acts.Load(), s.scans.Load(), s.plays.Load(), s.failed.Load(), s.left.Load())
}

// stress is a rig that many use at once.
type stress struct {
	*rig
	log                              sourcetest.Buffer // of errors, which are bugs of ours
	titles                           []sources.Title
	interfaces                       []*world.Interface
	acts, scans, plays, failed, left atomic.Int64
}

// newStress makes an engine that gives up soon, so that much happens in a short time.
func newStress(t *testing.T) *stress {
	settings, err := config.Load(config.LoadOptions{Overrides: map[string]any{
		"scan.timeout": 3 * time.Second, "scan.site_timeout": time.Second, "scan.cache_ttl": 200 * time.Millisecond,
		"interfaces.timeout": time.Second, "interfaces.max_age": 100 * time.Millisecond,
		"probe.timeout": time.Second, "probe.total": 2 * time.Second, "resolve.ytdlp": "off", "ids.enabled": false, "archive.enabled": false,
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := &stress{rig: newRig(t, nil)}
	logger := slog.New(slog.NewTextHandler(&s.log, &slog.HandlerOptions{Level: slog.LevelError}))
	s.Close() // another one takes its place
	s.Engine, err = engine.Open(engine.Config{Settings: settings, Store: s.store, DataDir: s.dataDir, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	entries := make([]world.Entry, len(s.story.Sites))
	for i, site := range s.story.Sites {
		entries[i] = site.Entry()
	}
	third, err := s.story.AddInterface("third", world.InterfaceConfig{Entries: entries[:2], ETag: true})
	if err != nil {
		t.Fatal(err)
	}
	s.interfaces = []*world.Interface{s.story.Broken, s.story.Good, third}
	s.titles = []sources.Title{s.story.Film, s.story.Foreign, s.story.Episode, s.story.Special, s.story.Unknown}
	s.add(s.interfaces...)
	return s
}

// act does one thing, for one who may leave before it is done.
func (s *stress) act(random *rand.Rand) {
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	soon := time.Duration(random.IntN(300)) * time.Millisecond
	switch random.IntN(6) {
	case 0:
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, soon)
		defer stop()
	case 1:
		defer time.AfterFunc(soon, cancel).Stop()
	}
	at := pick(random, s.interfaces)
	var err error
	switch random.IntN(24) {
	case 0, 1:
		_, err = s.UseInterface(ctx, at.Name())
	case 2:
		err = s.OrderInterfaces(ctx, []string{at.Name()})
	case 3:
		err = s.SetFailoverMode(pick(random, []failover.Mode{failover.Auto, failover.Auto, failover.Manual, failover.Off}))
	case 4:
		_, err = s.RemoveInterface(ctx, at.Name())
	case 5, 6, 7:
		_, err = s.AddInterface(ctx, at.URL(), at.Name())
	case 8:
		err = s.CheckInterface(ctx, sources.Interface{URL: at.URL(), Name: at.Name()}, at.URL()).Err
	case 9:
		_, _, err = s.ResetHosters(ctx, nil)
	case 10, 11:
		s.change(random)
	case 12, 13, 14, 15:
		err = s.playOne(ctx, random)
	default:
		err = s.scanOne(ctx, random)
	}
	s.checkError(ctx, err)
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// change makes a server of the world break, hang or work. Not what outlasts that: the
// pause that a 429 asks for, and links that are dead.
func (s *stress) change(random *rand.Rand) {
	servers := s.servers()
	server := servers[random.IntN(len(servers))]
	switch random.IntN(8) {
	case 0:
		server.Hold()
		time.AfterFunc(time.Duration(random.IntN(300))*time.Millisecond, server.Release)
	case 1, 2, 3:
		server.SetMode(pick(random, []world.Mode{
			world.ModeHang, world.Mode403, world.Mode500, world.Mode503, world.ModeHTML, world.ModeLogin,
			world.ModeBadJSON, world.ModeReset, world.ModeTruncated, world.ModeSlow, world.ModeEmpty, world.ModeNoRange,
		}))
	default:
		server.SetMode(world.ModeOK)
	}
}

func (s *stress) servers() []*world.Server {
	var all []*world.Server
	for _, i := range s.interfaces {
		all = append(all, i.Server)
	}
	for _, site := range s.story.Sites {
		all = append(all, site.Server)
	}
	for _, h := range s.story.Hosters {
		all = append(all, h.Server)
	}
	return all
}

// request is a scan of any title by any interface, by a user who may answer.
func (s *stress) request(random *rand.Rand) engine.ScanRequest {
	req := engine.ScanRequest{Title: pick(random, s.titles), Refresh: random.IntN(3) == 0}
	if random.IntN(3) == 0 {
		req.Interface = pick(random, []string{"broken", "good", "third", s.story.Good.URL(), loader.Builtin().URL})
	}
	if random.IntN(2) == 0 {
		chosen := random.IntN(3)
		req.Caller.Ask = func(_ context.Context, q loader.Question) (loader.Answer, error) {
			if chosen >= len(q.Candidates) {
				return loader.Answer{Cancel: true}, nil
			}
			return loader.Answer{URL: q.Candidates[chosen].URL}, nil
		}
	}
	return req
}

// scanOne scans, and checks that the answer is that of the question.
func (s *stress) scanOne(ctx context.Context, random *rand.Rand) error {
	req := s.request(random)
	req.Progress = func(p sources.ScanProgress) {
		for _, src := range p.Sources {
			s.checkOwn(req.Title, src)
		}
	}
	scan, err := s.Scan(ctx, req)
	_, none := errors.AsType[*sources.NoAnswerError](err)
	if (err == nil || none) && scan.Title.Key() != req.Title.Key() {
		s.Errorf("asked for %s, got %s", req.Title, scan.Title)
	}
	for _, src := range scan.Sources {
		s.checkOwn(req.Title, src)
	}
	for _, site := range scan.Sites {
		if strings.Contains(site.Error, "xship has a bug") || ctx.Err() == nil && strings.Contains(site.Error, context.Canceled.Error()) {
			s.Errorf("%s, %s: %s: %s", req.Title, site.Name, site.Status, site.Error)
		}
	}
	if err == nil {
		s.scans.Add(1)
		_, err = s.List(ctx, scan, engine.ListRequest{User: 1})
	}
	return err
}

// checkOwn checks that a source is one of the title that was asked for.
func (s *stress) checkOwn(asked sources.Title, src sources.Source) {
	if src.ID != sources.SourceID(asked, src.URL) {
		s.Errorf("asked for %s, got the source %s of another title", asked, src.URL)
	}
}

// playOne plays, and checks that what plays is what was asked for.
func (s *stress) playOne(ctx context.Context, random *rand.Rand) error {
	req := engine.PlayRequest{ScanRequest: s.request(random), User: 1}
	played, err := s.Play(ctx, req)
	for _, tried := range played.Tried {
		if s.checkOwn(req.Title, tried.Source); tried.Class == sources.ClassBug {
			s.Errorf("%s: %s", tried.Source.URL, tried.Error)
		}
	}
	if err == nil {
		s.plays.Add(1)
		if s.checkOwn(req.Title, played.Source.Source); played.Stream.URL == "" {
			s.Errorf("%s plays without a URL", played.Source.URL)
		}
	}
	return err
}

// checkError checks that an error is one that a user may get, and not that of another
// user who left.
func (s *stress) checkError(ctx context.Context, err error) {
	if err == nil {
		return
	}
	s.failed.Add(1)
	if classified, ok := errors.AsType[sources.Classifier](err); ok && classified.Class() == sources.ClassBug {
		s.Errorf("a bug: %v", err)
	}
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		s.left.Add(1)
		return
	}
	if errors.Is(err, context.Canceled) && !errors.Is(err, loader.ErrRetired) {
		s.Errorf("one who stayed got what another one who left gets: %v", err)
	}
	if !allowed(err) {
		s.Errorf("an error that nobody should get: %v (%T)", err, err)
	}
}

// allowed tells the errors that say what of the world or of the request is wrong.
func allowed(err error) bool {
	_, noAnswer := errors.AsType[*sources.NoAnswerError](err)
	_, one := errors.AsType[*vod.Error](err)
	_, all := errors.AsType[*loader.FailedError](err)
	_, request := errors.AsType[*engine.RequestError](err)
	return noAnswer || one || all || request || isNothingPlayable(err) || errors.Is(err, loader.ErrRetired) ||
		text.HintOf(err) == "see xship interfaces list" // it was removed meanwhile
}

// await waits for all users. It fails with the stacks of all goroutines where nobody
// gets an answer for a minute: then a call hangs.
func (s *stress) await(wg *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for before := int64(-1); ; {
		select {
		case <-done:
			return
		case <-tick.C:
			now := s.acts.Load()
			if now == before {
				s.Fatalf("nobody got an answer for a minute, after %d acts\n%s", now, stacks())
			}
			before = now
		}
	}
}

// checkAfterwards checks that the engine works as before, once the world does.
func (s *stress) checkAfterwards() {
	for _, server := range s.servers() {
		server.Release()
		server.SetMode(world.ModeOK)
	}
	if err := s.SetFailoverMode(failover.Auto); err != nil {
		s.Error(err)
	}
	s.add(s.interfaces...)
	if _, err := s.UseInterface(s.Context(), s.story.Good.URL()); err != nil {
		s.Error(err)
	}
	scan := s.scan(engine.ScanRequest{Title: s.story.Film, Refresh: true, Caller: loader.Caller{
		Announce: func(sw loader.Switch) { s.Errorf("afterwards: switched to %s: %v", sw.To.Name, sw.Cause) },
	}})
	if len(scan.Sources) == 0 || scan.Interface.URL != s.story.Good.URL() || scan.FromCache {
		s.Errorf("afterwards: %d sources from %s, from the cache %t", len(scan.Sources), scan.Interface.Name, scan.FromCache)
	}
	if n := s.store.Open(); n != 0 {
		s.Errorf("%d attempts were not ended", n)
	}
	if logged := s.log.String(); logged != "" {
		s.Errorf("logged %s", logged)
	}
}

// poll waits until a count is back at what it was: the servers take a moment to notice
// that a connection has ended.
func (s *stress) poll(what string, before int, count func() int) {
	now := count()
	for range 100 {
		if now <= before {
			return
		}
		time.Sleep(100 * time.Millisecond)
		now = count()
	}
	s.Errorf("%d %s after Close, %d before\n%s", now, what, before, stacks())
}

func stacks() string {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // into memory it cannot fail
	return b.String()
}

// openFiles counts what this process has open, where the system tells.
func openFiles(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
