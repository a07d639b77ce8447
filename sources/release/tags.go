package release

import (
	"strconv"
	"strings"

	"xship/sources"
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

// word looks up one Latin word.
func word(text string) (tag, bool) {
	switch text {
	case "2160p", "uhd", "4k":
		return tag{kindQuality, string(sources.Quality4K), strong}, true
	case "8k":
		return tag{kindQuality, string(sources.Quality4K), weak}, true
	case "2k", "qhd", "wqhd":
		return tag{kindQuality, string(sources.Quality1440p), weak}, true
	case "fhd", "fullhd":
		return tag{kindQuality, string(sources.Quality1080p), strong}, true
	case "hd":
		return tag{kindQuality, string(sources.Quality720p), weak}, true
	case "sd":
		return tag{kindQuality, string(sources.QualitySD), weak}, true
	case "512kb":
		return tag{kindQuality, string(sources.QualitySD), strong}, true

	case "webdl":
		return tag{kindSource, "WEB-DL", strong}, true
	case "web":
		return tag{kindSource, "WEB-DL", weak}, true
	case "webrip":
		return tag{kindSource, "WEBRip", strong}, true
	case "bluray", "bdmv", "bd25", "bd50":
		return tag{kindSource, "BluRay", strong}, true
	case "bd":
		return tag{kindSource, "BluRay", weak}, true
	case "bdrip", "brrip":
		return tag{kindSource, "BDRip", strong}, true
	case "remux", "bdremux":
		return tag{kindSource, "REMUX", strong}, true
	case "hdtv", "hdtvrip", "dsr", "pdtv":
		return tag{kindSource, "HDTV", strong}, true
	case "hdrip":
		return tag{kindSource, "HDRip", strong}, true
	case "dvdrip":
		return tag{kindSource, "DVDRip", strong}, true
	case "dvd", "dvd5", "dvd9", "dvdr":
		return tag{kindSource, "DVD", weak}, true
	case "cam":
		return tag{kindSource, "CAM", weak}, true
	case "hdcam", "camrip":
		return tag{kindSource, "CAM", strong}, true
	case "ts", "telesync":
		return tag{kindSource, "TS", weak}, true
	case "hdts", "tsrip":
		return tag{kindSource, "TS", strong}, true
	case "tc", "telecine":
		return tag{kindSource, "TC", weak}, true
	case "hdtc":
		return tag{kindSource, "TC", strong}, true
	case "scr", "screener":
		return tag{kindSource, "SCR", weak}, true
	case "dvdscr", "bdscr", "webscr":
		return tag{kindSource, "SCR", strong}, true

	case "h264", "x264", "avc":
		return tag{kindCodec, "H264", strong}, true
	case "h265", "x265", "hevc":
		return tag{kindCodec, "HEVC", strong}, true
	case "av1":
		return tag{kindCodec, "AV1", strong}, true
	case "vp9":
		return tag{kindCodec, "VP9", strong}, true
	case "vp8":
		return tag{kindCodec, "VP8", strong}, true
	case "xvid":
		return tag{kindCodec, "XviD", strong}, true
	case "divx":
		return tag{kindCodec, "DivX", strong}, true
	case "mpeg4":
		return tag{kindCodec, "MPEG4", strong}, true
	case "mpeg2":
		return tag{kindCodec, "MPEG2", strong}, true
	case "vc1":
		return tag{kindCodec, "VC1", strong}, true
	case "10bit", "hi10p", "hi10":
		return tag{kindDepth, "10", strong}, true
	case "8bit":
		return tag{kindDepth, "8", strong}, true
	case "12bit":
		return tag{kindDepth, "12", strong}, true

	case "hdr":
		return tag{kindHDR, "HDR", strong}, true
	case "hdr10":
		return tag{kindHDR, "HDR10", strong}, true
	case "hdr10plus", "hdr10p":
		return tag{kindHDR, "HDR10+", strong}, true
	case "hlg":
		return tag{kindHDR, "HLG", weak}, true
	case "dv":
		return tag{kindHDR, "DV", weak}, true
	case "dovi", "dolbyvision":
		return tag{kindHDR, "DV", strong}, true

	case "aac", "heaac":
		return tag{kindAudio, "AAC", strong}, true
	case "ac3", "dolbydigital":
		return tag{kindAudio, "AC3", strong}, true
	case "dd":
		return tag{kindAudio, "AC3", weak}, true
	case "eac3", "ddp":
		return tag{kindAudio, "EAC3", strong}, true
	case "dts":
		return tag{kindAudio, "DTS", strong}, true
	case "dtshd", "dtshdhra":
		return tag{kindAudio, "DTS-HD", strong}, true
	case "dtshdma", "dtsma":
		return tag{kindAudio, "DTS-HD MA", strong}, true
	case "dtsx":
		return tag{kindAudio, "DTS:X", strong}, true
	case "truehd":
		return tag{kindAudio, "TrueHD", strong}, true
	case "flac":
		return tag{kindAudio, "FLAC", strong}, true
	case "opus":
		return tag{kindAudio, "Opus", weak}, true
	case "vorbis":
		return tag{kindAudio, "Vorbis", strong}, true
	case "mp3":
		return tag{kindAudio, "MP3", strong}, true
	case "pcm", "lpcm":
		return tag{kindAudio, "PCM", weak}, true
	case "atmos":
		return tag{kindAtmos, "Atmos", weak}, true
	case "8ch":
		return tag{kindChannels, "7.1", strong}, true
	case "6ch":
		return tag{kindChannels, "5.1", strong}, true
	case "2ch", "stereo":
		return tag{kindChannels, "2.0", weak}, true
	case "surround":
		return tag{kindNoise, "", weak}, true

	case "trailer", "teaser":
		return tag{kindTrailer, "", weak}, true
	case "3d":
		return tag{kindEdition, "3D", weak}, true
	case "extended", "uncut", "unrated", "remastered", "imax":
		return tag{kindEdition, strings.ToUpper(text[:1]) + text[1:], weak}, true
	case "proper", "repack", "rerip", "internal", "limited", "complete", "retail", "readnfo", "hybrid", "amzn", "nf", "dsnp", "hmax", "hsbs", "hou",
		"official", "dolby":
		return tag{kindNoise, "", weak}, true
	}
	return languageWord(text)
}

func languageWord(text string) (tag, bool) {
	switch text {
	case "german", "ger", "deu", "deutsch":
		return tag{kindLanguage, "de", weak}, true
	case "english", "eng", "englisch":
		return tag{kindLanguage, "en", weak}, true
	case "french", "fre", "fra", "vff", "vfq", "vfi", "truefrench":
		return tag{kindLanguage, "fr", weak}, true
	case "vostfr", "subfrench":
		return tag{kindSubtitle, "fr", strong}, true
	case "italian", "ita":
		return tag{kindLanguage, "it", weak}, true
	case "spanish", "spa", "esp", "castellano", "latino":
		return tag{kindLanguage, "es", weak}, true
	case "portuguese", "por", "dublado":
		return tag{kindLanguage, "pt", weak}, true
	case "russian", "rus":
		return tag{kindLanguage, "ru", weak}, true
	case "japanese", "jpn", "jap":
		return tag{kindLanguage, "ja", weak}, true
	case "korean", "kor":
		return tag{kindLanguage, "ko", weak}, true
	case "chinese", "chi", "zho", "mandarin":
		return tag{kindLanguage, "zh", weak}, true
	case "cantonese":
		return tag{kindCantonese, "zh", weak}, true
	case "hindi", "hin":
		return tag{kindLanguage, "hi", weak}, true
	case "polish", "pol":
		return tag{kindLanguage, "pl", weak}, true
	case "dutch", "nld":
		return tag{kindLanguage, "nl", weak}, true
	case "turkish", "tur":
		return tag{kindLanguage, "tr", weak}, true
	case "multi", "dual", "dl", "dualaudio":
		return tag{kindMulti, "", weak}, true
	case "sub", "subs", "subbed", "multisub", "multisubs", "esub", "esubs", "omu":
		return tag{kindSubtitle, "", weak}, true
	case "dubbed", "dub", "audio", "synced":
		return tag{kindNoise, "", weak}, true
	}
	return tag{}, false
}

type hanTag struct {
	text string
	tags []tag
}

// hanTable holds the Chinese words, longer ones before those that start them.
var hanTable = [...]hanTag{
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
	{"中文", []tag{{kindLanguage, "zh", strong}}},
	{"普通话", []tag{{kindLanguage, "zh", strong}}},
	{"国语", []tag{{kindLanguage, "zh", strong}}},
	{"国配", []tag{{kindLanguage, "zh", strong}}},
	{"中配", []tag{{kindLanguage, "zh", strong}}},
	{"粤语", []tag{{kindCantonese, "zh", strong}}},
	{"英语", []tag{{kindLanguage, "en", strong}}},
	{"日语", []tag{{kindLanguage, "ja", strong}}},
	{"韩语", []tag{{kindLanguage, "ko", strong}}},
	{"法语", []tag{{kindLanguage, "fr", strong}}},
	{"德语", []tag{{kindLanguage, "de", strong}}},
	{"俄语", []tag{{kindLanguage, "ru", strong}}},
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
	for rest := run; rest != ""; {
		found := false
		for i := range hanTable {
			if after, ok := strings.CutPrefix(rest, hanTable[i].text); ok && (rest != run || hanTable[i].tags[0].weight == strong) {
				tags, rest, found = append(tags, hanTable[i].tags...), after, true
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
	codec, ok = word(text[:n])
	if !ok || codec.kind != kindAudio {
		return tag{}, "", false
	}
	return codec, text[n:], true
}

// isChannels tells whether front.low is a usual speaker set-up.
func isChannels(front, low string) bool {
	switch front + "." + low {
	case "1.0", "2.0", "2.1", "5.0", "5.1", "6.1", "7.1":
		return true
	}
	return false
}

func bits(value string) int {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0
	}
	return n
}
