// Package match tells which title and which episode a name means: the names of
// titles and the labels of links as sites, release groups and people write them.
//
// # Labels
//
// ReadLabel reads the label of a link by this grammar. A number is read whole or not
// at all, and a label of which nothing is read is nobody's episode: to read nothing is
// no fault, to read a wrong number is one.
//
//	label     = marked | bare .                           the first form that fits
//
//	marked    = any [ season ] mark [ season ] any .
//	season    = ( "S" | "Season" | "Staffel" | ... ) N    "S01", "Season 1"
//	          | "第" N ( "季" | "部" )                     "第二季", "第一部"
//	          | "第" N "期" before a mark with 第 .        "第2期 第03話"
//	          | ordinal "Season" before the mark          "2nd Season - 05"
//	          | N spelled | spelled N .                   "2 сезон", "2. Sezon", "Sezon 2", "시즌2"
//	mark      = word N { more }                           "EP02", "Folge 2", "Capítulo 1"
//	          | "E" N { more }                            "E02", "S01E01-E03", "S01E01+02"
//	          | N "x" NN { more }                         "1x02", "1x02.1x03"
//	          | "S " NN " E " NN                          "S 01 E 05"
//	          | "Cap." N NN                               "Cap.102": season 1, episode 2
//	          | N "of" N                                  "2 of 4"
//	          | N ( "серия" | ". Bölüm" | ... )           "3 серия", "3. Folge", but "Sezon 2 Bölüm 5"
//	          | season " - " NN end                       "S2 - 05 [720p]"
//	          | "第" N [ joint N ] closer                  "第02集", "第1-2集", "第1、2集"
//	          | "第" N ( " " | "." | end ) title           "第15 以剑为刀"
//	          | N [ joint N ] closer alone .              "12集"
//	closer    = "集" | "话" | "話" | "回" | "期" | "화" | "회" .
//	more      = dash [ season ] [ "E" ] N                 the end of a run
//	          | " to " N behind a word for several        "Episodes 1 to 3"
//	          | [ "+" | "&" | "," | "." ] [ season ] "E" N .   the next one
//	joint     = dash | "至" | "到"                         the end of a run
//	          | "、" | "," | "&" | "+" | "和" | "_" | "/" .  the next one
//
//	bare      = [ bracket ] N [ version ] [ tags ]        "02", "[02]", "02.mp4", "03HD", "02(700MB)"
//	          | N ( "上" | "中" | "下" | "A" | "B" | "C" ) "05上", "5A"
//	          | NN joint NN                               "01-02", "01、02"
//	          | n "-" 0N                                  "2-01": season 2, episode 1
//	          | any " - " NN end                          "[Grp] Show - 05 [720p]"
//	          | any "[" NN "]" any                        "[Grp][Show][05][1080P]"
//	          | N ( ". " | "、" | "-" ) title              "49. Title", "7-标题"
//	          | 0N ( " " | "." | "-" | ... ) title        "01 Title"
//	          | N " " title in Chinese                    "3 标题", but "7 天" counts
//	          | N title in Chinese in marks of its own    "3《标题》"
//	          | tags NN                                   "超清03", "粤语10", "HD01", "VIP07"
//	          | language N                                "国语1"
//	          | season N                                  "第二季 01"
//	          | name NN                                   "庆余年12" of 庆余年
//	          | any 0N [ title ] .                        "庆余年01", "三国演义01.桃园三结义"
//	end       = nothing | version | tags | " [" | " (" | " - " .
//
// N is a number of at most four digits, Arabic and Thai ones too, or a Chinese numeral
// behind 第; NN has two digits at least, 0N starts with a zero, n does not. Tags are words of
// quality or language, of who may watch (VIP), sizes, running times and checksums. A bare number is
// no year and no picture height. A part of an episode, "05上" or "05下", is of that
// episode: who plays it starts with the first that is listed.
//
// No episode, or none of its own, are then:
//   - half an episode: "第6.5集", "S01E11.5", "第6集半"; but "S01E05.5.Minutes" counts in
//     the title of episode 5;
//   - a piece of a longer number: a date ("2024.03.05期", "0305期"), a version, a size;
//   - a count of episodes or the news of one: "全12集", "更新至12集", and "12集" unless it
//     stands alone, with tags, or is padded: "40集特别版", "26集完结";
//   - an extra, which the words right beside the mark tell: "彩蛋第1期", "第1期纯享",
//     "EP01 Preview", or what starts the label in brackets or before a colon:
//     "[预告]某剧第1集". Words behind a colon are those of the episode's title, and words that
//     titles hold tell only where nothing follows: "S01E01 Cut", not "S01E01 Cut and Run";
//   - episodes that are not a run: "第1、3集", "S01E01-S02E10";
//   - an episode of a season that is named but not read, or of one of several:
//     "S01-S03 E05";
//   - one before whose mark a number from 2 to 99 stands that may be a season's in other
//     words, a Roman number or one in words among them: "Cour 2 Episode 5", "Book Two
//     Episode 5"; the name of the series may have one: "Ocean's 11 E05";
//   - what numbers something else: "CD 01", "OVA 01", "Part 1 of 2", "HDR 10", "BD 50".
//
// Those with a mark, "第6.5集", are of a series all the same, and so of no film:
// LabelIrregular. Those without one, "预告01", say nothing: LabelPlain.
//
// # Names that hold such words
//
// A digit or a Roman number between the name of the series and a mark is a season:
// "某剧2第12集", "Show II E05".
//
// A series may be called 独家记忆, 夏至未至 or "The Cut": the words of its name are no words
// of extras or counts. In a label nothing but a name tells so, and "独家第1期" is an extra;
// where the words before the number end in a name of the title looked for, or of the item
// that the label stands in, or those behind it start with one, they are that name:
// "独家记忆第1集", "第1集 独家记忆". In the name of an item, which
// SplitEpisode reads, all that stands before the mark is taken for the title, for it is
// compared as a whole then: "某剧花絮第1集" is of a series called 某剧花絮, and so none of
// 某剧. What stands there in brackets of whatever kind, which a comparison may leave out,
// still tells of an extra, as does the news of a count: "某剧(花絮)第1集", "某剧更新至第3集".
package match
