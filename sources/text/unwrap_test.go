package text_test

import (
	"bytes"
	"strings"
	"testing"

	"xship/sources/text"
)

func TestUnwrap(t *testing.T) {
	const (
		object  = `{"code":1,"list":[{"a":"b();"}]}`
		html    = "<br />\n<b>Warning</b>:  file_get_contents(x): failed to open stream: {none} in <b>/www/x.php</b> on line <b>3</b><br />\n"
		notice  = "\nNotice: Undefined index: wd in /www/wwwroot/x.php on line 12\n"
		xdebug  = "<br />\n<font size='1'><table class='xdebug-error xe-warning' dir='ltr' border='1'><tr><th>( ! ) Warning: {x}</th></tr>\n</table></font>\n"
		rss     = `<?xml version="1.0"?><rss><list></list></rss>`
		page    = `<!DOCTYPE html><html><script>cb({"list":[]})</script></html>`
		fatal   = "<br />\n<b>Fatal error</b>:  Uncaught Error in <b>/www/x.php</b> on line <b>3</b><br />\n"
		nothing = ""
	)
	for _, c := range []struct{ name, body, want, from string }{
		{"plain", object, object, ""},
		{"array", "[1]", "[1]", ""},
		{"blanks", "\r\n\n \t" + object, object, ""},
		{"marks", "\n\ufeff\ufeff\n \u200b" + object, object, ""},
		{"control characters", "\x00\x0b" + object, object, ""},
		{"warning", html + object, object, "messages of PHP"},
		{"warnings before XML", html + strings.Replace(html, "Warning", "Deprecated", 1) + rss, rss, "messages of PHP"},
		{"notice as text", notice + object, object, "messages of PHP"},
		{"notice for a console", "PHP Notice:  x in /a.php on line 1" + object, object, "messages of PHP"},
		{"strict standards", "<br><b>Strict Standards</b>: x in <b>a</b> on line <b>1</b><br>" + "\ufeff" + object, object, "messages of PHP"},
		{"both forms and a mark", "\ufeff" + notice + "\ufeff" + html + "[]", "[]", "messages of PHP"},
		{"Xdebug", xdebug + xdebug + object, object, "messages of PHP"},
		{"comments", "<!-- {cached} -->\n/**//* x */" + object, object, "comments"},
		{"guards", ")]}',\n" + object, object, "comments"},
		{"endless guard", "for (;;);" + object, object, "comments"},
		{"while guard", "while(1){}" + object, object, "comments"},
		{"call", "callback(" + object + ");", object, "a JSONP call"},
		{"call without an end", "callback( \n" + object, object, "a JSONP call"},
		{"call behind a comment", "/**/ jQuery1_2.cb['x'] (" + object + ") ;\n", object, "a JSONP call"},
		{"call that is looked for first", "/**/ typeof cb === 'function' && cb(" + object + ");", object, "a JSONP call"},
		{"call on condition", "if (typeof cb=='function'){cb([1])", "[1]", "a JSONP call"},
		{"call of a member", ";window.cb&&window.cb(" + object + ")", object, "a JSONP call"},
		{"call that is tried", "try{cb(" + object + ");}catch(e){}", object + ");}catch(e){}", "a JSONP call"},
		{"brackets", "(" + object + ")", object, "a JSONP call"},
		{"variable", "var mac_list = " + object + ";", object, "a JSONP call"},
		{"member", "window.x=" + object, object, "a JSONP call"},
		{"warning before a call", html + "cb(" + object + ");", object, "a JSONP call"},

		{"nothing", nothing, nothing, ""},
		{"blanks only", "\r\n\ufeff", nothing, ""},
		{"page", page, page, ""},
		{"page behind a warning", html + page, page, "messages of PHP"},
		{"page behind a comment", "<!-- x -->" + page, page, "comments"},
		{"fatal error", fatal + object, fatal + object, ""},
		{"fatal error behind a warning", html + "<b>Fatal error</b>: x in <b>a</b> on line <b>3</b>", "<b>Fatal error</b>: x in <b>a</b> on line <b>3</b>", "messages of PHP"},
		{"text", "closed " + object, "closed " + object, ""},
		{"warning of something else", "Warning: closed until further notice " + object, "Warning: closed until further notice " + object, ""},
		{"call of text", `cb("x")`, `cb("x")`, ""},
		{"open comment", "/* " + object, "/* " + object, ""},
		{"script", "<script>" + object + "</script>", "<script>" + object + "</script>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if inner, from := text.Unwrap([]byte(c.body)); string(inner) != c.want || from != c.from {
				t.Errorf("got %q from %q, want %q from %q", inner, from, c.want, c.from)
			}
		})
	}
}

func FuzzUnwrap(f *testing.F) {
	for _, s := range []string{
		"\ufeff <!-- x -->cb({});", "<br /><b>Warning</b>: x on line <b>3</b><br />[]", "Notice: on line 3on line ", "\xff\xfe{}", "for(;;);(((", "<font size='1'><table class='xdebug-error xe-notice'",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		inner, from := text.Unwrap(body)
		if !bytes.Contains(body, inner) || from == "" && len(inner) > 0 && !bytes.HasSuffix(body, inner) {
			t.Errorf("%q from %q is no part of %q", inner, from, body)
		}
	})
}
