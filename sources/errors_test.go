package sources_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"xship/sources"
)

func TestClassOf(t *testing.T) {
	dead := sources.Errorf(sources.ClassDeadLink, "GET http://h/a: %w", errors.New("404 Not Found"))
	tests := []struct {
		err  error
		want sources.Class
	}{
		{nil, sources.ClassOK},
		{dead, sources.ClassDeadLink},
		{fmt.Errorf("playing: %w", dead), sources.ClassDeadLink},
		{fmt.Errorf("asking: %w", context.Canceled), sources.ClassCancelled},
		{fmt.Errorf("asking: %w", context.DeadlineExceeded), sources.ClassHosterFault},
		{sources.Errorf(sources.ClassCancelled, "asking: %w", context.DeadlineExceeded), sources.ClassCancelled},
		{errors.New("index out of range"), sources.ClassBug},
	}
	for _, tt := range tests {
		if got := sources.ClassOf(tt.err); got != tt.want {
			t.Errorf("ClassOf(%v) = %s, want %s", tt.err, got, tt.want)
		}
	}
	if got, want := dead.Error(), "GET http://h/a: 404 Not Found"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}
