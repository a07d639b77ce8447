package cmd

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestTextHandler(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(newTextHandler(&b, slog.LevelInfo))
	log.Debug("not logged")
	log.With("site", "a b").WithGroup("g").Info("[sourcesFilter] 3 Quellen entfernt\x1b[2J\n", "n", 3, slog.Group("in", "k", "v\x07\nw"), "err", errors.New(""))
	line := b.String()
	if want := ` INFO [sourcesFilter] 3 Quellen entfernt site="a b" g.n=3 g.in.k="v w" g.err=""` + "\n"; !strings.HasSuffix(line, want) || len(line) != len(want)+len("15:04:05") {
		t.Errorf("got %q, want a time and %q", line, want)
	}
}
