package config

import (
	"fmt"
	"strings"

	"xship/sources/text"
)

// longestShown is how much of a value that is wrong is shown, in characters.
const longestShown = 200

// InvalidError lists everything that is wrong with the settings.
type InvalidError struct {
	Problems []Problem
}

// Problem is one thing that is wrong with the settings.
type Problem struct {
	Key     string
	Value   string // as given
	Origin  Origin
	Source  string // the settings file, the environment variable; "" for a flag
	Message string // what is wrong, and what would be right
}

func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Key)
	if p.Value != "" {
		fmt.Fprintf(&b, " = %q", text.Clip(p.Value, longestShown))
	}
	source := p.Source
	if p.Origin == OriginFlag || p.Origin == OriginArgument {
		source = string(p.Origin)
	}
	fmt.Fprintf(&b, " (%s): %s", source, p.Message)
	return b.String()
}

func (e *InvalidError) Error() string {
	if len(e.Problems) == 1 {
		return "invalid setting " + e.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d invalid settings:", len(e.Problems))
	for _, p := range e.Problems {
		b.WriteString("\n  " + p.String())
	}
	return b.String()
}

// FileError is a settings file that cannot be read.
type FileError struct {
	Path string
	Line int    // of a syntax error, from 1; 0 = not known
	Hint string // what the user can do
	Err  error

	Writing bool // it cannot be written
}

func (e *FileError) Error() string {
	where := e.Path
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	what := "read"
	if e.Writing {
		what = "write"
	}
	return fmt.Sprintf("%s settings file %s: %v; %s", what, where, e.Err, e.Hint)
}

func (e *FileError) Unwrap() error { return e.Err }

// ErrorCode implements text.Coded.
func (*InvalidError) ErrorCode() string { return "settings" }

// ErrorCode implements text.Coded.
func (*FileError) ErrorCode() string { return "settings" }

// ErrorHint implements text.Hinted.
func (e *FileError) ErrorHint() string { return e.Hint }
