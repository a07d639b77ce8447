package tvbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/tvbox"
)

const (
	rowAnswer   = `{"code":1,"list":[{"vod_id":1,"vod_name":"a"}]}`
	emptyAnswer = `{"code":1,"msg":"","list":[]}`
	phpWarning  = "<br />\n<b>Warning</b>:  Undefined array key \"wd\" in <b>/www/x.php</b> on line <b>3</b><br />\n"
	phpFatal    = "<br />\n<b>Fatal error</b>:  Uncaught Error: {x} in <b>/www/x.php</b> on line <b>3</b><br />\n"
	loginPage   = `<!DOCTYPE html><html><head><title>Login</title></head><body><script>var x = ` + rowAnswer + `;</script></body></html>`
)

// TestDecode_wrapped reads answers within what servers put around them, with rows and
// without, and nothing that only holds one.
func TestDecode_wrapped(t *testing.T) {
	for name, wrap := range map[string][2]string{
		"PHP warning":            {phpWarning, ""},
		"PHP warning behind":     {"", phpWarning},
		"PHP notice as text":     {"\nNotice: x in /www/x.php on line 3\n", ""},
		"mark and blank lines":   {"\r\n\n\ufeff\n", "\n\n"},
		"two marks":              {"\ufeff\ufeff", ""},
		"JSONP":                  {"callback(", ");"},
		"JSONP behind a comment": {"/**/cb(", ")"},
		"JSONP that is tried":    {"try{cb(", ");}catch(e){}"},
		"variable":               {"var list = ", ";"},
		"comment behind":         {"", "\n<!-- 0.03s -->"},
		"open comment behind":    {"", "<!-- 0.03s"},
		"script behind":          {"", `<script src="//s.example/tj.js"></script><script>(function(){var a={"list":1};})()</script>`},
		"second line":            {"", "\n0.0312 s\n"},
		"end of a page behind":   {"", "</body></html>"},
		"trace behind":           {"", `<div id="think_page_trace" style="x"><div>{}</div></div>`},
	} {
		for body, rows := range map[string]int{rowAnswer: 1, emptyAnswer: 0} {
			a, err := tvbox.Decode(request, []byte(wrap[0]+body+wrap[1]))
			if err != nil || len(a.List) != rows {
				t.Errorf("%s, %d rows: %+v, %v", name, rows, a, err)
			}
		}
	}
	for name, body := range map[string]string{
		"page":                        loginPage,
		"page behind a warning":       phpWarning + loginPage,
		"page behind a comment":       "<!-- x -->" + loginPage,
		"part of a page":              `<div>` + rowAnswer + `</div>`,
		"JSON in a script":            `<script>cb(` + rowAnswer + `)</script>`,
		"JSON in a text":              "nothing here: " + rowAnswer,
		"warning and nothing":         phpWarning,
		"fatal error":                 phpFatal,
		"fatal error before":          phpFatal + emptyAnswer,
		"fatal error behind no row":   emptyAnswer + phpFatal,
		"page behind no row":          emptyAnswer + "\n" + loginPage,
		"XML behind no row":           emptyAnswer + "<rss><list><video/></list></rss>",
		"text error behind no row":    emptyAnswer + "\nPHP Fatal error:  Allowed memory size of 1 bytes exhausted in /x.php on line 3",
		"call cut short":              `callback({"code":1,"list":[{"vod_id":1}`,
		"warning before what is cut":  phpWarning + `{"code":1,"list":[`,
		"call of a text":              `callback("closed")`,
		"object without code or list": "cb({});",
		"document behind no row":      emptyAnswer + "\n" + rowAnswer,
		"call behind no row":          emptyAnswer + "\ncb(" + rowAnswer + ")",
		"redirection behind no row":   `var x={"list":[]};location.href="/verify?"`,
		"window's behind no row":      emptyAnswer + `<script>window.location = "/verify"</script>`,
		"call of a browser":           `location.replace({"list":[]})`,
		"variable of a browser":       `window.location.href={"list":[]}`,
	} {
		a, err := tvbox.Decode(request, []byte(body))
		if sources.ClassOf(err) != sources.ClassHosterFault {
			t.Errorf("%s: %+v, %v; want a fault of the site", name, a, err)
		}
	}
}

// TestDecode_careless reads what is no JSON to the letter, without changing its meaning.
func TestDecode_careless(t *testing.T) {
	for _, c := range []struct{ name, field, want string }{
		{"tab", "a\tb", "a\tb"},
		{"line ends between links", "E1$http://h/1\r\nE2$http://h/2", "E1$http://h/1\r\nE2$http://h/2"},
		{"vertical tab and others", "a\x0bb\x01\x1f\x7f", "a\vb\x01\x1f\x7f"},
		{"backspace and form feed", "a\bb\fc", "a\bb\fc"},
		{"escapes beside", `\"\\\/` + "\t" + `\u00e9\ud83d\ude00\n`, "\"\\/\té😀\n"},
		{"escapes that are none", `it\'s \d \u12 \x41`, `it's \d \u12 \x41`},
		{"escaped line end", "a\\\nb", "a\nb"},
		{"brackets and quotes in a string", "]}{[\t" + `\"}`, "]}{[\t\"}"},
	} {
		a, err := tvbox.Decode(request, []byte(`{"code":1,"list":[{"vod_id":1,"vod_play_url":"`+c.field+`"}]}`))
		if err != nil || len(a.List) != 1 || a.List[0].PlayURL != c.want {
			t.Errorf("%s: %+v, %v; want %q", c.name, a, err, c.want)
		}
	}
	for name, body := range map[string]string{
		"commas before brackets":         `{"code":1,"list":[{"vod_id":1,},],}`,
		"control characters between":     "{\"code\":1,\v\"list\":\x00[\f{\"vod_id\":1}]}\x00",
		"marks and wide spaces between":  "{\"code\":1,\ufeff\"list\":\u3000[\u00a0{\"vod_id\":1}]}",
		"a control character in a key":   "{\"code\":1,\"x\t\":1,\"list\":[{\"vod_id\":1}]}",
		"single quotes":                  `{'code': 1, 'list': [{'vod_id': '1', 'vod_name': 'a "b"', 'c': "it's", 'd': 'it\'s'}]}`,
		"names without quotes":           "{code:1,\tlist:[{vod_id:1, b : -1.5e+3}]}",
		"the words of Python":            `{'code': 1, 'a': None, 'b': True, 'c': False, 'list': [{'vod_id': 1}]}`,
		"comments":                       "{\"code\":1, // x\n /* ' */ \"list\":[{\"vod_id\":1}]}",
		"a control character in another": "{\"code\":1,\"msg\":\"a\nb\",\"list\":[{\"vod_id\":1}]}",
	} {
		if a, err := tvbox.Decode(request, []byte(body)); err != nil || len(a.List) != 1 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	for name, body := range map[string]string{
		"a quote in a string":  `{"code":1,"list":[{"vod_name":"a"b"}]}`,
		"no comma":             `{"code":1 "list":[]}`,
		"wrong bracket":        `{"code":1,"list":[}]`,
		"cut within a string":  `{"code":1,"list":[{"vod_name":"a` + "\t",
		"cut within an escape": `{"code":1,"list":[{"vod_name":"a` + "\t" + `\`,
		"a word for a list":    "{code:1,list:none}",
		"an open comment":      `{"code":1,/* "list":[]}`,
		"mixed quotes":         `{'code":1,'list':[]}`,
	} {
		if a, err := tvbox.Decode(request, []byte(body)); sources.ClassOf(err) != sources.ClassHosterFault {
			t.Errorf("%s: %+v, %v; want a fault of the site", name, a, err)
		}
	}
}

// TestBody_zeros leaves zeros out of what starts like an answer, and of nothing else.
func TestBody_zeros(t *testing.T) {
	for body, want := range map[string]string{
		"{\"a\":\"b\x00c\"}\x00\x00":     `{"a":"bc"}`,
		"\x00\ufeff[1]":                  "\ufeff[1]",
		phpWarning + "cb({\"a\":\x001})": phpWarning + `cb({"a":1})`,
		"<rss>\x00</rss>":                "<rss></rss>",
		"\x89PNG\r\n\x1a\n\x00\x00":      "",
		"text\x00":                       "",
	} {
		got, err := tvbox.Body(request, &fetch.Response{Header: http.Header{}, Body: []byte(body)})
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", body, got, err)
		}
	}
}

// FuzzDocument: what is put right means what it meant before.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{rowAnswer, "[1,\"\t\",]x", phpWarning + "{\"a\\'\":\x00}", `cb({"a":"\\\"\u0041"});`, "{\"\u3000\":[\ufeff]}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		document, behind, err := tvbox.Document(request, body)
		if err != nil {
			return
		}
		if !json.Valid(document) {
			t.Fatalf("%q of %q is not valid", document, body)
		}
		again, _, err := tvbox.Document(request, append([]byte("cb("), append([]byte(string(document)), ")"...)...))
		if err != nil || strings.TrimSpace(string(again)) != string(document) {
			t.Errorf("%q became %q, %v", document, again, err)
		}
		if len(behind) > len(body) {
			t.Errorf("%q behind %q", behind, body)
		}
	})
}
