package text_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/text"
)

func TestLoose(t *testing.T) {
	for body, want := range map[string]text.Loose{
		`"a"`: "a", `""`: "", `"a\n\u00e9"`: "a\n\u00e9", "\"\xff\"": "\ufffd", `7`: "7", `-1.50`: "-1.50", `1e3`: "1e3",
		`null`: "", `true`: "", `{"a":1}`: "", `["a"]`: "",
	} {
		got := text.Loose("before")
		if err := json.Unmarshal([]byte(body), &got); err != nil || body != "null" && got != want {
			t.Errorf("%s: got %q, %v, want %q", body, got, err, want)
		}
	}
}

func TestLooseList(t *testing.T) {
	for body, want := range map[string]text.LooseList[string]{
		`["a","b"]`: {"a", "b"}, `["a",1,null,{},["x"],"b"]`: {"a", "b"}, `"a"`: {"a"}, `[]`: {}, `[1]`: nil, `1`: nil, `{}`: nil, `null`: nil,
	} {
		var got struct {
			List text.LooseList[string] `json:"list"`
		}
		if err := json.Unmarshal([]byte(`{"list":["before"],"list":`+body+`}`), &got); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(want, got.List); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}
