package maccms

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/tvbox"
)

var request = fetch.Request{URL: "http://h.example/api.php?token=abcdef"}

// rss is a document around rows.
func rss(rows string) string {
	return `<?xml version="1.0" encoding="utf-8"?><rss version="5.1"><list page="1" pagecount="2" pagesize="20" recordcount="21">` + rows + `</list></rss>`
}

func TestDecodeXML(t *testing.T) {
	tests := []struct {
		name, body string
		want       []tvbox.Row
	}{
		{
			"as documented", rss(`<video><last>2021-01-01 10:00:00</last><id>7</id><tid>1</tid><name><![CDATA[Alpha & Beta]]></name><type>Film</type>` +
				`<pic>http://h/a.jpg</pic><lang>English</lang><area/><year>2021</year><state>0</state><note><![CDATA[HD]]></note><actor></actor>` +
				`<dl><dd flag="a"><![CDATA[E1$http://h/1.m3u8?a=1&b=2]]></dd><dd flag="b"><![CDATA[E1$http://h/2]]></dd></dl><des><![CDATA[<p>x</p>]]></des></video>`),
			[]tvbox.Row{{
				ID: "7", Name: "Alpha & Beta", TypeName: "Film", Lang: "English", Year: "2021", Remarks: "HD", PlayFrom: "a$$$b",
				PlayURL: "E1$http://h/1.m3u8?a=1&b=2$$$E1$http://h/2",
			}},
		},
		{
			"list form", rss(`<video><id>7</id><name>Alpha</name><dt>a,b</dt></video><video><id>8</id></video>`) + `<class><ty id="1">Film</ty></class>`,
			[]tvbox.Row{{ID: "7", Name: "Alpha"}, {ID: "8"}},
		},
		{
			"bare ampersands and angles", rss(`<video><pic>http://h/?a=1&b=2&lt=3</pic><name>A & B &nbsp;&amp; <C &lt;3 < 4</name><dd from='q&amp;a'>http://h/?a=1&copy=2&amp;b=&#x41;&#66;</dd></video>`),
			[]tvbox.Row{{Name: "A & B &nbsp;& <C <3 < 4", PlayFrom: "q&a", PlayURL: "http://h/?a=1&copy=2&b=AB"}},
		},
		{
			"raw line ends", rss("<video><dd flag=a>\r\nE1$http://h/1\rE2$http://h/2\n</dd></video>"),
			[]tvbox.Row{{PlayFrom: "a", PlayURL: "E1$http://h/1\rE2$http://h/2"}},
		},
		{
			"type twice", rss(`<video><type>6</type><type>Film</type></video><video><type>Film</type><type>6</type></video><video><type>6</type><type/></video>`),
			[]tvbox.Row{{TypeName: "Film"}, {TypeName: "Film"}, {TypeName: "6"}},
		},
		{"groups keep their pairing", rss(`<video><dd flag="a"/><dd>x</dd><dd flag="c">y</dd></video>`), []tvbox.Row{{PlayFrom: "a$$$$$$c", PlayURL: "$$$x$$$y"}}},
		{"nothing is closed", rss(`<video><id>1<name>Alpha<dd flag="a">x<dd flag="b">y<video><id>2`), []tvbox.Row{
			{ID: "1", Name: "Alpha", PlayFrom: "a$$$b", PlayURL: "x$$$y"}, {ID: "2"},
		}},
		{"quotes that do not close", rss(`<video><dd flag="a>x</dd><dd flag="b>c">y</dd></video>`), []tvbox.Row{{PlayFrom: "a$$$b>c", PlayURL: "x$$$y"}}},
		{"upper case, comments, a DTD", "<!DOCTYPE rss [<!ENTITY a \"b\">]><!-- <video> --><RSS><LIST PAGECOUNT=2><VIDEO><NAME>&a;</NAME></VIDEO></LIST></RSS>", []tvbox.Row{{Name: "&a;"}}},
		{"split CDATA", rss(`<video><name><![CDATA[a]]]]><![CDATA[>b]]></name></video>`), []tvbox.Row{{Name: "a]]>b"}}},
		{"elements within a text", rss(`<video><name><b>Al</b>pha</name></video>`), []tvbox.Row{{Name: "Alpha"}}},
		{"only the list is closed", strings.TrimSuffix(rss(`<video><id>1</id></video>`), "</rss>"), []tvbox.Row{{ID: "1"}}},
		{"nothing found", `<rss version="5.1"><list page="1" pagecount="0" pagesize="20" recordcount="0"></list></rss>`, nil},
		{"nothing on a later page", strings.Replace(rss(""), `page="1"`, `page="2"`, 1), nil},
		{"empty elements", `<rss version="5.1"><list/></rss>`, nil},
		{"UTF-8 declared as GBK", strings.Replace(rss("<video><name>影片</name></video>"), "utf-8", "gbk", 1), []tvbox.Row{{Name: "影片"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := decode(request, []byte("\ufeff\r\n"+tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, a.List); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeXMLPages(t *testing.T) {
	for attributes, want := range map[string]int{
		` page="1" pagecount="12" pagesize="20"`: 12, ` pagecount='3'`: 3, ` pagecount = 4 x`: 4, ` page=1`: 0, ` pagecount`: 0, ` pagecount="`: 0, "": 0,
	} {
		a, err := decode(request, []byte(`<rss><list`+attributes+`></list></rss>`))
		if err != nil || a.PageCount.Int() != want {
			t.Errorf("%s: got %v, %v, want %d", attributes, a, err, want)
		}
	}
}

func TestDecodeXMLRefuses(t *testing.T) {
	whole := rss(`<video><id>1</id><name><![CDATA[Alpha]]></name><dd flag="a">http://h/1</dd></video>`)
	tests := map[string]string{
		"<error>x</error>":      "the answer is neither JSON nor an XML list",
		"<?xml version='1.0'?>": "the answer is neither JSON nor an XML list",
		"<>":                    "the answer is neither JSON nor an XML list",
		"<!-- <rss></rss>":      "the answer is not a JSON object",
		`<rss version="5.1"/>`:  "the answer is neither JSON nor an XML list",
		"<rss></rss>":           "the answer is neither JSON nor an XML list",
		"<rss version=\"2.0\"><channel><title>news</title></channel></rss>": "the answer is neither JSON nor an XML list",
		`<list recordcount="3"></list>`:                                     "the answer counts 3 rows and holds none",
		rss(""):                                                             "the answer counts 21 rows and holds none",
		"<!DOCTYPE rss [ <rss> ":                                            "the answer is XML that breaks off",
	}
	for _, end := range []string{"</list></rss>", "video></list></rss>", "://h/1</dd></video></list></rss>", "]]></name><dd flag=\"a\">http://h/1</dd></video></list></rss>"} {
		tests[strings.TrimSuffix(whole, end)] = "the answer is XML that breaks off"
	}
	for body, want := range tests {
		a, err := decode(request, []byte(body))
		if sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", body, a, err, want)
		}
	}
}

func FuzzDecodeXML(f *testing.F) {
	for _, s := range []string{
		rss(`<video><id>7</id><name><![CDATA[Alpha & Beta]]></name><type>1</type><type>Film</type><dl><dd flag="a"><![CDATA[E1$http://h/1]]></dd></dl></video>`),
		rss(`<video><pic>http://h/?a=1&b</pic><name>A & <C &#x110000; &#0;</name><dd from='q>'>http://h/`), "<rss", `<rss a="><video`, "<!DOCTYPE [", "<rss><![CDATA[",
		`<list pagecount=><video/></list>`, "<?xml encoding='gbk'?><rss>\xff\xfe</rss>",
		rss("<video><name>A \x80\xfe B</name></video>"),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		body, err := tvbox.Body(request, &fetch.Response{Body: answer})
		if err != nil {
			return // in no character set
		}
		a, err := decodeXML(request, body)
		if err != nil {
			if sources.ClassOf(err) != sources.ClassHosterFault || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("unexpected error %q", err)
			}
			return
		}
		size := 0
		for _, r := range a.List {
			size += len(r.PlayURL) + len(r.Name)
			if !utf8.ValidString(r.PlayURL) || !utf8.ValidString(string(r.Name)) {
				t.Errorf("a row is no UTF-8: %+v", r)
			}
		}
		if size > 3*len(body) {
			t.Errorf("%d bytes out of %d", size, len(body))
		}
	})
}

func TestDecodeXMLIsBounded(t *testing.T) {
	a, err := decodeXML(request, []byte(rss(strings.Repeat("<video><id>1</id></video>", 2*tvbox.MaxRows))))
	if err != nil || len(a.List) != tvbox.MaxRows {
		t.Fatalf("%d rows, %v", len(a.List), err)
	}
	a, err = decodeXML(request, []byte(rss("<video>"+strings.Repeat(`<dd flag="a">http://h/</dd>`, 2*tvbox.MaxGroups)+"</video>")))
	if err != nil || len(tvbox.ParsePlaylist(string(a.List[0].PlayFrom), a.List[0].PlayURL)) != tvbox.MaxGroups {
		t.Errorf("got %v, %v", a.List, err)
	}
	if _, err := decodeXML(request, []byte("<rss><list>"+strings.Repeat("<video>", 2*tvbox.MaxRows))); err == nil {
		t.Error("an answer that breaks off behind the last row that counts is none")
	}
}

// TestDecodeXMLIsLinear decodes what would be slow if anything were looked for
// again and again.
func TestDecodeXMLIsLinear(t *testing.T) {
	for _, piece := range []string{"<", "<a", "<a b='", "&", "<dd>", "<video>", "<![CDATA[]]>", "<!x>", "&#x"} {
		body := []byte("<rss><list>" + strings.Repeat(piece, (1<<20)/len(piece)) + "</list></rss>")
		if _, err := decodeXML(request, body); err != nil && sources.ClassOf(err) != sources.ClassHosterFault {
			t.Errorf("%s: %v", piece, err)
		}
	}
}

func BenchmarkDecodeXML(b *testing.B) {
	var rows strings.Builder
	for n := range 100 {
		var items []string
		for e := range 24 {
			items = append(items, fmt.Sprintf("第%02d集$https://media.example.com/%d/%02d/index.m3u8", e+1, n, e+1))
		}
		fmt.Fprintf(&rows, `<video><id>%d</id><name><![CDATA[影片 %d]]></name><type>国产剧</type><year>2021</year><dl><dd flag="a"><![CDATA[%[3]s]]></dd><dd flag="b"><![CDATA[%[3]s]]></dd></dl>`+
			`<des><![CDATA[<p>%s</p>]]></des></video>`, n, n, strings.Join(items, "#"), strings.Repeat("内容", 200))
	}
	body := []byte(rss(rows.String()))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if a, err := decodeXML(request, body); err != nil || len(a.List) != 100 {
			b.Fatal(err)
		}
	}
}
