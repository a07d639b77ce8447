// Package release reads release names, file names and the labels of links: what a
// name says of title, season and episodes, picture, sound and language.
//
// A name is a title, then a year or an episode, then tags. Words that are also
// words of titles ("web", "German") are tags only where the tags stand, so the
// parser first finds where these begin and guesses nothing beyond.
//
// # The grammar of names
//
// The parts stand in this order, parted by spaces, dots or underscores; each but the
// title may be missing:
//
//	folders/ [group] [tags] title = second title  year  season  episodes  version - its title  tags -group
//
// Names that are nothing but brackets have the same parts: [group][title][second
// title][year][episodes][tags]. What the name of a file does not say, its folders do.
//
// An episode is marked:
//
//	S01E02  S01E02E03  S01E02-E04  S01E02-04  S01E02+03  S01E02.S01E03  S01 E02  S01.02  S2 - 02
//	1x02  1x02x03  1x02-1x04  1x02.1x03  7x6, where a dash or bracket stands beside it
//	E02  EP02  Ep. 2  Episode 2  Folge 2  Episódio 2  Серия 2  2 серия  Cap.102, which is 1x02
//	#02  2of4  02 of 24  第02集  第2期 01話  S03-x01  Episode 1.22
//
// What follows the mark that starts a name is the title, "05x01 Show", but behind a dash
// or in a folder, where it is the episode's own. Letters and digits of full width are
// plain ones, and a name written from its end to its start is turned round.
//
// A number without a mark is one where names have it: behind a dash ("Show - 02"), in
// a bracket of its own ("[02]"), before the tags ("Show 02 [720p]"), at the start ("02
// - Show"). It has a zero before it or two digits; only those of fan groups, who name
// themselves first or give a checksum, are longer: elsewhere "207" is the end of a
// title, episode 207 or 2x07, and only before "HDTV" it is known to be the last. "656"
// behind a dash is episode 656, for no season has 56. "01-12" and "01 ~ 12" are runs,
// and "6.01" behind a dash or in a bracket is 6x01.
//
// A number is read whole or not at all. Halves ("07.5", "S01E02b", "S01E02.5.Title"),
// lists with gaps ("01+03"), dates, years, sizes, counts ("12 episodes"), versions and
// the numbers of parts, discs, films and extras ("Part 2", "Vol. 3", "NCED 02") are no
// episodes; nor is a number that may be one or not.
package release

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/text"
)

// Info is what a release name says. What it does not say is zero.
type Info struct {
	Title      string             // of the film or the series, "" where only that of an episode is told
	AltTitle   string             // the second one of "片名 Original Name" and "片名 / Original Name"
	Year       int                // of the release, not of a dated episode; that of a season by its year, "S2014"
	Episodes   match.EpisodeRange // valid if HasEpisode; Season also of a season pack ("S02"), else -1
	HasEpisode bool
	Quality    sources.Quality
	Source     string   // "WEB-DL", "WEBRip", "BluRay", "BDRip", "REMUX", "HDTV", "HDRip", "DVDRip", "DVD", "SCR", "TC", "TS", "CAM"
	Codec      string   // "H264", "HEVC", "AV1", "VP9", "XviD", ...
	BitDepth   int      // of the picture
	HDR        []string // "DV", "HDR10+", "HDR10", "HDR", "HLG"
	Audio      string   // first named: "AAC", "AC3", "EAC3", "DTS", "DTS-HD MA", "TrueHD", ...
	Atmos      bool
	Channels   string   // "2.0", "5.1", "7.1"
	Languages  []string // of the sound, ISO 639-1, and "multi" for more than are named
	Cantonese  bool     // the Chinese is Cantonese
	Subtitled  bool     // subtitles are named, in whatever language
	Subtitles  []string // their languages, ISO 639-1
	Editions   []string // "Extended", "Uncut", "3D", ...
	Trailer    bool     // it is a trailer or teaser
	Group      string   // who released it
}

// Language is the one language to file the release under: the only one named,
// "multi" for several, "" where none is named.
func (i Info) Language() string {
	named := slices.DeleteFunc(slices.Clone(i.Languages), func(l string) bool { return l == multi })
	switch {
	case len(named) == 1:
		return named[0]
	case len(i.Languages) > 0:
		return multi
	default:
		return ""
	}
}

// Labels lists what is worth showing beside quality and language, always in
// the same order.
func (i Info) Labels() []string {
	labels := make([]string, 0, 4)
	add := func(label string, ok bool) {
		if ok && label != "" {
			labels = append(labels, label)
		}
	}
	add(i.Source, true)
	add(i.Codec, true)
	if i.BitDepth > 0 {
		add(strconv.Itoa(i.BitDepth)+"bit", true)
	}
	labels = append(labels, i.HDR...)
	add(i.Audio, true)
	add("Atmos", i.Atmos)
	add(i.Channels, true)
	labels = append(labels, i.Editions...)
	add("Cantonese", i.Cantonese)
	add("Multi", len(i.Languages) > 1 && slices.Contains(i.Languages, multi))
	add("Subs", i.Subtitled && len(i.Subtitles) == 0)
	for _, language := range i.Subtitles {
		add("Subs "+language, true)
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// Describe fills in what the name of s tells of quality, language and labels,
// and whether it is a trailer. Where the name does not tell, the file name in
// its URL is asked. What is set already stays.
func Describe(s *sources.Source) {
	for _, info := range []Info{ParseLabel(s.Label), parse(once(s.Name), false), parse(fileName(s.URL), false)} {
		if s.Quality == sources.QualityUnknown {
			s.Quality = info.Quality
		}
		if s.Language == "" {
			s.Language = info.Language()
		}
		if len(s.Info) == 0 {
			s.Info = info.Labels()
		}
		s.Trailer = s.Trailer || info.Trailer
	}
}

// once is a name without what repeats its title behind the year in brackets, as in
// "Cam (2018): Cam.mkv": there a word of the title would be taken for a tag.
func once(name string) string {
	const year = " (2018)"
	at := strings.Index(name, " (")
	if at <= 0 || len(name) <= at+len(year) || name[at+len(year)-1] != ')' || text.Number(name[at+2:at+len(year)-1]) <= 0 {
		return name
	}
	title, kept, rest := name[:at], name[:at+len(year)], name[at+len(year):]
	for {
		i := strings.Index(rest, title)
		if i < 0 {
			return kept + rest
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:i])
		behind, _ := utf8.DecodeRuneInString(rest[i+len(title):])
		kept += rest[:i]
		if isWordRune(before) || isWordRune(behind) {
			kept += title
		}
		rest = rest[i+len(title):]
	}
}

// ParseLabel reads a text without a title, in which every tag is meant as one:
// "HD", "German 720p".
func ParseLabel(label string) Info {
	if label == "" {
		return Info{}
	}
	info := parseName(plainName("0 (2000) "+label), false, noFolder) // tags are believed behind a title and a year
	info.Year = 0
	return info
}

// needsParser tells whether a URL with the character may be escaped or invalid.
func needsParser(r rune) bool { return r == '%' || r < ' ' || r == 0x7f }

// fileName is the last segment of a URL's path, decoded, or "".
func fileName(rawURL string) string {
	plain, _, _ := strings.Cut(rawURL, "#")
	plain, _, _ = strings.Cut(plain, "?")
	if _, rest, ok := strings.Cut(plain, "://"); ok && !strings.ContainsFunc(plain, needsParser) {
		_, rest, _ = strings.Cut(rest, "/")
		return text.Clean(rest[strings.LastIndexByte(rest, '/')+1:])
	}
	u, err := link.Parse(rawURL)
	if err != nil || u.Path == "" || strings.HasSuffix(u.Path, "/") {
		return ""
	}
	return text.Clean(path.Base(u.Path))
}
