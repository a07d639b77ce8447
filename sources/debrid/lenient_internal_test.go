package debrid

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// loose has a field of each kind.
type loose struct {
	Text   looseText
	Number looseNumber
	Bool   looseBool
	List   looseList[looseNumber]
}

func TestLoose(t *testing.T) {
	tests := []struct {
		name string
		json string // of every field
		want loose
	}{
		{"null", `null`, loose{}},
		{"empty text", `""`, loose{List: looseList[looseNumber]{0}}},
		{"text", `" abc "`, loose{Text: "abc", List: looseList[looseNumber]{0}}},
		{"number as text", `"12"`, loose{Text: "12", Number: 12, Bool: true, List: looseList[looseNumber]{12}}},
		{"zero", `0`, loose{Text: "0", List: looseList[looseNumber]{0}}},
		{"number", `1.5`, loose{Text: "1.5", Number: 1.5, Bool: true, List: looseList[looseNumber]{1.5}}},
		{"number too big", `1e999`, loose{Text: "1e999", List: looseList[looseNumber]{0}}},
		{"true", `true`, loose{Bool: true, List: looseList[looseNumber]{0}}},
		{"false", `false`, loose{List: looseList[looseNumber]{0}}},
		{"object", `{"a":1}`, loose{List: looseList[looseNumber]{0}}},
		{"list", `[1,null,"2"]`, loose{List: looseList[looseNumber]{1, 2}}},
		{"empty list", `[]`, loose{List: looseList[looseNumber]{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got loose
			body := `{"Text":` + tt.json + `,"Number":` + tt.json + `,"Bool":` + tt.json + `,"List":` + tt.json + `}`
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatalf("Unmarshal(%s): %v", body, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Unmarshal(%s) (-want +got):\n%s", body, diff)
			}
		})
	}
}

// An element of another kind is left out.
func TestLooseList_oddElements(t *testing.T) {
	var got looseList[struct{ ID looseText }]
	if err := json.Unmarshal([]byte(`["x",{"ID":1},7,[],{"ID":"2"}]`), &got); err != nil {
		t.Fatalf("Unmarshal: %v", err)
	}
	if diff := cmp.Diff(looseList[struct{ ID looseText }]{{"1"}, {"2"}}, got); diff != "" {
		t.Errorf("Unmarshal (-want +got):\n%s", diff)
	}
}

func TestTimes(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[looseText]time.Time{
		"2030-01-02T03:04:05Z":       at,
		"2030-01-02T04:04:05+01:00":  at,
		"2030-01-02T03:04:05.250Z":   at.Add(250 * time.Millisecond),
		"2030-01-02 03:04:05.250000": at.Add(250 * time.Millisecond),
		"2030-01-02":                 at.Truncate(24 * time.Hour),
		"soon":                       {},
		"":                           {},
	} {
		if got := isoTime(text); !got.Equal(want) {
			t.Errorf("isoTime(%q) = %v, want %v", text, got, want)
		}
	}
	for n, want := range map[looseNumber]time.Time{
		looseNumber(at.Unix()): at, 0: {}, -5: {}, 1e300: {},
	} {
		if got := unixTime(n); !got.Equal(want) {
			t.Errorf("unixTime(%v) = %v, want %v", n, got, want)
		}
	}
}
