package tvbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sources/site/tvbox"
	"xship/sources/text"
)

func TestParsePlaylist(t *testing.T) {
	one := func(label, url string) []tvbox.Item { return []tvbox.Item{{Label: label, Number: 1, Link: url}} }
	two := func(label1, url1, label2, url2 string) []tvbox.Group {
		return []tvbox.Group{{Name: "a", Items: []tvbox.Item{{Label: label1, Number: 1, Link: url1}, {Label: label2, Number: 2, Link: url2}}}}
	}
	tests := []struct {
		name, from, urls string
		want             []tvbox.Group
	}{
		{"groups", "a$$$b", "E1$http://h/1.m3u8$$$E1$http://h/2.m3u8", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1.m3u8")}, {Name: "b", Items: one("E1", "http://h/2.m3u8")}}},
		{"names joined with commas", "a,b", "E1$http://h/1$$$E1$http://h/2", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1")}, {Name: "b", Items: one("E1", "http://h/2")}}},
		{"more groups than names", "a", "E1$http://h/1$$$E1$http://h/2", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1")}, {Name: "line 2", Items: one("E1", "http://h/2")}}},
		{"no names", "", "E1$http://h/1", []tvbox.Group{{Name: "", Items: one("E1", "http://h/1")}}},
		{"more names than groups", "a$$$b$$$c", "E1$http://h/1", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1")}}},
		{"an empty group keeps the pairing", "a$$$b", "$$$E1$http://h/1", []tvbox.Group{{Name: "b", Items: one("E1", "http://h/1")}}},
		{"nothing", "", "", nil},
		{"separators only", "a", "#$#$$$#\r\n$", nil},
		{"line ends, empty items, duplicates", "a", "E1$http://h/1\r\nE2$http://h/2##E1$http://h/1#\n", []tvbox.Group{{Name: "a", Items: []tvbox.Item{
			{Label: "E1", Number: 1, Link: "http://h/1"}, {Label: "E2", Number: 2, Link: "http://h/2"},
		}}}},
		{"line ends in a label", "a", "E1\r\n$http://h/1\n$http://h/2", []tvbox.Group{{Name: "a", Items: []tvbox.Item{{Label: "E1", Number: 1, Link: "http://h/1"}, {Label: "", Number: 2, Link: "http://h/2"}}}}},
		{"what is no link has no place", "a", "http://h/1\nnone\nhttp://h/2#none", two("", "http://h/1", "", "http://h/2")},
		{"numbers before URLs", "a", "01#http://h/1.m3u8#02#http://h/2.m3u8", two("01", "http://h/1.m3u8", "02", "http://h/2.m3u8")},
		{"labels before URLs", "a", "第01集#http://h/1.m3u8#第02集#http://h/2.m3u8", two("第01集", "http://h/1.m3u8", "第02集", "http://h/2.m3u8")},
		{"names of files before URLs", "a", "01.mp4#http://h/1.m3u8#02.mp4#http://h/2.m3u8", two("01.mp4", "http://h/1.m3u8", "02.mp4", "http://h/2.m3u8")},
		{"a number behind the last", "a", "http://h/1.m3u8#http://h/2.m3u8#3", two("", "http://h/1.m3u8", "", "http://h/2.m3u8")},
		{"a number before a label", "a", "7#E1$http://h/1#E2$http://h/2", two("E1", "http://h/1", "E2", "http://h/2")},
		{"hash in a URL", "a", "http://h/1.m3u8#top#http://h/2.m3u8#top", two("", "http://h/1.m3u8", "", "http://h/2.m3u8")},
		{"hash in a labelled URL", "a", "E1$http://h/1.m3u8#top#E2$http://h/2.m3u8", two("E1", "http://h/1.m3u8", "E2", "http://h/2.m3u8")},
		{"relative links", "a", "E1$/x/1.m3u8#E2$2.m3u8", two("E1", "/x/1.m3u8", "E2", "2.m3u8")},
		{"relative links without labels", "a", "/x/1.m3u8#x/2.m3u8", two("", "/x/1.m3u8", "", "x/2.m3u8")},
		{"quotes around all", "a", `"E1$http://h/1#E2$http://h/2"`, two("E1", "http://h/1", "E2", "http://h/2")},
		{"single quotes around all", "'a'", " 'E1$http://h/1#E2$http://h/2' ", two("E1", "http://h/1", "E2", "http://h/2")},
		{"quotes around each", "a", `E1$"http://h/1"#E2$"http://h/2"`, two("E1", "http://h/1", "E2", "http://h/2")},
		{"quotes around each, without labels", "a", `"http://h/1"#"http://h/2"`, two("", "http://h/1", "", "http://h/2")},
		{"quotes that are part", "a", `"E1" first$http://h/1#"E2"$http://h/2`, two(`"E1" first`, "http://h/1", `"E2"`, "http://h/2")},
		{"short separator", "a$$b", "E1$http://h/1.m3u8$$E1$http://h/2.m3u8", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1.m3u8")}, {Name: "b", Items: one("E1", "http://h/2.m3u8")}}},
		{"short separator before a URL", "a$$$b", "http://h/1.m3u8$$http://h/2.m3u8", []tvbox.Group{{Name: "a", Items: one("", "http://h/1.m3u8")}, {Name: "b", Items: one("", "http://h/2.m3u8")}}},
		{"short separator among full ones", "a$$$b$$$c", "E1$http://h/1$$E1$http://h/2$$$E1$http://h/3", []tvbox.Group{
			{Name: "a", Items: one("E1", "http://h/1")}, {Name: "b", Items: one("E1", "http://h/2")}, {Name: "c", Items: one("E1", "http://h/3")},
		}},
		{"two dollars in a URL", "a", "E1$http://h/1?a=$$2/x.m3u8#E2$http://h/2", two("E1", "http://h/1?a=$$2/x.m3u8", "E2", "http://h/2")},
		{"two dollars behind a label", "a", "E1$$http://h/1", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1")}}},
		{"no labels", "a", "http://h/1.m3u8#http://h/2.m3u8", []tvbox.Group{{Name: "a", Items: []tvbox.Item{{Label: "", Number: 1, Link: "http://h/1.m3u8"}, {Label: "", Number: 2, Link: "http://h/2.m3u8"}}}}},
		{"player code", "a", "E1$http://h/1.m3u8$m3u8", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1.m3u8")}}},
		{"player code without a label", "a", "http://h/1.m3u8$m3u8", []tvbox.Group{{Name: "a", Items: one("", "http://h/1.m3u8")}}},
		{"dollar in the URL", "a", "E1$http://h/1?a=$2/x.m3u8", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1?a=$2/x.m3u8")}}},
		{"empty label", "a", "$http://h/1", []tvbox.Group{{Name: "a", Items: one("", "http://h/1")}}},
		{"label but no URL", "a", "E1$", nil},
		{"URL for a label", "a", "http://h/1$", []tvbox.Group{{Name: "a", Items: one("", "http://h/1")}}},
		{"old servers", "a", "E1$http:||h/1.m3u8|#E2$http://h/2?a=1&amp;b=2| ", []tvbox.Group{{Name: "a", Items: []tvbox.Item{
			{Label: "E1", Number: 1, Link: "http://h/1.m3u8"}, {Label: "E2", Number: 2, Link: "http://h/2?a=1&b=2"},
		}}}},
		{"headers stay", "a", "E1$http://h/1|Referer=http://r/", []tvbox.Group{{Name: "a", Items: one("E1", "http://h/1|Referer=http://r/")}}},
		{"entities by number", "a", "第1集 It&#39;s$http://h/1#第2集 &#x27;Til&#X27; &quot;Dawn&quot;$http://h/2", two("第1集 It's", "http://h/1", `第2集 'Til' "Dawn"`, "http://h/2")},
		{"entities escaped again", "a", "E1 It&amp;#39;s$http://h/1#E2 It&amp;amp;#039;s$http://h/2", two("E1 It's", "http://h/1", "E2 It's", "http://h/2")},
		{"an entity for a hash or a dollar", "a", "E&#35;1$http://h/1#&#36;9$http://h/2", two("E#1", "http://h/1", "$9", "http://h/2")},
		{"entities at the ends", "a", "&#39;E1&#39;$http://h/1#&#39;E2&#39;$http://h/2", two("'E1'", "http://h/1", "'E2'", "http://h/2")},
		{"entities without URLs behind a hash", "a", "It&#39;s E01#http://h/1#It&#39;s E02#http://h/2", two("It's E01", "http://h/1", "It's E02", "http://h/2")},
		{"entities in URLs", "a", "E1$http://h/1?a=1&#38;b=2&amp;#38;c=3#E2$http://h/it&#39;s&#x2e;m3u8", two("E1", "http://h/1?a=1&b=2&c=3", "E2", "http://h/it's.m3u8")},
		{"an ampersand before a hash", "a", "A&#E2$http://h/1#Tom&amp;#3$http://h/2#B&#$http://h/3", []tvbox.Group{{Name: "a", Items: []tvbox.Item{
			{Label: "E2", Number: 1, Link: "http://h/1"}, {Label: "3", Number: 2, Link: "http://h/2"}, {Number: 3, Link: "http://h/3"},
		}}}},
		{"a URL that ends in an ampersand", "a", "E1$http://h/1?a=1&#E2$http://h/2?a=1&", two("E1", "http://h/1?a=1&", "E2", "http://h/2?a=1&")},
		{"no character of that number", "a", "E1&#99999999;x$http://h/1#E2&#xg;$http://h/2", two("99999999;x", "http://h/1", "xg;", "http://h/2")},
		{"parameters that look like entities", "a", "E1$http://h/1?a=1&copy=2&lt=3#E2$http://h/2?x&quot=1", two("E1", "http://h/1?a=1&copy=2&lt=3", "E2", "http://h/2?x&quot=1")},
		{"entities in names of groups", "It&#39;s &amp;amp; a", "E1$http://h/1", []tvbox.Group{{Name: "It's & a", Items: one("E1", "http://h/1")}}},
		{"labels are cleaned", "\x1b[31ma", " E1\u202e &amp; more $http://h/1", []tvbox.Group{{Name: "a", Items: one("E1 & more", "http://h/1")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tvbox.ParsePlaylist(tt.from, tt.urls), cmpopts.IgnoreFields(tvbox.Group{}, "Code")); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParsePlaylistIsBounded: a short text for a group or an item is no way to fill
// the memory.
func TestParsePlaylistIsBounded(t *testing.T) {
	if got := len(tvbox.ParsePlaylist("", strings.Repeat("http://h/$$$", 2*tvbox.MaxGroups))); got != tvbox.MaxGroups {
		t.Errorf("%d groups, want %d", got, tvbox.MaxGroups)
	}
	var list strings.Builder
	for n := range 30_000 {
		fmt.Fprintf(&list, "%d$:#", n)
		if n == 15_000 {
			list.WriteString("$$$")
		}
	}
	items := 0
	for _, g := range tvbox.ParsePlaylist("", list.String()) {
		items += len(g.Items)
	}
	if items != 20_000 {
		t.Errorf("%d items, want 20000", items)
	}
}

func TestParseIDList(t *testing.T) {
	got := tvbox.ParseIDList(" qq $$$", "E1$a|b$1#E2$x&amp;y#c\r\n$$$ $id ")
	want := []tvbox.Group{
		{Code: " qq ", Name: "qq", Items: []tvbox.Item{
			{Label: "E1", Number: 1, Link: "a|b$1"}, {Label: "E2", Number: 2, Link: "x&amp;y"}, {Number: 3, Link: "c"},
		}},
		{Name: "line 2", Items: []tvbox.Item{{Number: 1, Link: "id"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

func FuzzParsePlaylist(f *testing.F) {
	f.Add("a$$$b", "E1$http://h/1.m3u8$m3u8$$$E1$http://h/2#\n$$")
	f.Add("a,b", "http:||h/1|$$$$x$y$")
	f.Add("", "\x1b[31m#$$$#")
	f.Add("&#39;", "It&#39;s$http://h/&amp;#38;#&#x27;")
	f.Fuzz(func(t *testing.T, from, list string) {
		for _, groups := range [][]tvbox.Group{tvbox.ParsePlaylist(from, list), tvbox.ParseIDList(from, list)} {
			for _, g := range groups {
				if text.Clean(g.Name) != g.Name {
					t.Errorf("unclean group %q", g.Name)
				}
				for i, it := range g.Items {
					if it.Link == "" || it.Number != i+1 || text.Clean(it.Label) != it.Label {
						t.Errorf("bad item %+v", it)
					}
				}
			}
		}
	})
}

func BenchmarkParsePlaylist(b *testing.B) {
	a, err := tvbox.Decode(request, page(1))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if groups := tvbox.ParsePlaylist(string(a.List[0].PlayFrom), a.List[0].PlayURL); len(groups) != 2 {
			b.Fatal(groups)
		}
	}
}
