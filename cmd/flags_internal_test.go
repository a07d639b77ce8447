package cmd

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
)

// parsed runs a command line of the command that newCmd makes, and gives what its flags
// mean, or the code of the error.
func parsed[O any](t *testing.T, env map[string]string, newCmd func(*app, func(context.Context, *app, O) error) *cobra.Command, args ...string) (o O, code string) {
	t.Helper()
	a := newApp(System{Stderr: term.Stream{Writer: io.Discard}, Now: time.Now, LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }})
	ran := false
	cmd := newCmd(a, func(_ context.Context, _ *app, got O) error {
		o, ran = got, true
		return nil
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...)) // none are those of this process otherwise
	err := cmd.ExecuteContext(t.Context())
	if err != nil {
		return o, api.FailureOf(err).Code
	}
	if !ran {
		t.Fatalf("%q ran nothing", args)
	}
	return o, ""
}

func TestScanFlags(t *testing.T) {
	film := sources.Title{Kind: sources.KindMovie, Name: "Film"}
	scan := func(t sources.Title) engine.ScanRequest { return engine.ScanRequest{Title: t} }
	none := map[string]any{}
	for _, c := range []struct {
		name string
		env  map[string]string
		args []string
		want scanOptions
		code string
	}{
		{name: "a film", args: []string{" Film "}, want: scanOptions{request: scan(film), user: 1, overrides: none}},
		{
			name: "all about a film", args: []string{"Film", "--year", "2008", "--imdb", "tt1254207", "--alias", "A", "--alias", "B"},
			want: scanOptions{
				request: scan(sources.Title{Kind: sources.KindMovie, Name: "Film", Year: 2008, IMDb: "tt1254207", Aliases: []string{"A", "B"}}),
				user:    1, overrides: none,
			},
		},
		{
			name: "a special", args: []string{"Show", "--season", "0", "--episode", "0"},
			want: scanOptions{request: scan(sources.Title{Kind: sources.KindEpisode, Name: "Show"}), user: 1, overrides: none},
		},
		{
			name: "how", args: []string{"Film", "--all", "--refresh", "--interface", "home", "--probe", "--show-urls", "--user", "3"},
			want: scanOptions{
				request: engine.ScanRequest{Title: film, Refresh: true, Interface: "home"}, all: true, probe: true, showURLs: true, user: 3, overrides: none,
			},
		},
		{
			name: "settings", args: []string{"Film", "--limit", "5", "--quality", "720p", "--timeout", "3s", "--no-probe"},
			want: scanOptions{
				request: scan(film), noProbe: true, user: 1,
				overrides: map[string]any{"scan.limit": "5", "scan.quality": "720p", "scan.timeout": "3s"},
			},
		},
		{name: "the user of the environment", env: map[string]string{"XSHIP_USER": "7"}, args: []string{"Film"}, want: scanOptions{request: scan(film), user: 7, overrides: none}},
		{name: "no title", args: nil, code: "usage"},
		{name: "two titles", args: []string{"Film", "Noir"}, code: "usage"},
		{
			name: "a season", args: []string{"Show", "-s", "0"},
			want: scanOptions{request: engine.ScanRequest{Title: sources.Title{Kind: sources.KindMovie, Name: "Show"}, OfSeason: new(int)}, user: 1, overrides: none},
		},
		{
			name: "in short", args: []string{"Show", "-s1", "-e", "2", "-y", "2014"},
			want: scanOptions{request: scan(sources.Title{Kind: sources.KindEpisode, Name: "Show", Year: 2014, Season: 1, Episode: 2}), user: 1, overrides: none},
		},
		{
			name: "in words", args: []string{"Show (2014) 1x02"},
			want: scanOptions{request: scan(sources.Title{Kind: sources.KindEpisode, Name: "Show", Year: 2014, Season: 1, Episode: 2}), user: 1, overrides: none},
		},
		{name: "an episode without its season", args: []string{"Show", "--episode", "1"}, code: "usage"},
		{name: "no season", args: []string{"Show", "--season", "-1"}, code: "usage"},
		{name: "another year", args: []string{"Film (2014)", "--year", "2013"}, code: "usage"},
		{name: "another season", args: []string{"Show S01E02", "-s", "2"}, code: "usage"},
		{name: "another episode", args: []string{"Show S01E02", "-e", "3"}, code: "usage"},
		{name: "year 0", args: []string{"Film", "--year", "0"}, code: "usage"},
		{name: "no id", args: []string{"Film", "--imdb", "42"}, code: "usage"},
		{name: "both", args: []string{"Film", "--probe", "--no-probe"}, code: "usage"},
		{name: "no user", args: []string{"Film", "--user", "0"}, code: "usage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, code := parsed(t, c.env, newScanCmd, c.args...)
			if code != c.code {
				t.Fatalf("error code %q, want %q", code, c.code)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(scanOptions{})); code == "" && diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlayFlags(t *testing.T) {
	play := func(change func(*playOptions)) playOptions {
		o := playOptions{
			request:   engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: sources.Title{Kind: sources.KindMovie, Name: "Film"}}, User: 1},
			overrides: map[string]any{},
		}
		change(&o)
		return o
	}
	for _, c := range []struct {
		name string
		args []string
		want playOptions
		code string
	}{
		{name: "a film", want: play(func(*playOptions) {})},
		{name: "a row", args: []string{"--pick", "3"}, want: play(func(o *playOptions) { o.request.Pick = 3 })},
		{name: "a source", args: []string{"--source", "abc"}, want: play(func(o *playOptions) { o.request.Source = "abc" })},
		{
			name: "how", args: []string{"--trailer", "--refresh", "--interface", "home", "--user", "2", "--show-urls", "--exec", "mpv --fs"},
			want: play(func(o *playOptions) {
				o.request.Trailer, o.request.Refresh, o.request.Interface, o.request.User = true, true, "home", 2
				o.showURLs, o.player = true, "mpv --fs"
			}),
		},
		{
			name: "settings", args: []string{"--quality", "SD", "--timeout", "9s"},
			want: play(func(o *playOptions) { o.overrides = map[string]any{"scan.quality": "SD", "scan.timeout": "9s"} }),
		},
		{name: "no row", args: []string{"--pick", "0"}, code: "usage"},
		{name: "a row and a source", args: []string{"--pick", "1", "--source", "abc"}, code: "usage"},
		{name: "no source", args: []string{"--source", " "}, code: "usage"},
		{name: "no player", args: []string{"--exec", ""}, code: "usage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, code := parsed(t, nil, newPlayCmd, append([]string{"Film"}, c.args...)...)
			if code != c.code {
				t.Fatalf("error code %q, want %q", code, c.code)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(playOptions{})); code == "" && diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrecacheFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want precacheOptions
		code string
	}{
		{nil, precacheOptions{overrides: map[string]any{}}, ""},
		{[]string{"--once"}, precacheOptions{once: true, overrides: map[string]any{}}, ""},
		{[]string{"--schedule", "@hourly"}, precacheOptions{overrides: map[string]any{"precache.schedule": "@hourly"}}, ""},
		{[]string{"--once", "--schedule", "@hourly"}, precacheOptions{}, "usage"},
		{[]string{"now"}, precacheOptions{}, "usage"},
	} {
		got, code := parsed(t, nil, newPrecacheCmd, c.args...)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(precacheOptions{})); code != c.code || code == "" && diff != "" {
			t.Errorf("%q: code %q, want %q; options (-want +got):\n%s", c.args, code, c.code, diff)
		}
	}
}

func TestAccountsAddFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want accountsAddOptions
		code string
	}{
		{[]string{"real_debrid"}, accountsAddOptions{user: 1, provider: "real_debrid"}, ""},
		{
			[]string{"Real-Debrid", "--user", "2", "--key-stdin", "--no-check", "--base-url", "http://127.0.0.1:1"},
			accountsAddOptions{user: 2, provider: "real_debrid", keyStdin: true, noCheck: true, baseURL: "http://127.0.0.1:1"},
			"",
		},
		{[]string{"nobody"}, accountsAddOptions{}, "usage"},
		{[]string{"real_debrid", "s3cr3t"}, accountsAddOptions{}, "usage"},
		{[]string{"real_debrid", "--base-url", "http://me@h/"}, accountsAddOptions{}, "usage"},
	} {
		got, code := parsed(t, nil, newAccountsAddCmd, c.args...)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(accountsAddOptions{})); code != c.code || code == "" && diff != "" {
			t.Errorf("%q: code %q, want %q; options (-want +got):\n%s", c.args, code, c.code, diff)
		}
	}
}

func TestCooldownsClearFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want sources.CooldownKey
		code string
	}{
		{nil, sources.CooldownKey{}, ""},
		{[]string{"--user", "2", "--provider", "TorBox"}, sources.CooldownKey{User: 2, Provider: "torbox"}, ""},
		{[]string{"--user", "0"}, sources.CooldownKey{}, "usage"},
		{[]string{"--provider", "nobody"}, sources.CooldownKey{}, "usage"},
	} {
		if got, code := parsed(t, nil, newCooldownsClearCmd, c.args...); code != c.code || code == "" && got != c.want {
			t.Errorf("%q: %+v, code %q; want %+v, %q", c.args, got, code, c.want, c.code)
		}
	}
}
