package match_test

import (
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

const (
	none  = match.None
	near  = match.Near
	exact = match.Exact
)

func TestMatchTitleMovie(t *testing.T) {
	film := func(name string, year int, aliases ...string) sources.Title {
		return sources.Title{Kind: sources.KindMovie, Name: name, Year: year, Aliases: aliases}
	}
	tests := []struct {
		name      string
		title     sources.Title
		candidate string
		year      int
		want      match.Fit
	}{
		{"same", film("Sintel", 2010), "Sintel", 2010, exact},
		{"spelling", film("Fast & Furious", 2009), "FAST AND FURIOUS", 2009, exact},
		{"entity", film("Fast & Furious", 2009), "Fast &amp; Furious", 2009, exact},
		{"alias", film("The Wandering Earth", 2019, "流浪地球"), "流浪地球", 2019, exact},
		{"name and alias in a row", film("The Wandering Earth", 2019, "流浪地球"), "流浪地球 The Wandering Earth", 2019, exact},
		{"server's idea of a match", film("Alpha", 2018), "Alphabet", 2018, none},

		{"year before", film("The Boy", 2016), "The Boy", 2015, near},
		{"year after", film("The Boy", 2016), "The Boy", 2017, near},
		{"other film of the name", film("The Boy", 2016), "The Boy", 1935, none},
		{"no year there", film("The Boy", 2016), "The Boy", 0, near},
		{"no year there, junk", film("Dune", 2021), "Dune 国语", 0, near},
		{"no year there, restored", film("花样年华", 2000), "花样年华 修复版", 0, near},
		{"no year there, number name", film("1917", 2019), "1917", 0, near},
		{"no year there, sequel", film("Dune", 2021), "Dune 2", 0, none},
		{"no year asked for", film("The Boy", 0), "The Boy", 1935, exact},
		{"no year at all", film("The Boy", 0), "The Boy", 0, exact},
		{"year in brackets", film("The Boy", 2016), "The Boy (2016)", 0, exact},
		{"year in wide brackets", film("影片", 2016), "影片（2016）", 0, exact},
		{"year in brackets wins", film("The Boy", 2016), "The Boy (1935)", 2016, none},
		{"year in brackets off by one", film("The Boy", 2016), "The Boy [2015]", 0, near},
		{"bare year", film("The Boy", 2016), "The Boy 2016", 0, exact},
		{"bare year, other year known", film("The Boy", 2016), "The Boy 2016", 1935, none},
		{"bare year of another", film("The Boy", 2016), "The Boy 1935", 0, none},
		{"year, then junk", film("影片名", 2008), "影片名 (2008) HD国语", 0, exact},

		{"year in the title", film("Six Film (2020)", 0), "Six Film", 2020, exact},
		{"year in the title and there", film("Six Film (2020)", 0), "Six Film (2020)", 0, exact},
		{"year in the title, another there", film("Six Film (2020)", 0), "Six Film", 1935, none},
		{"year in the title, another in brackets", film("Six Film (2020)", 0), "Six Film (1935)", 0, none},
		{"year in the title, none there", film("Six Film (2020)", 0), "Six Film", 0, near},
		{"year in the title, off by one", film("Six Film （2020）", 0), "Six Film", 2021, near},
		{"year in the title, another asked for", film("Six Film (2020)", 2019), "Six Film", 2019, exact},
		{"year alone", film("(2020)", 0), "2020", 0, exact},

		{"year behind a full stop", film("君の名は。", 2016), "君の名は。2016", 0, exact},
		{"year behind a full stop, that of the row", film("君の名は。", 0), "君の名は。2016", 2016, exact},
		{"kind before it", film("君の名は。", 0), "【映画】君の名は。", 0, exact},
		{"kind before it, another", film("某片", 0), "【电视剧】某片", 0, none},
		{"kind before quotes", film("哪吒之魔童降世", 0), "电影《哪吒之魔童降世》", 0, exact},
		{"kind behind quotes", film("哪吒之魔童降世", 0), "《哪吒之魔童降世》電影", 0, exact},
		{"words about quotes", film("哪吒之魔童降世", 0), "解说《哪吒之魔童降世》", 0, none},
		{"kind behind a dash", film("哪吒之魔童降世", 2019), "哪吒之魔童降世-电影", 2019, exact},
		{"kind behind a dash, another year", film("哪吒之魔童降世", 2019), "哪吒之魔童降世-电影", 2009, none},
		{"plus", film("Tom & Jerry", 0), "Tom + Jerry", 0, exact},
		{"plus that is a twin's", film("Kiniro Mosaic", 0), "Kiniro Mosaic+", 0, near},
		{"dash that is a twin's", film("C", 0), "C-", 0, near},
		{"dash that is its own", film("C-", 0), "C-", 0, exact},
		{"dash that ends nothing", film("Film", 0), "Film -", 0, exact},
		{"numbers parted in another way", film("9-1-1", 0), "9/11", 0, none},
		{"numbers parted by other signs", film("9-1-1", 0), "9.1.1", 0, exact},
		{"numbers parted or not", film("9-1-1", 0), "911", 0, exact},
		{"thousands", film("20,000 Leagues", 0), "20000 Leagues", 0, exact},
		{"count of a series", film("三体", 0), "三体 全30集", 0, none},
		{"number name", film("2012", 2009), "2012", 2009, exact},
		{"number name with year", film("2012", 2009), "2012 (2009)", 0, exact},
		{"number name with bare year", film("1917", 2019), "1917 2019", 0, exact},
		{"number name is no year", film("2012", 2009), "2012", 2012, none},
		{"number in the name", film("Blade Runner 2049", 2017), "Blade Runner 2049", 2017, exact},
		{"number in the name with year", film("Blade Runner 2049", 2017), "Blade Runner 2049 (2017)", 0, exact},
		{"number is no year of the first", film("Blade Runner", 1982), "Blade Runner 2049", 0, none},
		{"nor where no year was asked for", film("Blade Runner", 0), "Blade Runner 2049", 0, none},
		{"sequel named by a year", film("Wonder Woman", 2017), "Wonder Woman 1984", 2020, none},
		{"sequel named by its own year, or a film with its year", film("Fantasia", 0), "Fantasia 2000", 2000, near},

		{"junk", film("影片名", 0), "影片名 HD国语", 0, exact},
		{"junk without a space", film("影片名", 0), "影片名国语版", 0, exact},
		{"junk in brackets", film("影片名", 0), "影片名[蓝光]", 0, exact},
		{"heights", film("Movie", 0), "Movie 1080p HEVC", 0, exact},
		{"junk is the name", film("HD", 0), "HD", 0, exact},
		{"language is the name", film("疯狂", 0), "疯狂英语", 0, none},
		{"other film, other word", film("Johnny", 0), "Johnny English", 0, none},
		{"3D sequel, or a film in 3D", film("Step Up", 0), "Step Up 3D", 0, near},
		{"3D sequel of another year", film("Step Up", 2006), "Step Up 3D", 2010, none},
		{"in 3D", film("Avatar", 2009), "Avatar 3D", 2009, exact},
		{"in 3D, Chinese", film("阿凡达", 2009), "阿凡达3D", 2009, exact},
		{"in 3D, no year asked for", film("阿凡达", 0), "阿凡达3D版 国语", 2009, near},
		{"3D is the name", film("Step Up 3D", 0), "Step Up 3D", 0, exact},
		{"in IMAX", film("影片", 2009), "影片IMAX", 2009, exact},
		{"director's cut", film("Some Film", 1999), "Some Film - Director's Cut", 1999, exact},
		{"director's cut, no year asked for", film("Some Film", 0), "Some Film Director's Cut", 1999, near},
		{"cut of a word", film("Some", 0), "Some Unextended Cut", 0, none},
		{"special edition", film("影片", 0), "影片终极版", 0, near},
		{"special edition, traditional", film("影片", 0), "影片終極版", 0, near},
		{"version of quality", film("影片", 0), "影片4K版", 0, exact},
		{"version of quality, of a disc", film("影片", 0), "影片 BD版", 0, exact},
		{"version of a series", film("庆余年", 0), "庆余年TV版", 0, none},
		{"other cut", film("某片", 0), "某片 剧场版", 0, none},
		{"junk in parts", film("Movie", 0), "Movie Blu-ray H.264 DTS-HD MA", 0, exact},
		{"junk in parts, one of them junk", film("Half Full", 0), "Half Full HD", 0, exact},
		{"no junk in parts", film("Movie", 0), "Movie 8 1 bit", 0, none},
		{"part of a word", film("Movie", 0), "Movie Éhd", 0, none},
		{"size of the picture", film("Movie", 0), "Movie 1920x804 360p", 0, exact},
		{"two languages", film("影片名", 0), "影片名中英双语", 0, exact},
		{"long junk", film("影片名", 0), "影片名汉语普通话版", 0, exact},
		{"language behind junk", film("疯狂", 0), "疯狂 HD英语", 0, exact},
		{"language apart", film("疯狂", 0), "疯狂 意大利语", 0, exact},
		{"other language is the name", film("疯狂", 0), "疯狂意大利语", 0, none},
		{"season in Italian is no movie", film("Movie", 0), "Movie (Stagione 2)", 0, none},
		{"trailer", film("Movie", 0), "Movie (Trailer)", 0, none},
		{"recap", film("某片", 0), "某片(解说)", 0, none},

		{"sequel", film("Iron Man", 0), "Iron Man 2", 0, none},
		{"Roman sequel", film("Iron Man", 0), "Iron Man II", 0, none},
		{"sequel as part", film("Iron Man", 0), "Iron Man Part 2", 0, none},
		{"sequel in brackets", film("Iron Man", 0), "Iron Man (2)", 0, none},
		{"part in brackets", film("Kill Bill", 0), "Kill Bill (Vol. 2)", 0, none},
		{"Chinese sequel", film("流浪地球", 2019), "流浪地球2", 2019, none},
		{"first of a sequel", film("流浪地球2", 0), "流浪地球", 0, none},
		{"season is no movie", film("某剧", 0), "某剧 第二季", 0, none},
		{"season in brackets is no movie", film("某剧", 0), "某剧（第二季）", 0, none},
		{"numerals", film("Rocky II", 1979), "Rocky 2", 1979, exact},
		{"numerals the other way", film("rocky 2", 1979), "Rocky II", 1979, exact},
		{"subtitle", film("Alien", 0), "Alien: Covenant", 0, none},
		{"no subtitle", film("Alien: Covenant", 0), "Alien", 0, none},
		{"subtitle without the colon", film("Alien: Covenant", 0), "Alien Covenant", 0, exact},
		{"article", film("The Ring", 0), "Ring", 0, none},
		{"article behind", film("The Matrix", 1999), "Matrix, The (1999)", 0, exact},
		{"article behind in the title", film("Matrix, The", 1999), "The Matrix", 1999, exact},
		{"traditional", film("慶餘年", 0), "庆余年", 0, exact},
		{"simplified", film("庆余年", 0), "慶餘年", 0, exact},
		{"traditional, decorated", film("鬼灭之刃", 2020), "鬼滅之刃 (2020) HD國語", 0, exact},
		{"traditional sequel", film("庆余年", 0), "慶餘年2", 0, none},

		{"own year", film("三国演义", 0), "三国演义1994", 1994, exact},
		{"own year behind a space", film("西游记", 0), "西游记 1986", 1986, exact},
		{"own year as a version", film("红楼梦", 0), "红楼梦1987版", 1987, exact},
		{"own year as a version, long", film("红楼梦", 0), "红楼梦1987年版", 1987, exact},
		{"own year cut short", film("红楼梦", 0), "红楼梦87版", 1987, exact},
		{"own year in front", film("红楼梦", 0), "87版红楼梦", 1987, exact},
		{"own year in front, whole", film("红楼梦", 1987), "1987年版红楼梦", 1987, exact},
		{"year in front of another", film("红楼梦", 0), "87版红楼梦", 2010, none},
		{"own year as asked", film("红楼梦", 1987), "红楼梦1987版", 1987, exact},
		{"own year of another", film("红楼梦", 2010), "红楼梦1987版", 1987, none},
		{"year that is not its own", film("三国演义", 0), "三国演义1994", 2010, none},
		{"year of which nothing is known", film("三国演义", 0), "三国演义1994", 0, near},
		{"own year behind a Latin name", film("Dark", 0), "Dark 2017", 2017, near},
		{"own year behind a Latin name, as asked", film("Dark", 2017), "Dark 2017", 2017, exact},
		{"a year behind a Latin name that is not its own", film("Blade Runner", 0), "Blade Runner 2049", 2017, none},

		{"symbols", film("工作细胞", 0), "工作细胞！！", 0, near},
		{"no symbols", film("工作细胞!!", 0), "工作细胞", 0, near},
		{"fewer symbols", film("NEW GAME!!", 0), "NEW GAME!", 0, near},
		{"the same symbols", film("NEW GAME!!", 0), "New Game！！", 0, exact},
		{"the same symbols, decorated", film("NEW GAME!!", 0), "NEW GAME!! 1080p", 0, exact},
		{"other symbols", film("五等分の花嫁∽", 0), "五等分の花嫁∬", 0, near},
		{"a spacing accent", film("DOG DAYS", 0), "DOG DAYS´", 0, near},
		{"a spacing mark", film("銀魂", 0), "銀魂゜", 0, near},
		{"an apostrophe at the end", film("银魂", 0), "银魂'", 0, near},
		{"an apostrophe within", film("Ocean's Eleven", 0), "Oceans Eleven", 0, exact},
		{"a sign of multiplication", film("HUNTER×HUNTER", 0), "Hunter × Hunter", 0, exact},
		{"waves", film("零之使魔～雙月的騎士～", 0), "零之使魔 双月的骑士", 0, exact},
		{"signs around", film("Film", 0), "~Film~", 0, exact},
		{"quotes around", film("Film", 0), "'Film'", 0, exact},
		{"a dot at the end", film("银魂", 0), "银魂.", 0, near},
		{"a dot at the end, asked for", film("银魂.", 0), "銀魂.", 0, exact},
		{"a dot behind a Latin name", film("Monsters, Inc.", 0), "Monsters, Inc", 0, exact},
		{"a colon at the end", film("ニセコイ", 0), "ニセコイ：", 0, near},
		{"a comma at the end", film("摇曳百合", 0), "摇曳百合、", 0, near},
		{"a stop at the end", film("我的妹妹", 0), "我的妹妹。", 0, near},
		{"crosses at the end", film("狂赌之渊", 0), "狂赌之渊 ××", 0, near},
		{"a hash at the end", film("小魔女", 0), "小魔女#", 0, near},
		{"a hash at the start", film("Alive", 0), "#Alive", 0, near},
		{"two apostrophes at the end", film("DOG DAYS'", 0), "DOG DAYS''", 0, near},
		{"a degree", film("Gintama", 0), "Gintama°", 0, near},
		{"without its symbols", film("K-ON", 0), "K-ON!", 0, near},
		{"a plus in a bracket", film("影片", 0), "影片 [HDR10+]", 0, exact},
		{"signs that tell nothing", film("Mission: Impossible", 0), "Mission - Impossible", 0, exact},

		{"bracket of another work", film("海贼王", 0), "海贼王(真人版)", 0, none},
		{"bracket of another work, traditional", film("海贼王", 0), "海賊王（動畫版）", 0, none},
		{"bracket of another route", film("Fate/stay night", 0), "Fate/stay night [Unlimited Blade Works]", 0, none},
		{"bracket of another route, asked for", film("Fate/stay night [Unlimited Blade Works]", 0), "Fate/stay night [Unlimited Blade Works]", 0, exact},
		{"bracket of another route, as words", film("Fate/stay night: Unlimited Blade Works", 0), "Fate/stay night [Unlimited Blade Works]", 0, exact},
		{"plain title of another route", film("Fate/stay night [Unlimited Blade Works]", 0), "Fate/stay night", 0, none},
		{"bracket of another part", film("アークナイツ【黎明前奏/PRELUDE TO DAWN】", 0), "アークナイツ【焔燼曙明/RISE FROM EMBER】", 0, none},
		{"bracket that nobody knows", film("大人的防具店", 0), "大人的防具店（里面）", 0, near},
		{"bracket of language in Chinese", film("影片", 0), "影片[国语中字]", 0, exact},
		{"bracket of a country in Chinese", film("影片", 0), "影片（美国）", 0, exact},
		{"bracket of quality", film("Movie", 0), "Movie [1080p BluRay x265]", 0, exact},
		{"bracket of language", film("Movie", 0), "Movie (English Dub)", 0, exact},
		{"bracket of a source", film("Movie", 0), "Movie [Blu-ray]", 0, exact},
		{"bracket of a platform", film("Movie", 0), "Movie (Netflix)", 0, near},
		{"bracket of actors", film("影片", 0), "影片 (Live Action)", 0, none},
		{"bracket of a cut", film("Movie", 0), "Movie (Director's Cut)", 0, exact},
		{"bracket of a country", film("Movie", 0), "Movie (US)", 0, near},
		{"bracket of the original name", film("影片", 0, "The Film"), "影片 (The Film)", 0, exact},
		{"bracket of a name not known", film("影片", 0), "影片 (Wandering Earth)", 0, near},
		{"bracket in Chinese", film("The Film", 0), "The Film (影片)", 0, exact},
		{"bracket of what it is", film("Movie", 0), "Movie (film)", 0, exact},
		{"bracket of a series", film("Movie", 0), "Movie (TV series)", 0, none},

		{"restored", film("影片", 0), "影片修复版", 0, exact},
		{"restored in 4K", film("影片", 0), "影片4K修复版", 0, exact},
		{"original sound", film("影片", 0), "影片原声版", 0, exact},
		{"of a station", film("影片", 0), "影片卫视版", 0, exact},
		{"director's cut", film("影片", 0), "影片导演剪辑版", 0, exact},
		{"shorter cut", film("影片", 0), "影片精剪版", 0, exact},
		{"language right behind", film("影片", 0), "影片日语", 0, exact},
		{"English right behind", film("影片", 0), "影片英语", 0, exact},
		{"English version", film("影片", 0), "影片英语版", 0, exact},
		{"another version", film("影片", 0), "影片真人版", 0, none},

		{"file", film("The Matrix", 1999), "The.Matrix.1999.mkv", 0, exact},
		{"file, no year asked for", film("The Matrix", 0), "The.Matrix.1999.mkv", 0, near},
		{"file of another year", film("The Matrix", 1999), "The.Matrix.2021.mkv", 0, none},
		{"file without a year", film("The Matrix", 0), "The Matrix.mkv", 0, exact},
		{"file with a year in brackets", film("The Matrix", 1999), "The Matrix (1999).mp4", 0, exact},
		{"file with a number in the name", film("Blade Runner", 1982), "Blade.Runner.2049.mkv", 0, none},
		{"file in Chinese", film("流浪地球", 2019), "流浪地球.2019.mp4", 0, exact},
		{"release", film("The Matrix", 1999), "The.Matrix.1999.1080p.BluRay.x264-GRP", 0, exact},
		{"release, no year asked for", film("The Matrix", 0), "The.Matrix.1999.1080p.BluRay.x264-GRP", 0, exact},
		{"release with words before the tags", film("The Matrix", 1999), "The.Matrix.1999.GERMAN.DL.WEB-DL.H.264-GRP.mkv", 0, exact},
		{"release without a year", film("The Matrix", 0), "The.Matrix.GERMAN.DL.1080p.BluRay.x264-GRP", 0, exact},
		{"release with a language for a name", film("Johnny", 0), "Johnny.English.1080p.BluRay.x264-GRP", 0, none},
		{"release with its group first", film("The Matrix", 1999), "[Group] The Matrix (1999) [BD 1080p][AAC].mkv", 0, exact},
		{"release of extras", film("The Matrix", 1999), "The.Matrix.1999.1080p.BluRay.EXTRAS.x264-GRP", 0, none},
		{"release of a trailer", film("The Matrix", 1999), "The.Matrix.1999.1080p.WEB-DL.Trailer", 0, none},
		{"words behind a tag", film("Film", 0), "Film Blu-ray Box Special", 0, none},
		{"words behind a tag, of a file", film("Film", 0), "Film 1080p Another Story.mkv", 0, none},
		{"another work in a bracket behind tags", film("Film", 0), "Film [1080p] [Part 2]", 0, none},
		{"release in brackets", film("流浪地球", 2019), "【字幕组】流浪地球.2019.1080p.mp4", 0, exact},
		{"release in many brackets", film("The Matrix", 1999), "The Matrix (1999) [1080p] [BluRay] [5.1] [GRP.XY]", 0, exact},
		{"release with underscores", film("The Matrix", 1999), "The_Matrix_1999_720p_BluRay", 0, exact},
		{"release with spaces", film("The Matrix", 1999), "The Matrix 1999 1080p x264-GRP", 0, exact},
		{"release with a number in the name", film("Blade Runner 2049", 2017), "Blade.Runner.2049.2017.2160p.UHD.BluRay.x265-GRP", 0, exact},
		{"release of another with a number", film("Blade Runner", 2017), "Blade.Runner.2049.2017.2160p.UHD.BluRay.x265-GRP", 0, none},
		{"release of another year", film("The Matrix", 1999), "The.Matrix.2021.1080p.BluRay.x264-GRP", 0, none},
		{"release in Chinese", film("流浪地球", 2019), "流浪地球.2019.2160p.WEB-DL.H265-GRP", 0, exact},
		{"release of a sequel", film("Iron Man", 0), "Iron.Man.2.2010.1080p.BluRay.x264-GRP", 0, none},
		{"release of a series", film("Show", 0), "Show.S01.1080p.BluRay.x264-GRP", 0, none},
		{"hyphen in the name", film("Spider", 0), "Spider-Man", 0, none},

		{"highlighted", film("庆余年", 0), "<em>庆余年</em>", 0, exact},
		{"highlighted, escaped", film("庆余年", 0), "&lt;font color=red&gt;庆余&lt;/font&gt;年", 0, exact},
		{"what looks like a tag", film("IS <Infinite Stratos>", 0), "IS Infinite Stratos", 0, exact},

		{"Japanese forms", film("里见八犬传", 0), "裏見八犬伝", 0, exact},
		{"Japanese forms asked for", film("裏見八犬伝", 0), "里见八犬传", 0, exact},
		{"a name that stays", film("乾隆王朝", 0), "干隆王朝", 0, none},

		{"nothing", film("Movie", 0), "", 0, none},
		{"only punctuation", film("Movie", 0), "…", 0, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := match.Candidate{Names: []string{tt.candidate}, Year: tt.year}
			if got := fitOf(t, tt.title, c); got != tt.want {
				t.Errorf("Title(%v, %q, %d) = %d, want %d", tt.title, tt.candidate, tt.year, got, tt.want)
			}
		})
	}
}

// Every word of the table is dropped from the end of a name, at the places where it
// is a tag; no other one is.
func TestMatchTitleTags(t *testing.T) {
	title := sources.Title{Kind: sources.KindMovie, Name: "影片"}
	fit := func(name string) match.Fit { return fitOf(t, title, match.Candidate{Names: []string{name}}) }
	for word, tags := range text.TagWords() {
		apart, glued := none, none
		if tags[0].EndsNames() {
			apart, glued = exact, exact
		}
		if tags[0].Place == text.Apart {
			glued = none
		}
		if tags[0].Kind == text.TagEdition && tags[0].Place == text.AmongTags {
			apart, glued = near, near // sequels are called so
		}
		for name, want := range map[string]match.Fit{
			"影片 " + word: apart, "影片." + strings.ToUpper(word): apart, "影片 HD" + word: apart,
			"影片" + word: glued,
		} {
			if (word[0] < 0x80 || word == "版") && strings.HasPrefix(name, "影片 HD") {
				continue
			}
			if got := fit(name); got != want {
				t.Errorf("%q fits %d, want %d", name, got, want)
			}
		}
		if word[0] >= 0x80 && tags[0].EndsNames() && fit("影片 "+word+"版") != exact {
			t.Errorf("%q with 版 behind it is no tag", word)
		}
	}
}

func TestMatchTitleIMDb(t *testing.T) {
	title := sources.Title{Kind: sources.KindMovie, Name: "Sintel", Year: 2010, IMDb: "tt1727587"}
	episode := sources.Title{Kind: sources.KindEpisode, Name: "Show", IMDb: "tt0000777", Season: 1, Episode: 1}
	tests := []struct {
		name      string
		title     sources.Title
		candidate match.Candidate
		want      match.Fit
	}{
		{"equal, another name", title, match.Candidate{Names: []string{"Durian"}, IMDb: "tt1727587"}, exact},
		{"equal, no year", title, match.Candidate{Names: []string{"Sintel"}, IMDb: "TT01727587 "}, exact},
		{"different, same name", title, match.Candidate{Names: []string{"Sintel"}, Year: 2010, IMDb: "tt1727588"}, none},
		{"none", title, match.Candidate{Names: []string{"Sintel"}, Year: 2010}, exact},
		{"no id", title, match.Candidate{Names: []string{"Sintel"}, Year: 2010, IMDb: "0"}, exact},
		{"equal, of a series", episode, match.Candidate{Names: []string{"Serie"}, IMDb: "tt0000777"}, exact},
		{"equal, another season", episode, match.Candidate{Names: []string{"Serie Staffel 2"}, IMDb: "tt0000777"}, none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fitOf(t, tt.title, tt.candidate); got != tt.want {
				t.Errorf("MatchTitle = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestMatchTitleBestName(t *testing.T) {
	title := sources.Title{Kind: sources.KindMovie, Name: "Sintel", Year: 2010}
	c := match.Candidate{Names: []string{"", "Durian", "Sintel (2011)", "Sintel"}, Year: 2010}
	if got := fitOf(t, title, c); got != exact {
		t.Errorf("MatchTitle = %d, want that of the best name, %d", got, exact)
	}
}

func TestMatchTitleEpisode(t *testing.T) {
	show := func(name string, year, season int) sources.Title {
		return sources.Title{Kind: sources.KindEpisode, Name: name, Year: year, Season: season, Episode: 1}
	}
	tests := []struct {
		name      string
		title     sources.Title
		candidate string
		year      int
		want      match.Fit
	}{
		{"series", show("Show", 0, 2), "Show", 0, exact},
		{"its season", show("Show", 0, 2), "Show Season 2", 0, exact},
		{"its season, short", show("Show", 0, 2), "Show S02", 0, exact},
		{"its season in Italian", show("Show", 0, 2), "Show (Stagione 2)", 0, exact},
		{"another season in Italian", show("Show", 0, 1), "Show (Stagione 2)", 0, none},
		{"its season, French ordinal", show("Show", 0, 2), "Show 2. saison", 0, exact},
		{"its season, ordinal", show("Show", 0, 2), "Show 2nd Season", 0, exact},
		{"its season in Chinese", show("某剧", 0, 2), "某剧 第二季 国语", 0, exact},
		{"its season in brackets", show("某剧", 0, 2), "某剧（第2季）", 0, exact},
		{"another season", show("Show", 0, 2), "Show Season 3", 0, none},
		{"first season of another", show("某剧", 0, 1), "某剧第二季", 0, none},
		{"bracket of another work", show("海贼王", 0, 2), "海贼王(真人版)第二季", 0, none},
		{"bracket of a film", show("Show", 0, 1), "Show (Movie)", 0, none},
		{"version of a series", show("庆余年", 0, 1), "庆余年TV版", 0, exact},
		{"version of a series, decorated", show("庆余年", 0, 1), "庆余年电视版 国语", 0, exact},
		{"version of a series, where there is another", show("庆余年", 0, 1), "慶餘年電視劇版", 0, near},
		{"release of all seasons", show("Show", 0, 2), "Show.S01-S03.COMPLETE.1080p.BluRay.x264-GRP", 0, exact},
		{"version of a film", show("庆余年", 0, 1), "庆余年电影版", 0, none},
		{"all seasons", show("Dark", 0, 3), "Dark 全三季", 0, exact},
		{"named like all seasons", show("All Seasons", 0, 1), "All Seasons", 0, exact},
		{"all seasons, one more asked for", show("Dark", 0, 4), "Dark 全三季", 0, none},
		{"all seasons in brackets", show("某剧", 0, 2), "某剧（全3季）国语", 0, exact},
		{"all seasons in brackets, one more asked for", show("某剧", 0, 4), "某剧（全3季）国语", 0, none},
		{"all seasons, however many", show("某剧", 0, 4), "某剧全季", 0, exact},
		{"all seasons behind the number", show("某剧", 0, 2), "某剧 三季全集", 0, exact},
		{"several seasons", show("某剧", 0, 3), "某剧1-3季", 0, exact},
		{"several seasons, an earlier one asked for", show("某剧", 0, 1), "某剧第2-3季", 0, none},
		{"several seasons in words", show("某剧", 0, 2), "某剧第一季至第三季", 0, exact},
		{"several seasons in English", show("Show", 0, 2), "Show Seasons 1-3", 0, exact},
		{"several seasons, short", show("Show", 0, 2), "Show S01-S03", 0, exact},
		{"several seasons, short, another asked for", show("Show", 0, 4), "Show S01-S03 1080p", 0, none},
		{"the complete series", show("Show", 0, 4), "Show - The Complete Series", 0, exact},
		{"several seasons with the year of the first", show("Show", 2010, 3), "Show S01-S03", 2010, exact},
		{"release of a season", show("Show", 0, 2), "Show.S02.1080p.WEB-DL.H264-GRP", 0, exact},
		{"release of another season", show("Show", 0, 1), "Show.S02.1080p.WEB-DL.H264-GRP", 0, none},
		{"highlighted", show("庆余年", 0, 2), "<em>庆余年</em>第二季", 0, exact},
		{"twelfth season", show("某剧", 0, 12), "某剧第十二季", 0, exact},
		{"bare number of the season", show("某剧", 0, 2), "某剧2", 0, near},
		{"bare number behind a space", show("Show", 0, 2), "Show 2", 0, near},
		{"bare number, decorated", show("某剧", 0, 2), "某剧2 国语", 0, near},
		{"bare number, with its year", show("某剧", 2019, 2), "某剧2", 2024, near},
		{"bare number of another season", show("某剧", 0, 3), "某剧2", 0, none},
		{"bare number, first season", show("某剧", 0, 1), "某剧2", 0, none},
		{"no number of its own", show("Show", 0, 2), "Show2", 0, none},
		{"piece of a number", show("某剧", 0, 2), "某剧12", 0, none},
		{"Roman number", show("Show", 0, 2), "Show II", 0, exact},
		{"Roman number in one character", show("某剧", 0, 3), "某剧Ⅲ", 0, exact},
		{"Roman number of another season", show("Show", 0, 3), "Show II", 0, none},
		{"Roman number of one letter", show("Show", 0, 5), "Show V", 0, near},
		{"piece of a Roman number", show("Show", 0, 2), "Show III", 0, none},
		{"number in the title", show("Show II", 0, 1), "Show 2", 0, exact},
		{"part", show("某剧", 0, 2), "某剧 第二部", 0, exact},
		{"part of another season", show("某剧", 0, 1), "某剧第2部", 0, none},
		{"issue", show("某番", 0, 2), "某番 第2期", 0, exact},
		{"issue of another season", show("某番", 0, 1), "某番第二期", 0, none},
		{"season in the title", show("某剧 第二季", 0, 2), "某剧", 0, exact},
		{"season in both", show("某剧 第二季", 0, 2), "某剧 第二季", 0, exact},
		{"specials", show("某剧", 0, 0), "某剧 特别篇", 0, exact},
		{"specials of another", show("某剧", 0, 1), "某剧 特别篇", 0, none},

		{"year", show("Show", 2010, 1), "Show", 2010, exact},
		{"no year", show("Show", 2010, 1), "Show", 0, near},
		{"before the series", show("Show", 2010, 1), "Show", 2005, none},
		{"year off by one", show("Show", 2010, 1), "Show", 2009, near},
		{"later year, no season", show("Show", 2010, 1), "Show", 2014, near},
		{"many years later", show("红楼梦", 1987, 1), "红楼梦", 2010, none},
		{"many years later, named", show("红楼梦", 1987, 1), "红楼梦2010版", 2010, none},
		{"many years later, many seasons", show("Show", 1989, 20), "Show", 2012, near},
		{"many years later, a late season", show("Show", 1990, 3), "Show Season 3", 2017, exact},
		{"later year, first season", show("Show", 2010, 1), "Show Season 1", 2014, none},
		{"later year, later season", show("Show", 2010, 3), "Show Season 3 (2012)", 0, exact},
		{"series with its bare year", show("Show", 2010, 2), "Show 2010 S02", 0, exact},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := match.Candidate{Names: []string{tt.candidate}, Year: tt.year}
			if got := fitOf(t, tt.title, c); got != tt.want {
				t.Errorf("Title(%v, %q, %d) = %d, want %d", tt.title, tt.candidate, tt.year, got, tt.want)
			}
		})
	}
}

func TestSplitSeason(t *testing.T) {
	tests := []struct {
		in, base string
		season   int // -1: no mark
	}{
		{"某剧第二季", "某剧", 2},
		{"某剧 第2季", "某剧", 2},
		{"某剧 第十二季", "某剧", 12},
		{"某剧（第二季）", "某剧", 2},
		{"某剧【第二季】国语", "某剧", 2},
		{"某剧第二季 2021", "某剧", 2},
		{"某剧第二季 (2021) HD中字", "某剧", 2},
		{"Show Season 2", "Show", 2},
		{"Show - Season 02", "Show", 2},
		{"Show: Season Two", "Show", 2},
		{"Show S02", "Show", 2},
		{"Show S2014", "Show", 2014},
		{"Show Staffel 2", "Show", 2},
		{"Show 2. Staffel", "Show", 2},
		{"Show 2nd Season", "Show", 2},
		{"Show Second Season", "Show", 2},
		{"Show [Season 2]", "Show", 2},
		{"Show Season 0", "Show", 0},
		{"Show Specials", "Show", 0},
		{"某剧 番外", "某剧", 0},
		{"某剧 第二部", "某剧", 2},
		{"某剧第2期", "某剧", 2},
		{"Show.S02.1080p.WEB-DL.H264-GRP", "Show", 2},
		{"某剧 第2部分", "某剧 第2部分", -1},
		{"Season 2", "", 2},
		{"Show", "Show", -1},
		{"Show II", "Show II", -1},
		{"Show 2", "Show 2", -1},
		{"Ocean's 11", "Ocean's 11", -1},
		{"Open Season", "Open Season", -1},
		{"Seasons1", "Seasons1", -1},
		{"某剧2", "某剧2", -1},
		{"Show Season 1-3", "Show Season 1-3", -1},
		{"", "", -1},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			base, season, ok := match.SplitSeason(tt.in)
			if base != tt.base || ok != (tt.season >= 0) || ok && season != tt.season {
				t.Errorf("SplitSeason(%q) = %q, %d, %v, want %q, %d", tt.in, base, season, ok, tt.base, tt.season)
			}
		})
	}
}

func TestSplitEpisode(t *testing.T) {
	for name, want := range map[string]string{
		"某剧 第2集": "某剧 E2", "某剧[第2集]": "某剧 E2", "某剧 第二季 第2集": "某剧 S2E2", "Show S01E05": "Show S1E5", "Show - 1x05 720p": "Show S1E5", "Show EP02 国语": "Show E2",
		"Show.S01E02.1080p.WEB.H264-GRP": "Show S1E2", "Show.S01E02.The.Pilot.mkv": "Show S1E2", "某剧 第1-2集": "某剧 E1-2", "某剧01集": "某剧 E1",
		"某剧": "", "第2集": "", "S01E05": "", "某剧12集": "", "某剧 更新至12集": "", "某剧 第2.5集": "", "某剧 第2集 某标题": "", "某剧 第2集预告": "", "Show 2": "", "": "",
	} {
		base, r, ok := match.SplitEpisode(name)
		got := ""
		if ok {
			got = base + " " + describe(r, match.LabelEpisode)
		}
		if got != want || !ok && base != name {
			t.Errorf("SplitEpisode(%q) = %q, %+v, %v, want %q", name, base, r, ok, want)
		}
	}
}

func TestSplitYear(t *testing.T) {
	for name, want := range map[string]int{
		"Film (2020)": 2020, "Film [2020]": 2020, "影片（2020）": 2020, "影片【2020】": 2020, "Film ( 2020 ) ": 2020,
		"Film 2020": 0, "Film (20200)": 0, "Film (2020 cut)": 0, "(2020)": 0, "Film (0020)": 0, "Film (2020) HD": 0, "": 0, "Film )": 0,
	} {
		base, year := match.SplitYear(name)
		if year != want || year == 0 && base != name || year != 0 && base != "Film" && base != "影片" {
			t.Errorf("SplitYear(%q) = %q, %d, want %d", name, base, year, want)
		}
	}
}

func TestItemSeason(t *testing.T) {
	show := func(name string, season int) sources.Title {
		return sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: 1}
	}
	for _, tt := range []struct {
		title sources.Title
		name  string
		want  int
	}{
		{show("某剧", 2), "某剧", -1},
		{show("某剧", 2), "某剧全三季", -1},
		{show("Show", 2), "Show.S02.1080p.WEB-DL.H264-GRP", 2},
		{show("某剧", 2), "某剧 第二季", 2},
		{show("某剧", 2), "某剧 第三季 国语", 3},
		{show("某剧", 2), "某剧2", 2},
		{show("某剧", 2), "某剧2 国语", 2},
		{show("某剧", 2), "某剧Ⅱ", 2},
		{show("Show", 3), "Show III", 3},
		{show("Show", 2), "Show III", -1},
		{show("Show II", 1), "Show II", -1},
		{show("Show II", 1), "Show 2", -1},
		{show("某剧2", 2), "某剧2", -1},
		{show("某番", 2), "某番 第2期", 2},
	} {
		if got := match.For(tt.title).ItemSeason(tt.name); got != tt.want {
			t.Errorf("ItemSeason(%v, %q) = %d, want %d", tt.title, tt.name, got, tt.want)
		}
	}
}

func FuzzMatchTitle(f *testing.F) {
	for _, s := range []string{"Movie (2008) HD", "某剧（第二季）国语版", "A, The", "([【1999", "Show Season 02 [", "2008", "S01 \xff"} {
		f.Add(s, 2008)
	}
	f.Fuzz(func(t *testing.T, name string, year int) {
		title := sources.Title{Kind: sources.KindEpisode, Name: "Show", Year: 2008, Season: 2, Episode: 1}
		c := match.Candidate{Names: []string{name}, Year: year}
		fitOf(t, title, c)
		title.Kind = sources.KindMovie
		if fitOf(t, title, c) == exact && year == 0 && len(name) < len("Show2008") {
			t.Errorf("MatchTitle takes %q for a film of 2008, but no year is known", name)
		}
		if base, r, ok := match.SplitEpisode(name); ok && (base == "" || r.First < 0 || r.Last < r.First) {
			t.Errorf("SplitEpisode(%q) = %q, %+v", name, base, r)
		}
		if base, year := match.SplitYear(name); base == "" && name != "" || year < 0 {
			t.Errorf("SplitYear(%q) = %q, %d", name, base, year)
		}
		if season := match.For(title).ItemSeason(name); season < -1 {
			t.Errorf("ItemSeason(%q) = %d", name, season)
		}
		if _, season, ok := match.SplitSeason(name); ok && season < 0 {
			t.Errorf("SplitSeason(%q) = season %d", name, season)
		}
	})
}

func BenchmarkMatchTitle(b *testing.B) {
	title := sources.Title{Kind: sources.KindMovie, Name: "The Wandering Earth II", Year: 2023, Aliases: []string{"流浪地球2", "Die wandernde Erde II"}}
	for _, bm := range []struct{ name, candidate string }{
		{"hit", "流浪地球2"},
		{"hit-decorated", "流浪地球2 (2023) HD国语"},
		{"miss", "Some Other Film Entirely"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			c := match.Candidate{Names: []string{bm.candidate}, Year: 2023}
			for b.Loop() {
				match.Title(title, c)
			}
		})
		b.Run(bm.name+"-of-many", func(b *testing.B) {
			c, m := match.Candidate{Names: []string{bm.candidate}, Year: 2023}, match.For(title)
			for b.Loop() {
				m.Title(c)
			}
		})
	}
}
