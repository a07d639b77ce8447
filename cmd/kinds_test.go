package cmd_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"xship/sources/sourcetest/world"
)

// serverKinds are what addserver can start.
var serverKinds = map[string]world.Handler{
	"addon": func(w http.ResponseWriter, r *http.Request, _ world.Mode) {
		switch r.URL.Path {
		case "/manifest.json":
			_, _ = io.WriteString(w, `{"id":"org.example","name":"Paper Films","version":"1.2.3","resources":["stream"],"types":["movie"],"idPrefixes":["tt"],"catalogs":[]}`)
		case "/", "/configure":
			_, _ = io.WriteString(w, "<!doctype html><title>Paper Films</title><a href=\"stremio://\">install</a>")
		case "/stream/movie/tt9000001.json":
			_, _ = fmt.Fprintf(w, `{"streams":[{"name":"Paper Films\n1080p","description":"a film","url":"http://%s/film.mp4","behaviorHints":{"filename":"Paper.Boats.2019.1080p.mp4"}},null,{"infoHash":"0123456789012345678901234567890123456789"}]}`, r.Host)
		case "/film.mp4":
			http.ServeFile(w, r, filepath.Join("..", "testdata", "media", "plain.mp4"))
		default:
			http.NotFound(w, r)
		}
	},
	"webdav": func(w http.ResponseWriter, r *http.Request, _ world.Mode) {
		if r.Method != "PROPFIND" {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>%s</D:href><D:propstat>`+
			`<D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`, r.URL.Path)
	},
	"config": func(w http.ResponseWriter, _ *http.Request, _ world.Mode) {
		_, _ = io.WriteString(w, `{"sites":[{"key":"etc","name":"Etc","type":"folder","api":"/etc"}]}`)
	},
	"inside": func(w http.ResponseWriter, _ *http.Request, _ world.Mode) {
		_, _ = io.WriteString(w, `{"sites":[{"key":"addon","type":"stremio","api":"stremio://127.0.2.9:9/manifest.json"},
			{"key":"dav","type":"webdav","api":"http://127.0.2.9:9/dav/"},{"key":"jf","type":"jellyfin","api":"http://127.0.2.9:9"},{"key":"open","type":"openfilms"}]}`)
	},
	"private": func(w http.ResponseWriter, _ *http.Request, _ world.Mode) {
		http.Error(w, "who are you?", http.StatusUnauthorized)
	},
	"page": func(w http.ResponseWriter, _ *http.Request, _ world.Mode) {
		_, _ = io.WriteString(w, "<!doctype html><title>Shop</title><a href=\"/cart\">cart</a>")
	},
}

// addServerCmd starts a server of a kind, whose address is in $NAME, without http://.
func addServerCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "addserver name kind")
	handler, ok := serverKinds[args[1]]
	if !ok {
		ts.Fatalf("addserver knows no %s", args[1])
	}
	s, err := sceneOf(ts).AddServer(args[0], handler)
	ts.Check(err)
	ts.Setenv(strings.ToUpper(args[0]), s.Addr())
}
