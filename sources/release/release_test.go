package release_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/release"
	"xship/sources/text"
)

// summary is an Info in one line: what is set, in a fixed order.
func summary(i release.Info) string {
	var parts []string
	add := func(key string, value any, ok bool) {
		if ok {
			parts = append(parts, fmt.Sprintf("%s=%v", key, value))
		}
	}
	add("alt", i.AltTitle, i.AltTitle != "")
	add("year", i.Year, i.Year != 0)
	if i.HasEpisode {
		parts = append(parts, fmt.Sprintf("ep=%d/%d-%d", i.Episodes.Season, i.Episodes.First, i.Episodes.Last))
	} else {
		add("season", i.Episodes.Season, i.Episodes.Season >= 0)
	}
	add("q", i.Quality, i.Quality != "")
	add("lang", strings.Join(i.Languages, ","), len(i.Languages) > 0)
	add("labels", strings.Join(i.Labels(), ","), len(i.Labels()) > 0)
	add("trailer", true, i.Trailer)
	add("group", i.Group, i.Group != "")
	return i.Title + "|" + strings.Join(parts, " ")
}

func TestParse(t *testing.T) {
	tests := []struct{ name, want string }{
		// Titles and years.
		{"", "|"},
		{"Quiet.Harbour.2008.1080p.BluRay.x264-GRP", "Quiet Harbour|year=2008 q=1080p labels=BluRay,H264 group=GRP"},
		{"Quiet Harbour (2008) 720p WEB-DL H.264 AAC2.0.mkv", "Quiet Harbour|year=2008 q=720p labels=WEB-DL,H264,AAC,2.0"},
		{"Quiet Harbour", "Quiet Harbour|"},
		{"Quiet Harbour (2008)", "Quiet Harbour|year=2008"},
		{"2001.A.Space.Odyssey.1968.2160p", "2001 A Space Odyssey|year=1968 q=4K"},
		{"1917.2019.1080p", "1917|year=2019 q=1080p"},
		{"2012 (2009)", "2012|year=2009"},
		{"2012", "2012|"},
		{"Blade Runner 2049 (2017)", "Blade Runner 2049|year=2017"},
		{"Blade.Runner.2049.2017.2160p", "Blade Runner 2049|year=2017 q=4K"},
		{"Blade.Runner.2049.2160p", "Blade Runner 2049|q=4K"},
		{"Harbour 2000 (1999) [720p]", "Harbour 2000|year=1999 q=720p"},
		{"Mr. Harbour goes out 2010 DVDRip XviD", "Mr. Harbour goes out|year=2010 q=SD labels=DVDRip,XviD"},
		{"[REC].2.2009.1080p", "[REC] 2|year=2009 q=1080p"},
		{"Daily.News.2024.05.31.720p.WEB", "Daily News|q=720p labels=WEB-DL"},

		// Words of titles are no tags.
		{"Camp.Rock.mkv", "Camp Rock|"},
		{"Camelot", "Camelot|"},
		{"Cam", "Cam|"},
		{"Web.of.Lies.2009", "Web of Lies|year=2009"},
		{"Web of Lies", "Web of Lies|"},
		{"Das.Sub.2009.720p", "Das Sub|year=2009 q=720p"},
		{"Johnny.English.2003.1080p", "Johnny English|year=2003 q=1080p"},
		{"Johnny.English.1080p", "Johnny English|q=1080p"},
		{"The.Italian.Job.2003.German.1080p", "The Italian Job|year=2003 q=1080p lang=de"},
		{"The.French.1080p", "The French|q=1080p"},
		{"Opus", "Opus|"},
		{"SPY CAM", "SPY CAM|"},
		{"Trailer Park Story", "Trailer Park Story|"},
		{"The Trailer (2019)", "The Trailer|year=2019"},
		{"2.0.2018.1080p", "2 0|year=2018 q=1080p"},

		// Episodes.
		{"Show.Name.S01E02.720p.HDTV.x264-GRP", "Show Name|ep=1/2-2 q=720p labels=HDTV,H264 group=GRP"},
		{"Show Name 1x02", "Show Name|ep=1/2-2"},
		{"Show.S01E01-E03.1080p", "Show|ep=1/1-3 q=1080p"},
		{"Show.S01E01E02.1080p", "Show|ep=1/1-2 q=1080p"},
		{"Show.E01-E46.1080p", "Show|ep=-1/1-46 q=1080p"},
		{"Show.2019.S01E02.German.DL.1080p", "Show|year=2019 ep=1/2-2 q=1080p lang=de,multi labels=Multi"},
		{"Show.S01E02.The.English.Garden.1080p.WEB", "Show|ep=1/2-2 q=1080p labels=WEB-DL"},
		{"Show.S01E02.Am.Hafen.German.720p.WEB", "Show|ep=1/2-2 q=720p lang=de labels=WEB-DL"},
		{"Show.S02.COMPLETE.German.1080p", "Show|season=2 q=1080p lang=de"},
		{"Show.S2014E05.720p", "Show|year=2014 ep=2014/5-5 q=720p"},
		{"Show.S2014.720p", "Show|year=2014 season=2014 q=720p"},
		{"某剧第01集.1080P", "某剧|ep=-1/1-1 q=1080p"},
		{"某剧.第12话.HD国语", "某剧|ep=-1/12-12 q=720p lang=zh"},
		{"[Group] Show Name - 01 [1080p]", "Show Name|ep=-1/1-1 q=1080p group=Group"},
		{"[Group] Show Name - 1001v2 (720p).mkv", "Show Name|ep=-1/1001-1001 q=720p group=Group"},
		{"[Group] Show Name - 1080 [1080p]", "Show Name - 1080|q=1080p group=Group"},

		// Quality.
		{"Quiet.Harbour.2008.UHD.BluRay.1080p", "Quiet Harbour|year=2008 q=1080p labels=BluRay"},
		{"Quiet.Harbour.2008.4K", "Quiet Harbour|year=2008 q=4K"},
		{"Quiet.Harbour.2008.1440p", "Quiet Harbour|year=2008 q=1440p"},
		{"Quiet.Harbour.2008.1080i", "Quiet Harbour|year=2008 q=1080p"},
		{"Quiet.Harbour.2008.1920x804", "Quiet Harbour|year=2008 q=1080p"},
		{"Quiet.Harbour.2008.480p", "Quiet Harbour|year=2008 q=SD"},
		{"Quiet Harbour HD", "Quiet Harbour|q=720p"},
		{"quiet_harbour_512kb", "quiet harbour|q=SD"},
		{"Quiet.Harbour.2008.CAM", "Quiet Harbour|year=2008 q=SD labels=CAM"},
		{"Quiet.Harbour.2008.HDTS", "Quiet Harbour|year=2008 q=SD labels=TS"},
		{"Quiet.Harbour.2008.720p.CAM", "Quiet Harbour|year=2008 q=720p labels=CAM"},
		{"Quiet.Harbour.2008.BluRay", "Quiet Harbour|year=2008 labels=BluRay"},
		{"1080P", "|q=1080p"},
		{"HD", "|q=720p"},
		{"4K", "|q=4K"},
		{"TC", "|q=SD labels=TC"},
		{"超清", "|q=720p"},
		{"蓝光", "|q=1080p"},
		{"标清", "|q=SD"},
		{"正片", "|"},

		// Picture and sound.
		{"Quiet.Harbour.2008.2160p.UHD.BluRay.REMUX.HDR10.DV.HEVC.TrueHD.7.1.Atmos-GRP", "Quiet Harbour|year=2008 q=4K labels=REMUX,HEVC,DV,HDR10,TrueHD,Atmos,7.1 group=GRP"},
		{"Quiet.Harbour.2008.2160p.WEB-DL.DDP5.1.Atmos.HDR10+.H.265", "Quiet Harbour|year=2008 q=4K labels=WEB-DL,HEVC,HDR10+,EAC3,Atmos,5.1"},
		{"Quiet.Harbour.2008.1080p.Dolby.Vision.HDR", "Quiet Harbour|year=2008 q=1080p labels=DV,HDR"},
		{"Quiet.Harbour.2008.1080p.10bit.AV1.Opus", "Quiet Harbour|year=2008 q=1080p labels=AV1,10bit,Opus"},
		{"Quiet.Harbour.2008.1080p.Hi10P.FLAC.2.0", "Quiet Harbour|year=2008 q=1080p labels=10bit,FLAC,2.0"},
		{"Quiet.Harbour.2008.1080p.HLG.VP9", "Quiet Harbour|year=2008 q=1080p labels=VP9,HLG"},
		{"Quiet.Harbour.2008.1080p.DTS-HD.MA.5.1.AVC", "Quiet Harbour|year=2008 q=1080p labels=H264,DTS-HD MA,5.1"},
		{"Quiet.Harbour.2008.1080p.DTS.x264", "Quiet Harbour|year=2008 q=1080p labels=H264,DTS"},
		{"Quiet.Harbour.2008.DD+5.1.1080p", "Quiet Harbour|year=2008 q=1080p labels=EAC3,5.1"},
		{"Quiet.Harbour.2008.BDRip.XviD.AC3", "Quiet Harbour|year=2008 labels=BDRip,XviD,AC3"},
		{"Quiet.Harbour.2008.3D.Extended.1080p", "Quiet Harbour|year=2008 q=1080p labels=3D,Extended"},
		{"Quiet.Harbour.2008.1080p.1080p.x264.x264", "Quiet Harbour|year=2008 q=1080p labels=H264"},

		// Languages.
		{"Quiet.Harbour.2008.German.DL.1080p.BluRay.x264", "Quiet Harbour|year=2008 q=1080p lang=de,multi labels=BluRay,H264,Multi"},
		{"Quiet.Harbour.2008.GERMAN.SUBBED.720p", "Quiet Harbour|year=2008 q=720p labels=Subs de"},
		{"Quiet.Harbour.2008.MULTi.1080p", "Quiet Harbour|year=2008 q=1080p lang=multi"},
		{"Quiet.Harbour.2008.MULTi.VFF.1080p", "Quiet Harbour|year=2008 q=1080p lang=multi,fr labels=Multi"},
		{"Quiet.Harbour.2008.TRUEFRENCH.1080p", "Quiet Harbour|year=2008 q=1080p lang=fr"},
		{"Quiet.Harbour.2008.VOSTFR.1080p", "Quiet Harbour|year=2008 q=1080p labels=Subs fr"},
		{"Quiet.Harbour.2008.iTA.ENG.1080p", "Quiet Harbour|year=2008 q=1080p lang=it,en"},
		{"Quiet.Harbour.2008.ITA.ENG.SUB.ITA.1080p", "Quiet Harbour|year=2008 q=1080p lang=it,en labels=Subs it"},
		{"Quiet.Harbour.2008.Castellano.1080p", "Quiet Harbour|year=2008 q=1080p lang=es"},
		{"Quiet.Harbour.GERMAN.1080p", "Quiet Harbour|q=1080p lang=de"},
		{"Quiet Harbour (German)", "Quiet Harbour|lang=de"},
		{"German", "German|"},
		{"静港 HD国语", "静港|q=720p lang=zh"},
		{"HD国语", "|q=720p lang=zh"},
		{"HD中字", "|q=720p labels=Subs zh"},
		{"粤语", "|lang=zh labels=Cantonese"},
		{"国英双语", "|lang=multi"},
		{"英语中字", "|lang=en labels=Subs zh"},
		{"英语老师", "英语老师|"},
		{"中文字幕", "|labels=Subs zh"},
		{"静港2.The.Quiet.Harbour.II.2023.HD1080P.国语中字", "静港2|alt=The Quiet Harbour II year=2023 q=1080p lang=zh labels=Subs zh"},
		{"The Quiet Harbour 静港 2019", "The Quiet Harbour|alt=静港 year=2019"},
		{"【4K】静港.2019", "静港|year=2019 q=4K"},

		// A word of a source that a number makes a name of.
		{"Quiet Harbour 2026 1080p [TC-87]", "Quiet Harbour|year=2026 q=1080p"},
		{"Quiet Harbour 2026 1080p [TS 02]", "Quiet Harbour|year=2026 q=1080p"},
		{"Quiet Harbour 2026 [DVD-9]", "Quiet Harbour|year=2026 q=SD labels=DVD"},
		{"Quiet Harbour 2026 [BD-50]", "Quiet Harbour|year=2026 labels=BluRay"},
		{"Quiet Harbour 2026 [BD 1080]", "Quiet Harbour|year=2026 labels=BluRay"},
		{"Quiet Harbour 2026 [TC]", "Quiet Harbour|year=2026 q=SD labels=TC"},

		// Brackets.
		{"[Group] Show Name - 01 [BD][1080p]", "Show Name|ep=-1/1-1 q=1080p labels=BluRay group=Group"},
		{"[Group][BD][1080p] Show Name - 01", "Show Name|ep=-1/1-1 q=1080p labels=BluRay group=Group"},
		{"[Group] Show [Other] - 01 [German]", "Show|ep=-1/1-1 lang=de group=Group"},
		{"[Group] Show [With a Subtitle] - 01", "Show [With a Subtitle]|ep=-1/1-1 group=Group"},
		{"Show (TBS 1280x720 x264) - 01", "Show|ep=-1/1-1 q=720p labels=H264"},
		{"[www.site.example] - Quiet.Harbour.2008.720p", "Quiet Harbour|year=2008 q=720p group=www.site.example"},

		// Trailers.
		{"Quiet Harbour Trailer", "Quiet Harbour|trailer=true"},
		{"Quiet Harbour - Official Trailer 2", "Quiet Harbour|trailer=true"},
		{"quiet-harbour-trailer.mp4", "quiet-harbour|trailer=true"},
		{"Quiet.Harbour.2008.Trailer.1080p", "Quiet Harbour|year=2008 q=1080p trailer=true"},
		{"Quiet.Harbour.Teaser.1080p", "Quiet Harbour|q=1080p trailer=true"},
		{"Trailer: Quiet Harbour", "Quiet Harbour|trailer=true"},
		{"Trailer", "|trailer=true"},
		{"Trailer 2", "|trailer=true"},
		{"TRAILER", "|trailer=true"},
		{"Quiet Harbour (Trailer)", "Quiet Harbour|trailer=true"},
		{"预告片", "|trailer=true"},
		{"静港预告片", "静港预告片|trailer=true"},
		{"静港 先行版", "静港|trailer=true"},
		{"预告犯", "预告犯|"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := summary(release.Parse(tt.name)); got != tt.want {
				t.Errorf("Parse(%q)\n got %s\nwant %s", tt.name, got, tt.want)
			}
		})
	}
}

// The qualities that add-ons of this kind get wrong: 4K in another case, heights
// compared with widths.
func TestQualityOfLabels(t *testing.T) {
	for label, want := range map[string]sources.Quality{
		"4K": sources.Quality4K, "4k": sources.Quality4K, "2160p": sources.Quality4K, "UHD": sources.Quality4K,
		"1440p": sources.Quality1440p, "1080p": sources.Quality1080p, "1080P": sources.Quality1080p, "HD1080P": sources.Quality1080p,
		"720p": sources.Quality720p, "HD": sources.Quality720p, "hd": sources.Quality720p, "480p": sources.QualitySD, "SD": sources.QualitySD,
	} {
		if got := release.Parse(label).Quality; got != want {
			t.Errorf("quality of %q is %q, want %q", label, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"Harbour.2008.1080p", ""},
		{"Harbour.2008.German.1080p", "de"},
		{"Harbour.2008.German.DL.1080p", "de"},
		{"Harbour.2008.MULTi.1080p", "multi"},
		{"Harbour.2008.GER.ENG.1080p", "multi"},
		{"Harbour.2008.GERMAN.SUBBED.1080p", ""},
	} {
		if got := release.Parse(tt.name).Language(); got != tt.want {
			t.Errorf("language of %q is %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	tests := []struct {
		name     string
		in, want sources.Source
	}{
		{
			"from the name",
			sources.Source{Name: "静港 HD国语", URL: "http://h/1080p.m3u8"},
			sources.Source{Quality: sources.Quality720p, Language: "zh"},
		},
		{
			"from the file",
			sources.Source{Name: "Quiet Harbour", URL: "http://h/x/Quiet%20Harbour%202008%201080p%20HEVC.mkv?t=720p"},
			sources.Source{Quality: sources.Quality1080p, Info: []string{"HEVC"}},
		},
		{
			"each where it stands",
			sources.Source{Name: "Quiet Harbour (German)", URL: "http://h/quiet_harbour_720p.mp4"},
			sources.Source{Quality: sources.Quality720p, Language: "de"},
		},
		{
			"what is set stays",
			sources.Source{Name: "Harbour.2008.German.1080p.x264", URL: "http://h/a", Quality: sources.Quality4K, Language: "en", Info: []string{"HDR"}},
			sources.Source{Quality: sources.Quality4K, Language: "en", Info: []string{"HDR"}},
		},
		{
			"trailer by the file",
			sources.Source{Name: "Quiet Harbour", URL: "http://h/quiet-harbour-trailer.mp4"},
			sources.Source{Trailer: true},
		},
		{
			"no words of titles",
			sources.Source{Name: "Camp Rock", URL: "http://h/camp.rock.mkv"},
			sources.Source{},
		},
		{
			"a title that is repeated",
			sources.Source{Name: "Cam (2018): Cam.mkv", URL: "http://h/1"},
			sources.Source{},
		},
		{
			"a title that is repeated before tags",
			sources.Source{Name: "German Harbour (2018) · German Harbour 720p", URL: "http://h/1"},
			sources.Source{Quality: sources.Quality720p},
		},
		{
			"a tag that is like the title",
			sources.Source{Name: "Cam (2018) CAM x264", URL: "http://h/1"},
			sources.Source{Quality: sources.QualitySD, Info: []string{"CAM", "H264"}},
		},
		{
			"a title within a word",
			sources.Source{Name: "Ger (2018) Gert German", URL: "http://h/1"},
			sources.Source{Language: "de"},
		},
		{
			"no file name",
			sources.Source{Name: "Quiet Harbour", URL: "http://h/720p/"},
			sources.Source{},
		},
		{
			"no URL",
			sources.Source{Name: "Quiet Harbour", URL: "http://%zz/720p.mkv"},
			sources.Source{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.in
			release.Describe(&got)
			tt.want.Name, tt.want.URL = tt.in.Name, tt.in.URL
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Describe (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"Quiet.Harbour.2008.1080p.BluRay.x264-GRP", "静港2.The.II.2023.HD1080P.国语中字", "[Group] Show - 01v2 [1080p].mkv",
		"Show.S01E01-E03.German.DL", "Show 1x02.1x03", "S01E01+02", "Show_-_07.5_[1A2B3C4D]", "[Grp][静港][Show][01-12 END]", "a/Season 1/02 - b.mkv", "Cap.102_104", "2 сезон 24 серия", "2of4 #01",
		"S01E02.X.720p", "Show 05 Mar 2008", "(((2008)))", "[", "-", "5.1", "Trailer 2", "2008.05.31", "S01E01", "\xff.1080p", "【4K】", "E\xcc\x81 HD",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		info := release.Parse(s)
		if info.Title != text.Clean(info.Title) {
			t.Errorf("Parse(%q) has the title %q, which is not clean", s, info.Title)
		}
		if utf8.ValidString(s) && !utf8.ValidString(info.Group) {
			t.Errorf("Parse(%q) has the group %q", s, info.Group)
		}
		if info.HasEpisode && (info.Episodes.First < 0 || info.Episodes.Last < info.Episodes.First) {
			t.Errorf("Parse(%q) has the episodes %+v", s, info.Episodes)
		}
		checkWhole(t, s, info)
		if diff := cmp.Diff(info, release.Parse(s)); diff != "" {
			t.Errorf("Parse(%q) read again (-first +second):\n%s", s, diff)
		}
		source := sources.Source{Name: s, URL: s}
		release.Describe(&source)
	})
}

func BenchmarkParse(b *testing.B) {
	const name = "Quiet.Harbour.II.2008.German.DL.2160p.UHD.BluRay.DTS-HD.MA.5.1.HDR10.x265-GRP"
	b.Run("name", func(b *testing.B) { benchmarkParse(b, name) })
	b.Run("han", func(b *testing.B) { benchmarkParse(b, "静港2.The.Quiet.Harbour.II.2023.HD1080P.国语中字") })
	for _, n := range []int{100, 1000, 10000} {
		for _, part := range []string{"Word.", "German.", "E1-", "[HD]", "2008.", "国语", "S01", "x 5.1 ", "Season 2 ", "01 ", "[Grp"} {
			b.Run(fmt.Sprintf("%s/%d", strings.Trim(part, "."), n), func(b *testing.B) {
				benchmarkParse(b, strings.Repeat(part, n/len(part)))
			})
		}
	}
}

func benchmarkParse(b *testing.B, name string) {
	b.ReportAllocs()
	for b.Loop() {
		release.Parse(name)
	}
}

// A label stands alone, without a title before it: the commonest ones are a
// single word.
func TestDescribe_label(t *testing.T) {
	for label, want := range map[string]struct {
		quality  sources.Quality
		language string
	}{
		"HD":          {sources.Quality720p, ""},
		"SD":          {sources.QualitySD, ""},
		"2K":          {sources.Quality1440p, ""},
		"CAM":         {sources.QualitySD, ""},
		"German":      {sources.QualityUnknown, "de"},
		"German 720p": {sources.Quality720p, "de"},
		"Deutsch DL":  {sources.QualityUnknown, "de"},
		"HD中字":        {sources.Quality720p, ""},
		"国语":          {sources.QualityUnknown, "zh"},
		"第01集":        {sources.QualityUnknown, ""},
		"720p/German": {sources.Quality720p, "de"},
		"HD\\国语":      {sources.Quality720p, "zh"},
		"1":           {sources.QualityUnknown, ""},
	} {
		s := sources.Source{Name: "Camp Rock " + label, Label: label, URL: "http://h.example/a"}
		release.Describe(&s)
		if s.Quality != want.quality || s.Language != want.language {
			t.Errorf("label %q: quality %q, language %q, want %q, %q", label, s.Quality, s.Language, want.quality, want.language)
		}
	}
}
