package vod_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"xship/config/vod"
)

// TestLoad_wrapped reads configs within what servers put around them, and takes nothing
// for one that only holds one.
func TestLoad_wrapped(t *testing.T) {
	const (
		config  = `{"sites":[{"key":"k","name":"影视","type":1,"api":"http://h.example/"}]}`
		warning = "<br />\n<b>Warning</b>:  Undefined {x} in <b>/www/x.php</b> on line <b>3</b><br />\n"
		page    = `<!DOCTYPE html><html><body><script>cb(` + config + `)</script></body></html>`
	)
	japaneseText, err := japanese.ShiftJIS.NewEncoder().String(strings.Replace(config, "影视", "アニメの森", 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		body     string
		site     string // its name
		warnings int
	}{
		"PHP warnings":              {warning + warning + config, "影视", 0},
		"PHP notice as text":        {"\nNotice: x in /www/x.php on line 3\n// config\n" + config, "影视", 0},
		"marks and blank lines":     {"\r\n\n\ufeff\ufeff\n" + config, "影视", 0},
		"control characters":        {"\x00{\v\"sites\":[{\"key\":\"k\",\"name\":\"影\t\x00视\",\"type\":1,\"api\":\"http://h.example/\"}]}\x00", "影 视", 0},
		"JSONP":                     {"/**/callback(" + config + ");\n", "影视", 0},
		"JSONP behind a comment":    {"// note\ncb(" + config + ")", "影视", 0},
		"variable":                  {"var config = " + config + ";", "影视", 0},
		"comment of a page":         {"<!-- cached -->" + config, "影视", 0},
		"comment behind":            {config + "<!-- 0.03s -->", "影视", 1},
		"script behind":             {config + "<script>var a={};</script>", "影视", 1},
		"base64 behind a warning":   {warning + base64.StdEncoding.EncodeToString([]byte(config)), "影视", 0},
		"JSONP in base64":           {base64.StdEncoding.EncodeToString([]byte("cb(" + config + ");")), "影视", 0},
		"Shift JIS without a word":  {japaneseText, "アニメの森", 0},
		"Shift JIS behind warnings": {warning + "cb(" + japaneseText + ")", "アニメの森", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decode(t, vod.Document{Body: []byte(c.body), FinalURL: "http://h.example/tv.json", ContentType: "text/html"})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Sites) != 1 || got.Sites[0].Name != c.site || len(got.Warnings) != c.warnings {
				t.Errorf("%+v, warnings %v", got.Sites, got.Warnings)
			}
		})
	}
	for name, c := range map[string]struct {
		body  string
		cause vod.Cause
	}{
		"page":                      {page, vod.CauseHTML},
		"page behind a warning":     {warning + page, vod.CauseHTML},
		"page behind a comment":     {"<!-- x -->" + page, vod.CauseHTML},
		"script":                    {"<script>" + config + "</script>", vod.CauseHTML},
		"text that holds a config":  {"closed " + config, vod.CauseNotConfig},
		"call of text":              {`cb("closed")`, vod.CauseNotConfig},
		"answer of a site in JSONP": {`cb({"code":1,"list":[]});`, vod.CauseNoSites},
		"broken JSON in JSONP":      {`cb({"sites":[)`, vod.CauseSyntax},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode(t, vod.Document{Body: []byte(c.body), FinalURL: "http://h.example/tv.json"})
			if failed, ok := errors.AsType[*vod.Error](err); !ok || failed.Cause != c.cause {
				t.Errorf("%v, want %s", err, c.cause)
			}
		})
	}
}
