package vod_test

import (
	"slices"
	"testing"

	"xship/config/vod"
)

// TestDecode_duplicateKeys takes of sites with one key the first that can be asked.
func TestDecode_duplicateKeys(t *testing.T) {
	const (
		spider = `{"key":"k","name":"spider","type":3,"api":"csp_A"}`
		quiet  = `{"key":"k","name":"quiet","type":1,"api":"http://quiet.example/","searchable":0}`
		good   = `{"key":"k","name":"good","type":1,"api":"http://good.example/"}`
		better = `{"key":"k","name":"better","type":1,"api":"http://better.example/"}`
		broken = `{"key":"k","name":"broken","type":1}`
		other  = `{"key":"o","name":"other","type":1,"api":"http://other.example/"}`
	)
	for _, c := range []struct{ name, sites, want, warning string }{
		{"the first can be asked", good + "," + better, "good", `site 2 "k" (better): left out: an earlier site has the same key`},
		{"the first is not searchable", quiet + "," + good, "good", `site 2 "k" (good): taken for an earlier site of the same key, which cannot be asked`},
		{"the first needs code", spider + "," + other + "," + good, "good", `site 3 "k" (good): taken for an earlier site of the same key, which cannot be asked`},
		{"the third", spider + "," + quiet + "," + good + "," + better, "good", `site 4 "k" (better): left out: an earlier site has the same key`},
		{"none can be asked", quiet + "," + spider, "quiet", `site 2 "k" (spider): left out: an earlier site has the same key`},
		{"the first is none", broken + "," + spider + "," + good, "good", `site 1 "k" (broken): left out: it has no api`},
	} {
		config, err := decode(t, vod.Document{Body: []byte(`{"sites":[` + c.sites + `]}`), FinalURL: "http://h.example/tv.json"})
		if err != nil {
			t.Fatal(err)
		}
		found := slices.IndexFunc(config.Sites, func(s vod.Site) bool { return s.Key == "k" })
		if found != 0 || config.Sites[0].Name != c.want {
			t.Errorf("%s: %+v, want %s first", c.name, config.Sites, c.want)
		}
		if !slices.ContainsFunc(config.Warnings, func(w vod.Warning) bool { return w.String() == c.warning }) {
			t.Errorf("%s: warnings %v, want %s", c.name, config.Warnings, c.warning)
		}
	}
}
