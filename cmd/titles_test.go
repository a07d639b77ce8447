//go:build linux

package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhichTitle asks at a real terminal which title is meant, and takes the answer.
func TestWhichTitle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  []string
		keys []string
		want string // in the answer
		code int
		says string
	}{
		"the best one": {keys: []string{keyEnter}, want: "tt9900001.mp4"},
		"another one":  {keys: []string{keyDown, keyEnter}, want: "tt9900002.mp4"},
		"Esc":          {keys: []string{keyEsc}, want: "tt9900001.mp4", says: "taken for Paper Lanterns (2014), tt9900001"},
		"Ctrl-C":       {keys: []string{keyCtrlC}, code: 130, says: "interrupted"},
		"by number":    {env: []string{"ACCESSIBLE=1"}, keys: []string{"2\n"}, want: "tt9900002.mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			story := startStory(t)
			dir := usedData(t)
			service, err := story.AddIDs("ids", idTitles()...)
			if err != nil {
				t.Fatal(err)
			}
			config := filepath.Join(t.TempDir(), "addons.json")
			doc, err := addAddon(story)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(config, doc, 0o600); err != nil {
				t.Fatal(err)
			}
			env := append(c.env, idsVariable+"=true", "XSHIP_IDS_URL="+service.URL())
			s := startSession(t, dir, env, "play", "Paper Lanterns", "--interface", config)
			s.await("Which title is meant?")
			s.await("Paper Lanterns (1988), film, tt9900002")
			s.press(c.keys...)
			if code := s.end(); code != c.code {
				t.Errorf("exit code %d, want %d: %q", code, c.code, s.screen)
			}
			s.await(c.says)
			if !strings.Contains(s.stdout.String(), c.want) {
				t.Errorf("stdout: %s, %q", &s.stdout, s.screen)
			}
		})
	}
}
