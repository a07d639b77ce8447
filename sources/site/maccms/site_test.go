package maccms_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/maccms"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

func TestConformance(t *testing.T) {
	t.Run("JSON", func(t *testing.T) { conform(t, maccms.Type, (*world.Site).URL, world.SiteConfig{}) })
	t.Run("XML", func(t *testing.T) { conform(t, maccms.TypeXML, (*world.Site).XMLURL, world.SiteConfig{}) })
	t.Run("sloppy XML", func(t *testing.T) {
		conform(t, maccms.TypeXML, (*world.Site).XMLURL, world.SiteConfig{XML: world.XMLQuirks{BareAmpersands: true, From: true, LineBreaks: true}})
	})
	t.Run("JSON at an address of type 0", func(t *testing.T) {
		conform(t, maccms.TypeXML, (*world.Site).URL, world.SiteConfig{StringNumbers: true})
	})
}

func conform(t *testing.T, siteType string, address func(*world.Site) string, c world.SiteConfig) {
	sourcetest.RunSite(t, sourcetest.Harness{
		Start: func(tb testing.TB, films []world.Film) sourcetest.Instance {
			c.Films = films
			server, err := sourcetest.StartWorld(tb, world.Config{}).AddSite("site", c)
			if err != nil {
				tb.Fatal(err)
			}
			client := fetch.New(fetch.Options{MaxBody: 1 << 20})
			tb.Cleanup(client.CloseIdleConnections)
			s := spec(address(server))
			s.Type = siteType
			site, err := maccms.New(s, client)
			if err != nil {
				tb.Fatal(err)
			}
			return sourcetest.Instance{Site: site, Server: server}
		},
	})
}

func spec(api string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "k", Name: "Site", Type: maccms.Type}, API: api, Searchable: true}
}

// server answers each request with the body that handle gives, and keeps the
// queries.
type server struct {
	*httptest.Server
	queries []url.Values
	headers []http.Header
}

func serve(t *testing.T, handle func(q url.Values) string) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.queries = append(s.queries, r.URL.Query())
		s.headers = append(s.headers, r.Header)
		_, _ = fmt.Fprint(w, handle(r.URL.Query()))
	}))
	t.Cleanup(s.Close)
	return s
}

func newSite(t *testing.T, spec sources.SiteSpec) sources.Site {
	t.Helper()
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	site, err := maccms.New(spec, client)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func search(t *testing.T, site sources.Site, title sources.Title) ([]sources.Source, error) {
	t.Helper()
	var found []sources.Source
	err := site.Search(t.Context(), title, func(s sources.Source) { found = append(found, s) })
	return found, err
}

func mustSearch(t *testing.T, site sources.Site, title sources.Title) []sources.Source {
	t.Helper()
	found, err := search(t, site, title)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func urls(found []sources.Source) []string {
	all := make([]string, len(found))
	for i, s := range found {
		all[i] = s.URL
	}
	return all
}

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

func episode(name string, season, number int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: number}
}

// fields is a row of an answer.
type fields map[string]any

// answer is a body with rows; every row without a play list gets a link.
func answer(rows ...fields) string {
	for i, r := range rows {
		r["vod_id"] = i + 1
		if _, ok := r["vod_play_url"]; !ok {
			r["vod_play_url"] = fmt.Sprintf("HD$https://h.example/%d.m3u8", i+1)
		}
	}
	b, err := json.Marshal(map[string]any{"code": 1, "page": 1, "pagecount": 1, "list": rows})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestNewRefuses(t *testing.T) {
	for name, s := range map[string]sources.SiteSpec{
		"another type": {SiteInfo: sources.SiteInfo{Type: "3"}, API: "http://h/"},
		"a class":      spec("csp_Spider"),
		"a file":       spec("file:///a.json"),
		"no host":      spec("http://"),
	} {
		if _, err := maccms.New(s, nil); sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSearchRequest(t *testing.T) {
	tests := []struct {
		name  string
		query string
		ext   string
		title sources.Title
		want  url.Values
	}{
		{"plain", "", "", movie("Alpha & Beta", 0), url.Values{"ac": {"detail"}, "wd": {"Alpha & Beta"}}},
		{"ac is set, not added", "?ac=videolist&from=x&pg=3", "", movie("Alpha", 0), url.Values{"ac": {"detail"}, "wd": {"Alpha"}, "from": {"x"}}},
		{"bare question mark", "?", "", movie("电影", 0), url.Values{"ac": {"detail"}, "wd": {"电影"}}},
		{"ext", "", "a=b", movie("Alpha", 0), url.Values{"ac": {"detail"}, "wd": {"Alpha"}, "extend": {"a=b"}}},
		{"the season is taken off", "", "", episode("某剧 第二季", 2, 1), url.Values{"ac": {"detail"}, "wd": {"某剧"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, func(url.Values) string { return answer() })
			s := spec(srv.URL + "/api.php/provide/vod/" + tt.query)
			s.Ext, s.Headers = tt.ext, map[string]string{"User-Agent": "okhttp/3"}
			if found := mustSearch(t, newSite(t, s), tt.title); len(found) > 0 {
				t.Errorf("found %v in an empty answer", found)
			}
			if diff := gocmp.Diff(tt.want, srv.queries[0]); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
			if ua := srv.headers[0].Get("User-Agent"); ua != "okhttp/3" {
				t.Errorf("User-Agent %q", ua)
			}
		})
	}
}

func TestSearchTerms(t *testing.T) {
	title := movie("Rocky II", 1979)
	title.OriginalName, title.Aliases = "战狼2", []string{"ROCKY II", "Third", "Fourth"}
	tests := []struct {
		title sources.Title
		want  []string
	}{
		{title, []string{"Rocky II", "战狼2", "Third", "Rocky"}},
		{movie("战狼2", 0), []string{"战狼2", "战狼", "戰狼2"}},
		{movie("慶餘年", 0), []string{"慶餘年", "庆余年"}},
		{movie("庆余年", 0), []string{"庆余年", "慶餘年"}},
		{movie("海边的卡夫", 0), []string{"海边的卡夫", "海邊的卡夫"}},
		{movie("你好", 0), []string{"你好"}},
		{movie("Six Film (2020)", 0), []string{"Six Film"}},
		{movie("战狼2（2017）", 0), []string{"战狼2", "战狼", "戰狼2"}},
		{movie("Ocean's Ⅻ", 0), []string{"Ocean's Ⅻ", "Ocean's"}},
		{movie("Blade Runner 2049", 0), []string{"Blade Runner 2049"}},
		{movie("Se7en7", 0), []string{"Se7en7"}},
		{movie("2012", 0), []string{"2012"}},
		{movie("VI", 0), []string{"VI"}},
		// names of nothing but what comes off other names
		{episode("番外", 1, 3), []string{"番外"}},
		{episode("特别篇", 1, 3), []string{"特别篇", "特別篇"}},
		{episode("Season 2", 1, 3), []string{"Season 2", "Season"}},
		{episode("Specials", 1, 3), []string{"Specials"}},
		{episode("第二季", 1, 3), []string{"第二季"}},
		{episode("(2020)", 1, 3), []string{"(2020)"}},
		{movie("（2020）", 0), []string{"（2020）"}},
	}
	for _, tt := range tests {
		t.Run(tt.title.Name, func(t *testing.T) {
			srv := serve(t, func(url.Values) string { return answer() })
			mustSearch(t, newSite(t, spec(srv.URL)), tt.title)
			var got []string
			for _, q := range srv.queries {
				got = append(got, q.Get("wd"))
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("terms (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSearchMatches(t *testing.T) {
	const series = "第01集$https://h.example/e1.m3u8#第02集$https://h.example/e2.m3u8"
	link := func(n int) string { return fmt.Sprintf("https://h.example/%d.m3u8", n) }
	groups := func(count int) string { // each with its own second episode
		var all []string
		for n := range count {
			all = append(all, "01$https://h.example/wrong.m3u8#02$"+link(n+1))
		}
		return strings.Join(all, "$$$")
	}
	tests := []struct {
		name  string
		title sources.Title
		rows  []fields
		want  []string
	}{
		{
			"the server's idea of a match does not count", movie("Alpha", 0),
			[]fields{{"vod_name": "Beta"}, {"vod_name": "Alphabet"}, {"vod_name": "Alpha"}, {"vod_name": "Alpha 2"}},
			[]string{link(3)},
		},
		{
			"the year decides", movie("Alpha", 2021),
			[]fields{{"vod_name": "Alpha", "vod_year": 2010}, {"vod_name": "Alpha", "vod_year": "2021 "}},
			[]string{link(2)},
		},
		{
			"near only without exact", movie("Alpha", 2021),
			[]fields{{"vod_name": "Alpha", "vod_year": "2020"}, {"vod_name": "Alpha", "vod_year": "2021"}},
			[]string{link(2)},
		},
		{
			"no year, behind the right one", movie("Alpha", 2021),
			[]fields{{"vod_name": "Alpha"}, {"vod_name": "Alpha", "vod_year": "2021"}},
			[]string{link(2)},
		},
		{"no year", movie("Alpha", 2021), []fields{
			{"vod_name": "Alpha"},
			{"vod_name": "Alpha", "vod_year": ""},
			{"vod_name": "Alpha", "vod_year": "0"},
			{"vod_name": "Alpha 国语", "vod_year": "未知"},
			{"vod_name": "阿尔法", "vod_sub": "Alpha"},
			{"vod_name": "Alpha", "vod_pubdate": "1984-12-14(美国)"},
			{"vod_name": "Alpha", "vod_sub": "阿尔法 (1984)"},
			{"vod_name": "Alpha", "vod_year": 1984, "vod_pubdate": "2021"},
		}, []string{link(1), link(2), link(3), link(4), link(5)}},
		{"the date of publication for a year", movie("Alpha", 2021), []fields{
			{"vod_name": "Alpha"}, {"vod_name": "Alpha", "vod_year": "0", "vod_pubdate": "2021-09-15(法国)"},
		}, []string{link(2)}},
		{"near", movie("Alpha", 2021), []fields{{"vod_name": "Alpha", "vod_year": "2020"}}, []string{link(1)}},
		{"a twin by symbols only without the one asked for", movie("Alpha!", 0), []fields{{"vod_name": "Alpha!!"}, {"vod_name": "Alpha！"}, {"vod_name": "Alpha"}}, []string{link(2)}},
		{"twins by symbols", movie("Alpha", 0), []fields{{"vod_name": "Alpha!"}, {"vod_name": "Alpha!!"}}, []string{link(1), link(2)}},
		{"highlighted", movie("Alpha", 0), []fields{{"vod_name": "<em>Alpha</em>"}, {"vod_name": "&lt;font color='red'&gt;Al&lt;/font&gt;pha 国语"}}, []string{link(1), link(2)}},
		{"names of files and releases", movie("Alpha", 2021), []fields{
			{"vod_name": "Alpha.2021.mkv"}, {"vod_name": "Alpha.2021.1080p.WEB-DL.H264-GRP"}, {"vod_name": "Alpha.1999.1080p.WEB-DL.H264-GRP"},
		}, []string{link(1), link(2)}},
		{"near, for want of links", movie("Alpha", 2021), []fields{
			{"vod_name": "Alpha", "vod_year": "2020"}, {"vod_name": "Alpha", "vod_year": "2021", "vod_play_url": series},
		}, []string{link(1)}},
		{"other names", movie("Alpha", 0), []fields{{"vod_name": "阿尔法", "vod_sub": "Alpha"}, {"vod_name": "乙", "vod_sub": "甲 / Alpha"}}, []string{link(1), link(2)}},
		{"entities", movie("Alpha & Beta", 0), []fields{{"vod_name": "Alpha &amp; Beta "}}, []string{link(1)}},
		{"a number for a name", movie("2012", 2009), []fields{{"vod_name": 2012, "vod_year": 2009}}, []string{link(1)}},
		{"a film is no series", movie("Alpha", 0), []fields{{"vod_name": "Alpha", "vod_play_url": series}}, nil},
		{"nor its first episode", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "type_name": "国产剧", "vod_play_url": "第01集$https://h.example/e1.m3u8"},
			{"vod_name": "Alpha", "vod_remarks": "更新至01集", "vod_play_url": "第01集$https://h.example/e1.m3u8"},
		}, nil},
		{"a film called the first episode", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "type_name": "喜剧片", "vod_play_url": "第1集$https://h.example/a.m3u8$$$https://h.example/b.m3u8"},
		}, []string{"https://h.example/a.m3u8", "https://h.example/b.m3u8"}},
		{"all copies of a film", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "vod_play_url": "国语$https://h.example/a.m3u8#粤语$https://h.example/b.m3u8"},
		}, []string{"https://h.example/a.m3u8", "https://h.example/b.m3u8"}},
		{"an episode", episode("Alpha", 1, 2), []fields{{"vod_name": "Alpha", "vod_play_url": series}}, []string{"https://h.example/e2.m3u8"}},
		{"of rows that say how many there are", episode("三体", 1, 2), []fields{
			{"vod_name": "三体 全30集", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/1.m3u8"},
			{"vod_name": "三体30集全", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/2.m3u8"},
			{"vod_name": "三体 更新至12集", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/3.m3u8"},
			{"vod_name": "三体 连载中", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/4.m3u8"},
			{"vod_name": "三體 更新到第12集", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/5.m3u8"},
			{"vod_name": "电视剧《三体》", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/6.m3u8"},
			{"vod_name": "三体 第二季 更新至12集", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/7.m3u8"},
			{"vod_name": "三体前传 全30集", "vod_play_url": "第1集$https://h.example/x.m3u8#第2集$https://h.example/8.m3u8"},
		}, []string{link(1), link(2), link(3), link(4), link(5), link(6)}},
		{"of its season", episode("Alpha", 2, 2), []fields{
			{"vod_name": "Alpha", "vod_play_url": "2$https://h.example/wrong.m3u8"}, {"vod_name": "Alpha 第二季", "vod_play_url": series},
		}, []string{"https://h.example/e2.m3u8"}},
		{"of all seasons", episode("Alpha", 2, 2), []fields{
			{"vod_name": "Alpha 全三季", "vod_play_url": "第一季第2集$https://h.example/1.m3u8#第二季第2集$https://h.example/2.m3u8#第02集$https://h.example/3.m3u8"},
		}, []string{link(2)}},
		{"of all seasons, the first one", episode("Alpha", 1, 2), []fields{
			{"vod_name": "Alpha 全三季", "vod_play_url": "第02集$https://h.example/1.m3u8#S02E02$https://h.example/2.m3u8"},
		}, []string{link(1)}},
		{"a release of an episode", episode("Alpha", 2, 2), []fields{
			{"vod_name": "Alpha.S02E02.1080p.WEB-DL.H264-GRP"}, {"vod_name": "Alpha.S02E02.The.Title.mkv"}, {"vod_name": "Alpha.S01E02.1080p.WEB-DL.H264-GRP"},
		}, []string{link(1), link(2)}},
		{"rows named like episodes", episode("Alpha", 1, 2), []fields{
			{"vod_name": "Alpha 第1集"},
			{"vod_name": "Alpha 第2集"},
			{"vod_name": "Alpha [第2集]"},
			{"vod_name": "Alpha S01E02"},
			{"vod_name": "Alpha EP02 国语"},
			{"vod_name": "Alpha S02E02"},
			{"vod_name": "Alpha 第2.5集"},
			{"vod_name": "Alpha 更新至2集"},
			{"vod_name": "Alpha 第2集预告"},
			{"vod_name": "Alpha2 第2集"},
		}, []string{link(2), link(3), link(4), link(5)}},
		{"of a season", episode("Alpha", 2, 2), []fields{
			{"vod_name": "Alpha 第2集"}, {"vod_name": "Alpha 第二季 第2集"}, {"vod_name": "Alpha S02E02"}, {"vod_name": "Alpha Season 2 EP02"},
		}, []string{link(2), link(3), link(4)}},
		{"with a label that says the same, and one that does not", episode("Alpha", 1, 2), []fields{
			{"vod_name": "Alpha 第2集", "vod_play_url": "第2集$https://h.example/1.m3u8"},
			{"vod_name": "Alpha 第2集", "vod_play_url": "第1集$https://h.example/2.m3u8"},
			{"vod_name": "Alpha 第2集", "vod_play_url": "https://h.example/3.m3u8"},
			{"vod_name": "Alpha 第2集", "vod_play_url": series},
		}, []string{link(1), link(3), "https://h.example/e2.m3u8"}},
		{"labels that carry the name", episode("庆余年", 1, 12), []fields{
			{"vod_name": "庆余年", "vod_play_url": "庆余年1$https://h.example/e1.m3u8#庆余年12$https://h.example/e12.m3u8#庆余年12.mp4$https://h.example/f12.m3u8"},
		}, []string{"https://h.example/e12.m3u8", "https://h.example/f12.m3u8"}},
		{"rows of series that are named by a word for extras", episode("独家记忆", 1, 3), []fields{
			{"vod_name": "独家记忆第03集"},
			{"vod_name": "獨家記憶 第3集"},
			{"vod_name": "独家记忆 S01E03"},
			{"vod_name": "独家记忆第3集预告"},
			{"vod_name": "独家记忆花絮第3集"},
			{"vod_name": "独家记忆(花絮) 第3集"},
			{"vod_name": "【预告】独家记忆 第3集"},
			{"vod_name": "独家第3集"},
		}, []string{link(1), link(2), link(3)}},
		{"and by one that counts", episode("夏至未至", 1, 3), []fields{
			{"vod_name": "夏至未至第3集"}, {"vod_name": "夏至未至 更新至第3集"}, {"vod_name": "夏至未至", "vod_play_url": "更新至第3集$https://h.example/wrong.m3u8"},
		}, []string{link(1)}},
		{"rows of a series that is called a special", episode("番外", 1, 3), []fields{
			{"vod_name": "番外 第3集"}, {"vod_name": "番外", "vod_play_url": "番外第3集$https://h.example/2.m3u8#第3集预告$https://h.example/wrong.m3u8"},
		}, []string{link(1), link(2)}},
		{"rows of the specials of a series", episode("Alpha", 0, 3), []fields{{"vod_name": "Alpha 番外 第3集"}, {"vod_name": "Alpha 第3集"}}, []string{link(1)}},
		{"labels that carry a name with a word for extras", episode("The Cut", 1, 3), []fields{
			{"vod_name": "The Cut", "vod_play_url": "[Grp] The Cut - 03 [720p]$https://h.example/1.m3u8#The Cut - 03$https://h.example/2.m3u8#Cut 03$https://h.example/wrong.m3u8"},
			{"vod_name": "剪切", "vod_sub": "The Cut", "vod_play_url": "The.Cut.S01E03.720p$https://h.example/3.m3u8#Director's Cut S01E03$https://h.example/wrong.m3u8"},
		}, []string{link(1), link(2), link(3)}},
		{"extras are no episodes", episode("Alpha", 1, 1), []fields{
			{"vod_name": "Alpha", "type_name": "综艺", "vod_play_url": "第1期$https://h.example/1.m3u8#加更版第1期$https://h.example/2.m3u8#第1期纯享$https://h.example/3.m3u8#2024.01.01期$https://h.example/4.m3u8"},
		}, []string{link(1)}},
		{"groups named as a season or as extras", episode("Alpha", 1, 2), []fields{
			{"vod_name": "Alpha", "vod_play_from": "lzm3u8$$$第一季$$$第二季$$$S2$$$番外$$$SP$$$解说$$$下部$$$spm3u8", "vod_play_url": groups(9)},
			{"vod_name": "Alpha 第2集", "vod_play_from": "第二季$$$花絮", "vod_play_url": "第2集$https://h.example/wrong.m3u8$$$第2集$https://h.example/wrong.m3u8"},
		}, []string{link(1), link(2), link(9)}},
		{"groups of the season looked for", episode("Alpha", 2, 2), []fields{
			{"vod_name": "Alpha", "vod_play_from": "lzm3u8$$$第一季$$$第二季$$$S2$$$番外", "vod_play_url": groups(5)},
			{"vod_name": "Alpha 第二季", "vod_play_from": "第一季$$$Season 2$$$彩蛋", "vod_play_url": groups(3)},
		}, []string{link(2), link(3), link(4)}},
		{"a film among stray numbers", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "vod_play_url": "正片$https://h.example/a.m3u8#1$https://h.example/b.m3u8#2$https://h.example/c.m3u8#1080P$https://h.example/d.m3u8"},
		}, []string{"https://h.example/a.m3u8", "https://h.example/d.m3u8"}},
		{"a series with a feature", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "vod_play_url": "正片$https://h.example/a.m3u8#第1集$https://h.example/b.m3u8#第2集$https://h.example/c.m3u8"},
			{"vod_name": "Alpha", "type_name": "国产剧", "vod_play_url": "正片$https://h.example/a.m3u8#1$https://h.example/b.m3u8#2$https://h.example/c.m3u8"},
			{"vod_name": "Alpha", "vod_play_url": "正片$https://h.example/a.m3u8#01$https://h.example/b.m3u8#02$https://h.example/c.m3u8#03$https://h.example/b.m3u8#04$https://h.example/c.m3u8#05$https://h.example/c.m3u8"},
		}, nil},
		{"what was added is a better copy", movie("Alpha", 0), []fields{{"vod_name": "Alpha", "vod_remarks": "更新1080P", "vod_play_url": "第1集$https://h.example/1.m3u8"}}, []string{link(1)}},
		{"a series in the other script", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "type_name": "國產劇", "vod_play_url": "第1集$https://h.example/1.m3u8"}, {"vod_name": "Alpha", "vod_remarks": "第1話", "vod_play_url": "第1話$https://h.example/1.m3u8"},
		}, nil},
		{"an animated film", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "type_name": "动漫", "vod_play_url": "https://h.example/1.m3u8"},
			{"vod_name": "Alpha", "type_name": "动漫", "vod_play_url": "第1集$https://h.example/2.m3u8"},
			{"vod_name": "Alpha", "type_name": "动漫", "vod_remarks": "更新至1", "vod_play_url": "第1集$https://h.example/3.m3u8"},
			{"vod_name": "Alpha", "type_name": "TV动漫", "vod_play_url": "第1集$https://h.example/4.m3u8"},
		}, []string{link(1), link(2)}},
		{"parts, lines and a trailer of a film", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "vod_play_url": "CD 01$https://h.example/1.m3u8#线路01$https://h.example/2.m3u8#5.1$https://h.example/3.m3u8#预告01$https://h.example/4.m3u8"},
		}, []string{link(1), link(2), link(3), link(4)}},
		{"numbered copies of a film", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "vod_play_url": "高清01$https://h.example/1.m3u8#高清02$https://h.example/2.m3u8"},
			{"vod_name": "Alpha", "type_name": "国产剧", "vod_play_url": "高清01$https://h.example/1.m3u8#高清02$https://h.example/wrong.m3u8"},
			{"vod_name": "Alpha", "vod_play_url": "国语1$https://h.example/3.m3u8#国语2$https://h.example/4.m3u8"},
			{"vod_name": "Alpha", "vod_play_url": "HD01$https://h.example/5.m3u8#HD02$https://h.example/6.m3u8"},
			{"vod_name": "Alpha", "vod_play_url": "VIP01$https://h.example/7.m3u8#VIP02$https://h.example/8.m3u8"},
		}, []string{link(1), link(2), link(3), link(4), link(5), link(6), link(7), link(8)}},
		{"a series and its issue that is called what extras are", episode("吐槽大会", 1, 3), []fields{
			{"vod_name": "吐槽大会 第3期"}, {"vod_name": "吐槽大会", "vod_play_url": "吐槽大会第3期$https://h.example/2.m3u8#第3期吐槽$https://h.example/wrong.m3u8"},
		}, []string{link(1), link(2)}},
		{"a film named by a number", movie("300", 0), []fields{
			{"vod_name": "300", "vod_play_url": "300$https://h.example/a.m3u8"},
		}, []string{"https://h.example/a.m3u8"}},
		{"extras of a series are no film", movie("Alpha", 0), []fields{
			{"vod_name": "Alpha", "vod_play_url": "第1期纯享$https://h.example/a.m3u8#第2期纯享$https://h.example/b.m3u8"},
		}, nil},
		{"two names", movie("精锐部队", 0), []fields{{"vod_name": "精英部队/精锐部队"}, {"vod_name": "精英部队"}}, []string{link(1)}},
		{"the other script", movie("慶餘年", 0), []fields{{"vod_name": "庆余年"}, {"vod_name": "慶餘年2"}}, []string{link(1)}},
		{"a season by its number", episode("某剧", 2, 1), []fields{
			{"vod_name": "某剧2", "vod_play_url": series}, {"vod_name": "某剧3", "vod_play_url": "第01集$https://h.example/wrong.m3u8"},
		}, []string{"https://h.example/e1.m3u8"}},
		{"a season by its Roman number", episode("Alpha", 2, 1), []fields{
			{"vod_name": "Alpha", "vod_play_url": "第01集$https://h.example/wrong.m3u8"}, {"vod_name": "Alpha II", "vod_play_url": series},
		}, []string{"https://h.example/e1.m3u8"}},
		{"a season by its part and its issue", episode("某番", 2, 1), []fields{
			{"vod_name": "某番 第2期", "vod_play_url": series},
			{"vod_name": "某番 第二部", "vod_play_url": "第1集$https://h.example/2.m3u8"},
			{"vod_name": "某番 第2期", "vod_play_url": "第1集$https://h.example/3.m3u8"},
		}, []string{link(2), link(3), "https://h.example/e1.m3u8"}},
		{"the year of the row in its name", movie("三国演义", 0), []fields{{"vod_name": "三国演义1994", "vod_year": 1994}, {"vod_name": "三国演义1994", "vod_year": 2010}}, []string{link(1)}},
		{"a series of many years later", sources.Title{Kind: sources.KindEpisode, Name: "红楼梦", Year: 1987, Season: 1, Episode: 1}, []fields{
			{"vod_name": "红楼梦", "vod_year": 2010, "vod_play_url": "第1集$https://h.example/wrong.m3u8"}, {"vod_name": "红楼梦", "vod_year": 1987, "vod_play_url": series},
		}, []string{"https://h.example/e1.m3u8"}},
		{"and nothing else", sources.Title{Kind: sources.KindEpisode, Name: "红楼梦", Year: 1987, Season: 1, Episode: 1}, []fields{
			{"vod_name": "红楼梦", "vod_year": 2010, "vod_play_url": series},
		}, nil},
		{"numbers before URLs", episode("Alpha", 1, 2), []fields{
			{"vod_name": "Alpha", "vod_play_url": "01#https://h.example/1.m3u8#02#https://h.example/2.m3u8"},
		}, []string{link(2)}},
		{"a nameless episode", episode("Alpha", 1, 2), []fields{
			{"vod_name": "Alpha", "vod_play_url": "https://h.example/a.m3u8#https://h.example/b.m3u8"},
		}, []string{"https://h.example/b.m3u8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, func(url.Values) string { return answer(tt.rows...) })
			got := urls(mustSearch(t, newSite(t, spec(srv.URL)), tt.title))
			slices.Sort(got)
			if diff := gocmp.Diff(tt.want, slices.Compact(got), gocmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSearchTraditional reads what rows in traditional Chinese say of their links.
func TestSearchTraditional(t *testing.T) {
	srv := serve(t, func(url.Values) string {
		return answer(fields{"vod_name": "Alpha", "vod_lang": "國語", "vod_play_url": "正片$https://h.example/1.m3u8#預告$https://h.example/2.m3u8"})
	})
	found := mustSearch(t, newSite(t, spec(srv.URL)), movie("Alpha", 0))
	if len(found) != 2 || found[0].Language != "zh" || found[0].Trailer || !found[1].Trailer {
		t.Errorf("got %+v", found)
	}
}

// TestSearchRelativeLinks: a link that is not whole is completed, or told of.
func TestSearchRelativeLinks(t *testing.T) {
	srv := serve(t, func(url.Values) string {
		return answer(fields{"vod_name": "Alpha", "vod_play_url": "正片$/v/1.m3u8#HD$//cdn.example/2.m3u8#国语$v/3.m3u8#粤语$./4.m3u8#蓝光$abc123"})
	})
	found := mustSearch(t, newSite(t, spec(srv.URL+"/api.php/provide/vod/")), movie("Alpha", 0))
	var got []string
	for _, s := range found {
		got = append(got, strings.Replace(s.URL, srv.URL, "site:", 1)+" "+s.Unplayable)
	}
	want := []string{
		"site:/v/1.m3u8 ", "http://cdn.example/2.m3u8 ",
		"site:/v/3.m3u8 the site gives a relative link and not what it is relative to: v/3.m3u8",
		"site:/4.m3u8 the site gives a relative link and not what it is relative to: ./4.m3u8",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestSearchCategories(t *testing.T) {
	srv := serve(t, func(url.Values) string {
		return answer(fields{"vod_name": "Alpha", "type_name": "Film"}, fields{"vod_name": "Alpha", "type_name": "Clips"}, fields{"vod_name": "Alpha"})
	})
	s := spec(srv.URL)
	s.Categories = []string{"Film"}
	want := []string{"https://h.example/1.m3u8", "https://h.example/3.m3u8"}
	if diff := gocmp.Diff(want, urls(mustSearch(t, newSite(t, s), movie("Alpha", 0)))); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// TestSearchTwoSteps asks a server that sends links only when asked for ids.
func TestSearchTwoSteps(t *testing.T) {
	srv := serve(t, func(q url.Values) string {
		if q.Get("ids") != "" {
			return answer(fields{"vod_name": "Alpha", "vod_year": "2021"}, fields{"vod_name": "Alpha", "vod_year": "1999"})
		}
		var rows []fields
		for range 30 {
			rows = append(rows, fields{"vod_name": "Alpha", "vod_play_url": ""}, fields{"vod_name": "Beta", "vod_play_url": nil})
		}
		return answer(rows...)
	})
	got := urls(mustSearch(t, newSite(t, spec(srv.URL+"?ac=list")), movie("Alpha", 2021)))
	if diff := gocmp.Diff([]string{"https://h.example/1.m3u8"}, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	want := url.Values{"ac": {"detail"}, "ids": {"1,3,5,7,9,11,13,15,17,19"}}
	if len(srv.queries) != 2 || !gocmp.Equal(want, srv.queries[1]) {
		t.Errorf("queries %v, want %v last of 2", srv.queries, want)
	}
}

func TestSearchPages(t *testing.T) {
	page := func(count any, name string) string {
		b, _ := json.Marshal(map[string]any{"code": 1, "pagecount": count, "list": []fields{{"vod_name": name, "vod_play_url": "https://h.example/a.mp4"}}})
		return string(b)
	}
	tests := []struct {
		name  string
		pages []string
		want  int // requests
	}{
		{"found on the first", []string{page(9, "Alpha")}, 1},
		{"found on the second", []string{page("9", "Beta"), page(9, "Alpha")}, 2},
		{"no more than three", []string{page(9, "Beta"), page(9, "Beta"), page(9, "Beta"), page(9, "Alpha")}, 3},
		{"as many as there are", []string{page(2, "Beta"), page(2, "Beta"), page(2, "Alpha")}, 2},
		{"no count", []string{page(nil, "Beta"), page(nil, "Alpha")}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			srv := serve(t, func(q url.Values) string {
				n++
				if pg := q.Get("pg"); n > 1 && pg != fmt.Sprint(n) || n == 1 && pg != "" {
					t.Errorf("request %d asks for page %q", n, pg)
				}
				return tt.pages[n-1]
			})
			mustSearch(t, newSite(t, spec(srv.URL)), movie("Alpha", 0))
			if n != tt.want {
				t.Errorf("%d requests, want %d", n, tt.want)
			}
		})
	}
}

func TestSearchSource(t *testing.T) {
	const ua = "okhttp/3"
	tests := []struct {
		name    string
		title   sources.Title
		row     fields
		playURL string
		want    []sources.Source
	}{
		{
			"film", movie("影片名", 0),
			fields{"vod_name": "影片名", "vod_remarks": "正片", "vod_lang": "英语", "vod_play_from": "hnm3u8", "vod_play_url": "HD国语$https://h.example/a.m3u8"},
			"",
			[]sources.Source{{Name: "影片名 HD国语 正片 · hnm3u8", Label: "HD国语 正片", URL: "https://h.example/a.m3u8"}},
		},
		{
			"language of the film", movie("影片名", 0),
			fields{"vod_name": "影片名", "vod_remarks": "HD", "vod_lang": "英语", "vod_play_url": "HD$https://h.example/a.m3u8"},
			"",
			[]sources.Source{{Name: "影片名 HD", Label: "HD", URL: "https://h.example/a.m3u8", Language: "en"}},
		},
		{
			"episode", episode("某剧", 1, 1),
			fields{"vod_name": "某剧", "vod_remarks": "更新至12集", "vod_play_from": "a$$$b", "vod_play_url": "第01集$https://h.example/a.m3u8$$$https://h.example/b.m3u8"},
			"",
			[]sources.Source{
				{Name: "某剧 第01集 · a", Label: "第01集", URL: "https://h.example/a.m3u8"},
				{Name: "某剧 01 · b", URL: "https://h.example/b.m3u8"},
			},
		},
		{
			"trailer", movie("Alpha", 0),
			fields{"vod_name": "Alpha", "vod_play_url": "预告片$https://h.example/t.mp4"},
			"",
			[]sources.Source{{Name: "Alpha 预告片", Label: "预告片", URL: "https://h.example/t.mp4", Trailer: true}},
		},
		{
			"trailer by its category", movie("Alpha", 0),
			fields{"vod_name": "Alpha", "type_name": "先行版", "vod_play_url": "HD$https://h.example/t.mp4"},
			"",
			[]sources.Source{{Name: "Alpha HD", Label: "HD", URL: "https://h.example/t.mp4", Trailer: true}},
		},
		{
			"pages", movie("Alpha", 0),
			fields{"vod_name": "Alpha", "vod_play_from": "xxyun$$$xxm3u8$$$qq", "vod_play_url": strings.Join([]string{
				"HD$https://h.example/share/abc", "HD$https://h.example/abc/index.m3u8", "HD$https://v.qq.com/x/cover/a.html",
			}, "$$$")},
			"",
			[]sources.Source{
				{
					Name: "Alpha HD · xxyun", Label: "HD", URL: "https://h.example/share/abc", Priority: sources.PriorityLast,
					Unplayable: "needs a parser: it is a share page",
				},
				{Name: "Alpha HD · xxm3u8", Label: "HD", URL: "https://h.example/abc/index.m3u8"},
				{Name: "Alpha HD · qq", Label: "HD", URL: "https://v.qq.com/x/cover/a.html", Priority: sources.PriorityLast, Unplayable: "needs a parser: it is a web page"},
			},
		},
		{
			"no links, and links without a scheme", movie("Alpha", 0),
			fields{"vod_name": "Alpha", "vod_play_url": "HD$暂无资源#HD$XMTAwMA==#HD$//h.example/a.mp4"},
			"",
			[]sources.Source{{Name: "Alpha HD", Label: "HD", URL: "http://h.example/a.mp4"}},
		},
		{
			"prefix", movie("Alpha", 0),
			fields{"vod_name": "Alpha", "vod_play_url": "HD$https://h.example/a"},
			"https://p.example/play/",
			[]sources.Source{{Name: "Alpha HD", Label: "HD", URL: "https://p.example/play/https://h.example/a"}},
		},
		{
			"prefix of a parser", movie("Alpha", 0),
			fields{"vod_name": "Alpha", "vod_play_url": "HD$https://h.example/a"},
			"https://p.example/?url=",
			[]sources.Source{{
				Name: "Alpha HD", Label: "HD", URL: "https://p.example/?url=https://h.example/a", Priority: sources.PriorityLast,
				Unplayable: "needs a parser: it holds another link",
			}},
		},
		{
			"named parser", movie("Alpha", 0),
			fields{"vod_name": "Alpha", "vod_play_url": "HD$https://h.example/a.m3u8"},
			"json:https://p.example/",
			[]sources.Source{{
				Name: "Alpha HD", Label: "HD", URL: "https://h.example/a.m3u8", Priority: sources.PriorityLast,
				Unplayable: "needs a parser: the interface plays this site through one",
			}},
		},
		{
			"escape sequences", movie("Alpha", 0),
			fields{"vod_name": "\x1b[31mAlpha", "vod_play_from": "m\x07", "vod_play_url": "HD\u202e$https://h.example/a.m3u8\x1b[0m"},
			"",
			[]sources.Source{{Name: "Alpha HD · m", Label: "HD", URL: "https://h.example/a.m3u8"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, func(url.Values) string { return answer(tt.row) })
			s := spec(srv.URL)
			s.PlayURL, s.Headers = tt.playURL, map[string]string{"user-agent": ua, "Authorization": "secret"}
			for i := range tt.want {
				tt.want[i].Headers = map[string]string{"user-agent": ua}
			}
			if diff := gocmp.Diff(tt.want, mustSearch(t, newSite(t, s), tt.title)); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSearchBoundsSources(t *testing.T) {
	var items []string
	for i := range 1100 {
		items = append(items, fmt.Sprintf("HD$https://h.example/%d.m3u8", i))
	}
	srv := serve(t, func(url.Values) string {
		return answer(fields{"vod_name": "Alpha", "vod_play_url": strings.Join(items, "#")})
	})
	if n := len(mustSearch(t, newSite(t, spec(srv.URL)), movie("Alpha", 0))); n != 1000 {
		t.Errorf("%d sources, want 1000", n)
	}
}

// TestSearchAnswers tells an empty answer from a broken one.
func TestSearchAnswers(t *testing.T) {
	tests := []struct {
		name, body string
		found      int
		err        string // end of the message, "" = none
	}{
		{"empty list", `{"code":1,"list":[]}`, 0, ""},
		{"null list", `{"code":1,"list":null}`, 0, ""},
		{"object for a list", `{"code":1,"list":{}}`, 0, ""},
		{"no list", `{"code":1,"msg":"数据列表","total":"0"}`, 0, ""},
		{"no code", `{"list":[]}`, 0, ""},
		{"numbers as strings", `{"code":"1","pagecount":"1","list":[{"vod_id":"1","vod_name":"Alpha","vod_play_url":"https://h/a.mp4"}]}`, 1, ""},
		{"one row is broken", `{"code":1,"list":["x",null,{"vod_id":{},"vod_name":[],"vod_play_url":7},{"vod_name":"Alpha","vod_year":null,"vod_play_url":"https://h/a.mp4"}]}`, 1, ""},
		{"numbered rows", `{"code":1,"list":{"0":{"vod_name":"Alpha","vod_play_url":"https://h/a.mp4"},"1":3}}`, 1, ""},
		{"byte order mark", "\ufeff" + `{"code":1,"list":[{"vod_name":"Alpha","vod_play_url":"https://h/a.mp4"}]}`, 1, ""},
		{"rows despite a code", `{"code":0,"msg":"ok","list":[{"vod_name":"Alpha","vod_play_url":"https://h/a.mp4"}]}`, 1, ""},

		{"closed", "closed", 0, "the answer is not a JSON object: closed"},
		{"sentence", "当前站点未授权", 0, "the answer is not a JSON object: 当前站点未授权"},
		{"page", "<html><head><title>Just a moment...</title>", 0, `the answer is not a JSON object: HTML page "Just a moment..."`},
		{"nothing", " \n", 0, "the answer is empty"},
		{"cut short", `{"code":1,"list":[{"vod_name"`, 0, `the answer is not valid JSON: {"code":1,"list":[{"vod_name"`},
		{"something else", `{"status":"up"}`, 0, `the answer has neither a code nor a list: {"status":"up"}`},
		{"code and message", `{"code":1001,"msg":"no \u001b[31mpermission","list":[]}`, 0, "reports an error: no permission"},
		{"error", `{"error":"boom"}`, 0, "reports an error: boom"},
		{"array", `[]`, 0, "the answer is not a JSON object: []"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, func(url.Values) string { return tt.body })
			found, err := search(t, newSite(t, spec(srv.URL)), movie("Alpha", 0))
			if len(found) != tt.found {
				t.Errorf("%d sources, want %d", len(found), tt.found)
			}
			if tt.err == "" {
				if err != nil {
					t.Errorf("unexpected error %v", err)
				}
				return
			}
			if sources.ClassOf(err) != sources.ClassHosterFault || !strings.HasSuffix(cmp.Or(err, fmt.Errorf("none")).Error(), tt.err) {
				t.Errorf("got %s %v, want ... %q", sources.ClassOf(err), err, tt.err)
			}
		})
	}
}

// TestSearchXML asks sites of type 0.
func TestSearchXML(t *testing.T) {
	rss := func(rows string) string {
		return `<?xml version="1.0" encoding="utf-8"?><rss version="5.1"><list page="1" pagecount="1">` + rows + `</list></rss>`
	}
	const whole = `<video><id>7</id><name>Alpha</name><year>2021</year><note>HD</note><dl><dd flag="qq">HD$https://v.example.com/x/y.html</dd>` +
		"<dd from=\"m3u8\"><![CDATA[HD$https://h.example/a.m3u8?x=1&y=2\r\nTC$https://h.example/b.m3u8]]></dd></dl></video>"
	tests := []struct {
		name, api string
		handle    func(q url.Values) string
		queries   []url.Values
	}{
		{
			"one ac, and an empty home", "/api.php/provide/vod/at/xml/?ac=list&key=a%2Bb",
			func(q url.Values) string {
				if q.Get("wd") == "" {
					return rss("")
				}
				return rss(whole)
			},
			[]url.Values{{"ac": {"videolist"}, "wd": {"Alpha"}, "key": {"a+b"}}},
		},
		{
			"links by id alone", "/inc/api.php",
			func(q url.Values) string {
				if q.Get("ids") == "" {
					return rss(`<video><id>6</id><name>Beta</name><dt>qq</dt></video><video><id>7</id><name>Alpha</name><dt>qq,m3u8</dt></video>`)
				}
				return rss(whole)
			},
			[]url.Values{{"ac": {"videolist"}, "wd": {"Alpha"}}, {"ac": {"videolist"}, "ids": {"7"}}},
		},
	}
	want := []sources.Source{
		{
			Name: "Alpha HD · qq", Label: "HD", URL: "https://v.example.com/x/y.html", Priority: sources.PriorityLast,
			Unplayable: "needs a parser: it is a web page",
		},
		{Name: "Alpha HD · m3u8", Label: "HD", URL: "https://h.example/a.m3u8?x=1&y=2"},
		{Name: "Alpha TC HD · m3u8", Label: "TC HD", URL: "https://h.example/b.m3u8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, tt.handle)
			s := spec(srv.URL + tt.api)
			s.Type = maccms.TypeXML
			if diff := gocmp.Diff(want, mustSearch(t, newSite(t, s), movie("Alpha", 2021))); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(tt.queries, srv.queries); diff != "" {
				t.Errorf("queries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSearchRefused takes a refusal for what it is: a server that knows only
// its own words for ac, and one that answers by status.
func TestSearchRefused(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ac := r.URL.Query()["ac"]; len(ac) != 1 || !slices.Contains([]string{"list", "detail", "videolist"}, ac[0]) {
			t.Errorf("ac is %q", ac)
		}
		http.Error(w, "not for you", http.StatusForbidden)
	}))
	t.Cleanup(srv.Close)
	for _, siteType := range []string{maccms.Type, maccms.TypeXML} {
		s := spec(srv.URL + "?ac=vod")
		s.Type = siteType
		found, err := search(t, newSite(t, s), movie("Alpha", 0))
		if len(found) > 0 || sources.ClassOf(err) != sources.ClassHosterFault || !strings.HasSuffix(err.Error(), "403 Forbidden: not for you") {
			t.Errorf("type %s: %d sources, %v", siteType, len(found), err)
		}
	}
}

// TestSearchLongExt posts what is too long for a query.
func TestSearchLongExt(t *testing.T) {
	ext := strings.Repeat("x", 1001)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.PostFormValue("extend") != ext || r.PostFormValue("wd") != "Alpha" || r.PostFormValue("ac") != "detail" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.PostForm)
		}
		_, _ = fmt.Fprint(w, answer(fields{"vod_name": "Alpha"}))
	}))
	t.Cleanup(srv.Close)
	s := spec(srv.URL)
	s.Ext = ext
	if found := mustSearch(t, newSite(t, s), movie("Alpha", 0)); len(found) != 1 {
		t.Errorf("%d sources, want 1", len(found))
	}
}
