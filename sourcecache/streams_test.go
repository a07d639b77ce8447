package sourcecache_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sources"
)

func (s *store) stream(tb testing.TB, id string) *sources.StoredStream {
	tb.Helper()
	stream, err := s.CachedStream(tb.Context(), id)
	must(tb, err)
	return stream
}

func mediaInfo() sources.MediaInfo {
	return sources.MediaInfo{
		Container: "matroska", DurationSeconds: 596.5, BitrateBPS: 4_000_000, SizeBytes: 1 << 33,
		Video:     &sources.VideoTrack{Codec: "hevc", Width: 3840, Height: 2160, FPS: 23.976, HDR: "HDR10"},
		Audio:     []sources.AudioTrack{{Codec: "eac3", Channels: 6, Language: "de"}},
		Subtitles: []sources.SubtitleTrack{{Codec: "subrip", Language: "en"}},
		ProbedAt:  1_700_000_000,
	}
}

func TestDB_streams(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	id := sourceAt(title, "one", "a").ID
	s.save(t, title, answer(title, s.clock.Now(), "one", "a", "b"), answer(title, s.clock.Now(), "two", "a"))
	other := iface + "?other"
	must(t, s.SaveScan(t.Context(), other, title, sources.StoredScan{ScannedAt: s.clock.Now(), Answers: []sources.SiteAnswer{answer(title, s.clock.Now(), "one", "a")}}))
	states := func(want string) {
		t.Helper()
		scan, err := s.LoadScan(t.Context(), other, title)
		must(t, err)
		if got := listing(s.load(t, title)) + " | " + listing(scan); got != want {
			t.Errorf("states %q, want %q", got, want)
		}
	}

	if got := s.stream(t, id); got != nil {
		t.Errorf("stream of a source that was not resolved: %+v", got)
	}
	stream := sources.Stream{
		URL: "https://cdn.example/a.mkv?token=1", Headers: map[string]string{"Referer": "https://hoster.example/"},
		MIME: "video/x-matroska", ExpiresAt: s.clock.Now().Add(2 * time.Hour),
	}
	must(t, s.PutStream(t.Context(), id, stream))
	want := &sources.StoredStream{Stream: stream, ResolvedAt: s.clock.Now()}
	if diff := cmp.Diff(want, s.stream(t, id)); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
	states("one:a=resolved b, two:a=resolved | one:a=resolved")

	info := mediaInfo()
	must(t, s.PutMediaInfo(t.Context(), id, info))
	want.MediaInfo = &info
	if diff := cmp.Diff(want, s.stream(t, id)); diff != "" {
		t.Errorf("stream after its probe (-want +got):\n%s", diff)
	}
	states("one:a=probed b, two:a=probed | one:a=probed")

	// The next stream has to be probed again; what is known is still shown.
	must(t, s.PutStream(t.Context(), id, sources.Stream{URL: "https://cdn.example/a2.mkv"}))
	if got := s.stream(t, id); got.MediaInfo != nil || got.Headers != nil || !got.ExpiresAt.IsZero() {
		t.Errorf("second stream: %+v", got)
	}
	known, err := s.SourceMediaInfo(t.Context(), []string{"nobody", id, `"`, sourceAt(title, "one", "b").ID})
	must(t, err)
	if diff := cmp.Diff(map[string]sources.MediaInfo{id: info}, known); diff != "" {
		t.Errorf("media info (-want +got):\n%s", diff)
	}

	must(t, s.DropStream(t.Context(), id))
	states("one:a b, two:a | one:a")
	if got := s.stream(t, id); got != nil {
		t.Errorf("stream after its end: %+v", got)
	}
	must(t, s.PutMediaInfo(t.Context(), id, info)) // of the stream that was dropped meanwhile
	states("one:a b, two:a | one:a")

	must(t, s.PutStream(t.Context(), id, stream))
	must(t, s.MarkDead(t.Context(), id))
	states("one:a=dead b, two:a=dead | one:a=dead")
	if got := s.stream(t, id); got != nil {
		t.Errorf("stream of a dead source: %+v", got)
	}
	s.clock.Advance(sourcecache.Deadness - time.Second)
	s.save(t, title, answer(title, s.clock.Now(), "two", "a"))
	states("two:a=dead, one:a=dead b | one:a=dead")
	s.clock.Advance(time.Second)
	s.save(t, title, answer(title, s.clock.Now(), "two", "a"))
	states("two:a, one:a=dead b | one:a=dead")
}

func TestDB_streamsGoWithTheirSources(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.save(t, title, answer(title, s.clock.Now(), "one", "a", "b"), answer(title, s.clock.Now(), "two", "b"))
	for _, path := range []string{"a", "b"} {
		must(t, s.PutStream(t.Context(), sourceAt(title, "", path).ID, sources.Stream{URL: "https://cdn.example/" + path}))
	}
	s.save(t, title, answer(title, s.clock.Now(), "one", "c"))
	if got := strings.Join(s.query(t, `SELECT url FROM stream`), " "); got != "https://cdn.example/b" {
		t.Errorf("streams left: %q; another site still names b", got)
	}
	if _, err := s.DeleteExpired(t.Context(), s.clock.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := s.count(t, "stream"); got != "0" {
		t.Errorf("%s streams outlive their sources", got)
	}
}

func TestDB_streams_hostileText(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, text := range hostileTexts() {
		valid := strings.ToValidUTF8(text, "\ufffd") // JSON holds nothing else
		stream := sources.Stream{URL: text, MIME: text, Headers: map[string]string{valid: valid}}
		must(t, s.PutStream(t.Context(), text, stream))
		must(t, s.PutMediaInfo(t.Context(), text, sources.MediaInfo{Container: valid}))
		got := s.stream(t, text)
		if diff := cmp.Diff(stream, got.Stream); diff != "" || got.MediaInfo.Container != valid {
			t.Errorf("%.40q: media info %+v, stream (-want +got):\n%.2000s", text, got.MediaInfo, diff)
		}
	}
}
