package stremio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestManifest_encode reads manifests back as they were.
func TestManifest_encode(t *testing.T) {
	for _, body := range []string{
		`{"id":"a","name":"A","version":"1.0.0","resources":["stream","meta"],"types":["movie","series"],"idPrefixes":["tt"]}`,
		`{"id":"a","resources":["stream"],"types":["movie"]}`,
		`{"id":"a","resources":[]}`,
		`{"id":"a","resources":[{"name":"stream","types":["movie"],"idPrefixes":[]},{"name":"meta"}],"behaviorHints":{"configurationRequired":true}}`,
	} {
		want, err := ReadManifest([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := want.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadManifest(kept)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || got.Unusable() != want.Unusable() || got.Takes(resourceStream, typeMovie, "tt1") != want.Takes(resourceStream, typeMovie, "tt1") {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
	}
}
