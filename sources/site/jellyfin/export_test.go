package jellyfin

import (
	"testing"

	"xship/sources"
)

// Address is where a server of a type at an address is asked for a path.
func Address(t *testing.T, siteType, address, path string) string {
	t.Helper()
	s, err := newServer(siteType, address)
	if err != nil {
		t.Fatal(err)
	}
	return s.address(path, nil)
}

// Sources are those of all items of an answer.
func Sources(body []byte) (all []sources.Source) {
	s := &site{server: server{base: "http://nas.example"}}
	items, _ := decodeItems(body)
	for _, i := range items {
		if idForm.MatchString(i.ID) {
			s.yield(i, i.title(), func(src sources.Source) { all = append(all, src) })
		}
	}
	return all
}
