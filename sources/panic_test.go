package sources_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"xship/sources"
)

func breaks() { panic("oops") }

func TestContain(t *testing.T) {
	failed := errors.New("failed")
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	if err := sources.Contain(logger, "testing", func() error { return failed }); err != failed { //nolint:errorlint // the very error
		t.Errorf("got %v", err)
	}
	if log.Len() > 0 {
		t.Errorf("logged %s", &log)
	}
	moving := func() error {
		moved := make(chan *sources.MovedPanic)
		go func() {
			defer func() { moved <- sources.MovePanic(recover()) }()
			breaks()
		}()
		panic(<-moved)
	}
	for name, fn := range map[string]func() error{
		"here":  func() error { breaks(); return nil },
		"moved": moving,
	} {
		log.Reset()
		err := sources.Contain(logger, "testing it", fn, "source", "a")
		if sources.ClassOf(err) != sources.ClassBug || err.Error() != "xship has a bug in testing it: oops" {
			t.Errorf("%s: got %v", name, err)
		}
		for _, want := range []string{`level=ERROR msg="a panic while testing it" source=a panic=oops`, "sources_test.breaks"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s: %q is not in the log: %s", name, want, &log)
			}
		}
	}
	if err := sources.Contain(nil, "testing", func() error { breaks(); return nil }); sources.ClassOf(err) != sources.ClassBug {
		t.Errorf("without a logger: %v", err)
	}
}
