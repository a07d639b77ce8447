package loader

import (
	"testing"
	"time"

	"xship/sources"
)

func TestUseInstead(t *testing.T) {
	worked := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		rows []sources.Interface
		want string
	}{
		{nil, ""},
		{[]sources.Interface{{Name: "living room", LastLoadedAt: worked}}, "worked last: living room; switch with: xship interfaces use 'living room'"},
		{[]sources.Interface{{Name: "it's", LastLoadedAt: worked}, {Name: "x"}}, `worked last: it's; switch with: xship interfaces use 'it'\''s'`},
		{[]sources.Interface{{Name: "片库"}}, "not tried: 片库; switch with: xship interfaces use 片库"},
		{[]sources.Interface{{URL: "http://h.example/tv.json"}}, "not tried: http://h.example/tv.json; switch with: xship interfaces use http://h.example/tv.json"},
		{
			[]sources.Interface{{URL: "http://h.example/tv.json?token=s3cr3t"}},
			"not tried: http://h.example/tv.json?token=REDACTED; switch with: xship interfaces use 'http://h.example/tv.json?token=REDACTED'",
		},
		{[]sources.Interface{{Name: "-x"}}, "not tried: -x; switch with: xship interfaces use '-x'"},
	} {
		if got := useInstead(c.rows); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
