package cmd

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
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
		if err := interfacesList(rows, rows[0], api.ShownURLs{}, now).WriteTable(&b, width, false); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), " ngood ") || !strings.Contains(b.String(), " ngood2 ") {
			t.Errorf("%d Columns: names are cut:\n%s", width, &b)
		}
		for line := range strings.Lines(b.String()) {
			if n := term.CellWidth(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns, not %d: %s", n, width, line)
			}
		}
	}
}

// TestImportFailed wants an import that was interrupted to say how far it came, and to
// be no failure of its own.
func TestImportFailed(t *testing.T) {
	var stderr bytes.Buffer
	a := newApp(System{Stderr: term.Stream{Writer: &stderr}, Now: time.Now, LookupEnv: func(string) (string, bool) { return "", false }})
	full := errors.New("the disk is full")
	err := a.importFailed(&engine.ImportError{Done: "nothing was imported", Err: full})
	if !errors.Is(err, full) || !strings.HasSuffix(err.Error(), "; nothing was imported") || stderr.Len() > 0 {
		t.Errorf("%v, stderr %q", err, &stderr)
	}
	err = a.importFailed(&engine.ImportError{Done: "nothing was imported", Interrupted: true, Err: context.Canceled})
	if f := api.FailureOf(err); f.Exit != api.ExitInterrupted {
		t.Errorf("%+v", f)
	}
	if got := stderr.String(); got != "the import was interrupted: nothing was imported; run it again\n" {
		t.Errorf("stderr %q", got)
	}
}
