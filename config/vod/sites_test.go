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

// TestDecode_noURL names a site whose api nobody can ask, without the password in it.
func TestDecode_noURL(t *testing.T) {
	const body = `{"sites":[{"key":"k","type":1,"api":"http://admin:p%ssw0rd@h.example/api"},{"key":"o","type":1,"api":"http://h.example/100%/api"}]}`
	config, err := decode(t, vod.Document{Body: []byte(body), FinalURL: "http://h.example/tv.json"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`its api "http://h.example/REDACTED" is not a valid URL`, `its api "http://h.example/100%/api" is not a valid URL`} {
		if got := config.Sites[i].Unsupported; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if config.Usable() != 0 {
		t.Errorf("%d sites can be asked", config.Usable())
	}
}
