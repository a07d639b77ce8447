package term_test

import (
	"strings"
	"testing"

	"xship/cmd/term"
)

func TestFoldWriter(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"fits", "one two\n\nthree four\n", "one two\n\nthree four\n"},
		{"fits to the last column", "0123 56789\n", "0123 56789\n"},
		{"broken at a space", "one two three\n", "one two\n    three\n"},
		{"broken often", "a b c d e f g h i\n", "a b c d e\n    f g h\n    i\n"},
		{"wide characters", "某剧 第二季\n", "某剧\n    第二季\n"},
		{"a long word", "0123456789abc\n", "0123456789abc\n"},
		{"a long word behind others", "on 0123456789abc on\n", "on\n    0123456789abc\n    on\n"},
		{"each line by itself", "one two three\none two\n", "one two\n    three\none two\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			f := term.FoldWriter{W: &out, Width: 10}
			if n, err := f.Write([]byte(tt.in)); n != len(tt.in) || err != nil {
				t.Errorf("Write() = %d, %v", n, err)
			}
			if out.String() != tt.want {
				t.Errorf("folded to %q, want %q", out.String(), tt.want)
			}
		})
	}
}

func TestHanging(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, head string
		columns    int
		text       string
		width      int
		want       string
	}{
		{"behind its head", "ok  ", 4, "one two three four five six", 24, "ok  one two three four\n    five six"},
		{"beneath its head", "ok       settings  ", 19, "one two three four five six", 24, "ok settings\n  one two three four\n  five six"},
		{"without a head", "        ", 8, "one two three four", 20, "  one two three four"},
		{"a mark", "          -> ", 13, "one two three four", 20, "  -> one two three\n     four"},
		{"a word that is too long", "good  ", 6, "a 0123456789abcdefghijkl", 20, "good\n  a\n  0123456789abcdefgh\n  ijkl"},
		{"no room at all", "settings  ", 10, "ab", 1, "settings\n  a\n  b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(term.Hanging(tt.head, tt.columns, tt.text, tt.width), "\n"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
