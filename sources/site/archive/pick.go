package archive

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// picked is a file of an item that is one of the sources of a title.
type picked struct {
	file
	version *version
	part    int // of the film, from 1; 0: it is the whole
	of      int // parts
	quality sources.Quality
	tier    string // what it shares with equals of other versions
	label   string // of the version, where the item has several
}

// version are the files that were made from one original: the same pictures in several
// qualities.
type version struct {
	root  string // name of the original, which itself may not be there
	label string // root for people and to be compared
	alone bool   // its item has no other
	files []file
}

// length is that of its longest file, 0 where none is known.
func (v *version) length() time.Duration {
	longest := time.Duration(0)
	for _, f := range v.files {
		longest = max(longest, f.Length)
	}
	return longest
}

// versions are those of an item, in the order of its files.
func (i *item) versions() []*version {
	originals := make(map[string]string, len(i.Files))
	for _, f := range i.Files {
		originals[f.Name] = f.Original
	}
	byRoot := make(map[string]*version)
	var all []*version
	for _, f := range i.Files {
		root := f.Name
		for range 4 { // a derivative of a derivative
			if original := originals[root]; original != "" && original != root {
				root = original
				continue
			}
			break
		}
		v := byRoot[root]
		if v == nil {
			v = &version{root: root, label: labelOf(root)}
			byRoot[root] = v
			all = append(all, v)
		}
		v.files = append(v.files, f)
	}
	if len(all) == 1 {
		all[0].alone = true
	}
	return all
}

// labelOf is what the name of a file says, without folders and extension.
func labelOf(name string) string {
	base := path.Base(name)
	return text.Clean(strings.ReplaceAll(strings.TrimSuffix(base, path.Ext(base)), "_", " "))
}

// pick gives the files of an item that are of the title: those that are the whole film
// or the episode, and those that are parts of a film where nothing is the whole.
func (q *search) pick(i *item) (whole, parts []picked) {
	versions := i.versions()
	if q.title.Kind == sources.KindEpisode {
		fits := q.episodes(i)
		return bestOf(slices.DeleteFunc(versions, func(v *version) bool { return !fits(v) })), nil
	}
	wholes, groups := q.separate(versions)
	if wholes = q.film(i, wholes); len(wholes) > 0 {
		return bestOf(wholes), nil
	}
	for _, g := range groups {
		for _, p := range g.parts {
			for _, b := range best(p.version, false) {
				b.part, b.of = p.n, g.of
				parts = append(parts, b)
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b picked) int {
		return cmp.Or(cmp.Compare(a.quality.Rank(), b.quality.Rank()), cmp.Compare(a.part, b.part), byPicture(a, b))
	})
	return nil, parts
}

// bestOf are the files of versions that are worth offering, the best first.
func bestOf(versions []*version) []picked {
	var all []picked
	for _, v := range versions {
		all = append(all, best(v, len(versions) > 1)...)
	}
	slices.SortStableFunc(all, byPicture)
	return all
}

// byPicture puts the better picture first: of equal quality the one that is not for slow
// lines, and then the larger file.
func byPicture(a, b picked) int {
	low := func(p picked) int {
		if p.tier == tierLow {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.quality.Rank(), b.quality.Rank()), cmp.Compare(low(a), low(b)), cmp.Compare(b.Size, a.Size))
}

// Versions that are much shorter are something else than the film: a clip that was made
// of it, or an extra beside it.
const (
	clipPercent  = 80 // of the longest one of the same original
	extraPercent = 50 // of the longest one of the item
	alikePercent = 90 // of a version that has the film's name: another one of the film
	maxUnnamed   = 3  // versions of an item none of which has the film's name
)

// shorter tells whether a length is known to be less than so many percent of another.
func shorter(length, than time.Duration, percent int) bool {
	return length > 0 && length*100 < than*time.Duration(percent)
}

// film are the versions that are the film that i is: no extras, episodes and trailers,
// and no other films of a collection.
func (q *search) film(i *item, versions []*version) []*version {
	longest := time.Duration(0)
	for _, v := range versions {
		longest = max(longest, v.length())
	}
	versions = slices.DeleteFunc(slices.Clone(versions), func(v *version) bool {
		return shorter(v.length(), longest, extraPercent) || q.isTrailer(v.label) || !q.isFilm(v)
	})
	var named []*version
	for _, v := range versions {
		if q.isNamed(i, v) {
			named = append(named, v)
		}
	}
	if len(named) == 0 {
		if len(versions) > maxUnnamed {
			return nil
		}
		return versions
	}
	return slices.DeleteFunc(versions, func(v *version) bool {
		return !slices.ContainsFunc(named, func(n *version) bool { return n == v || isAlike(v.length(), n.length()) })
	})
}

func isAlike(a, b time.Duration) bool {
	return a > 0 && b > 0 && !shorter(a, b, alikePercent) && !shorter(b, a, alikePercent)
}

// isFilm tells whether v is not called an episode. A version that is alone in its item may
// be called the first.
func (q *search) isFilm(v *version) bool {
	if match.Episode(q.title, v.label, match.Item{Season: -1}) {
		return true
	}
	e, kind := match.ReadLabel(v.label)
	return v.alone && kind == match.LabelEpisode && e.Season < 0 && e.First == 1 && e.Last == 1
}

// isTrailer tells whether a label speaks of a trailer, and the title does not.
func (q *search) isTrailer(label string) bool {
	label = strings.ToLower(label)
	names := strings.ToLower(strings.Join(q.title.Names(), " "))
	return slices.ContainsFunc(text.TrailerWords(), func(word string) bool { return strings.Contains(label, word) && !strings.Contains(names, word) })
}

// isNamed tells whether a file, or a folder that it lies in, has a name of the title.
func (q *search) isNamed(i *item, v *version) bool {
	names := []string{v.label}
	for segment := range strings.SplitSeq(v.root, "/") {
		names = append(names, text.Clean(segment), text.Clean(strings.ReplaceAll(segment, "_", " ")))
	}
	return q.match.Title(match.Candidate{Names: names, Year: cmp.Or(i.Year, q.title.Year)}) != match.None
}

// partMark is how files say that they are one of several parts of a film.
var partMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:(?:part|pt|cd|dis[ck]|reel|teil)[ .#-]*(\d{1,2}|[ivx]{1,4})(?:[ .-]*(?:of|von|/)[ .-]*(\d{1,2}))?|(\d{1,2})[ .-]*of[ .-]*(\d{1,2}))(?:$|[^\pL\pN])`)
})

// partGroup are the parts of one film.
type partGroup struct {
	of    int
	parts []part
}

type part struct {
	version *version
	n       int
}

// separate tells the versions that are parts of a film, by what they are called, from
// those that are the whole. One that has a name of the title is no part of it.
func (q *search) separate(versions []*version) (wholes []*version, groups []*partGroup) {
	byName := make(map[string]*partGroup)
	var names []string
	for _, v := range versions {
		name, n, of := readPart(v.label)
		if n == 0 || q.match.Title(match.Candidate{Names: []string{v.label}, Year: q.title.Year}) != match.None {
			wholes = append(wholes, v)
			continue
		}
		g := byName[name]
		if g == nil {
			g = new(partGroup)
			byName[name] = g
			names = append(names, name)
		}
		g.of = max(g.of, n, of)
		if !slices.ContainsFunc(g.parts, func(p part) bool { return p.n == n }) {
			g.parts = append(g.parts, part{version: v, n: n})
		}
	}
	for _, name := range names {
		g := byName[name]
		if g.of < 2 { // a first part alone is the whole, for all that is known
			wholes = append(wholes, g.parts[0].version)
			continue
		}
		slices.SortFunc(g.parts, func(a, b part) int { return cmp.Compare(a.n, b.n) })
		groups = append(groups, g)
	}
	return wholes, groups
}

// readPart reads the mark of a part: what the parts have in common, and the number of
// this one, 0 where there is no mark; of is 0 where it does not say how many there are.
func readPart(label string) (name string, n, of int) {
	m := partMark().FindStringSubmatchIndex(label)
	if m == nil {
		return "", 0, 0
	}
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return label[m[2*i]:m[2*i+1]]
	}
	n, of = partNumber(cmp.Or(group(1), group(3))), partNumber(cmp.Or(group(2), group(4)))
	if n == 0 || of > 0 && n > of {
		return "", 0, 0
	}
	return strings.ToLower(label[:m[0]] + "|" + label[m[1]:]), n, of
}

func partNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return text.RomanNumber(strings.ToLower(s))
}

// episodes tells which files of an item are the episode looked for.
func (q *search) episodes(i *item) func(v *version) bool {
	for _, title := range i.Titles {
		base, own, ok := episodeOf(title)
		if !ok || q.match.Title(match.Candidate{Names: []string{base}}) == match.None {
			continue
		}
		in := match.Item{Season: own.Season, Names: []string{base}}
		if own.Season < 0 {
			in.Season = q.match.ItemSeason(base)
		}
		is := match.Episode(q.title, fmt.Sprintf("E%02d-E%02d", own.First, own.Last), in)
		return func(v *version) bool { // its files need not say it again, but nothing else
			e, kind := match.ReadLabel(v.label, base)
			return is && (kind == match.LabelPlain || kind == match.LabelEpisode && e.First == own.First && e.Last == own.Last)
		}
	}
	in := match.Item{Season: q.match.ItemSeason(i.Titles...), Names: i.Titles}
	for _, title := range i.Titles {
		if base, _, ok := match.SplitSeason(title); ok {
			in.Names = append(slices.Clip(in.Names), base)
		}
	}
	return func(v *version) bool {
		within, ok := v.within(in)
		return ok && match.Episode(q.title, v.label, within)
	}
}

// within is what a version lies in, which is an item: its folders may say which season.
// It is not ok where they hold no regular episodes of that item.
func (v *version) within(in match.Item) (match.Item, bool) {
	for folder := range strings.SplitSeq(path.Dir(v.root), "/") {
		switch season, kind := match.ReadGroup(strings.ReplaceAll(folder, "_", " ")); {
		case kind == match.GroupIrregular, kind == match.GroupSeason && in.Season >= 0 && in.Season != season:
			return in, false
		case kind == match.GroupSeason:
			in.Season = season
		}
	}
	return in, true
}

// best are the files of a version that are worth offering: one of each picture that it
// has. several tells that the item has other versions of the title.
func best(v *version, several bool) []picked {
	longest := v.length()
	byTier := make(map[string]int)
	var all []picked
	for _, f := range v.files {
		if shorter(f.Length, longest, clipPercent) {
			continue
		}
		p := picked{file: f, version: v}
		p.quality, p.tier = tierOf(f)
		if several {
			p.label = v.label
		}
		at, known := byTier[p.tier]
		switch {
		case !known:
			byTier[p.tier] = len(all)
			all = append(all, p)
		case isBetter(f, all[at].file):
			all[at] = p
		}
	}
	return all
}

// isBetter tells whether a is to be offered in the place of b, whose picture is the same.
func isBetter(a, b file) bool {
	if d := cmp.Compare(rankOf(a.Format), rankOf(b.Format)); d != 0 {
		return d < 0
	}
	return a.Size > b.Size
}

// tierLow is that of pictures for slow lines, and lowHeight the height up to which one
// is.
const (
	tierLow   = "low"
	lowHeight = 300
)

// tierOf is the quality of a file, by its width and height, which are often wrong and so
// a hint alone, and what tells it from others of the same quality.
func tierOf(f file) (sources.Quality, string) {
	width, height := f.Width, f.Height
	for word := range strings.FieldsFuncSeq(f.Name, func(r rune) bool { return strings.ContainsRune(" ._-()[]/", r) }) {
		if width > 0 || height > 0 {
			break
		}
		width, height = text.PictureSize(strings.ToLower(word))
	}
	quality := sources.QualityOf(width, height)
	switch format := strings.ToLower(f.Format); {
	case format == "512kb mpeg4":
		return sources.QualitySD, tierLow
	case quality == sources.QualitySD && height > 0 && height <= lowHeight:
		return quality, tierLow
	case quality == sources.QualityUnknown && format == "h.264 hd":
		return sources.Quality720p, string(sources.Quality720p)
	}
	return quality, string(quality)
}

// source is the source that p is.
func (q *search) source(c candidate, i *item, p picked) sources.Source {
	src := sources.Source{
		Name: q.name(i, p), URL: q.download(c.ID, p.Name), Quality: p.quality, Language: languageOf(i.Languages),
		Info: []string{c.right}, SizeBytes: p.Size, Duration: int(p.Length.Seconds()), Subtitles: q.subtitles(c.ID, i, p),
	}
	if p.Format != "" {
		src.Info = append(src.Info, text.Clip(p.Format, 24))
	}
	if q.title.Kind == sources.KindEpisode {
		src.Group = Type + ":" + c.ID + ":" + p.tier
	}
	if c.near || p.part > 0 {
		src.Priority = sources.PriorityNear
	}
	return src
}

// maxName is how many characters of a title or a label a name has.
const maxName = 120

// name is what a source is called: by the title of its item, the year where that is not
// in it, and what tells its file from others.
func (q *search) name(i *item, p picked) string {
	name := i.ID
	if len(i.Titles) > 0 {
		name = text.Clip(i.Titles[0], maxName)
	}
	if year := strconv.Itoa(i.Year); i.Year > 0 && q.title.Kind == sources.KindMovie && !strings.Contains(name, year) {
		name += " (" + year + ")"
	}
	label := p.label
	if q.title.Kind == sources.KindEpisode {
		label = p.version.label
	}
	if label = behindTitle(label, slices.Concat(i.Titles, q.title.Names())); label != "" {
		name += " · " + text.Clip(label, maxName)
	}
	if p.part > 0 {
		name += fmt.Sprintf(" part %d of %d", p.part, p.of)
	}
	return name
}

// behindTitle is what a label says behind the longest of the names that it starts with:
// words of a title would be taken for tags where they stand a second time.
func behindTitle(label string, names []string) string {
	spaced := strings.ReplaceAll(label, ".", " ")
	rest := label
	for _, name := range names {
		name = strings.ReplaceAll(name, ".", " ")
		if name == "" || len(spaced) < len(name) || !strings.EqualFold(spaced[:len(name)], name) {
			continue
		}
		behind := label[len(name):]
		if next, _ := utf8.DecodeRuneInString(behind); len(behind) < len(rest) && !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			rest = behind
		}
	}
	return strings.TrimLeft(rest, " .,:;-–—·")
}

// download is the address of a file, which the Archive sends on to where it lies now.
// Each segment of its name is escaped, and nothing of them has a meaning in a URL.
func (q *search) download(id, name string) string {
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = strings.ReplaceAll(url.QueryEscape(segment), "+", "%20")
	}
	return q.base.JoinPath("download", id).String() + "/" + strings.Join(segments, "/")
}

// languageOf is the language of an item that names one alone.
func languageOf(languages []string) string {
	if len(languages) != 1 {
		return ""
	}
	return text.LanguageCode(languages[0])
}

// subtitles are those of an item that belong to p: that are called as its version is, or
// all, where the item has one alone.
func (q *search) subtitles(id string, i *item, p picked) []sources.Subtitle {
	var all []sources.Subtitle
	stem := strings.TrimSuffix(p.version.root, path.Ext(p.version.root))
	for _, name := range i.Subtitles {
		rest, own := strings.CutPrefix(name, stem)
		if own && rest != "" && text.IsAlnum(rest[0]) { // that of "film10" is not of "film1"
			own = false
		}
		if own || p.version.alone {
			all = append(all, sources.Subtitle{URL: q.download(id, name), Language: subtitleLanguage(name)})
		}
	}
	return all
}

// subtitleLanguage is the language that the name of a file of subtitles ends in, such as
// "film.en.srt".
func subtitleLanguage(name string) string {
	label := strings.TrimSuffix(name, path.Ext(name))
	at := strings.LastIndexAny(label, "._- ")
	if at < 0 {
		return ""
	}
	return text.LanguageCode(label[at+1:])
}
