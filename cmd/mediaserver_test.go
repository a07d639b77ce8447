package cmd_test

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"xship/sources/sourcetest/jellyfinfake"
)

// mediaServerCmd starts a media server with the films of the story, whose address is in a
// variable such as HOME_SERVER for home-server, or has one take no key or token any more:
//
//	mediaserver start NAME [emby] [key=KEY] [user=NAME:PASSWORD]
//	mediaserver revoke NAME
func mediaServerCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "mediaserver start|revoke NAME [args...]")
	s := sceneOf(ts)
	name := args[1]
	if args[0] == "revoke" {
		for _, token := range s.media[name].Tokens() {
			s.media[name].Revoke(token)
		}
		return
	}
	c := jellyfinfake.Config{Films: s.Sites[0].Films(), Users: make(map[string]string)}
	for _, option := range args[2:] {
		switch what, value, _ := strings.Cut(option, "="); what {
		case "emby":
			c.Emby = true
		case "key":
			c.Keys = append(c.Keys, value)
		case "user":
			user, password, _ := strings.Cut(value, ":")
			c.Users[user] = password
		default:
			ts.Fatalf("mediaserver has no option %s", option)
		}
	}
	server, err := jellyfinfake.Add(s.World, name, c)
	ts.Check(err)
	s.media[name] = server
	ts.Setenv(strings.ToUpper(strings.ReplaceAll(name, "-", "_")), server.URL())
}
