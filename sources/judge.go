package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"xship/sources/text"
)

const (
	// wholeFilm and wholeEpisode are the parts of a title's runtime below which a source
	// is a clip of it. Cuts of one film differ by a fifth, episodes of one series by more.
	wholeFilm    = 0.6
	wholeEpisode = 0.5
	// maxBitrate is more than any film has, in bits a second: what is larger holds several.
	maxBitrate = 200e6
	// verifiedFor is how long a source that was probed here stands before others.
	verifiedFor = 24 * time.Hour
)

// minBitrate is the least that a picture of a quality takes, in bits a second, of
// whatever codec and however still. What is smaller is not what it says.
func minBitrate(q Quality) float64 {
	switch q {
	case Quality4K:
		return 1000e3
	case Quality1440p:
		return 600e3
	case Quality1080p:
		return 350e3
	case Quality720p:
		return 200e3
	default:
		return 60e3
	}
}

// Judge gives the sources of a scan as they are listed, best first: with the quality
// that their streams turned out to have in the place of the one that was claimed, and
// those that cannot be the whole title set back, each with the reason.
func (o ListOptions) Judge(all []Source) []Source {
	judged := slices.Clone(all)
	for i := range judged {
		src := &judged[i]
		if media, ok := o.Media[src.ID]; ok {
			src.verify(media)
		}
		if src.SetBack = o.setBack(src); src.SetBack != "" {
			src.Priority = max(src.Priority, PriorityDoubtful)
		}
	}
	return sortBy(judged, o.Recent)
}

// verify puts what a stream holds in the place of what was claimed.
func (s *Source) verify(media MediaInfo) {
	if media.Video == nil {
		return
	}
	if q := QualityOf(media.Video.Width, media.Video.Height); q != QualityUnknown && q != s.Quality {
		s.Claimed, s.Quality = s.Quality, q
	}
}

// Recent tells whether src was probed here lately, and so is known to work.
func (o ListOptions) Recent(src *Source) bool {
	if src.State != StateProbed {
		return false
	}
	age := o.Now.Sub(time.Unix(o.Media[src.ID].ProbedAt, 0))
	return age >= 0 && age < verifiedFor
}

// setBack says why src cannot be the whole title, "" where it may be. That is judged
// only by the runtime of the very title, and never of the user's own files.
func (o ListOptions) setBack(src *Source) string {
	if o.Facts == nil || !o.Facts.Exact || o.Facts.Runtime <= 0 || src.Own || src.Trailer {
		return ""
	}
	runtime := o.Facts.Runtime
	if d := o.duration(src); d > 0 {
		whole := wholeFilm
		if o.Facts.Kind == KindEpisode {
			whole = wholeEpisode
		}
		if d.Seconds() < whole*runtime.Seconds() {
			return fmt.Sprintf("%s of %s: a clip", minutes(d), minutes(runtime))
		}
		runtime = d
	}
	if src.SizeBytes <= 0 {
		return ""
	}
	switch rate := float64(src.SizeBytes) * 8 / runtime.Seconds(); {
	case rate > maxBitrate:
		return fmt.Sprintf("%s is too much for %s", text.Size(src.SizeBytes), minutes(runtime))
	case src.State != StateProbed && rate < minBitrate(src.Quality):
		return strings.TrimSpace(fmt.Sprintf("%s is too little for %s %s", text.Size(src.SizeBytes), minutes(runtime), src.Quality))
	}
	return ""
}

// duration is how long src is, as its stream or else its site tells, 0 where neither
// does.
func (o ListOptions) duration(src *Source) time.Duration {
	seconds := o.Media[src.ID].DurationSeconds
	if seconds <= 0 {
		seconds = float64(src.Duration)
	}
	return time.Duration(min(seconds, 1e6) * float64(time.Second))
}

// minutes is a duration of a film for people.
func minutes(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
}

// sortBy orders sources in place: by priority, then by quality, best first, then the
// user's own, then those that recent says to have worked here lately. Those that are
// alike in all of it keep their order, which is that of the sites. Sources are large, so
// what is sorted is their places, and each source is moved once.
func sortBy(all []Source, recent func(*Source) bool) []Source {
	places := make([]sortPlace, len(all))
	for i := range all {
		src := &all[i]
		places[i] = sortPlace{priority: src.Priority, rank: 4 * src.Quality.Rank(), at: i}
		if !src.Own {
			places[i].rank += 2
		}
		if recent != nil && !recent(src) {
			places[i].rank++
		}
	}
	slices.SortFunc(places, func(a, b sortPlace) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.rank, b.rank), cmp.Compare(a.at, b.at))
	})
	for i := range places { // the sources change places in circles
		if places[i].at == i {
			continue
		}
		first, to := all[i], i
		for from := places[to].at; from != i; from = places[to].at {
			all[to], places[to].at = all[from], to
			to = from
		}
		all[to], places[to].at = first, to
	}
	return all
}

// sortPlace is what a source at a place is sorted by.
type sortPlace struct{ priority, rank, at int }

// Exclusion is a word of scan.exclude: ExcludeCAM and its like, a codec, or a word that
// stands in names.
type Exclusion string

// The words that mean more than themselves.
const (
	ExcludeCAM Exclusion = "cam" // filmed from a screen, or its sound recorded there
	ExcludeHDR Exclusion = "hdr"
	ExcludeDV  Exclusion = "dv"
	Exclude3D  Exclusion = "3d"
)

// meanings are the labels that an Exclusion stands for.
var meanings = map[Exclusion][]string{
	ExcludeCAM: {"CAM", "TS", "TC"},
	ExcludeHDR: {"HDR", "HDR10", "HDR10+", "HLG", "DV", "Dolby Vision"},
	ExcludeDV:  {"DV", "Dolby Vision"},
	Exclude3D:  {"3D"},
	"hevc":     {"HEVC"}, "h265": {"HEVC"}, "x265": {"HEVC"}, "h.265": {"HEVC"},
	"h264": {"H264"}, "x264": {"H264"}, "h.264": {"H264"}, "avc": {"H264"},
	"av1": {"AV1"}, "vp9": {"VP9"}, "xvid": {"XviD"}, "divx": {"DivX"},
}

// excludes gives the first of o.Exclude that src falls under, "" where it is none.
func (o ListOptions) excludes(src *Source) Exclusion {
	for _, e := range o.Exclude {
		if e.covers(src, o.Media[src.ID]) {
			return e
		}
	}
	return ""
}

func (e Exclusion) covers(src *Source, media MediaInfo) bool {
	labels, known := meanings[Exclusion(strings.ToLower(string(e)))]
	if !known {
		labels = []string{string(e)}
	}
	has := func(told string) bool {
		return slices.ContainsFunc(labels, func(label string) bool { return strings.EqualFold(label, told) })
	}
	if slices.ContainsFunc(src.Info, has) || media.Video != nil && (has(media.Video.Codec) || has(media.Video.HDR)) {
		return true
	}
	return !known && holdsWord(src.Name, string(e))
}

// holdsWord tells whether name has word as a word of its own. Chinese words stand in
// others.
func holdsWord(name, word string) bool {
	name, word = strings.ToLower(name), strings.ToLower(strings.TrimSpace(word))
	for at := 0; word != ""; {
		i := strings.Index(name[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		before, _ := utf8.DecodeLastRuneInString(name[:at])
		behind, _ := utf8.DecodeRuneInString(name[end:])
		if strings.ContainsFunc(word, text.IsCommonHan) || !joins(before) && !joins(behind) {
			return true
		}
		at = end
	}
	return false
}

func joins(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
