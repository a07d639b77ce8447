package httpindex

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/files"
)

// root is where the pages of the tests lie.
const root = "http://nas.example:8080/films/"

func newTree(tb testing.TB) tree {
	tb.Helper()
	remote, err := files.NewRemote(sources.SiteSpec{SiteInfo: sources.SiteInfo{Type: Type}, API: root}, fetch.New(fetch.Options{}))
	if err != nil {
		tb.Fatal(err)
	}
	return tree{remote}
}

// anyLink leaves the links of entries to TestLink.
var anyLink = cmpopts.IgnoreFields(files.Entry{}, "Link")

func day(year int, month time.Month, day, hour, minute int) time.Time {
	return time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
}

// pages are listings of the folder /films/ as servers write them, with made-up names.
var pages = []struct {
	name, page string
	want       []files.Entry
}{
	{"nginx", `<html>
<head><title>Index of /films/</title></head>
<body>
<h1>Index of /films/</h1><hr><pre><a href="../">../</a>
<a href="Harbour%20Nine/">Harbour Nine/</a>                                      01-Dec-2026 08:05                   -
<a href="Paper.Submarines.2016.A.Very.Long.Name.That.Is.Cut.1080p.mkv">Paper.Submarines.2016.A.Very.Long.Name.That.Is.Cu..&gt;</a> 30-Nov-2026 23:59          1503238553
<a href="%C3%9Cber%20%231%20100%25%3F%20%2B%20(2016).mkv">Über #1 100%? + (2016).mkv</a>       30-Nov-2026 23:59                 512K
</pre><hr></body>
</html>
`, []files.Entry{
		{Name: "Harbour Nine", Folder: true, Size: -1, ModTime: day(2026, 12, 1, 8, 5)},
		{Name: "Paper.Submarines.2016.A.Very.Long.Name.That.Is.Cut.1080p.mkv", Size: 1503238553, ModTime: day(2026, 11, 30, 23, 59)},
		{Name: "Über #1 100%? + (2016).mkv", Size: 512 << 10, ModTime: day(2026, 11, 30, 23, 59)},
	}},
	{"Apache in a table", `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html><head><title>Index of /films</title></head>
<body><h1>Index of /films</h1>
  <table>
   <tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th><th><a href="?C=S;O=A">Size</a></th></tr>
   <tr><th colspan="4"><hr></th></tr>
<tr><td valign="top"><img src="/icons/back.gif" alt="[PARENTDIR]"></td><td><a href="/">Parent Directory</a></td><td>&nbsp;</td><td align="right">  - </td></tr>
<tr><td valign="top"><img src="/icons/folder.gif" alt="[DIR]"></td><td><a href="Harbour%20Nine/">Harbour Nine/</a></td><td align="right">2026-12-01 08:05  </td><td align="right">  - </td></tr>
<tr><td valign="top"><a href="Tin.Parade.mp4"><img src="/icons/movie.gif" alt="[VID]"></a></td><td><a href="Tin.Parade.mp4">Tin.Parade.mp4</a></td><td align="right">2026-11-30 23:59  </td><td align="right">1.5G</td></tr>
   <tr><th colspan="4"><hr></th></tr>
</table>
<address>Apache/2.4 Server at nas.example Port 8080 2026-01-01 00:00 7M</address>
</body></html>`, []files.Entry{
		{Name: "Harbour Nine", Folder: true, Size: -1, ModTime: day(2026, 12, 1, 8, 5)},
		{Name: "Tin.Parade.mp4", Size: 3 << 29, ModTime: day(2026, 11, 30, 23, 59)},
	}},
	{"Apache without a table, empty", `<html><head><title>Index of /films</title></head><body><h1>Index of /films</h1>
<pre>      <a href="?C=N;O=D">Name</a>                    <a href="?C=M;O=A">Last modified</a><hr></pre></body></html>`, nil},
	{"a list of names", `<html><body><ul><li><a href="/"> Parent Directory</a></li>
<li><a href="Tin.Parade.mp4"> Tin.Parade.mp4</a></li></ul></body></html>`, []files.Entry{{Name: "Tin.Parade.mp4", Size: -1}}},
	{"lighttpd", `<!DOCTYPE html><html><head><meta charset="utf-8"><title>Index of /films/</title><style>a{color:red}</style></head><body>
<h2>Index of /films/</h2><div class="list"><table summary="Directory Listing"><tbody>
<tr class="d"><td class="n"><a href="../">..</a>/</td><td class="m">&nbsp;</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>
<tr class="d"><td class="n"><a href="Harbour%20Nine/">Harbour Nine</a>/</td><td class="m">2026-Dec-01 08:05:09</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>
<tr><td class="n"><a href="Tin.Parade.mp4">Tin.Parade.mp4</a></td><td class="m">2026-Nov-30 23:59:59</td><td class="s">700.0M</td><td class="t">video/mp4</td></tr>
</tbody></table></div></body></html>`, []files.Entry{
		{Name: "Harbour Nine", Folder: true, Size: -1, ModTime: day(2026, 12, 1, 8, 5)},
		{Name: "Tin.Parade.mp4", Size: 700 << 20, ModTime: day(2026, 11, 30, 23, 59)},
	}},
	{"Caddy", `<!DOCTYPE html><html><head><title>films/</title></head><body><h1><a href="/">/</a><a href="/films/">films</a></h1>
<table><thead><tr><th><a href="?sort=name&order=desc">Name</a></th></tr></thead><tbody>
<tr><td></td><td><a href=".."><span class="goup">Go up</span></a></td><td></td></tr>
<tr class="file"><td></td><td><a href="./Harbour%20Nine/"><svg></svg><span class="name">Harbour Nine/</span></a></td>
<td>&mdash;</td><td class="timestamp"><time datetime="2026-12-01T08:05:00Z">12/01/2026 08:05:00 AM +00:00</time></td></tr>
<tr class="file"><td></td><td><a href="./Tin.Parade.mp4"><svg></svg><span class="name">Tin.Parade.mp4</span></a></td>
<td class="size" data-size="734003201"><div class="sizebar"><div class="sizebar-text">700 MiB</div></div></td><td class="timestamp"><time datetime="2026-11-30T23:59:00Z">x</time></td></tr>
</tbody></table></body></html>`, []files.Entry{
		{Name: "Harbour Nine", Folder: true, Size: -1, ModTime: day(2026, 12, 1, 8, 5)},
		{Name: "Tin.Parade.mp4", Size: 734003201, ModTime: day(2026, 11, 30, 23, 59)},
	}},
	{"Python", `<!DOCTYPE HTML>
<html lang="en"><head><meta charset="utf-8"><title>Directory listing for /films/</title></head>
<body><h1>Directory listing for /films/</h1><hr><ul>
<li><a href="Harbour%20Nine/">Harbour Nine/</a></li>
<li><a href="link%20to%20more/">link to more@</a></li>
<li><a href="Tin.Parade%20%282016%29.mp4">Tin.Parade (2016).mp4</a></li>
</ul><hr></body></html>`, []files.Entry{
		{Name: "Harbour Nine", Folder: true, Size: -1}, {Name: "link to more", Folder: true, Size: -1}, {Name: "Tin.Parade (2016).mp4", Size: -1},
	}},
	{"Python, empty", `<html><head><title>Directory listing for /films/</title></head><body><ul></ul></body></html>`, nil},
	{"absolute links and paths", `<a href="/films/a.mkv">a.mkv</a><a href="http://nas.example:8080/films/b.mkv">b</a><A HREF='HTTP://NAS.example:8080/films/c/'>c</A>`, []files.Entry{
		{Name: "a.mkv", Size: -1}, {Name: "b.mkv", Size: -1}, {Name: "c", Folder: true, Size: -1},
	}},
	{"a base", `<base href="/films/sub/"><base href="http://evil.example/"><title>Index of</title><a href="../a.mkv">a.mkv</a><a href="b.mkv">b.mkv</a>`, []files.Entry{{Name: "a.mkv", Size: -1}}},
	{"a name in another character set", "<title>Index of</title><a href=\"%DCber.mkv\">x</a><a href=\"\xdc.mkv\">x</a>", []files.Entry{
		{Name: "\xdcber.mkv", Size: -1}, {Name: "\xdc.mkv", Size: -1},
	}},
	{"an option to download", `<title>Index of</title><a href="Some%20Film.mkv" class=x data-size="9" href="other.mkv">film</a>`, []files.Entry{{Name: "Some Film.mkv", Size: -1}}},
	{"a percent sign that begins no escape", `<title>Index of</title><a href="100% Film.mkv">100% Film.mkv</a>`, []files.Entry{{Name: "100% Film.mkv", Size: -1}}},
	{"links that lead elsewhere", `<title>Index of /films/</title>
<a href="../">../</a><a href="..">..</a><a href="./">.</a><a href=".">.</a><a href="">x</a><a>x</a><a href="/">/</a><a href="/films/">films</a><a href="/films">films</a>
<a href="..%2f">x</a><a href="..%2fsecret.mkv">x</a><a href="%2e%2e/">x</a><a href="%2e%2e/secret.mkv">x</a><a href="a%2fb.mkv">x</a><a href="a%00b.mkv">x</a><a href="%2e/">x</a>
<a href="../secret.mkv">x</a><a href="/secret.mkv">x</a><a href="/filmsmore/x.mkv">x</a><a href="deep/er.mkv">x</a><a href="x/../../secret.mkv">x</a>
<a href="javascript:alert(1)//a.mkv">x</a><a href="data:text/html,a.mkv">x</a><a href="mailto:a@b.mkv">x</a><a href="file:///films/a.mkv">x</a><a href="ftp://nas.example/films/a.mkv">x</a>
<a href="http://evil.example/films/a.mkv">x</a><a href="//evil.example/films/a.mkv">x</a><a href="https://nas.example:8080/films/a.mkv">x</a><a href="http://nas.example/films/a.mkv">x</a>
<a href="http://nas.example:8080@evil.example/films/a.mkv">x</a><a href="?C=N;O=D">Name</a><a href="a.mkv?x=1">x</a><a href="a.mkv?">x</a><a href="#top">x</a><a href="\evil.example">x</a>
<a href="http://[::1/films/a.mkv">x</a><a href=":x">x</a><a href="http://%zz/">x</a>
<!-- <a href="comment.mkv">x</a> --><script>document.write('<a href="script.mkv">x</a>')</script><img src="image.mkv"><link href="style.mkv">
<a href="good.mkv">good.mkv</a><a href="good.mkv">good.mkv</a><a href="./good.mkv#t=10">good.mkv</a><a href="GOOD.mkv">other</a>`, []files.Entry{
		{Name: `\evil.example`, Size: -1}, {Name: "good.mkv", Size: -1}, {Name: "GOOD.mkv", Size: -1},
	}},
	{"broken HTML", `<title>Index of <a href="a.mkv"</title><h1>Index of /</h1><a href="b.mkv">b <a href=c.mkv>c<td>2026-11-30 23:59 12 <tr><a href='d.mkv`, []files.Entry{
		{Name: "b.mkv", Size: -1}, {Name: "c.mkv", Size: -1},
	}},
}

func parse(t tree, folder, body string) ([]files.Entry, bool) { return t.parse(folder, []byte(body)) }

func TestParsePage(t *testing.T) {
	for _, tt := range pages {
		t.Run(tt.name, func(t *testing.T) {
			got, isIndex := parse(newTree(t), "", tt.page)
			if !isIndex || !IsIndex([]byte(tt.page), root) {
				t.Error("it is not taken for an index")
			}
			if diff := cmp.Diff(tt.want, got, anyLink); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParsePage_noIndex(t *testing.T) {
	for name, page := range map[string]string{
		"a text":       "closed",
		"a login page": `<title>Welcome</title><h1>Please sign in</h1><form></form><a href="/films/help">Help</a><a href="/films/lost/">Lost your password?</a>`,
		"a web site":   `<title>Films</title><h1>Our films</h1><p><a href="/films/about.html">about</a> <a href="/films/news/">What is new</a> <a href="?page=2">next</a>`,
		"nothing":      "",
		"a playlist":   "#EXTM3U\nhttp://nas.example/a.mkv",
		"an object":    `{"name": "a.mkv"}`,
		"other rows":   `[{"id": 1}, 2, "three"]`,
		"a number":     "42",
		"cut JSON":     `[{"name":"a.mkv","type":"file"`,
	} {
		if got, isIndex := parse(newTree(t), "", page); isIndex || IsIndex([]byte(page), root) {
			t.Errorf("%s is taken for the index of %v", name, got)
		}
	}
}

func TestParseList(t *testing.T) {
	for _, tt := range []struct {
		name, list string
		want       []files.Entry
	}{
		{"nginx", `[
{ "name":"Harbour Nine", "type":"directory", "mtime":"Tue, 01 Dec 2026 08:05:00 GMT" },
{ "name":"Über #1 100%? + (2016).mkv", "type":"file", "mtime":"Mon, 30 Nov 2026 23:59:00 GMT", "size":1503238553 }
]`, []files.Entry{
			{Name: "Harbour Nine", Folder: true, Size: -1, ModTime: day(2026, 12, 1, 8, 5)},
			{Name: "Über #1 100%? + (2016).mkv", Size: 1503238553, ModTime: day(2026, 11, 30, 23, 59)},
		}},
		{"Caddy", `[{"name":"Harbour Nine/","size":4096,"url":"./Harbour%20Nine/","mod_time":"2026-12-01T08:05:00Z","mode":2147484141,"is_dir":true,"is_symlink":false},
{"name":"100% a+b.mkv","size":7,"url":"./100%25%20a+b.mkv","mod_time":"2026-11-30T23:59:00Z","mode":420,"is_dir":false,"is_symlink":false}]`, []files.Entry{
			{Name: "Harbour Nine", Folder: true, Size: -1, ModTime: day(2026, 12, 1, 8, 5)},
			{Name: "100% a+b.mkv", Size: 7, ModTime: day(2026, 11, 30, 23, 59)},
		}},
		{"names in another character set", "[{\"name\":\"\xdcber.mkv\"},{\"name\":\"\xdcber/\xdc.mkv\"},{\"name\":\"ber\ufffd.mkv\",\"url\":\"./%DC.mkv\"}]", []files.Entry{{Name: "\xdcber.mkv", Size: -1}, {Name: "\xdc.mkv", Size: -1}}},
		{"empty", "[\n]\n", nil},
		{"empty at Caddy", "null\n", nil},
		{"rows of all kinds", `[null, 1, "x", {}, {"name":7}, {"name":null,"type":"file"}, {"name":"..","type":"directory"}, {"name":"a/b","type":"file"}, {"name":"a\u0000b","type":"file"}, {"name":"../x.mkv","type":"file"},
{"name":"x","url":"http://evil.example/films/x"}, {"name":"x","url":"../x.mkv"}, {"name":"x","url":"?x"}, {"name":"\ufffd.mkv"}, {"name":"good.mkv","size":-5}, {"name":"good.mkv","size":5}, {"name":"more.mkv","size":"5"}]`, []files.Entry{{Name: "good.mkv", Size: -1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := parse(newTree(t), "", tt.list)
			if diff := cmp.Diff(tt.want, got, anyLink); diff != "" || !ok {
				t.Error(ok, diff)
			}
		})
	}
}

// TestParsePage_large reads a page of many links, and one that hides little in much.
func TestParsePage_large(t *testing.T) {
	var b strings.Builder
	b.WriteString("<title>Index of /films/</title>")
	n := 0
	for ; b.Len() < 1<<20; n++ {
		fmt.Fprintf(&b, `<a href="Film%%20%d.mkv">Film %d.mkv</a> 30-Nov-2026 23:59 %d`+"\n", n, n, n)
	}
	got, ok := parse(newTree(t), "", b.String())
	if !ok || len(got) != n || got[n-1].Size != int64(n-1) {
		t.Errorf("got %d entries, %v, want %d", len(got), ok, n)
	}
	long := `<title>` + strings.Repeat("Index of ", 1<<16) + `</title><a href="` + strings.Repeat("a", 1<<16) + `.mkv">` + strings.Repeat("<b>x", 1<<16) + `</a><a href="good.mkv">` + strings.Repeat(" ", 1<<16)
	got, ok = parse(newTree(t), "", long)
	if want := []files.Entry{{Name: "good.mkv", Size: -1}}; !ok || !cmp.Equal(got, want) {
		t.Errorf("got %d entries, %v", len(got), ok)
	}
}

// TestLink takes a link from how a page writes it, byte by byte.
func TestLink(t *testing.T) {
	tr := newTree(t)
	if _, ok := parse(tr, "", `<title>Index of</title><a href="A%20(b)/">x</a>`); !ok {
		t.Fatal("no index")
	}
	for href, name := range map[string]string{
		"a+b.mkv": "a+b.mkv", "a%2bb.mkv": "a+b.mkv", "a%2Bb.mkv": "a+b.mkv", "%28a%29.mkv": "(a).mkv", "(a).mkv": "(a).mkv", "%c3%a4.mkv": "ä.mkv", "%E4.mkv": "\xe4.mkv",
		"a;b=c.mkv": "a;b=c.mkv", "a%3Bb.mkv": "a;b.mkv", "100%25.mkv": "100%.mkv", "a%23b%3Fc.mkv": "a#b?c.mkv", "a%7Cb.mkv": "a|b.mkv", "-rf.mkv": "-rf.mkv", "a%5Cb.mkv": `a\b.mkv`,
	} {
		got, _ := parse(tr, "A (b)", `<title>Index of</title><a href="`+href+`">x</a>`)
		if len(got) != 1 || got[0].Name != name {
			t.Errorf("%s: got %+v", href, got)
			continue
		}
		if link, want := linkTo(tr, "A (b)", got[0]), root+"A%20(b)/"+href; link != want {
			t.Errorf("got %s, want %s", link, want)
		}
	}
	if got, want := tr.Link("never seen/ä+b;c|d?.mkv"), root+"never%20seen/%C3%A4%2Bb%3Bc%7Cd%3F.mkv"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// linkTo is the link of an entry, as a site has it.
func linkTo(t tree, folder string, e files.Entry) string {
	if e.Link != "" {
		return e.Link
	}
	return t.Link(folder + "/" + e.Name)
}

func FuzzParse(f *testing.F) {
	for _, p := range pages {
		f.Add(p.page)
	}
	f.Add(`[{"name":"a","type":"directory"},{"name":"b.mkv","url":"./b.mkv","size":1}]`)
	f.Fuzz(func(t *testing.T, body string) {
		tr := newTree(t)
		entries, _ := parse(tr, "a b", body)
		seen := make(map[string]bool)
		for _, e := range entries {
			if e.Name == "" || e.Name == "." || e.Name == ".." || strings.ContainsAny(e.Name, "/\x00") || seen[e.Name] || e.Size < -1 {
				t.Errorf("an entry %+v", e)
			}
			seen[e.Name] = true
			u, err := url.Parse(linkTo(tr, "a b", e))
			if err != nil {
				t.Fatal(err)
			}
			if got := u.Path; u.Host != "nas.example:8080" || u.User != nil || got != "/films/a b/"+e.Name && !strings.HasSuffix(got, "/"+e.Name) || u.RawQuery != "" || u.Fragment != "" {
				t.Errorf("%q has the link %s", e.Name, u)
			}
		}
	})
}
