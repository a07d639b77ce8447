package ids

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/text"
)

func TestParseRuntime(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"10 min": 10 * time.Minute, "1h 30min": 90 * time.Minute, "1 h": time.Hour, "1h": time.Hour, "95": 95 * time.Minute, "95min": 95 * time.Minute,
		"1 hr. 5 mins.": 65 * time.Minute, "2 hours, 1 minute": 121 * time.Minute, "1h30": 90 * time.Minute, " 45 MIN ": 45 * time.Minute, "90m": 90 * time.Minute,
		"": 0, "0 min": 0, "min": 0, "soon": 0, "1:30:00": 0, "PT1H30M": 0, "45-60 min": 0, "30min 1h": 0, "10 min 20 min": 0, "10 20": 0, "5 s": 0, "-5 min": 0,
		"99999999999999999999 min": 0, "1440 min": 24 * time.Hour, "1441 min": 0, "24h 1min": 0, "１０ min": 0, "10 min per episode": 0,
	} {
		if got := parseRuntime(s); got != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	}
}

func FuzzParseRuntime(f *testing.F) {
	for _, s := range []string{"10 min", "1h 30min", "1 h", "2 hours, 1 minute", "1h30", "1:30"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := parseRuntime(s); got < 0 || got > maxRuntime || got%time.Minute != 0 {
			t.Errorf("%q is %s", s, got)
		}
	})
}

// FuzzParse reads what a service may answer: no text of it is unsafe, and each answer is
// the same after it was kept.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"metas":[{"id":"tt9900001","type":"movie","name":"A","releaseInfo":"2008"},null,{"id":7}]}`))
	f.Add([]byte(`{"meta":{"id":"tt9900001","type":"series","name":"A","year":"2011-2019","runtime":"1h 30min","status":"Ended","videos":[{"id":"tt9900001:9:17","season":"9","number":17,"released":"2014-05-02T00:00:00.000Z"},"tt9900001:1:2"]}}`))
	f.Add([]byte(`{"meta":{"id":"tt9900001","name":"\u001b[2J\u202e","aliases":["a",1,null],"videos":{"a":1}}}`))
	f.Add([]byte(`[]`))
	f.Add([]byte("\ufeff<html>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := parse(body)
		if err != nil {
			return
		}
		all := slices.Clone(a.Found)
		if a.Facts != nil {
			all = append(all, *a.Facts)
		}
		for _, facts := range all {
			names := append([]string{facts.Name, facts.OriginalName}, facts.Aliases...)
			for i, e := range facts.Episodes {
				names = append(names, e.Name)
				if i > 0 && !(sources.Title{Season: e.Season, Episode: e.Episode}).ComesAfter(sources.Title{Season: facts.Episodes[i-1].Season, Episode: facts.Episodes[i-1].Episode}) {
					t.Errorf("episodes out of order: %+v", facts.Episodes)
				}
			}
			for _, name := range names {
				if text.Clean(name) != name || len([]rune(name)) > maxName+1 {
					t.Errorf("a name is %q", name)
				}
			}
			if !sources.IsIMDbID(facts.IMDb) || facts.Year != 0 && (facts.Year < sources.MinYear || facts.Year > sources.MaxYear) {
				t.Errorf("%+v", facts)
			}
		}
		kept, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var again answer
		if err := json.Unmarshal(kept, &again); err != nil || len(again.Found) != len(a.Found) || (again.Facts == nil) != (a.Facts == nil) {
			t.Errorf("kept as %s: %v", kept, err)
		}
	})
}
