package release

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/text"
)

// kind is what a tag tells.
type kind int

const (
	kindNoise   kind = iota // part of no title, of no interest
	kindQuality             // value: a sources.Quality
	kindSource
	kindCodec
	kindDepth // value: bits
	kindHDR
	kindAudio
	kindAtmos
	kindChannels
	kindLanguage // value: ISO 639-1
	kindCantonese
	kindMulti
	kindSubtitle // value: ISO 639-1, "" where not named
	kindTrailer
	kindEdition // value: label
)

// weight says how sure a word is a tag.
type weight int

const (
	weak   weight = iota // also a word of titles: a tag only among tags
	strong               // a tag wherever it stands
)

// tag is one thing that a word of a release name tells.
type tag struct {
	kind   kind
	value  string
	weight weight
}

// Precedence of what tells the quality: a picture's size beats its class,
// which beats words that everyone uses differently.
const (
	rankVague = iota + 1
	rankClass
	rankLines
	rankSize
)

// A wordGroup is words that tell the same.
type wordGroup struct {
	tag   tag
	words string // with spaces between them
}

var wordGroups = []wordGroup{
	{tag{kindQuality, string(sources.Quality4K), strong}, "2160p uhd 4k"},
	{tag{kindQuality, string(sources.Quality4K), weak}, "8k"},
	{tag{kindQuality, string(sources.Quality1440p), weak}, "2k qhd wqhd"},
	{tag{kindQuality, string(sources.Quality1080p), strong}, "fhd fullhd"},
	{tag{kindQuality, string(sources.Quality720p), weak}, "hd"},
	{tag{kindQuality, string(sources.QualitySD), weak}, "sd"},
	{tag{kindQuality, string(sources.QualitySD), strong}, "512kb"},

	{tag{kindSource, "WEB-DL", strong}, "webdl"},
	{tag{kindSource, "WEB-DL", weak}, "web"},
	{tag{kindSource, "WEBRip", strong}, "webrip"},
	{tag{kindSource, "BluRay", strong}, "bluray bdmv bd25 bd50"},
	{tag{kindSource, "BluRay", weak}, "bd"},
	{tag{kindSource, "BDRip", strong}, "bdrip brrip"},
	{tag{kindSource, "REMUX", strong}, "remux bdremux"},
	{tag{kindSource, "HDTV", strong}, "hdtv hdtvrip dsr pdtv"},
	{tag{kindSource, "HDRip", strong}, "hdrip"},
	{tag{kindSource, "DVDRip", strong}, "dvdrip"},
	{tag{kindSource, "DVD", weak}, "dvd dvd5 dvd9 dvdr"},
	{tag{kindSource, "CAM", weak}, "cam"},
	{tag{kindSource, "CAM", strong}, "hdcam camrip"},
	{tag{kindSource, "TS", weak}, "ts telesync"},
	{tag{kindSource, "TS", strong}, "hdts tsrip"},
	{tag{kindSource, "TC", weak}, "tc telecine"},
	{tag{kindSource, "TC", strong}, "hdtc"},
	{tag{kindSource, "SCR", weak}, "scr screener"},
	{tag{kindSource, "SCR", strong}, "dvdscr bdscr webscr"},

	{tag{kindCodec, "H264", strong}, "h264 x264 avc"},
	{tag{kindCodec, "HEVC", strong}, "h265 x265 hevc"},
	{tag{kindCodec, "AV1", strong}, "av1"},
	{tag{kindCodec, "VP9", strong}, "vp9"},
	{tag{kindCodec, "VP8", strong}, "vp8"},
	{tag{kindCodec, "XviD", strong}, "xvid"},
	{tag{kindCodec, "DivX", strong}, "divx"},
	{tag{kindCodec, "MPEG4", strong}, "mpeg4"},
	{tag{kindCodec, "MPEG2", strong}, "mpeg2"},
	{tag{kindCodec, "VC1", strong}, "vc1"},
	{tag{kindDepth, "10", strong}, "10bit hi10p hi10"},
	{tag{kindDepth, "8", strong}, "8bit"},
	{tag{kindDepth, "12", strong}, "12bit"},

	{tag{kindHDR, "HDR", strong}, "hdr"},
	{tag{kindHDR, "HDR10", strong}, "hdr10"},
	{tag{kindHDR, "HDR10+", strong}, "hdr10plus hdr10p"},
	{tag{kindHDR, "HLG", weak}, "hlg"},
	{tag{kindHDR, "DV", weak}, "dv"},
	{tag{kindHDR, "DV", strong}, "dovi dolbyvision"},

	{tag{kindAudio, "AAC", strong}, "aac heaac"},
	{tag{kindAudio, "AC3", strong}, "ac3 dolbydigital"},
	{tag{kindAudio, "AC3", weak}, "dd"},
	{tag{kindAudio, "EAC3", strong}, "eac3 ddp"},
	{tag{kindAudio, "DTS", strong}, "dts"},
	{tag{kindAudio, "DTS-HD", strong}, "dtshd dtshdhra"},
	{tag{kindAudio, "DTS-HD MA", strong}, "dtshdma dtsma"},
	{tag{kindAudio, "DTS:X", strong}, "dtsx"},
	{tag{kindAudio, "TrueHD", strong}, "truehd"},
	{tag{kindAudio, "FLAC", strong}, "flac"},
	{tag{kindAudio, "Opus", weak}, "opus"},
	{tag{kindAudio, "Vorbis", strong}, "vorbis"},
	{tag{kindAudio, "MP3", strong}, "mp3"},
	{tag{kindAudio, "PCM", weak}, "pcm lpcm"},
	{tag{kindAtmos, "Atmos", weak}, "atmos"},
	{tag{kindChannels, "7.1", strong}, "8ch"},
	{tag{kindChannels, "5.1", strong}, "6ch"},
	{tag{kindChannels, "2.0", weak}, "2ch stereo"},
	{tag{kindNoise, "", weak}, "surround"},

	{tag{kindTrailer, "", weak}, "trailer teaser"},
	{tag{kindEdition, "3D", weak}, "3d"},
	{tag{kindEdition, "Extended", weak}, "extended"},
	{tag{kindEdition, "Uncut", weak}, "uncut"},
	{tag{kindEdition, "Unrated", weak}, "unrated"},
	{tag{kindEdition, "Remastered", weak}, "remastered"},
	{tag{kindEdition, "Imax", weak}, "imax"},
	{tag{kindNoise, "", weak}, "proper repack rerip internal limited complete retail readnfo hybrid amzn nf dsnp hmax hsbs hou official dolby"},

	{tag{kindSubtitle, "fr", strong}, "vostfr subfrench"},
	{tag{kindMulti, "", weak}, "multi dual dl dualaudio"},
	{tag{kindSubtitle, "", weak}, "sub subs subbed multisub multisubs esub esubs omu"},
	{tag{kindNoise, "", weak}, "dubbed dub audio synced"},
}

// words has the Latin words of wordGroups, and those for languages, each with its one
// tag.
var words = sync.OnceValue(func() map[string][]tag {
	all := make(map[string][]tag, 8*len(wordGroups))
	for w, code := range text.LanguageWords() {
		if w[0] < utf8.RuneSelf {
			all[w] = []tag{{languageKind(w), code, weak}}
		}
	}
	for i := range wordGroups {
		tags := []tag{wordGroups[i].tag}
		for w := range strings.FieldsSeq(wordGroups[i].words) {
			all[w] = tags
		}
	}
	return all
})

// languageKind is the kind of a word for a language. Cantonese is shown beside
// Chinese.
func languageKind(word string) kind {
	if word == "cantonese" || word == "粤语" {
		return kindCantonese
	}
	return kindLanguage
}

type hanTag struct {
	text string
	tags []tag
}

// hanTable holds the Chinese words, longer ones before those that start them; the
// names of languages start none but each other.
var hanTable = sync.OnceValue(func() []hanTag {
	all := slices.Clone(hanWords)
	for w, code := range text.LanguageWords() {
		if w[0] >= utf8.RuneSelf {
			all = append(all, hanTag{w, []tag{{languageKind(w), code, strong}}})
		}
	}
	return all
})

var hanWords = []hanTag{
	{"国粤双语", []tag{{kindMulti, "", strong}}},
	{"国英双语", []tag{{kindMulti, "", strong}}},
	{"中英双语", []tag{{kindMulti, "", strong}}},
	{"中英双字", []tag{{kindSubtitle, "zh", strong}, {kindSubtitle, "en", strong}}},
	{"中英字幕", []tag{{kindSubtitle, "zh", strong}, {kindSubtitle, "en", strong}}},
	{"中文字幕", []tag{{kindSubtitle, "zh", strong}}},
	{"中文配音", []tag{{kindLanguage, "zh", strong}}},
	{"中文版", []tag{{kindLanguage, "zh", strong}}},
	{"中字", []tag{{kindSubtitle, "zh", strong}}},
	{"双字", []tag{{kindSubtitle, "zh", strong}}},
	{"字幕", []tag{{kindSubtitle, "", strong}}},
	{"简体", []tag{{kindSubtitle, "zh", strong}}},
	{"繁体", []tag{{kindSubtitle, "zh", strong}}},
	{"国配", []tag{{kindLanguage, "zh", strong}}},
	{"中配", []tag{{kindLanguage, "zh", strong}}},
	{"双语", []tag{{kindMulti, "", strong}}},
	{"超高清", []tag{{kindQuality, string(sources.Quality4K), strong}}},
	{"全高清", []tag{{kindQuality, string(sources.Quality1080p), strong}}},
	{"蓝光", []tag{{kindQuality, string(sources.Quality1080p), strong}}},
	{"超清", []tag{{kindQuality, string(sources.Quality720p), strong}}},
	{"高清", []tag{{kindQuality, string(sources.Quality720p), strong}}},
	{"标清", []tag{{kindQuality, string(sources.QualitySD), strong}}},
	{"抢先", []tag{{kindSource, "CAM", strong}}},
	{"预告片", []tag{{kindTrailer, "", strong}}},
	{"预告", []tag{{kindTrailer, "", strong}}},
	{"先行版", []tag{{kindTrailer, "", strong}}},
	{"正片", []tag{{kindNoise, "", strong}}},
	{"完整版", []tag{{kindNoise, "", strong}}},
	{"未删减", []tag{{kindNoise, "", strong}}},
	{"无删减", []tag{{kindNoise, "", strong}}},
	{"全集", []tag{{kindNoise, "", strong}}},
	{"完结", []tag{{kindNoise, "", strong}}},
	{"版", []tag{{kindNoise, "", weak}}},
}

// hanRun reads a run of Han as nothing but tags, nil where it is more.
func hanRun(run string) []tag {
	var tags []tag
	table := hanTable()
	for rest := run; rest != ""; {
		found := false
		for i := range table {
			if after, ok := strings.CutPrefix(rest, table[i].text); ok && (rest != run || table[i].tags[0].weight == strong) {
				if rest, found = after, true; tags == nil {
					tags = slices.Clip(table[i].tags)
				} else {
					tags = append(tags, table[i].tags...)
				}
				break
			}
		}
		if !found {
			return nil
		}
	}
	return tags
}

// hanTrailer tells whether a run of Han is a title and the word for trailer.
func hanTrailer(run string) bool {
	return strings.HasSuffix(run, "预告") || strings.HasSuffix(run, "预告片") || strings.HasSuffix(run, "先行版")
}

// pictureTags has the tag of each quality.
var pictureTags = sync.OnceValue(func() map[sources.Quality][]tag {
	all := make(map[sources.Quality][]tag)
	for _, q := range sources.Qualities() {
		all[q] = []tag{{kindQuality, string(q), strong}}
	}
	return all
})

// picture reads "1080p", "1080i", "hd1080p", "1920x804" and "804p".
func picture(text string) (q sources.Quality, rank int) {
	if w, h, ok := strings.Cut(text, "x"); ok {
		if w, h := number(w), number(h); w >= 240 && w <= 9999 && h >= 120 && h <= 9999 {
			return sources.QualityOf(w, h), rankSize
		}
		return sources.QualityUnknown, 0
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "fhd"), "hd")
	if n := len(text); n >= 4 && (text[n-1] == 'p' || text[n-1] == 'i') {
		if h := number(text[:n-1]); h >= 144 && h <= 4320 {
			return sources.QualityOf(0, h), rankLines
		}
	}
	return sources.QualityUnknown, 0
}

// qualityRank is the precedence of a quality word.
func qualityRank(text string) int {
	switch text {
	case "2160p":
		return rankLines
	case "hd", "sd", "蓝光", "高清", "超清", "标清":
		return rankVague
	default:
		return rankClass
	}
}

// audioChannels reads an audio codec with the first digit of its channels
// behind it: "ddp5" of "DDP5.1", "aac2" of "AAC2.0".
func audioChannels(text string) (codec tag, channels string, ok bool) {
	n := len(text) - 1
	if n < 2 || !isDigit(text[n]) {
		return tag{}, "", false
	}
	found := words()[text[:n]]
	if found == nil || found[0].kind != kindAudio {
		return tag{}, "", false
	}
	return found[0], text[n:], true
}

// channelTags has the tag of each usual speaker set-up.
var channelTags = sync.OnceValue(func() (all [][]tag) {
	for _, channels := range []string{"1.0", "2.0", "2.1", "5.0", "5.1", "6.1", "7.1"} {
		all = append(all, []tag{{kindChannels, channels, weak}})
	}
	return all
})

// gluedTags has the two tags of an audio codec and its channels in one word.
var gluedTags = sync.OnceValue(func() map[[2]tag][]tag {
	all := make(map[[2]tag][]tag)
	for i := range wordGroups {
		for _, channels := range channelTags() {
			if codec := wordGroups[i].tag; codec.kind == kindAudio {
				all[[2]tag{codec, channels[0]}] = []tag{codec, channels[0]}
			}
		}
	}
	return all
})

// channelsOf is the tag of the set-up front.low, nil where it is none.
func channelsOf(front, low string) []tag {
	for _, tags := range channelTags() {
		if f, l, _ := strings.Cut(tags[0].value, "."); f == front && l == low {
			return tags
		}
	}
	return nil
}

func bits(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0
	}
	return n
}
