package text_test

import (
	"strings"
	"testing"

	"xship/sources/text"
)

func TestUnmarked(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"庆余年":                      "庆余年",
		"<em>庆余年</em>第二季":          "庆余年第二季",
		"<EM class=hl>庆余年</EM>第二季": "庆余年第二季",
		`<font color="red">庆余年</font> 第二季`:                     "庆余年 第二季",
		"<font color=red>庆余年</font>":                           "庆余年",
		"&lt;em&gt;庆余年&lt;/em&gt;第二季":                          "庆余年第二季",
		"&amp;lt;b&amp;gt;Film&amp;lt;/b&amp;gt; &amp;amp; Co": "Film & Co",
		"Film<br>Second":                "Film Second",
		"Film<br/>Second":               "Film Second",
		"<p>Film</p>":                   " Film ",
		"<span style='color:#f00'>A":    "A",
		"IS <Infinite Stratos>":         "IS <Infinite Stratos>",
		"I <3 You":                      "I <3 You",
		"I < You > Me":                  "I < You > Me",
		"<a film>":                      "<a film>",
		"Film <b":                       "Film <b",
		"<<em>em>Film":                  "Film",
		"<b" + strings.Repeat(" ", 300): "<b" + strings.Repeat(" ", 300),
	} {
		if got := text.Unmarked(in); got != want {
			t.Errorf("Unmarked(%q) = %q, want %q", in, got, want)
		}
	}
}
