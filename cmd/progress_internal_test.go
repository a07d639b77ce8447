package cmd

import (
	"bytes"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/sources"
)

func TestStatusWriter_hold(t *testing.T) {
	var out bytes.Buffer
	s := &statusWriter{w: &out}
	s.show("live")
	s.hold()
	s.show("not seen")
	_, _ = s.Write([]byte("first\n")) // a buffer never fails
	_, _ = s.Write([]byte("second\n"))
	if got, want := out.String(), "live"+eraseLine; got != want {
		t.Errorf("while a question is on screen: %q, want %q", got, want)
	}
	s.release()
	s.show("again")
	if got, want := out.String(), "live"+eraseLine+"first\nsecond\nagain"; got != want {
		t.Errorf("after it: %q, want %q", got, want)
	}
}

// TestAnnouncer wants quick switches in one line where there is a live line, and in
// a line each where there is none.
func TestAnnouncer(t *testing.T) {
	for name, c := range map[string]struct {
		terminal, quiet bool
		want            string
	}{
		"terminal":    {terminal: true, want: "trying the next interface: b (http://b.example)" + eraseLine + "trying the next interface: c (http://c.example)"},
		"no terminal": {want: "trying the next interface: b (http://b.example)\ntrying the next interface: c (http://c.example)\n"},
		"quiet":       {terminal: true, quiet: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			a := newApp(System{
				Stderr: Stream{Writer: &out, Terminal: c.terminal}, Now: time.Now,
				LookupEnv: func(string) (string, bool) { return "", false },
			})
			a.flags.logFormat, a.flags.quiet = "text", c.quiet
			for _, name := range []string{"b", "c"} {
				a.switching.announce(loader.Switch{To: sources.Interface{URL: "http://" + name + ".example", Name: name}})
			}
			if got := out.String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if c.terminal && !c.quiet && a.switching.doing() != "trying the next interface: c (http://c.example)" {
				t.Errorf("the live line goes on with %q", a.switching.doing())
			}
			a.switching.done()
			if got := a.switching.doing(); got != "loading the interface" {
				t.Errorf("at the end: %q", got)
			}
		})
	}
}
