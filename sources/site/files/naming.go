package files

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/release"
	"xship/sources/text"
)

// What names say of a file is read by the rules of release and match. Here is what only
// the names of files and folders have: ids in brackets, parts of a film, extras that lie
// beside it, folders that say nothing.

var (
	// bracketed is what tools put into names for themselves: "[imdbid-tt0000001]",
	// "{tmdb-1}", "(imdb=tt0000001)", "{edition-Director's Cut}".
	bracketed = regexp.MustCompile(`(?i)[\[{(]\s*(imdb|tmdb|tvdb|edition)(?:id)?\s*[-=:]\s*([^\]})]*?)\s*[\]})]`)
	// bareID is an id without a bracket of its own.
	bareID = regexp.MustCompile(`(?:^|[ ._\-\[({])(tt[0-9]{7,10})(?:$|[ ._\-\])}])`)
	// part numbers the files of a film: "cd1", "disc 2", "part1".
	part = regexp.MustCompile(`(?i)(?:^|[ ._\-\[(])(cd|dvd|disc|disk|part|pt)([ ._-]?)([0-9]{1,2})(?:$|[ ._\-\])])`)
	// partFolder is a folder that holds one of these.
	partFolder = regexp.MustCompile(`(?i)^(?:cd|dvd|disc|disk)[ ._-]?([0-9]{1,2})$`)
	// dated is the day of an episode that has no number.
	dated = regexp.MustCompile(`(?:^|[^0-9])(?:(?:19|20)[0-9]{2}[. _-](?:0[1-9]|1[0-2])[. _-](?:0[1-9]|[12][0-9]|3[01])|(?:0[1-9]|[12][0-9]|3[01])[. _-](?:0[1-9]|1[0-2])[. _-](?:19|20)[0-9]{2})(?:$|[^0-9])`)
	// sample is a piece of a film beside it.
	sample = regexp.MustCompile(`(?i)^sample$|^sample[ ._-]|[ ._-]sample$`)
	// extra ends the name of what lies beside a film and is none.
	extra = regexp.MustCompile(`(?i)[-._ ](?:` + strings.Join(extraWords, "|") + `)s?$`)
	// trailer ends the name of a trailer, or is all of it.
	trailer = regexp.MustCompile(`(?i)(?:^|[-._])(?:trailer|teaser)[0-9]*$`)
	// generic is the name of a file that says nothing.
	generic = regexp.MustCompile(`(?i)^(?:movie|film|video|main|feature|title|index|untitled)[ ._-]?[0-9]*$`)
)

// extraWords end the names of extras.
var extraWords = []string{"scene", "clip", "interview", "behindthescenes", "deleted", "deletedscene", "featurette", "short", "other", "extra"}

// extraFolders hold what lies beside a film or a series.
var extraFolders = []string{
	"behind the scenes", "deleted scenes", "featurette", "featurettes", "interview", "interviews", "scene", "scenes", "short", "shorts", "clip", "clips",
	"other", "others", "extra", "extras", "bonus", "trailer", "trailers", "sample", "samples", "theme-music", "backdrops",
}

// otherFolders hold no files of their own that could be played: discs, and what systems
// and servers keep for themselves.
var otherFolders = []string{
	"bdmv", "certificate", "video_ts", "audio_ts", "hvdvd_ts", "@eadir", "#recycle", "@recycle", "$recycle.bin", "system volume information", "lost+found", "__macosx",
}

// specials are folders of season 0.
var specials = []string{"specials", "special", "season 0", "season 00"}

// component is a part of a path as it is read.
type component struct {
	name    string // without what tools put into it
	imdb    string
	edition string
}

// readComponent reads the name of a folder or, without its extension, of a file.
func readComponent(name string) component {
	c := component{name: text.Clean(name)}
	if !strings.ContainsAny(c.name, "[{(") && !strings.Contains(c.name, "tt") {
		return c // as most names
	}
	c.name = bracketed.ReplaceAllStringFunc(c.name, func(s string) string {
		m := bracketed.FindStringSubmatch(s)
		switch strings.ToLower(m[1]) {
		case "imdb":
			if id := strings.ToLower(m[2]); sources.IsIMDbID(id) {
				c.imdb = id
			}
		case "edition":
			c.edition = m[2]
		}
		return " "
	})
	if c.imdb == "" && strings.Contains(c.name, "tt") {
		if m := bareID.FindStringSubmatch(c.name); m != nil {
			c.imdb = m[1]
		}
	}
	c.name = strings.TrimSpace(c.name)
	return c
}

// around is what the folders around a file tell.
type around struct {
	path   string // as it is read, of the root and the folder
	names  []string
	year   int
	season int    // -1 for none
	imdb   string // of the nearest one that has an id
	show   show   // of a tvshow.nfo
	part   int    // of the film that lies in several folders, 0 for none

	ownIMDb string // of the folder itself
}

// maxFoldersRead is how many folders around a file are asked for an id.
const maxFoldersRead = 3

// readFolder reads the path of a folder below a root with the given name.
func readFolder(root, folder string, in show) around {
	a := around{season: -1, show: in}
	if strings.HasSuffix(root, ":") {
		root = "" // a disk has no name
	}
	components := []string{root}
	if folder != "" {
		components = append(components, strings.Split(folder, "/")...)
	}
	var path strings.Builder
	for i, name := range components {
		c := readComponent(name)
		if c.imdb != "" && len(components)-i <= maxFoldersRead {
			a.imdb = c.imdb
		}
		last := i == len(components)-1
		if last {
			a.ownIMDb = c.imdb
		}
		if m := partFolder.FindStringSubmatch(c.name); m != nil && last {
			a.part, _ = strconv.Atoi(m[1])
			continue
		}
		if slices.Contains(specials, strings.ToLower(c.name)) && i > 0 {
			c.name = "Season 00"
		}
		if c.name != "" {
			path.WriteString("/" + strings.ReplaceAll(c.name, `\`, " "))
		}
	}
	a.path = path.String()
	info := release.Parse(a.path)
	a.names, a.year, a.season = titles(info), info.Year, info.Episodes.Season
	return a
}

// isShow tells whether a folder is one of a series.
func (a around) isShow() bool { return a.season >= 0 || !a.show.equal(show{}) }

// hasAny tells whether one of words stands in s.
func hasAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) })
}

func titles(info release.Info) []string {
	var names []string
	for _, name := range []string{info.Title, info.AltTitle} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// named is what the name of a file tells, within its folder.
type named struct {
	component
	stem    string // the name without its extension, as it is
	info    release.Info
	numbers match.EpisodeRange
	episode bool // it is one, of the numbers
	weak    bool // it may be a film whose name has a number
	apart   bool // it lies in a series and is no numbered episode of it
	leads   bool // the number of the episode starts the name, and a title follows
	bare    bool // the name has no title but the folder's
	trailer bool
	part    partOf
}

// partOf says which part of a film a file is; the zero value is the whole.
type partOf struct {
	number int
	of     string // the same for all parts
}

// readFile reads the name of a media file in a folder. It is not ok for one that lies
// beside a film, and is none.
func readFile(name string, in around) (n named, ok bool) {
	n.stem = stemOf(name)
	n.component = readComponent(n.stem)
	lower := strings.ToLower(n.name)
	if hasAny(lower, "sample") && sample.MatchString(n.name) || hasAny(lower, extraWords...) && extra.MatchString(n.name) {
		return n, false
	}
	if hasAny(lower, "trailer", "teaser") {
		if at := trailer.FindStringIndex(n.name); at != nil {
			n.trailer = true
			n.name = strings.TrimSpace(n.name[:at[0]])
		}
	}
	n.name, n.part = withoutPart(n.name, in)
	if n.part.number == 0 && in.part > 0 {
		n.part.number = in.part
	}
	if n.name != "" {
		n.info = release.Parse(in.path + "/" + strings.ReplaceAll(n.name, `\`, " ") + ".mkv")
	}
	n.trailer = n.trailer || n.info.Trailer
	n.readEpisode(in)
	return n, !n.trailer || !n.episode && !in.isShow()
}

// stemOf is the name of a file without its extension.
func stemOf(name string) string {
	if stem := link.TrimExtension(name); stem != name {
		return stem
	}
	return name[:len(name)-len(extensionOf(name))]
}

// extensionOf is the extension of a file's name with its dot, as it is.
func extensionOf(name string) string {
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		return name[at:]
	}
	return ""
}

// withoutPart takes the number of a part off a name. That of a title stays: a film of
// several files has its number behind the year, glued to a word that is not of titles, or
// lies in a folder of its own name.
func withoutPart(name string, in around) (string, partOf) {
	if !hasAny(strings.ToLower(name), "cd", "dvd", "disc", "disk", "part", "pt") { // most names
		return name, partOf{}
	}
	at := part.FindStringSubmatchIndex(name)
	if at == nil {
		return name, partOf{}
	}
	word, glued := strings.ToLower(name[at[2]:at[3]]), at[4] == at[5]
	p := partOf{of: strings.ToLower(name[:at[2]] + "\x00" + name[at[7]:])}
	p.number, _ = strconv.Atoi(name[at[6]:at[7]])
	before, behind := strings.TrimRight(name[:at[2]], " ._-(["), strings.TrimLeft(name[at[7]:], ")]")
	switch {
	case p.number == 0, word == "dvd" && glued && p.number > 4: // the size of a disc
		return name, partOf{}
	case (word == "part" || word == "pt") && !glued && release.Parse(before+".mkv").Year == 0:
		title := text.NormalizeName(before)
		if in.year == 0 || !slices.ContainsFunc(in.names, func(name string) bool { return text.NormalizeName(name) == title }) {
			return name, partOf{}
		}
	}
	return strings.TrimSpace(before + behind), p
}

// readEpisode finds which episode a file holds.
func (n *named) readEpisode(in around) {
	if n.info.HasEpisode {
		n.numbers, n.episode = n.info.Episodes, true
		n.leads = n.numbers.Season < 0 && text.IsDigit(n.name[0])
	} else if dated.MatchString(n.name) {
		n.apart = true
	} else if n.info.Year == 0 || in.isShow() {
		r, kind := match.ReadLabel(n.name, in.names...)
		n.episode = kind == match.LabelEpisode
		n.numbers, n.bare = r, n.episode
	}
	n.apart = n.apart || !n.episode && in.isShow()
	if n.episode && n.numbers.Season < 0 {
		n.numbers.Season = in.season
		n.weak = !in.isShow()
	}
}
