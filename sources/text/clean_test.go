package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"xship/sources/text"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Big Buck Bunny", "Big Buck Bunny"},
		{"empty", "", ""},
		{"only space", " \t\n ", ""},
		{"space", "  a \t b\r\nc\u3000d\u2028e\u0085f  ", "a b c d e f"},
		{"controls", "a\x00b\x07c\x7fd", "abcd"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"colour with colons", "\x1b[38:2:1:2:3mred", "red"},
		{"cursor and clear", "a\x1b[2J\x1b[1;1Hb", "ab"},
		{"title by BEL", "a\x1b]0;evil\x07b", "ab"},
		{"title by ST", "a\x1b]0;evil\x1b\\b", "ab"},
		{"link", "\x1b]8;;http://h/\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"open string", "a\x1b]0;not ended", "a0;not ended"},
		{"string broken off", "a\x1b]0;x\x1b[31my", "a0;xy"},
		{"device control", "a\x1bPq#0\x1b\\b", "ab"},
		{"8-bit CSI", "a\u009b31mb", "ab"},
		{"8-bit OSC", "a\u009d0;evil\u009cb", "ab"},
		{"raw 8-bit CSI", "a\x9b31mb", "a\uFFFD31mb"},
		{"charset", "a\x1b(Bb", "ab"},
		{"reset", "a\x1bcb", "ab"},
		{"lone escape", "a\x1b", "a"},
		{"two escapes", "a\x1b\x1b[31mb", "ab"},
		{"bidi override", "a\u202egpj.b\u202c", "agpj.b"},
		{"bidi isolate", "a\u2066b\u2069c\u200ed\u061ce", "abcde"},
		{"zero width", "a\u200bb\ufeffc\u2060d\u00ade", "abcde"},
		{"joiner in Latin", "a\u200db\u200cc", "abc"},
		{"joiner in Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"joiner at the end", "می\u200c", "می"},
		{"tags", "a\U000E0041b", "ab"},
		{"tags behind an emoji", "😀\U000E0067\U000E0062\U000E007F", "😀"},
		{"flag with tags", "x 🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F y", "x 🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F y"},
		{"flag with a text in tags", "🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E0067\U000E0062\U000E007F", "🏴"},
		{"flag with tags without end", "🏴\U000E0067\U000E0062x", "🏴x"},
		{"flag and pirates", "🏴\u200d☠\ufe0f", "🏴\u200d☠\ufe0f"},
		{"family", "👨\u200d👩\u200d👧 a", "👨\u200d👩\u200d👧 a"},
		{"joined with a variation", "❤\ufe0f\u200d🔥,👁\ufe0f\u200d🗨\ufe0f", "❤\ufe0f\u200d🔥,👁\ufe0f\u200d🗨\ufe0f"},
		{"joined with a skin", "🧑🏽\u200d🤝\u200d🧑🏽", "🧑🏽\u200d🤝\u200d🧑🏽"},
		{"joined to nothing", "👨\u200d, \u200d👩 \u200d", "👨, 👩"},
		{"keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"invalid", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"umlauts", "Über  Größe", "Über Größe"},
		{"Chinese", "流浪地球\u3000国语", "流浪地球 国语"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                `""`,
		`a "b" \c`:        `"a \"b\" \\c"`,
		"👨\u200d👩\u200d👧": "\"👨\u200d👩\u200d👧\"",
		"片\u3000库":        "\"片\u3000库\"",
		"流浪地球 \ufffd":     "\"流浪地球 \ufffd\"",
		"می\u200cخواهم":   "\"می\u200cخواهم\"",
	} {
		if got := text.Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"/tmp/my file.json":      "/tmp/my file.json",
		" /tmp/a  b\u3000c ":     " /tmp/a  b\u3000c ",
		"/tmp/\x1b[31ma \u202eb": "/tmp/a b",
		"a\tb\nc  d":             "a b c  d",
	} {
		if got := text.Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"plain", "\x1b]0;t\x07x", "\x1b\x1b]\u009d\u009c\x1b\\", "a\u200d\u200d b", "\xc2\x1b[0m\x85", " \u202e \x00 ", "\x1b]\x1b]\x1b]a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := text.Clean(s)
		if again := text.Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, cleaned again %q", s, got, again)
		}
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is no valid UTF-8", s, got)
		}
		if strings.IndexFunc(got, unicode.IsControl) >= 0 || strings.ContainsAny(got, "\u202a\u202b\u202d\u202e\u2066\u2067\u2068") {
			t.Errorf("Clean(%q) = %q still holds control characters", s, got)
		}
		if strings.TrimSpace(got) != got || strings.Contains(got, "  ") {
			t.Errorf("Clean(%q) = %q still holds idle space", s, got)
		}
		printed := text.Printable(s)
		if again := text.Printable(printed); again != printed || text.Clean(printed) != text.Clean(again) {
			t.Errorf("Printable(%q) = %q, printed again %q", s, printed, again)
		}
		if strings.IndexFunc(printed, unicode.IsControl) >= 0 {
			t.Errorf("Printable(%q) = %q still holds control characters", s, printed)
		}
	})
}
