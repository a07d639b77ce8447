package mediainfo_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/mediainfo"
)

// Containers that only ffprobe knows are read through the same requests.
func TestProbe_fallback(t *testing.T) {
	program := needTool(t, "ffprobe")
	dir := t.TempDir()
	files := http.FileServer(http.Dir(dir))
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") == "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	}))
	for _, r := range otherRecipes() {
		t.Run(r.name, func(t *testing.T) {
			makeMedia(t, dir, r, 2, "128x72")
			s := sources.Stream{URL: base + "/" + r.name, Headers: map[string]string{"Referer": "https://site.example/"}}
			got, err := newProber(mediainfo.Options{FFprobe: program}).Probe(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if got.Video == nil || got.Video.Width != 128 || len(got.Audio) != 1 || got.DurationSeconds < 1.9 || got.SizeBytes == 0 {
				t.Errorf("got %+v", got)
			}
			if _, err := newProber(mediainfo.Options{}).Probe(t.Context(), s); sources.ClassOf(err) != sources.ClassUnsupported {
				t.Errorf("without ffprobe: got %v, want unsupported", err)
			}
		})
	}
}

func TestProbe_fallbackFails(t *testing.T) {
	program := needTool(t, "ffprobe")
	noise := serveBytes(t, random(1<<20))
	calls := 0
	broken := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls > 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write(random(1 << 20))
	}))
	tests := []struct {
		name, program, url string
		want               sources.Class
		say                string
	}{
		{"noise", program, noise, sources.ClassUnsupported, "also to ffprobe"},
		{"not installed any more", "/nonexistent/ffprobe", noise, sources.ClassUnsupported, "ffprobe"},
		{"the hoster fails meanwhile", program, broken, sources.ClassHosterFault, "503"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newProber(mediainfo.Options{FFprobe: tt.program}).Probe(t.Context(), sources.Stream{URL: tt.url})
			if got := sources.ClassOf(err); got != tt.want || !strings.Contains(err.Error(), tt.say) {
				t.Errorf("got %s (%v), want %s with %q", got, err, tt.want, tt.say)
			}
		})
	}
}

// ffprobe ends with its caller: where it does not, this never ends.
func TestProbe_fallbackCancelled(t *testing.T) {
	program := needTool(t, "ffprobe")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	get := func(ctx context.Context, _ string, _ map[string]string, _, _ int64) (mediainfo.Part, error) {
		if calls++; calls > 1 {
			cancel()
			<-ctx.Done()
			return mediainfo.Part{}, ctx.Err()
		}
		return mediainfo.Part{Data: random(1 << 16), Total: 1 << 20, Partial: true}, nil
	}
	_, err := newProber(mediainfo.Options{Range: get, FFprobe: program}).Probe(ctx, sources.Stream{URL: "http://hoster.example/film.avi"})
	if got := sources.ClassOf(err); got != sources.ClassCancelled {
		t.Errorf("got %s (%v)", got, err)
	}
}
