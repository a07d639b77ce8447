package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/sources"
)

// TestInterfacesList_narrow wants names that can be told apart where there is little
// room, and no line that is longer than the terminal.
func TestInterfacesList_narrow(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	rows := []sources.Interface{
		{URL: "http://127.0.0.1:8080/a/long/path/vod.json", Name: "ngood", LastLoadedAt: now.Add(-59 * time.Minute)},
		{URL: "http://127.0.0.1:8080/a/long/path/other.json", Name: "ngood2", LastError: "got HTTP status 500 Internal Server Error"},
	}
	for _, width := range []int{40, 60, 80} {
		var b bytes.Buffer
		l := interfacesList(rows, rows[0], loader.RedactURL, now).pick(func(c column) bool { return !c.tsvOnly })
		l.paint = nil
		if err := writeTable(&b, l, width); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), " ngood ") || !strings.Contains(b.String(), " ngood2 ") {
			t.Errorf("%d columns: names are cut:\n%s", width, &b)
		}
		for line := range strings.Lines(b.String()) {
			if n := cellWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns, not %d: %s", n, width, line)
			}
		}
	}
}

func TestInterfaceNames(t *testing.T) {
	names := newInterfaceNames([]sources.Interface{{URL: "http://a.example", Name: "Größe"}, {URL: "http://b.example"}})
	for _, c := range []struct{ url, name, want, err string }{
		{"http://c.example", "", "", ""},
		{"http://c.example", " \x1b ", "", ""},
		{"http://c.example", "GRÖSSE", "GRÖSSE", ""},
		{"http://d.example", "grösse", "", `another interface is called "grösse" already`},
		{"http://d.example", "GRÖßE", "", `another interface is called "GRÖßE" already`},
		{"http://a.example", "größe", "größe", ""},
		{"http://d.example", "http://e.example", "", `--name "http://e.example" is a URL, not a name`},
	} {
		got, err := names.take(c.url, c.name)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("take(%q, %q) = %q, %v; want %q, %q", c.url, c.name, got, err, c.want, c.err)
		}
	}
}

// TestImportFailed wants an import that was interrupted to say how far it came, and to
// be no failure of its own.
func TestImportFailed(t *testing.T) {
	var stderr bytes.Buffer
	a := newApp(System{Stderr: Stream{Writer: &stderr}, Now: time.Now, LookupEnv: func(string) (string, bool) { return "", false }})
	ctx, cancel := context.WithCancel(t.Context())
	full := errors.New("the disk is full")
	if err := a.importFailed(ctx, full, "nothing was imported"); !errors.Is(err, full) || !strings.HasSuffix(err.Error(), "; nothing was imported") || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q", err, &stderr)
	}
	cancel()
	err := a.importFailed(ctx, fmt.Errorf("add: %w", ctx.Err()), "nothing was imported")
	if f := failureOf(err); f.exit != exitInterrupted {
		t.Errorf("%+v", f)
	}
	if got := stderr.String(); got != "the import was interrupted: nothing was imported; run it again\n" {
		t.Errorf("stderr %q", got)
	}
}
