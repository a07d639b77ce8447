package all_test

import (
	"slices"
	"testing"

	"xship/sources/all"
	"xship/sources/fetch"
)

func TestResolvers(t *testing.T) {
	open, guarded := fetch.New(fetch.Options{}), fetch.New(fetch.Options{DenyPrivate: true})
	tests := []struct {
		name string
		deps all.ResolverDeps
		want []string
	}{
		{"without yt-dlp", all.ResolverDeps{Fetch: open}, []string{"direct"}},
		{"with yt-dlp", all.ResolverDeps{Fetch: open, YTDLP: "/usr/bin/yt-dlp"}, []string{"yt-dlp", "direct"}},
		{"private addresses refused", all.ResolverDeps{Fetch: guarded, YTDLP: "/usr/bin/yt-dlp"}, []string{"direct"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var names []string
			for _, r := range all.Resolvers(tt.deps) {
				names = append(names, r.Name())
			}
			if !slices.Equal(names, tt.want) {
				t.Errorf("got %v, want %v", names, tt.want)
			}
		})
	}
}
