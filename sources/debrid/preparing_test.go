package debrid_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/fetch"
	"xship/sources/sourcetest/debridfake"
)

func TestUnlock_preparing(t *testing.T) {
	life := make(map[string]time.Duration)
	for _, p := range preparers {
		life[p.name] = p.life
	}
	eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
		got, err := tr.unlock(t.Context(), trialLink)
		if err != nil {
			t.Fatalf("Unlock: %v", err)
		}
		want := sources.Stream{URL: signedFor(trialLink), ExpiresAt: time.Now().Add(life[tr.account.Provider])}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Unlock (-want +got):\n%s", diff)
		}
		if fake.Unlocks() != 1 {
			t.Errorf("the service was asked %d times, want 1", fake.Unlocks())
		}
	})
}

// TestStatus_preparing has answers that are none of the service's own.
func TestStatus_preparing(t *testing.T) {
	const page = "<!DOCTYPE html><html><title>522: Connection timed out</title></html>"
	tests := []struct {
		name   string
		status int
		header http.Header
		body   string
		want   want
	}{
		{name: "too many, in plain text", status: 429, body: "300 per 1 minute", want: want{kind: cooling, grow: true}},
		{
			name: "too many, with a time", status: 429, header: http.Header{"Retry-After": {"7"}}, body: "slow down",
			want: want{kind: cooling, cooldown: 7 * time.Second},
		},
		{
			name: "too many, for a day", status: 429, header: http.Header{"Retry-After": {"86400"}},
			want: want{kind: cooling, cooldown: 300 * time.Second},
		},
		{name: "web server down", status: 521, body: page, want: want{kind: cooling, cooldown: outage}},
		{name: "bad gateway", status: 502, body: page, want: want{kind: cooling, cooldown: outage}},
		{name: "unavailable, no body", status: 503, want: want{kind: cooling, cooldown: outage}},
		{
			name: "unavailable, with a time", status: 503, header: http.Header{"Retry-After": {"120"}}, body: page,
			want: want{kind: cooling, cooldown: 120 * time.Second},
		},
		{name: "a page of whoever is between", status: 200, body: page, want: want{kind: cooling, cooldown: outage}},
		{name: "blocked by a page", status: 403, body: page, want: want{kind: cooling, cooldown: outage}},
		{
			name: "blocked by the JSON of a proxy", status: 403, want: want{kind: cooling, cooldown: outage},
			body: `{"title":"Error 1020: Access denied","status":403,"cloudflare_error":true}`,
		},
		{name: "key refused", status: 401, want: want{kind: badAuth}},
		{name: "forbidden", status: 403, want: want{kind: badAuth}},
		{name: "not there", status: 404, want: ifNextToo},
		{name: "bad request", status: 400, want: ifNextToo},
		{name: "another 4xx", status: 418, want: ifNextToo},
		{name: "empty", status: 200, want: want{kind: badItem}},
		{name: "another shape", status: 200, body: `[1,2]`, want: want{kind: badItem}},
		{name: "nothing in it", status: 200, body: `{}`, want: want{kind: badItem}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
				fake.Status(tt.status, tt.header, tt.body)
				if e := tr.refusal(t.Context(), tt.want); e.Status != tt.status {
					t.Errorf("Status = %d, want %d", e.Status, tt.status)
				}
			})
		})
	}
}

func TestUnknownCode_preparing(t *testing.T) {
	eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
		fake.Fail("brand_new\x1b[31m")
		for range 3 {
			tr.refused(t.Context(), want{kind: badItem})
		}
		if n := strings.Count(tr.log.String(), "level=WARN"); n != 1 || strings.Contains(tr.log.String(), "\x1b") {
			t.Errorf("logged %d warnings, want 1:\n%s", n, tr.log)
		}
	})
}

// TestSecrets_preparing has services that repeat what they were sent.
func TestSecrets_preparing(t *testing.T) {
	eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
		echo := "no <b>such</b> key " + testKey + " for " + trialLink + " at " + signedFor(trialLink)
		fake.Status(http.StatusOK, nil, `{"status":"error","success":false,"message":"`+echo+`","detail":"`+echo+`","error_description":"`+echo+
			`","code":"`+testKey+`","error":"`+testKey+`"}`)
		e := tr.refusal(t.Context(), want{kind: badItem})
		tr.noSecrets("the code", e.Code)
		if strings.Contains(e.Message, "<b>") {
			t.Errorf("the message has tags: %s", e.Message)
		}
	})
}

func TestWait_preparing(t *testing.T) {
	eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
		fake.Delay(3)
		began := time.Now()
		tr.unlocked(trialLink, trialLink)
		if waited := time.Since(began); waited < 9*time.Second || waited > 15*time.Second {
			t.Errorf("it waited %s for three looks", waited)
		}
	})
}

func TestWait_notDoneInTime(t *testing.T) {
	for _, bound := range []time.Duration{10 * time.Second, 0} {
		t.Run(bound.String(), func(t *testing.T) {
			eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
				fake.Delay(1000)
				ctx, most := t.Context(), 2*time.Minute
				if bound > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, bound)
					defer cancel()
					most = bound
				}
				began := time.Now()
				e := tr.refusal(ctx, want{kind: badItem})
				if waited := time.Since(began); waited > most {
					t.Errorf("it waited %s, want %s at most", waited, most)
				}
				if !strings.Contains(e.Message, "preparing") {
					t.Errorf("the message does not say that it is not done: %s", e.Message)
				}
			})
		})
	}
}

// A deadline that comes while a file is prepared is no fault of the service's, at
// whatever moment it comes.
func TestWait_slowAnswers(t *testing.T) {
	for bound := 7 * time.Second; bound < 13*time.Second; bound += 250 * time.Millisecond {
		eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
			fake.Delay(1000)
			slow := newBench(t, fake, func(o *debrid.Options) {
				next := o.Call
				o.Call = func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
					time.Sleep(600 * time.Millisecond)
					return next(ctx, r)
				}
			})
			tr.service = slow.provider(t, tr.account.Provider)
			ctx, cancel := context.WithTimeout(t.Context(), bound)
			defer cancel()
			if e := tr.refusal(ctx, want{kind: badItem}); !strings.Contains(e.Message, "preparing") {
				t.Errorf("within %s: %v", bound, e)
			}
		})
	}
}

func TestCancelled_preparing(t *testing.T) {
	tests := map[string]func(preparing){
		"while it waits":       func(f preparing) { f.Delay(1000) },
		"while nothing comes":  func(f preparing) { f.Hang() },
		"before it was called": nil,
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if prepare == nil {
					cancel()
				} else {
					prepare(fake)
					time.AfterFunc(4*time.Second, cancel)
				}
				_, err := tr.unlock(ctx, trialLink)
				if !errors.Is(err, context.Canceled) || sources.ClassOf(err) != sources.ClassCancelled {
					t.Errorf("Unlock = %v (%s), want context.Canceled", err, sources.ClassOf(err))
				}
			})
		})
	}
}

func TestNoAnswer_preparing(t *testing.T) {
	eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
		fake.Hang()
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		tr.refused(ctx, want{kind: cooling, cooldown: outage, transport: true})
	})
}

func TestFiles(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  int // index, -1 = refused
	}{
		{"one, whatever its name", []string{"Sample.rar"}, 0},
		{"a film and its sample", []string{"Film/Sample/film-sample.mkv", "Film/film.mkv"}, 1},
		{"a film and texts", []string{"film.srt", "film.nfo", "film.MKV"}, 2},
		{"two episodes", []string{"Show.S05E01.mkv", "Show.S05E02.mkv"}, -1},
		{"a film and a bigger extra", []string{"film.mkv", "Making of.mkv"}, -1},
		{"samples alone", []string{"a.sample.mkv", "b-sample.mkv"}, -1},
		{"no video", []string{"film.r00", "film.r01"}, -1},
		{"a title with the word", []string{"The.Sampler.2019.mkv", "film.nfo"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
				var files []debridfake.File
				for _, name := range tt.files {
					files = append(files, debridfake.File{Name: name})
				}
				fake.SetFiles(files...)
				switch tt.want {
				case -1:
					tr.refused(t.Context(), want{kind: badItem})
				case 0:
					tr.unlocked(trialLink, trialLink)
				default:
					tr.unlocked(trialLink, trialLink+"#"+tt.files[tt.want])
				}
			})
		})
	}
}

func TestSupports_preparing(t *testing.T) {
	eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
		fake.SetHosters("files.example", "www.other.example")
		tr.supports(map[string]bool{"files.example": true, "other.example": true, "third.example": false, "oldhost": false})
		if n := fake.Calls(""); n != 1 {
			t.Errorf("the list was asked for %d times, want 1", n)
		}
	})
}

func TestSupports_refused(t *testing.T) {
	eachPreparer(t, func(t *testing.T, tr *trial, fake preparing) {
		fake.Set("", debridfake.Answer{Status: http.StatusServiceUnavailable})
		_, err := tr.service.Supports(t.Context(), tr.account, "files.example")
		want{kind: cooling, cooldown: outage}.check(t, err)
	})
}

func TestCheck_preparing(t *testing.T) {
	until := time.Date(2099, 12, 31, 0, 0, 0, 0, time.UTC)
	want := map[string]debrid.AccountInfo{
		"premiumize": {Login: "12***", Plan: "premium", Premium: true, PremiumUntil: until, Notes: []string{"25 % of its fair use is used"}},
		"torbox":     {Login: "sa***@example.org", Plan: "pro", Premium: true, PremiumUntil: until},
		"debrid_link": {
			Login: "sa***", Plan: "premium", Premium: true, PremiumUntil: time.Date(2000, 1, 31, 0, 0, 0, 0, time.UTC), Notes: []string{"12 points"},
		},
	}
	eachPreparer(t, func(t *testing.T, tr *trial, _ preparing) {
		got, err := tr.Check(t.Context(), tr.account)
		if err != nil {
			t.Fatalf("Check: %v", err)
		}
		if diff := cmp.Diff(want[tr.account.Provider], got); diff != "" {
			t.Errorf("Check (-want +got):\n%s", diff)
		}
	})
}

func TestWrongKey_preparing(t *testing.T) {
	eachPreparer(t, func(t *testing.T, tr *trial, _ preparing) {
		tr.account.Key = "another-key-77"
		_, err := tr.Check(t.Context(), tr.account)
		want{kind: badAuth}.check(t, err)
		hasNone(t, "the error", err.Error(), "another-key-77")
		tr.refused(t.Context(), want{kind: badAuth})
	})
}

func TestStartLogin_none(t *testing.T) {
	for _, name := range []string{"premiumize", "debrid_link"} {
		if _, err := debrid.New(debrid.Options{}).StartLogin(t.Context(), name, ""); !errors.Is(err, debrid.ErrNoLogin) {
			t.Errorf("StartLogin(%q) = %v, want ErrNoLogin", name, err)
		}
	}
}

// FuzzAnswers has services that answer anything to everything.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`{"status":"success","location":"https://cdn.example/a.mp4","content":[{"path":"a.mkv","link":"https://cdn.example/a.mkv"}]}`,
		`{"status":"success","directdl":["a.example"],"aliases":{"a.example":["b.example"]},"premium_until":1e999,"customer_id":{}}`,
		`{"status":"error","code":"not_found","message":"gone"}`,
		`{"success":true,"data":{"webdownload_id":1,"id":1,"download_present":true,"files":[{"id":0,"name":"a.mkv"}]}}`,
		`{"success":true,"data":[{"id":1,"download_state":"failed"}],"value":[{"id":1,"downloadUrl":"https://cdn.example/a"}]}`,
		`{"success":true,"data":"https://cdn.example/a.mkv","value":{"id":"x","isProcessing":true}}`,
		`{"success":true,"value":{"accountType":"2","premiumLeft":-1e300,"pts":1e300},"data":{"interval":1e300,"expires_at":"x"}}`,
		"\xef\xbb\xbf{}", "[", "null", "<html>", "",
	} {
		f.Add(200, body)
		f.Add(429, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			t.Skip("no status of an answer")
		}
		synctest.Test(t, func(t *testing.T) {
			for _, p := range preparers {
				fake := p.fake()
				fake.Set("", debridfake.Answer{Status: status, Body: body})
				d := debrid.New(debrid.Options{Call: (&callLog{}).through(fake)})
				service := serviceOf(t, d, p.name)
				account := sources.Account{User: 1, Provider: p.name, Key: testKey}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second) // less than any wait
				stream, err := service.Unlock(ctx, account, trialLink, false)
				if (err == nil) != strings.HasPrefix(stream.URL, "http") {
					t.Errorf("%s: Unlock = %q, %v", p.name, stream.URL, err)
				}
				errs := []error{err}
				_, err = service.Supports(ctx, account, "files.example")
				errs = append(errs, err)
				_, err = d.Check(ctx, account)
				errs = append(errs, err)
				if device, err := d.StartLogin(ctx, p.name, ""); err == nil {
					_, _, err = d.PollLogin(ctx, device)
					errs = append(errs, err)
				} else if !errors.Is(err, debrid.ErrNoLogin) {
					errs = append(errs, err)
				}
				cancel()
				for _, err := range errs {
					var e *sources.ProviderStreamUnavailableError
					if err != nil && !errors.As(err, &e) {
						t.Errorf("%s: %v (%T) is no *ProviderStreamUnavailableError", p.name, err, err)
					}
				}
			}
		})
	})
}
