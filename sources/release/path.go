package release

import (
	"strings"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// maxFolders is how many of the folders that a file lies in are asked.
const maxFolders = 4

// splitPath parts the folders of a path from the file's name. A slash also stands
// between two titles, so that what does not start like a path is one where a file's
// extension ends it or where both sides name the same.
func splitPath(name string) (folders, file string, ok bool) {
	if strings.IndexByte(name, '/') < 0 && strings.IndexByte(name, '\\') < 0 {
		return "", "", false
	}
	at := max(strings.LastIndexByte(name, '/'), strings.LastIndexByte(name, '\\'))
	if at < 1 || at+1 == len(name) || name[at-1] == ' ' || name[at+1] == ' ' {
		return "", "", false
	}
	folders, file = name[:at], name[at+1:]
	if strings.Count(folders, "[") > strings.Count(folders, "]") || strings.Count(folders, "(") > strings.Count(folders, ")") {
		return "", "", false
	}
	switch {
	case name[0] == '/', name[0] == '\\', name[at] == '\\', name[1] == ':' && len(name) > 2 && name[2] == '/':
		return folders, file, true
	case strings.Contains(folders, " /"):
		return "", "", false
	}
	folder := folders[strings.LastIndexByte(folders, '/')+1:]
	if link.TrimExtension(file) != file && !strings.HasPrefix(name, "[") {
		return folders, file, true
	}
	same := 0
	for same < min(len(folder), len(file)) && folder[same]|0x20 == file[same]|0x20 && folder[same] < 0x80 {
		same++
	}
	return folders, file, same > 4
}

// parsePath reads the name of a file and, for what it does not tell, those of the
// folders that the file lies in.
func parsePath(folders, file string, title bool) Info {
	var around [maxFolders]Info
	n := 0
	season := -1
	for rest := folders; rest != "" && n < maxFolders; n++ {
		at := max(strings.LastIndexByte(rest, '/'), strings.LastIndexByte(rest, '\\'))
		around[n] = parseName(rest[at+1:], true, noFolder)
		if season < 0 {
			season = around[n].Episodes.Season
		}
		rest = rest[:max(at, 0)]
	}
	in := someFolder
	if season >= 0 {
		in = seasonFolder
	}
	info := parseName(file, title, in)
	if isRandom(link.TrimExtension(file)) || !info.HasEpisode && around[0].HasEpisode {
		return around[0]
	}
	if info.HasEpisode && info.Episodes.Season < 0 {
		info.Episodes.Season = season
	}
	show := season >= 0 // the next folder with a title is that of the show, whatever the file calls it
	for _, folder := range around[:n] {
		if title && info.Title == "" {
			info.Title, info.AltTitle = folder.Title, folder.AltTitle
		}
		if title && info.Year == 0 && folder.Year > 0 && (show || text.NormalizeName(folder.Title) == text.NormalizeName(info.Title)) {
			info.Year = folder.Year
		}
		show = show && folder.Title == ""
		info.fill(folder)
	}
	return info
}

// fill takes over what the name of a folder tells of picture and sound, and that of the
// file does not.
func (i *Info) fill(folder Info) {
	first := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	if i.Quality == sources.QualityUnknown {
		i.Quality = folder.Quality
	}
	first(&i.Source, folder.Source)
	first(&i.Codec, folder.Codec)
	i.BitDepth = max(i.BitDepth, folder.BitDepth)
	if i.HDR == nil {
		i.HDR = folder.HDR
	}
	if i.Audio == "" {
		i.Audio, i.Atmos = folder.Audio, i.Atmos || folder.Atmos
	}
	first(&i.Channels, folder.Channels)
	if i.Languages == nil {
		i.Languages, i.Cantonese = folder.Languages, folder.Cantonese
	}
	if !i.Subtitled {
		i.Subtitled, i.Subtitles = folder.Subtitled, folder.Subtitles
	}
	if i.Editions == nil {
		i.Editions = folder.Editions
	}
	first(&i.Group, folder.Group)
}

// isRandom tells whether a file's name is made of nothing but random letters and
// digits, as those are that hide what they hold.
func isRandom(name string) bool {
	if len(name) < 20 {
		return false
	}
	for i := range len(name) {
		if !text.IsAlnum(name[i]) {
			return false
		}
	}
	return true
}
