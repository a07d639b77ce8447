package text

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Tag is one thing told by a word that sites and releases put beside a title: of
// picture, sound, language or subtitles. The table of them is for all who meet them:
// sources/release reads what they tell, sources/match drops them from the end of a
// name before it compares names.
type Tag struct {
	Kind  TagKind
	Value string // as its kind says
	Place TagPlace
}

// TagKind is what a tag tells.
type TagKind int

// The kinds of tags.
const (
	TagNoise   TagKind = iota // part of no title, of no interest
	TagQuality                // Value: a sources.Quality
	TagSource
	TagCodec
	TagDepth // Value: bits
	TagHDR
	TagAudio
	TagAtmos
	TagChannels
	TagLanguage // Value: ISO 639-1
	TagCantonese
	TagMulti
	TagSubtitle // Value: ISO 639-1, "" where not named
	TagTrailer
	TagEdition // Value: label
)

// TagPlace says where a word is a tag rather than a word of the title.
type TagPlace int

// The places, least sure first.
const (
	// AmongTags is the place of words that end titles too, such as "3D", "cam" and
	// "English": they are tags only among tags, and stay at the end of a name.
	AmongTags TagPlace = iota
	// AtTheEnd is that of words of titles, none of which ends in one and would be
	// another work without it.
	AtTheEnd
	// Apart is that of Chinese words that are tags where nothing is written right
	// before them but another tag: "学 中文", "学 HD中文", but not "学中文".
	Apart
	// Anywhere is that of words that are always tags, but for the few names that end
	// in one.
	Anywhere
)

// Sure tells whether the word, if it stands by itself, is a tag wherever it does.
func (t Tag) Sure() bool { return t.Place >= Apart }

// EndsNames tells whether the word may be dropped from the end of a name. That of a
// trailer may not: without it the name would be that of the film.
func (t Tag) EndsNames() bool { return t.Place > AmongTags && t.Kind != TagTrailer }

// tagGroups are the tags with the words that tell them, in lower case and divided by
// spaces; a word may tell several. A Chinese one may end in 版, "version", as well.
// The size of a picture is for PictureSize. That of speakers ("5.1") is in no table:
// with the like of "2.0" titles end.
var tagGroups = []struct {
	tag   Tag
	words string
}{
	{Tag{TagQuality, "4K", Anywhere}, "uhd 4k 超高清"},
	{Tag{TagQuality, "4K", AmongTags}, "8k"},
	{Tag{TagQuality, "1440p", AmongTags}, "2k qhd wqhd"},
	{Tag{TagQuality, "1080p", Anywhere}, "fhd fullhd 全高清 蓝光"},
	{Tag{TagQuality, "720p", AtTheEnd}, "hd"},
	{Tag{TagQuality, "720p", Anywhere}, "超清 高清"},
	{Tag{TagQuality, "SD", AtTheEnd}, "sd"},
	{Tag{TagQuality, "SD", Anywhere}, "512kb sdtv 标清"},

	{Tag{TagSource, "WEB-DL", Anywhere}, "webdl"},
	{Tag{TagSource, "WEB-DL", AmongTags}, "web"},
	{Tag{TagSource, "WEBRip", Anywhere}, "webrip"},
	{Tag{TagSource, "BluRay", Anywhere}, "bluray bdmv bd25 bd50 bd66 bd100"},
	{Tag{TagSource, "BluRay", AtTheEnd}, "bd"},
	{Tag{TagSource, "BDRip", Anywhere}, "bdrip brrip"},
	{Tag{TagSource, "REMUX", Anywhere}, "remux bdremux"},
	{Tag{TagSource, "HDTV", Anywhere}, "hdtv hdtvrip dsr pdtv"},
	{Tag{TagSource, "HDRip", Anywhere}, "hdrip"},
	{Tag{TagSource, "DVDRip", Anywhere}, "dvdrip"},
	{Tag{TagSource, "DVD", AtTheEnd}, "dvd dvd5 dvd9 dvdr"},
	{Tag{TagSource, "CAM", AmongTags}, "cam"},
	{Tag{TagSource, "CAM", Anywhere}, "hdcam camrip 抢先"},
	{Tag{TagSource, "TS", AtTheEnd}, "ts telesync"},
	{Tag{TagSource, "TS", Anywhere}, "hdts tsrip"},
	{Tag{TagSource, "TC", AtTheEnd}, "tc telecine"},
	{Tag{TagSource, "TC", Anywhere}, "hdtc"},
	{Tag{TagSource, "SCR", AmongTags}, "scr screener"},
	{Tag{TagSource, "SCR", Anywhere}, "dvdscr bdscr webscr"},

	{Tag{TagCodec, "H264", Anywhere}, "h264 x264 avc"},
	{Tag{TagCodec, "HEVC", Anywhere}, "h265 x265 hevc hevc10"},
	{Tag{TagCodec, "AV1", Anywhere}, "av1"},
	{Tag{TagCodec, "VP9", Anywhere}, "vp9"},
	{Tag{TagCodec, "VP8", Anywhere}, "vp8"},
	{Tag{TagCodec, "XviD", Anywhere}, "xvid"},
	{Tag{TagCodec, "DivX", Anywhere}, "divx"},
	{Tag{TagCodec, "MPEG4", Anywhere}, "mpeg4"},
	{Tag{TagCodec, "MPEG2", Anywhere}, "mpeg2 mpg2"},
	{Tag{TagCodec, "VC1", Anywhere}, "vc1"},
	{Tag{TagDepth, "10", Anywhere}, "10bit hi10p hi10 hevc10"},
	{Tag{TagDepth, "8", Anywhere}, "8bit"},
	{Tag{TagDepth, "12", Anywhere}, "12bit"},

	{Tag{TagHDR, "HDR", Anywhere}, "hdr"},
	{Tag{TagHDR, "HDR10", Anywhere}, "hdr10"},
	{Tag{TagHDR, "HDR10+", Anywhere}, "hdr10plus hdr10p"},
	{Tag{TagHDR, "HLG", AmongTags}, "hlg"},
	{Tag{TagHDR, "DV", AmongTags}, "dv"},
	{Tag{TagHDR, "DV", Anywhere}, "dovi dolbyvision"},

	{Tag{TagAudio, "AAC", Anywhere}, "aac heaac"},
	{Tag{TagAudio, "AC3", Anywhere}, "ac3 dolbydigital"},
	{Tag{TagAudio, "AC3", AmongTags}, "dd"},
	{Tag{TagAudio, "EAC3", Anywhere}, "eac3 ddp"},
	{Tag{TagAudio, "DTS", Anywhere}, "dts"},
	{Tag{TagAudio, "DTS-HD", Anywhere}, "dtshd dtshdhra"},
	{Tag{TagAudio, "DTS-HD MA", Anywhere}, "dtshdma dtsma"},
	{Tag{TagAudio, "DTS:X", Anywhere}, "dtsx"},
	{Tag{TagAudio, "TrueHD", Anywhere}, "truehd"},
	{Tag{TagAudio, "FLAC", Anywhere}, "flac"},
	{Tag{TagAudio, "Opus", AmongTags}, "opus"},
	{Tag{TagAudio, "Vorbis", Anywhere}, "vorbis"},
	{Tag{TagAudio, "MP3", Anywhere}, "mp3"},
	{Tag{TagAudio, "PCM", AmongTags}, "pcm lpcm"},
	{Tag{TagAtmos, "Atmos", AmongTags}, "atmos"},
	{Tag{TagChannels, "7.1", Anywhere}, "8ch"},
	{Tag{TagChannels, "5.1", Anywhere}, "6ch"},
	{Tag{TagChannels, "2.0", AmongTags}, "2ch stereo"},
	{Tag{TagNoise, "", AmongTags}, "surround"},

	{Tag{TagTrailer, "", AmongTags}, "trailer teaser"},
	{Tag{TagTrailer, "", Anywhere}, "预告 预告片 先行版 花絮"},
	{Tag{TagEdition, "3D", AmongTags}, "3d"},
	{Tag{TagEdition, "Extended", AmongTags}, "extended"},
	{Tag{TagEdition, "Uncut", AmongTags}, "uncut"},
	{Tag{TagEdition, "Unrated", AmongTags}, "unrated"},
	{Tag{TagEdition, "Remastered", AmongTags}, "remastered"},
	{Tag{TagEdition, "Imax", AmongTags}, "imax"},
	{Tag{TagNoise, "", AmongTags}, "proper repack rerip internal limited complete retail readnfo hybrid amzn nf dsnp hmax hsbs hou official dolby"},
	{Tag{TagNoise, "", AmongTags}, "ntsc pal ppv stv nfofix uncensored custom batch"},
	{Tag{TagNoise, "", Anywhere}, "tvrip satrip dvbrip vhsrip hdlight"},
	{Tag{TagNoise, "", AmongTags}, "版"},
	{Tag{TagNoise, "", Apart}, "全集 完结 原声"},
	{Tag{TagNoise, "", Anywhere}, "正片 完整版 未删减 无删减 导演剪辑版 导剪版 原声版 卫视版 央视版 院线版 精剪版 重映版 典藏版 纪念版"},
	{Tag{TagEdition, "Remastered", Anywhere}, "修复版 数码修复版 重制版"},
	{Tag{TagEdition, "Extended", Anywhere}, "加长版"},

	{Tag{TagSubtitle, "fr", Anywhere}, "vostfr subfrench"},
	{Tag{TagMulti, "", AmongTags}, "multi dual dl dualaudio"},
	{Tag{TagMulti, "", Anywhere}, "双语 国粤双语 国英双语 中英双语"},
	{Tag{TagSubtitle, "", AmongTags}, "sub subs subbed multisub multisubs esub esubs omu"},
	{Tag{TagSubtitle, "", Apart}, "字幕"},
	{Tag{TagSubtitle, "zh", Apart}, "简体 繁体"},
	{Tag{TagSubtitle, "zh", Anywhere}, "中字 双字 中文字幕 中英双字 中英字幕"},
	{Tag{TagSubtitle, "en", Anywhere}, "中英双字 中英字幕"},
	{Tag{TagNoise, "", AmongTags}, "dubbed dub audio synced"},

	{Tag{TagLanguage, "de", AmongTags}, "german ger deu deutsch"},
	{Tag{TagLanguage, "de", Anywhere}, "德语"},
	{Tag{TagLanguage, "en", AmongTags}, "english eng englisch"},
	{Tag{TagLanguage, "en", Anywhere}, "英语 英文版"},
	{Tag{TagLanguage, "fr", AmongTags}, "french fre fra vff vfq vfi truefrench"},
	{Tag{TagLanguage, "fr", Anywhere}, "法语"},
	{Tag{TagLanguage, "it", AmongTags}, "italian ita"},
	{Tag{TagLanguage, "it", Apart}, "意大利语"},
	{Tag{TagLanguage, "es", AmongTags}, "spanish spa esp castellano latino"},
	{Tag{TagLanguage, "es", Apart}, "西班牙语"},
	{Tag{TagLanguage, "pt", AmongTags}, "portuguese por dublado"},
	{Tag{TagLanguage, "pt", Apart}, "葡萄牙语"},
	{Tag{TagLanguage, "ru", AmongTags}, "russian rus"},
	{Tag{TagLanguage, "ru", Anywhere}, "俄语"},
	{Tag{TagLanguage, "ja", AmongTags}, "japanese jpn jap"},
	{Tag{TagLanguage, "ja", Anywhere}, "日语 日文版"},
	{Tag{TagLanguage, "ko", AmongTags}, "korean kor"},
	{Tag{TagLanguage, "ko", Anywhere}, "韩语"},
	{Tag{TagLanguage, "zh", AmongTags}, "chinese chi zho mandarin"},
	{Tag{TagLanguage, "zh", Apart}, "汉语 华语 中文 闽南语"},
	{Tag{TagLanguage, "zh", Anywhere}, "国语 普通话 汉语普通话 国配 中配 中文配音 中文版"},
	{Tag{TagCantonese, "zh", AmongTags}, "cantonese"},
	{Tag{TagCantonese, "zh", Anywhere}, "粤语"},
	{Tag{TagLanguage, "hi", AmongTags}, "hindi hin"},
	{Tag{TagLanguage, "hi", Apart}, "印地语"},
	{Tag{TagLanguage, "th", AmongTags}, "thai"},
	{Tag{TagLanguage, "th", Anywhere}, "泰语"},
	{Tag{TagLanguage, "pl", AmongTags}, "polish pol"},
	{Tag{TagLanguage, "nl", AmongTags}, "dutch nld"},
	{Tag{TagLanguage, "tr", AmongTags}, "turkish tur"},
}

// tagTable has the tags of each word.
var tagTable = sync.OnceValue(func() map[string][]Tag {
	all := make(map[string][]Tag, 4*len(tagGroups))
	for i := range tagGroups {
		tags := []Tag{tagGroups[i].tag} // of most words
		for w := range strings.FieldsSeq(tagGroups[i].words) {
			if others := all[w]; others != nil {
				all[w] = slices.Concat(others, tags)
			} else {
				all[w] = tags
			}
		}
	}
	return all
})

// TagsOf are the tags that word tells, which is in lower case and, where it was
// written in several parts, put together. They are nil where it is none, and not to
// be changed.
func TagsOf(word string) []Tag { return tagTable()[word] }

// TagWords are all words of the table with their tags.
func TagWords() iter.Seq2[string, []Tag] { return maps.All(tagTable()) }

// LongestTag is how many letters and digits the longest word of the table has, and
// LongestHanTag how many characters the longest Chinese one.
const (
	LongestTag    = len("dolbydigital")
	LongestHanTag = 5
)

// LongestPhrase is how many parts a word has at most that is written in parts:
// "DTS-HD MA".
const LongestPhrase = 3

// StartsPhrase tells whether part, in lower case, is the first one of words that are
// also written in parts: "WEB-DL", "H.264".
func StartsPhrase(part string) bool {
	switch part {
	case "web", "blu", "h", "x", "dts", "dolby", "true", "e", "ac", "he", "dual", "full", "hd", "bd", "dvd", "8", "10", "12", "hdr10", "multi", "mpeg", "vc":
		return true
	}
	return false
}

// PartsPhrase tells whether c is what may stand between the parts of a word.
func PartsPhrase(c byte) bool { return strings.IndexByte(" ._-", c) >= 0 }

// PictureSize reads a word, in lower case, that tells the size of a picture:
// "1080p", "1080i", "hd1080p" and "804p", the width of which is 0, and "1920x804".
// Both are 0 where it is none.
func PictureSize(word string) (width, height int) {
	if w, h, ok := strings.Cut(word, "x"); ok {
		if w, h := Number(w), Number(h); w >= 240 && w <= 9999 && h >= 120 && h <= 9999 {
			return w, h
		}
		return 0, 0
	}
	word = strings.TrimPrefix(strings.TrimPrefix(word, "fhd"), "hd")
	if n := len(word); n >= 4 && (word[n-1] == 'p' || word[n-1] == 'i') {
		if h := Number(word[:n-1]); h >= 144 && h <= 4320 {
			return 0, h
		}
	}
	return 0, 0
}

// IsPictureHeight tells whether a number by itself is the height of a picture.
func IsPictureHeight(n int) bool {
	switch n {
	case 480, 540, 576, 720, 1080, 1440, 2160, 4320:
		return true
	}
	return false
}

// Number reads s as a number of at most six digits, -1 where it is none.
func Number(s string) int {
	if s == "" || len(s) > 6 {
		return -1
	}
	n := 0
	for i := range len(s) {
		if !IsDigit(s[i]) {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// TrailerWords are the words for what is not the film but shown of it, in lower case.
var TrailerWords = sync.OnceValue(func() []string {
	var all []string
	for i := range tagGroups {
		if tagGroups[i].tag.Kind == TagTrailer {
			all = append(all, strings.Fields(tagGroups[i].words)...)
		}
	}
	return all
})
