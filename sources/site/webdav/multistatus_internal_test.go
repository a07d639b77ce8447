package webdav

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

func testTree(tb testing.TB, api string) *tree {
	tb.Helper()
	t, err := newTree(sources.SiteSpec{SiteInfo: sources.SiteInfo{Type: Type}, API: api}, fetch.New(fetch.Options{}), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// listing are the entries of the folder /dav/films/ of a listing.
func listing(t *tree, body string) (entries []files.Entry, isListing bool, err error) {
	all, err := parseMultistatus([]byte(body))
	if err != nil {
		return nil, false, err
	}
	entries, isListing = t.entries("films", all)
	return entries, isListing, nil
}

var modified = time.Date(2026, 11, 30, 23, 59, 8, 0, time.UTC)

// self and a few entries in the forms of several servers.
var (
	folder = files.Entry{Name: "Harbour Nine", Folder: true, Size: -1}
	film   = files.Entry{Name: "Tin Parade.mp4", Size: 734003201, ModTime: modified}
)

var listings = []struct {
	name, body string
	want       []files.Entry
}{
	{"Apache", `<?xml version="1.0" encoding="utf-8"?>
<D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
<D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/"><D:href>/dav/films/</D:href><D:propstat><D:prop>
<lp1:resourcetype><D:collection/></lp1:resourcetype><lp1:getlastmodified>Tue, 01 Dec 2026 08:05:00 GMT</lp1:getlastmodified><lp1:getetag>"1000-6"</lp1:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
<D:propstat><D:prop><D:getcontentlength/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response>
<D:response xmlns:lp1="DAV:"><D:href>/dav/films/Harbour%20Nine/</D:href><D:propstat><D:prop><lp1:resourcetype><D:collection/></lp1:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
<D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/"><D:href>/dav/films/Tin%20Parade.mp4</D:href><D:propstat><D:prop><lp1:resourcetype/><lp1:getcontentlength>734003201</lp1:getcontentlength>
<lp1:getlastmodified>Mon, 30 Nov 2026 23:59:08 GMT</lp1:getlastmodified><lp2:executable>F</lp2:executable></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
</D:multistatus>`, []files.Entry{folder, film}},
	{"absolute addresses, the default namespace, folders without a slash", `<multistatus xmlns="DAV:">
<response><href>http://inside.example:81/dav/films</href><propstat><prop><resourcetype><collection/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response>
<response><href>http://inside.example:81/dav/films/Harbour%20Nine</href><propstat><prop><resourcetype><collection/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response>
</multistatus>`, []files.Entry{folder}},
	{"addresses that are not escaped", `<a:multistatus xmlns:a="DAV:"><a:response><a:href>/dav/films/</a:href></a:response>
<a:response><a:href>/dav/films/Harbour Nine/</a:href></a:response><a:response><a:href>/dav/films/Über #1 100% &amp; more?.mkv</a:href></a:response>
<a:response><a:href>
  /dav/films/last.mkv
</a:href></a:response></a:multistatus>`, []files.Entry{folder, {Name: "Über #1 100% & more?.mkv", Size: -1}, {Name: "last.mkv", Size: -1}}},
	{"several propstats, those that failed first and last", `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/films/Tin%20Parade.mp4</D:href>
<D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype><D:getcontentlength>1</D:getcontentlength></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
<D:propstat><D:prop><D:resourcetype/></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
<D:propstat><D:prop><D:getcontentlength>734003201</D:getcontentlength><D:getlastmodified>Mon, 30 Nov 2026 23:59:08 GMT</D:getlastmodified></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
<D:propstat><D:prop><D:getcontentlength>2</D:getcontentlength></D:prop><D:status>HTTP/1.1 403 Forbidden</D:status></D:propstat></D:response></D:multistatus>`, []files.Entry{film}},
	{"responses that failed", `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/films/</D:href></D:response><D:response><D:href>/dav/films/gone.mkv</D:href><D:status>HTTP/1.1 404 Not Found</D:status></D:response>
<D:response><D:href>/dav/films/there.mkv</D:href><D:status>HTTP/1.1 200 OK</D:status></D:response><D:response><D:status>HTTP/1.1 200 OK</D:status></D:response></D:multistatus>`, []files.Entry{{Name: "there.mkv", Size: -1}}},
	{"itself, its parent, others and duplicates", `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/films/</D:href></D:response><D:response><D:href>/dav/films</D:href></D:response><D:response><D:href>/dav/films/.</D:href></D:response>
<D:response><D:href>/dav/</D:href></D:response><D:response><D:href>/dav/films/../</D:href></D:response><D:response><D:href>/</D:href></D:response><D:response><D:href/></D:response><D:response><D:href>/dav/filmsmore/x.mkv</D:href></D:response>
<D:response><D:href>/dav/films/Harbour%20Nine/deep.mkv</D:href></D:response><D:response><D:href>/dav/films/..%2fx.mkv</D:href></D:response><D:response><D:href>/dav/films/%2e%2e/x.mkv</D:href></D:response><D:response><D:href>x.mkv</D:href></D:response>
<D:response><D:href>/dav/films/Tin%20Parade.mp4</D:href><D:propstat><D:prop><D:getcontentlength>734003201</D:getcontentlength><D:getlastmodified>Mon, 30 Nov 2026 23:59:08 GMT</D:getlastmodified></D:prop></D:propstat></D:response>
<D:response><D:href>/dav/films/Tin%20Parade.mp4</D:href></D:response></D:multistatus>`, []files.Entry{film}},
	{"sizes and dates of no use", `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/films/a.mkv</D:href><D:propstat><D:prop><D:getcontentlength>-7</D:getcontentlength><D:getlastmodified>yesterday</D:getlastmodified></D:prop><D:status>200</D:status></D:propstat></D:response>
<D:response><D:href>/dav/films/b.mkv</D:href><D:propstat><D:prop><D:getcontentlength>99999999999999999999</D:getcontentlength></D:prop></D:propstat></D:response></D:multistatus>`, []files.Entry{{Name: "a.mkv", Size: -1}, {Name: "b.mkv", Size: -1}}},
	{"other elements between", `<D:multistatus xmlns:D="DAV:"><D:responsedescription>all is <b>well</b></D:responsedescription><x xmlns="urn:x"><response><href>/dav/films/no.mkv</href></response></x>
<D:response><D:href>/dav/films/yes.mkv</D:href><D:propstat><D:prop><D:owner><D:href>/principals/me</D:href></D:owner></D:prop></D:propstat></D:response><D:sync-token>t</D:sync-token></D:multistatus>`, []files.Entry{{Name: "yes.mkv", Size: -1}}},
	{"bytes that XML forbids", "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/films/\xdcber\x01.mkv</D:href></D:response><D:response><D:href>/dav/films/good.mkv</D:href></D:response></D:multistatus>", []files.Entry{
		{Name: "\xdcber\x01.mkv", Size: -1}, {Name: "good.mkv", Size: -1},
	}},
	{"another character set", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/films/\xdcber.mkv</D:href></D:response></D:multistatus>", []files.Entry{{Name: "Über.mkv", Size: -1}}},
	{"an undeclared prefix", `<D:multistatus><D:response><D:href>/dav/films/a.mkv</D:href></D:response></D:multistatus>`, []files.Entry{{Name: "a.mkv", Size: -1}}},
	{"a doctype", `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><multistatus><response><href>/dav/films/a&e;.mkv</href></response><response><href>/dav/films/b.mkv</href></response></multistatus>`, []files.Entry{
		{Name: "a&e;.mkv", Size: -1}, {Name: "b.mkv", Size: -1},
	}},
}

func TestParseMultistatus(t *testing.T) {
	for _, tt := range listings {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, err := listing(testTree(t, "http://nas.example/dav/"), tt.body)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(files.Entry{}, "Link")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseMultistatus_bad(t *testing.T) {
	start := `<D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/films/a.mkv</D:href></D:response>`
	for name, body := range map[string]string{
		"nothing": "", "a text": "closed", "JSON": `{"a":1}`, "HTML": "<!DOCTYPE html><html><body>hello</body></html>", "another document": `<error xmlns="DAV:"/>`,
		"cut between": start, "cut within": start + "<D:response><D:hr", "many entries": start + strings.Repeat(`<D:response><D:href>/x</D:href></D:response>`, maxResponses+1),
	} {
		if all, err := parseMultistatus([]byte(body)); err == nil {
			t.Errorf("%s gives %d resources", name, len(all))
		}
	}
	for name, body := range map[string]string{
		"another folder": `<multistatus><response><href>/other/</href></response></multistatus>`,
		"no responses":   `<multistatus/>`,
	} {
		if got, ok, err := listing(testTree(t, "http://nas.example/dav/"), body); ok || err != nil {
			t.Errorf("%s is taken for the listing of the folder: %v, %v", name, got, err)
		}
	}
}

// TestStamp believes what the listing of a parent tells of a folder, for a while.
func TestStamp(t *testing.T) {
	now := modified
	tr := testTree(t, "http://nas.example/dav/")
	tr.now = func() time.Time { return now }
	props := func(s string) string {
		return "<propstat><prop><resourcetype><collection/></resourcetype>" + s + "</prop></propstat>"
	}
	list := func(s string) {
		t.Helper()
		if _, ok, err := listing(tr, `<multistatus><response><href>/dav/films/</href>`+props("<getetag>self</getetag>")+`</response><response><href>/dav/films/a%20b/</href>`+s+`</response></multistatus>`); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	stamp := func() string {
		s, err := tr.Stamp(t.Context(), "films/a b")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := stamp(); s != "" {
		t.Errorf("before any listing: %q", s)
	}
	list(props(`<getetag>"1"</getetag>`))
	first := stamp()
	list(props(`<getetag>"2"</getetag>`))
	if second := stamp(); first == "" || second == "" || first == second {
		t.Errorf("another tag: %q after %q", second, first)
	}
	list(props(`<getetag>"1"</getetag>`))
	if again := stamp(); again != first {
		t.Errorf("the first tag again: %q after %q", again, first)
	}
	list(props(`<getlastmodified>Mon, 30 Nov 2026 23:59:08 GMT</getlastmodified>`))
	if s := stamp(); s != "" {
		t.Errorf("nothing but a time: %q", s)
	}
	list(props(""))
	if s := stamp(); s != "" {
		t.Errorf("nothing told: %q", s)
	}
	list(props(`<getetag>"1"</getetag>`))
	now = now.Add(stampAge + time.Second)
	if s := stamp(); s != "" {
		t.Errorf("told long ago: %q", s)
	}
	if s, _ := tr.Stamp(t.Context(), "films"); s != "" {
		t.Errorf("the folder that was listed: %q", s)
	}
}

// TestStamp_bounds keeps no more stamps than it may, and never an old one of a folder of
// which another was told.
func TestStamp_bounds(t *testing.T) {
	now := modified
	tr := testTree(t, "http://nas.example/dav/")
	tr.now = func() time.Time { return now }
	list := func(tag string) {
		t.Helper()
		props := "<propstat><prop><resourcetype><collection/></resourcetype><getetag>" + tag + "</getetag></prop></propstat>"
		if _, ok, err := listing(tr, `<multistatus><response><href>/dav/films/a/</href>`+props+`</response><response><href>/dav/films/b/</href>`+props+`</response></multistatus>`); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	for n := range maxStamps - 1 {
		tr.stamps[fmt.Sprint(n)] = stamp{"x", now}
	}
	for _, tag := range []string{"1", "2"} {
		list(tag)
		if a, b := tr.stamps["films/a"].text, tr.stamps["films/b"].text; a != tag || b != "" || len(tr.stamps) != maxStamps {
			t.Errorf("tag %s: kept %q and %q, %d in all", tag, a, b, len(tr.stamps))
		}
	}
	now = now.Add(stampAge + time.Second)
	list("3")
	if b := tr.stamps["films/b"].text; b != "3" || len(tr.stamps) != 2 {
		t.Errorf("later: kept %q, %d in all", b, len(tr.stamps))
	}
}

func FuzzParseMultistatus(f *testing.F) {
	for _, l := range listings {
		f.Add(l.body)
	}
	f.Add("<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/dav/films/a\x7fb.mkv</D:href></D:response></D:multistatus>")
	f.Fuzz(func(t *testing.T, body string) {
		tr := testTree(t, "http://nas.example/dav/")
		entries, _, err := listing(tr, body)
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		for _, e := range entries {
			if e.Name == "" || e.Name == "." || e.Name == ".." || strings.ContainsAny(e.Name, "/\x00") || seen[e.Name] || e.Size < -1 {
				t.Errorf("an entry %+v", e)
			}
			seen[e.Name] = true
			address := e.Link
			if address == "" {
				address = tr.Link("films/" + e.Name)
			}
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			if u.Host != "nas.example" || !strings.HasSuffix(u.Path, "/"+e.Name) || u.RawQuery != "" || u.Fragment != "" {
				t.Errorf("%q has the link %s", e.Name, u)
			}
		}
	})
}

// A listing as large as one may be is read in a bounded time.
func BenchmarkParseMultistatus(b *testing.B) {
	var body strings.Builder
	body.WriteString(`<D:multistatus xmlns:D="DAV:">`)
	for n := range 10_000 {
		fmt.Fprintf(&body, `<D:response><D:href>/dav/films/Film%%20%d.mkv</D:href><D:propstat><D:prop><D:getcontentlength>%d</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`, n, n)
	}
	body.WriteString(`</D:multistatus>`)
	b.ReportAllocs()
	for b.Loop() {
		if all, err := parseMultistatus([]byte(body.String())); err != nil || len(all) != 10_000 {
			b.Fatal(len(all), err)
		}
	}
}
