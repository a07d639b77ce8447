package cmd

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources"
)

// TestPlay_arguments tells titles from links, and says what is neither.
func TestPlay_arguments(t *testing.T) {
	const a, b = "https://h.example/a", "https://h.example/b?token=s3cr3t"
	for _, c := range []struct {
		args  []string
		title string
		links []string
		stdin bool
		watch int64
		wrong string // in the message of a usage error
		hint  string
	}{
		{args: []string{"Big Buck Bunny"}, title: "Big Buck Bunny"},
		{args: []string{"Face/Off"}, title: "Face/Off"},
		{args: []string{"AC/DC: Live"}, title: "AC/DC: Live"},
		{args: []string{"A.I."}, title: "A.I."},
		{args: []string{"Startup.com"}, title: "Startup.com"},
		{args: []string{"Magnet: The Film"}, title: "Magnet: The Film"},
		{args: []string{a}, links: []string{a}},
		{args: []string{b, a, a}, links: []string{b, a, a}},
		{args: []string{" " + a + "|Referer=https://r.example/ "}, links: []string{a + "|Referer=https://r.example/"}},
		{args: []string{"h.example.com/f/x", "--exec", "mpv"}, links: []string{"https://h.example.com/f/x"}},
		{args: []string{a, "--user", "2", "--show-urls"}, links: []string{a}},
		{args: []string{"-"}, stdin: true},
		{args: []string{"-", "--exec", "mpv"}, stdin: true},
		{args: []string{"--watch-id", "7"}, watch: 7},
		{args: []string{"--watch-id", "7", "--pick", "2", "--force", "--quality", "SD"}, watch: 7},

		{wrong: "play needs a title", hint: "xship play TITLE | URL..."},
		{args: []string{""}, wrong: "play needs a title"},
		{args: []string{"Big", "Buck", "Bunny"}, wrong: "play takes one title", hint: `xship play "Big Buck Bunny"`},
		{args: []string{a, "Big Buck Bunny"}, wrong: "argument 2 is no link", hint: `xship play "Big Buck Bunny", or xship play URL...`},
		{args: []string{"Film", b}, wrong: "argument 1 is no link", hint: `xship play "Film"`},
		{args: []string{a, " "}, wrong: "argument 2 is empty"},
		{args: []string{"-", a}, wrong: "- stands alone", hint: "xship play - < FILE"},
		{args: []string{a, "-"}, wrong: "- stands alone"},
		{args: []string{"-", "Film"}, wrong: "- stands alone"},
		{args: []string{"magnet:?xt=urn:btih:0123&x=s3cr3t"}, wrong: "a torrent", hint: "xship play URL"},
		{args: []string{a, "ed2k://|file|s3cr3t|1|0|/"}, wrong: "argument 2: this is a torrent"},
		{args: []string{"ftp://h.example/s3cr3t", "./s3cr3t.mkv"}, wrong: "argument 1: this is an address of ftp, and xship plays links of http and https\nargument 2: this is a file", hint: "mpv ftp://..."},
		{args: []string{"/home/me/s3cr3t.mkv"}, wrong: "a file", hint: "mpv FILE"},
		{args: []string{a + " " + b}, wrong: "several links", hint: "xship play URL URL"},
		{args: []string{"Film " + b}, wrong: "a link among other words"},
		{args: []string{"https:///x"}, wrong: "not written as one", hint: "xship play https://example.org/film.mkv"},
		{args: []string{a, "--pick", "1"}, wrong: "play takes no --pick with a link", hint: "xship play URL takes"},
		{args: []string{a, "--source", "x", "--trailer"}, wrong: "play takes no --source and no --trailer with a link"},
		{args: []string{a, "--force"}, wrong: "play takes no --force with a link"},
		{args: []string{a, "--choose"}, wrong: "play takes no --choose with a link"},
		{args: []string{"-", "--season", "1", "--episode", "2"}, wrong: "play takes no --episode and no --season with a link"},
		{args: []string{a, "--timeout", "3s"}, wrong: "play takes no --timeout with a link"},
		{args: []string{a, b, "--exec", "mpv"}, wrong: "--exec takes one link, and these are 2", hint: "xship play URL --exec mpv"},
		{args: []string{"--watch-id", "7", "Film"}, wrong: "one of them", hint: "xship play --watch-id ID"},
		{args: []string{"--watch-id", "7", a}, wrong: "one of them"},
		{args: []string{"--watch-id", "0"}, wrong: `"0" is no id`, hint: "xship watch list"},
		{args: []string{"--watch-id", "x"}, wrong: `"x" is no id`, hint: "xship watch list"},
		{args: []string{"--watch-id", "7", "--year", "2014"}, wrong: "play takes no --year with --watch-id", hint: "xship play --watch-id ID"},
		{args: []string{"Film", "--choose", "--pick", "1"}, wrong: "--choose, --pick or --source, one of them"},
		{args: []string{"Film", "--choose", "--source", "x"}, wrong: "--choose, --pick or --source, one of them"},
		{args: []string{"Film", "--choose"}, wrong: "--choose needs a terminal", hint: "--pick N takes row N"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			var o playOptions
			cmd := newPlayCmd(newApp(System{LookupEnv: func(string) (string, bool) { return "", false }}), func(_ context.Context, _ *app, got playOptions) error {
				o = got
				return nil
			})
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			cmd.SetArgs(c.args)
			if c.args == nil {
				cmd.SetArgs([]string{})
			}
			err := cmd.ExecuteContext(t.Context())
			if c.wrong == "" {
				if err != nil || o.request.Title.Name != c.title || !slices.Equal(o.links, c.links) || o.stdin != c.stdin || o.watchID != c.watch {
					t.Errorf("%+v, %v", o, err)
				}
				return
			}
			if err == nil {
				t.Fatalf("%+v; want the error %q", o, c.wrong)
			}
			f := api.FailureOf(err)
			if f.Code != "usage" || !strings.Contains(f.Message, c.wrong) || !strings.Contains(f.Hint, strings.TrimPrefix(c.hint, "xship ")) || strings.Contains(f.Message+f.Hint, "s3cr3t") {
				t.Errorf("%+v, want %q with a hint at %q", f, c.wrong, c.hint)
			}
		})
	}
}

// TestLinkLines reads text files as any system writes them.
func TestLinkLines(t *testing.T) {
	const a, b = "https://h.example/a", "https://h.example/b"
	for name, c := range map[string]struct {
		in    io.Reader
		want  []string
		wrong string
	}{
		"lines":              {in: strings.NewReader(a + "\n" + b + "\n"), want: []string{"line 1: " + a, "line 2: " + b}},
		"no end":             {in: strings.NewReader(a + "\n" + b), want: []string{"line 1: " + a, "line 2: " + b}},
		"of Windows":         {in: strings.NewReader("\ufeff" + a + "\r\n\r\n" + b + "\r\n"), want: []string{"line 1: " + a, "line 3: " + b}},
		"with comments":      {in: strings.NewReader("# links\n \n  " + a + " \n\t# more\n"), want: []string{"line 3: " + a}},
		"byte by byte":       {in: iotest.OneByteReader(strings.NewReader(a + "\n")), want: []string{"line 1: " + a}},
		"anything":           {in: strings.NewReader("Film\n"), want: []string{"line 1: Film"}},
		"nothing":            {in: strings.NewReader(""), wrong: "has no link"},
		"only comments":      {in: strings.NewReader("#\n\n"), wrong: "has no link"},
		"a long line":        {in: strings.NewReader(a + "\n" + strings.Repeat("x", 2*longestLink)), wrong: "line 2 of standard input is longer than 8192 bytes"},
		"a line without end": {in: io.MultiReader(strings.NewReader(a+"\n"), endless{}), wrong: "line 2 of standard input is longer"},
		"too many":           {in: strings.NewReader(strings.Repeat(a+"\n", mostLinks+1)), wrong: "more than 10000 links"},
		"a broken pipe":      {in: iotest.ErrReader(errors.New("oops")), wrong: "read links from standard input: oops"},
	} {
		typed, err := linkLines(c.in)
		var got []string
		for _, l := range typed {
			got = append(got, l.where+l.text)
		}
		if !slices.Equal(got, c.want) || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %q, %v; want %q, %q", name, got, err, c.want, c.wrong)
		}
	}
}

// endless is one line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestReadLinks names the lines that are no links, and not all of many.
func TestReadLinks(t *testing.T) {
	typed := []typedLink{{"line 1: ", "https://h.example/a"}}
	for range 7 {
		typed = append(typed, typedLink{"line 2: ", "Film"})
	}
	_, err := readLinks(typed)
	if want := strings.Repeat(`line 2: "Film" is no link`+"\n", 5) + "and 2 more"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCandidateRows(t *testing.T) {
	src := func(row int, quality sources.Quality, language, hoster, name, mark string) engine.Candidate {
		return engine.Candidate{Row: row, Mark: mark, Listed: sources.Listed{Source: sources.Source{Quality: quality, Language: language, Hoster: hoster, Name: name}}}
	}
	got := candidateRows([]engine.Candidate{
		src(1, sources.Quality4K, "en", "archive.org", "Film\x1b[31m One", ""),
		src(10, sources.Quality1080p, "", "a-very-long-hoster-name.example", "精英", ""),
		src(0, sources.QualityUnknown, "multi", "", "Film", "2 fails, 7 s"),
	})
	want := []string{
		" 1 4K    en    archive.org        Film One",
		"10 1080p       a-very-long-hoste… 精英",
		" -       multi no hoster          (2 fails, 7 s) Film",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := candidateRows([]engine.Candidate{src(1, "", "", "h.example", "Film", "")}); !slices.Equal(got, []string{"1 h.example Film"}) {
		t.Errorf("without what nobody knows: %q", got)
	}
}
