package sourcetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

// RunStreams checks that a store keeps the contract of sources.StreamStore.
func RunStreams(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"nothing", checkNoStream},
		{"what is stored comes back", checkStreamRoundTrip},
		{"a stream without extras", checkPlainStream},
		{"a new stream has yet to be probed", checkNewStream},
		{"media info without a stream", checkInfoWithoutStream},
		{"media info of sources", checkSourceInfo},
		{"the states of a source", checkStates},
		{"what a source needs", checkNeeds},
		{"of all titles, sites and interfaces", checkStatesEverywhere},
		{"sources that no list names", checkStreamOfNobody},
		{"callers keep their copies", checkStreamCopies},
	})
}

// storeInfo is media info with everything that it can have.
func storeInfo() sources.MediaInfo {
	return sources.MediaInfo{
		Container: "matroska", DurationSeconds: 5400.5, BitrateBPS: 8_000_000, SizeBytes: 1 << 33,
		Video:     &sources.VideoTrack{Codec: "hevc", Width: 3840, Height: 2160, FPS: 23.976, HDR: "HDR10"},
		Audio:     []sources.AudioTrack{{Codec: "eac3", Channels: 6, Language: "de"}, {Codec: "aac", Channels: 2}},
		Subtitles: []sources.SubtitleTrack{{Codec: "subrip", Language: "en"}},
		ProbedAt:  1_700_000_000,
	}
}

func checkNoStream(s *storeSubject) {
	if stream := s.stream("nobody"); stream != nil {
		s.Errorf("a fresh store has %+v", stream)
	}
	for name, err := range map[string]error{
		"DropStream": s.DropStream(s.Context(), "nobody"), "MarkDead": s.MarkDead(s.Context(), "nobody"),
	} {
		if err != nil {
			s.Errorf("%s of nobody: %v", name, err)
		}
	}
}

func checkStreamRoundTrip(s *storeSubject) {
	stream := sources.Stream{
		URL: "https://cdn.example/a.m3u8?token=x|y", Headers: map[string]string{"Referer": "https://h.example/", "Cookie": "a=b"},
		MIME: "application/vnd.apple.mpegurl", ExpiresAt: s.now().Add(time.Hour),
	}
	s.must(s.PutStream(s.Context(), "a", stream))
	want := &sources.StoredStream{Stream: stream, ResolvedAt: s.now()}
	if diff := cmp.Diff(want, s.stream("a")); diff != "" {
		s.Errorf("resolved (-want +got):\n%s", diff)
	}
	s.advance(time.Minute)
	info := storeInfo()
	s.must(s.PutMediaInfo(s.Context(), "a", info))
	want.MediaInfo = &info
	if diff := cmp.Diff(want, s.stream("a")); diff != "" {
		s.Errorf("probed (-want +got):\n%s", diff)
	}
	s.must(s.DropStream(s.Context(), "a"))
	if got := s.stream("a"); got != nil {
		s.Errorf("dropped, but there is %+v", got)
	}
}

func checkPlainStream(s *storeSubject) {
	s.must(s.PutStream(s.Context(), "a", sources.Stream{URL: "https://cdn.example/a"}))
	want := &sources.StoredStream{Stream: sources.Stream{URL: "https://cdn.example/a"}, ResolvedAt: s.now()}
	if diff := cmp.Diff(want, s.stream("a")); diff != "" {
		s.Errorf("stream (-want +got):\n%s", diff)
	}
	s.must(s.PutMediaInfo(s.Context(), "a", sources.MediaInfo{}))
	if got := s.stream("a"); got == nil || got.MediaInfo == nil {
		s.Errorf("probed, but %+v", got)
	}
}

func checkNewStream(s *storeSubject) {
	s.must(s.PutStream(s.Context(), "a", sources.Stream{URL: "https://cdn.example/1", MIME: "video/mp4"}))
	s.must(s.PutMediaInfo(s.Context(), "a", storeInfo()))
	s.advance(time.Minute)
	s.must(s.PutStream(s.Context(), "a", sources.Stream{URL: "https://cdn.example/2"}))
	want := &sources.StoredStream{Stream: sources.Stream{URL: "https://cdn.example/2"}, ResolvedAt: s.now()}
	if diff := cmp.Diff(want, s.stream("a")); diff != "" {
		s.Errorf("stream (-want +got):\n%s", diff)
	}
	known, err := s.SourceMediaInfo(s.Context(), []string{"a"})
	s.must(err)
	if diff := cmp.Diff(map[string]sources.MediaInfo{"a": storeInfo()}, known); diff != "" {
		s.Errorf("what was known of its media (-want +got):\n%s", diff)
	}
}

func checkInfoWithoutStream(s *storeSubject) {
	t := storeMovie()
	a := s.link(t, "h.example", "a", sources.QualitySD)
	s.offer(t, a)
	s.must(s.PutMediaInfo(s.Context(), a.ID, storeInfo()))
	s.want("list", s.listed(t), "one: a found")
	if got := s.stream(a.ID); got != nil {
		s.Errorf("media info made the stream %+v", got)
	}
}

func checkSourceInfo(s *storeSubject) {
	for _, id := range []string{"a", "b", "c"} {
		s.must(s.PutStream(s.Context(), id, sources.Stream{URL: "https://cdn.example/" + id}))
	}
	s.must(s.PutMediaInfo(s.Context(), "a", storeInfo()))
	s.must(s.PutMediaInfo(s.Context(), "c", sources.MediaInfo{Container: "mp4"}))
	known, err := s.SourceMediaInfo(s.Context(), []string{"c", "nobody", "b"})
	s.must(err)
	if diff := cmp.Diff(map[string]sources.MediaInfo{"c": {Container: "mp4"}}, known); diff != "" {
		s.Errorf("known (-want +got):\n%s", diff)
	}
	known, err = s.SourceMediaInfo(s.Context(), nil)
	s.must(err)
	s.want("known of none", len(known), 0)
	s.must(s.MarkDead(s.Context(), "c"))
	known, err = s.SourceMediaInfo(s.Context(), []string{"c"})
	s.must(err)
	s.want("known of a dead one", len(known), 0)
}

func checkStates(s *storeSubject) {
	t := storeMovie()
	a := s.link(t, "h.example", "a", sources.QualitySD)
	s.offer(t, a)
	ctx := s.Context()
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return s.PutStream(ctx, a.ID, sources.Stream{URL: "https://cdn.example/a"}) }, "one: a resolved"},
		{func() error { return s.PutMediaInfo(ctx, a.ID, storeInfo()) }, "one: a probed"},
		{func() error { return s.DropStream(ctx, a.ID) }, "one: a found"},
		{func() error { return s.PutStream(ctx, a.ID, sources.Stream{URL: "https://cdn.example/a"}) }, "one: a resolved"},
		{func() error { return s.MarkDead(ctx, a.ID) }, "one: a dead"},
		{func() error { return s.PutMediaInfo(ctx, a.ID, storeInfo()) }, "one: a dead"},
		{func() error { return s.PutStream(ctx, a.ID, sources.Stream{URL: "https://cdn.example/a"}) }, "one: a resolved"},
	} {
		s.must(step.do())
		s.want("list", s.listed(t), step.want)
	}
	s.must(s.MarkDead(ctx, a.ID))
	if got := s.stream(a.ID); got != nil {
		s.Errorf("a dead source has the stream %+v", got)
	}
}

func checkNeeds(s *storeSubject) {
	t, ctx := storeMovie(), s.Context()
	a, b := s.link(t, "h.example", "a", sources.QualitySD), s.link(t, "h.example", "b", sources.QualitySD)
	stream := sources.Stream{URL: "https://cdn.example/a"}
	offer := func() {
		s.advance(time.Hour)
		s.offer(t, a, b)
	}
	s.must(s.MarkNeeds(ctx, "nobody", "x"))
	offer()
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"told", func() { s.must(s.MarkNeeds(ctx, a.ID, "an account")) }, "an account"},
		{"told anew", func() { s.must(s.MarkNeeds(ctx, a.ID, "a parser")) }, "a parser"},
		{"named again", offer, "a parser"},
		{"dead", func() { s.must(s.MarkDead(ctx, a.ID)) }, "a parser"},
		{"resolved", func() { s.must(s.PutStream(ctx, a.ID, stream)) }, ""},
		{"told again", func() { s.must(s.MarkNeeds(ctx, a.ID, "an account")) }, "an account"},
		{"read", func() { s.must(s.PutMediaInfo(ctx, a.ID, storeInfo())) }, ""},
		{"dropped", func() { s.must(s.DropStream(ctx, a.ID)) }, ""},
		{"told at last", func() { s.must(s.MarkNeeds(ctx, a.ID, "an account")) }, "an account"},
		{"with another link", func() {
			a.URL += "#other"
			offer()
		}, ""},
	} {
		step.do()
		named := s.load(t).Answers[0].Sources
		s.want(step.what, named[0].Needs, step.want)
		s.want("the other one", named[1].Needs, "")
	}
}

func checkStatesEverywhere(s *storeSubject) {
	t := storeMovie()
	a := s.link(t, "h.example", "a", sources.QualitySD)
	s.save(t, s.answer("one", a), s.answer("two", a))
	s.saveAt(otherInterface, t, s.answer("one", a))
	s.must(s.MarkDead(s.Context(), a.ID))
	s.want("list", s.listed(t), "one: a dead; two: a dead")
	scan, err := s.LoadScan(s.Context(), otherInterface, t)
	s.must(err)
	s.want("at another interface", scan.Answers[0].Sources[0].State, sources.StateDead)
}

func checkStreamOfNobody(s *storeSubject) {
	s.must(s.PutStream(s.Context(), "x' OR 1=1; --", sources.Stream{URL: "https://cdn.example/a"}))
	if s.stream("x' OR 1=1; --") == nil || s.stream("x") != nil {
		s.Error("a stream of a source that no list names is lost, or found under another id")
	}
}

func checkStreamCopies(s *storeSubject) {
	stream := sources.Stream{URL: "https://cdn.example/a", Headers: map[string]string{"Referer": "x"}}
	s.must(s.PutStream(s.Context(), "a", stream))
	info := storeInfo()
	s.must(s.PutMediaInfo(s.Context(), "a", info))
	want := s.stream("a")
	stream.Headers["Referer"], info.Video.Codec, info.Audio[0].Codec = "changed", "changed", "changed"
	got := s.stream("a")
	got.Headers["Referer"], got.MediaInfo.Video.Codec, got.MediaInfo.Audio[0].Codec = "changed", "changed", "changed"
	if diff := cmp.Diff(want, s.stream("a")); diff != "" {
		s.Errorf("what callers hold changes the store (-want +got):\n%s", diff)
	}
}
