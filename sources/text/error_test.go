package text_test

import (
	"errors"
	"fmt"
	"testing"

	"xship/sources/text"
)

// failure is an error with a code and advice of its own, over others.
type failure struct {
	code, hint string
	inner      []error
}

func (f failure) Error() string     { return f.code }
func (f failure) ErrorCode() string { return f.code }
func (f failure) ErrorHint() string { return f.hint }
func (f failure) Unwrap() []error   { return f.inner }

func TestFindCode(t *testing.T) {
	deep := failure{code: "deep", hint: "dig"}
	outer := failure{code: "outer", inner: []error{errors.New("plain"), fmt.Errorf("wrapped: %w", deep)}}
	joined := errors.Join(errors.New("first"), fmt.Errorf("second: %w", outer))
	for _, c := range []struct {
		name string
		err  error
		code string
		want bool
		hint string
	}{
		{"nil", nil, "deep", false, ""},
		{"none", errors.New("plain"), "deep", false, ""},
		{"itself", deep, "deep", true, "dig"},
		{"beneath others", joined, "deep", true, "dig"},
		{"in between", joined, "outer", true, "dig"},
		{"another code", joined, "other", false, "dig"},
		{"advice around it", text.WithHint(joined, "climb"), "outer", true, "climb"},
		{"no advice around it", text.WithHint(deep, ""), "deep", true, "dig"},
	} {
		found, ok := text.FindCode(c.err, c.code)
		if ok != c.want || ok && found.ErrorCode() != c.code {
			t.Errorf("%s: found %v, %t, want %t", c.name, found, ok, c.want)
		}
		if hint := text.HintOf(c.err); hint != c.hint {
			t.Errorf("%s: hint %q, want %q", c.name, hint, c.hint)
		}
	}
	if err := text.WithHint(deep, "climb"); err.Error() != "deep" {
		t.Errorf("advice changes the error: %v", err)
	}
}
