package fetch_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/sourcetest"
)

// TestClientObserved checks that each request that was made is told of once, by
// whichever method, and one that was not is not.
func TestClientObserved(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/lost":
			http.Redirect(w, r, "ftp://h.example/", http.StatusFound)
		case "/missing":
			http.NotFound(w, r)
		case "/broken":
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("short"))
		case "/paused":
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			_, _ = w.Write([]byte("hello"))
		}
	})
	const closed = "http://127.0.0.1:1"
	get := func(url string) func(context.Context, *fetch.Client) {
		return func(ctx context.Context, c *fetch.Client) { _, _ = c.Get(ctx, fetch.Request{URL: url}) }
	}
	tests := []struct {
		name string
		do   func(context.Context, *fetch.Client)
		want []sources.RequestMade
		fail fetch.Reason // of the last one, "" where it has no error
	}{
		{"answered", get(url + "/ok?token=a"), []sources.RequestMade{{Method: "GET", Link: url + "/ok?token=a", Status: 200}}, ""},
		{"redirected", get(url + "/moved"), []sources.RequestMade{{Method: "GET", Link: url + "/moved", Status: 200, Hops: 1}}, ""},
		{"redirected to nowhere", get(url + "/lost"), []sources.RequestMade{{Method: "GET", Link: url + "/lost", Status: 302}}, fetch.ReasonRedirect},
		{"refused", get(url + "/missing"), []sources.RequestMade{{Method: "GET", Link: url + "/missing", Status: 404}}, fetch.ReasonStatus},
		{"cut short", get(url + "/broken"), []sources.RequestMade{{Method: "GET", Link: url + "/broken", Status: 200}}, fetch.ReasonRead},
		{"no connection", get(closed), []sources.RequestMade{{Method: "GET", Link: closed}}, fetch.ReasonDial},
		{
			"a part", func(ctx context.Context, c *fetch.Client) {
				_, _ = c.GetRange(ctx, fetch.Request{URL: url + "/ok"}, 0, 5)
			},
			[]sources.RequestMade{{Method: "GET", Link: url + "/ok", Status: 200}},
			"",
		},
		{"an API", func(ctx context.Context, c *fetch.Client) {
			_, _ = c.Call(ctx, fetch.Request{URL: url + "/missing", Method: http.MethodPost})
		}, []sources.RequestMade{{Method: "POST", Link: url + "/missing", Status: 404}}, ""},
		{"no URL", get("ftp://h.example/"), nil, ""},
		{"a host that wants a pause", func(ctx context.Context, c *fetch.Client) {
			get(url+"/paused")(ctx, c)
			get(url+"/paused")(ctx, c) // which is not made
		}, []sources.RequestMade{{Method: "GET", Link: url + "/paused", Status: 429}}, fetch.ReasonStatus},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			told := new(sourcetest.Observed)
			now := time.Unix(1_700_000_000, 0)
			tt.do(t.Context(), newClient(t, fetch.Options{Observer: told, Now: func() time.Time { return now }}))
			got := sourcetest.EventsOf[sources.RequestMade](told)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(sources.RequestMade{}, "Err")); diff != "" {
				t.Fatalf("told (-want +got):\n%s", diff)
			}
			if len(got) == 0 {
				return
			}
			var reason fetch.Reason
			if failed, ok := errors.AsType[*fetch.Error](got[len(got)-1].Err); ok {
				reason = failed.Reason
			}
			if reason != tt.fail {
				t.Errorf("failed by %q, want %q: %v", reason, tt.fail, got[len(got)-1].Err)
			}
		})
	}
}
