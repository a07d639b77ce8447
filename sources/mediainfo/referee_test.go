package mediainfo_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/mediainfo"
	"xship/sources/resolver/direct"
)

// odd is one stream of the referee's corpus.
type odd struct {
	name string
	path string // asked for, "" = /file
	// serve is the hoster. Servers beside it are made with t.
	serve func(t *testing.T) http.Handler
	want  sources.Class
	// why is the reason of want, where ffmpeg does not play the stream.
	why string
	// policy is the rule of its own by which ffmpeg refuses the stream. Then its
	// word counts for nothing.
	policy string
	note   string // in the info, "" = none
	hangs  bool   // it never ends, and is not waited for long
	spins  bool   // with it, ffmpeg never ends, and is not waited for long
}

// most rows may be marked as policy.
const mostPolicies = 10

// word is what ffmpeg says of a stream.
type word struct {
	plays bool
	early bool // a body ended before the length that its answer announced
	said  string
}

// clean tells whether the stream plays and was served as announced.
func (w word) clean() bool { return w.plays && !w.early }

func (w word) String() string {
	switch {
	case w.plays && w.early:
		return "plays, cut short"
	case w.plays:
		return "plays"
	default:
		return "no"
	}
}

// TestReferee asks of each stream of the corpus whose fault it is: ffmpeg, and
// xship as the engine does it. Where ffmpeg plays, and no body ended before the
// length that its answer announced, nobody is to blame; where it does not, the
// corpus says who is, and why.
func TestReferee(t *testing.T) {
	ffmpeg, ffprobe := needTool(t, "ffmpeg"), needTool(t, "ffprobe")
	rows := slices.Concat(oddPlaylists(t), oddFiles(t), oddAnswers(t), oddManifests(t), oddPages())
	verdicts := make([]verdict, len(rows))
	todo := make(chan int, len(rows))
	for i := range rows {
		todo <- i
	}
	close(todo)
	var wg sync.WaitGroup
	for range atOnce { // most of them wait for programs and clocks
		wg.Go(func() {
			for i := range todo {
				verdicts[i].word = askFFmpeg(t, ffmpeg, rows[i])
				verdicts[i].info, verdicts[i].err = askXship(t, ffprobe, rows[i])
			}
		})
	}
	wg.Wait()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "stream\tffmpeg\tours\twhy")
	policies := 0
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) { verdicts[i].check(t, row) })
		why := ""
		if !verdicts[i].word.clean() {
			why = row.why
		}
		if row.policy != "" {
			policies++
			why = "policy: " + row.policy
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", row.name, verdicts[i].word, sources.ClassOf(verdicts[i].err), why)
	}
	_ = w.Flush()
	t.Logf("%d streams:\n%s", len(rows), b.String())
	if policies > mostPolicies {
		t.Errorf("%d rows are marked as policy, more than %d", policies, mostPolicies)
	}
}

// atOnce is how many streams are looked at at the same time.
const atOnce = 10

// verdict is what both said of a stream.
type verdict struct {
	word word
	info sources.MediaInfo
	err  error
}

func (v *verdict) check(t *testing.T, row odd) {
	class := sources.ClassOf(v.err)
	if class != row.want {
		t.Errorf("got %s %v, want %s", class, v.err, row.want)
	}
	if got := strings.Join(v.info.Notes, "; "); (row.note == "") != (got == "") || !strings.Contains(got, row.note) {
		t.Errorf("got the notes %q, want %q", got, row.note)
	}
	switch {
	case row.policy != "" && v.word.plays:
		t.Error("marked as refused by policy, but ffmpeg plays it")
	case row.policy != "":
	case v.word.clean() && (class == sources.ClassHosterFault || class == sources.ClassDeadLink):
		t.Errorf("ffmpeg plays it, xship says %s: %v", class, v.err)
	case !v.word.clean() && row.why == "":
		t.Errorf("ffmpeg does not play it (%s), and the corpus does not say whose fault that is", v.word.said)
	}
}

// askFFmpeg lets ffmpeg play ten seconds of a stream. One thread is enough for these
// small ones, and starts sooner.
func askFFmpeg(t *testing.T, ffmpeg string, row odd) word {
	var early atomic.Bool
	patience := row.patience()
	if row.spins {
		patience = shortPatience
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	url := serve(t, watch(row.serve(t), &early, cancel)) + row.asked()
	cmd := exec.CommandContext(ctx, ffmpeg, "-nostdin", "-threads", "1", "-v", "error", "-xerror", "-i", url, "-t", "10", "-f", "null", "-")
	out, err := cmd.CombinedOutput()
	said := strings.Join(strings.Fields(string(out)), " ")
	return word{plays: err == nil, early: early.Load(), said: said[:min(len(said), 300)]}
}

// askXship resolves and probes a stream as the engine does.
func askXship(t *testing.T, ffprobe string, row odd) (sources.MediaInfo, error) {
	client := fetch.New(fetch.Options{Timeout: row.patience()})
	t.Cleanup(client.CloseIdleConnections)
	url := serve(t, row.serve(t)) + row.asked()
	stream, err := direct.New(client, nil).Resolve(t.Context(), sources.Source{URL: url})
	if err != nil {
		return sources.MediaInfo{}, err
	}
	return mediainfo.New(mediainfo.Options{Range: ranges(client), FFprobe: ffprobe}).Probe(t.Context(), stream)
}

// patience is how long either may take for any of these small streams.
func (row odd) patience() time.Duration {
	if row.hangs {
		return shortPatience
	}
	return 30 * time.Second
}

const shortPatience = 2 * time.Second

// ranges reads streams over HTTP as the engine lets a prober do it.
func ranges(client *fetch.Client) mediainfo.RangeFunc {
	return func(ctx context.Context, url string, headers map[string]string, off, n int64) (mediainfo.Part, error) {
		part, err := client.GetRange(ctx, fetch.Request{URL: url, Headers: headers}, off, n)
		if err != nil {
			return mediainfo.Part{}, err
		}
		return mediainfo.Part{
			Data: part.Data, Off: part.Off, Total: part.Total, Partial: part.Partial, Header: part.Header, FinalURL: part.FinalURL,
			Cookie: part.Cookie,
		}, nil
	}
}

func (row odd) asked() string {
	if row.path == "" {
		return "/file"
	}
	return row.path
}

// mostRequests is more than ffmpeg makes for any of these streams, but for one in
// which it goes round for ever.
const mostRequests = 100

// watch sets early where a body ends before its answer's length although its
// reader still waits for it, and ends a reader that goes round.
func watch(h http.Handler, early *atomic.Bool, end func()) http.Handler {
	var asked atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > mostRequests {
			end()
		}
		counted := &countingWriter{ResponseWriter: w}
		defer func() {
			left := r.Context().Err() != nil || counted.failed
			broken := recover()
			length, err := strconv.ParseInt(w.Header().Get("Content-Length"), 10, 64)
			short := err == nil && counted.n < length && r.Method != http.MethodHead
			if !left && counted.began && (broken != nil || short) {
				early.Store(true)
			}
			if broken != nil {
				panic(broken)
			}
		}()
		h.ServeHTTP(counted, r)
	})
}

type countingWriter struct {
	http.ResponseWriter
	n      int64
	began  bool
	failed bool
}

func (w *countingWriter) WriteHeader(status int) {
	w.began = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.began = true
	n, err := w.ResponseWriter.Write(p)
	w.n += int64(n)
	w.failed = w.failed || err != nil
	return n, err
}

func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// answer is what a path of a hoster answers.
type answer func(w http.ResponseWriter, r *http.Request)

// hoster answers by path; "" is every other path.
type hoster map[string]answer

func (h hoster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, ok := h[r.URL.Path]
	if !ok {
		answer, ok = h[""]
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	answer(w, r)
}

// fixed is a hoster that needs nothing of the test.
func fixed(h http.Handler) func(*testing.T) http.Handler {
	return func(*testing.T) http.Handler { return h }
}

// fresh is a hoster that remembers what it was asked.
func fresh(h func() hoster) func(*testing.T) http.Handler {
	return func(*testing.T) http.Handler { return h() }
}

// one is a hoster that answers everything by a.
func one(a answer) func(*testing.T) http.Handler { return fixed(hoster{"": a}) }

// sends is a file served as it should be.
func sends(contentType string, data []byte) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// status answers with a status alone.
func status(code int) answer {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, http.StatusText(code), code) }
}

// foreign is a second hoster beside the one of a row.
func foreign(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// raw answers with bytes that no server of Go would send, and ends the
// connection.
func raw(text string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		_, _ = conn.Write([]byte(text))
		_ = conn.Close()
	}
}
