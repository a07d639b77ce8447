package jellyfin

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// ticksPerSecond is the unit of times.
const ticksPerSecond = 10_000_000

// maxName bounds the name of a source, in characters.
const maxName = 300

// title names a film for people.
func (i item) title() string {
	name := text.Clean(i.Name)
	if name != "" && i.ProductionYear > 0 {
		name += fmt.Sprintf(" (%d)", i.ProductionYear)
	}
	return name
}

// episodeName names an episode for people.
func episodeName(series, episode item, t sources.Title) string {
	name := fmt.Sprintf("%s S%02dE%02d", text.Clean(cmp.Or(episode.SeriesName, series.Name)), t.Season, *episode.Episode)
	if episode.EpisodeEnd != nil && *episode.EpisodeEnd > *episode.Episode {
		name += fmt.Sprintf("-E%02d", *episode.EpisodeEnd)
	}
	if own := text.Clean(episode.Name); own != "" {
		name += " " + own
	}
	return name
}

// yield gives each version of an item that is called name.
func (s *site) yield(i item, name string, yield func(sources.Source)) {
	if name == "" {
		name = "an item of " + s.title()
	}
	for _, v := range i.versions() {
		yield(s.source(i, v, name))
	}
}

// source is a version of an item as a source.
func (s *site) source(i item, v version, name string) sources.Source {
	src := sources.Source{
		Name: name, URL: s.link(i, v), SizeBytes: max(v.Size, 0),
		Duration: int(max(cmp.Or(v.RunTimeTicks, i.RunTimeTicks), 0) / ticksPerSecond),
	}
	if file := v.file(); file != "" {
		src.Name += ": " + file
	} else if own := text.Clean(v.Name); own != "" && own != name {
		src.Name += ": " + own
	}
	src.Name = text.Shorten(src.Name, maxName)
	if kind := strings.ToLower(v.VideoType); kind != "" && kind != "videofile" {
		src.Unplayable = "a disc image or folder, which only apps of the server play"
	}
	v.describe(&src)
	for _, t := range v.tracks() {
		if address := s.subtitle(i, v, t); address != "" {
			src.Subtitles = append(src.Subtitles, sources.Subtitle{URL: address, Language: text.LanguageCode(t.Language)})
		}
	}
	return src
}

// link is where the server serves a version as it is.
func (s *site) link(i item, v version) string {
	return s.address("/Videos/"+i.ID+"/stream"+v.extension(), url.Values{"static": {"true"}, "mediaSourceId": {v.ID}})
}

// extensionForm is what a file may end in.
var extensionForm = regexp.MustCompile(`^[a-z0-9]{2,5}$`)

// extension is what the file of a version ends in, with its dot. A container has several
// names at once ("mov,mp4,m4a"), of which that of the file is one.
func (v version) extension() string {
	containers := strings.Split(strings.ToLower(v.Container), ",")
	if ext := strings.TrimPrefix(strings.ToLower(path.Ext(slashed(v.Path))), "."); ext != "" &&
		(slices.Contains(containers, ext) || v.Container == "" && link.MediaOf("a."+ext).MIME != "") {
		containers = []string{ext}
	}
	if extensionForm.MatchString(containers[0]) && containers[0] != "strm" { // what it names is served, not the file
		return "." + containers[0]
	}
	return ""
}

// slashed is a path of any system with slashes.
func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// file is the name of the file of a version, "" where that is not known, or is an address,
// which may hold a secret.
func (v version) file() string {
	if v.Path == "" || strings.Contains(v.Path, "://") {
		return ""
	}
	return text.Clean(path.Base(slashed(v.Path)))
}

func (v version) tracks() []track { return eachOf[track](v.Streams, maxTracks) }

// labels of codecs where they are not the codec's name in upper case.
var codecLabels = map[string]string{
	"h264": "H264", "avc": "H264", "hevc": "HEVC", "h265": "HEVC", "av1": "AV1", "vp9": "VP9", "mpeg2video": "MPEG2", "mpeg4": "MPEG4", "vc1": "VC1",
	"aac": "AAC", "ac3": "AC3", "eac3": "EAC3", "dts": "DTS", "dca": "DTS", "truehd": "TrueHD", "flac": "FLAC", "opus": "Opus", "mp3": "MP3",
}

// describe fills in what the tracks of a version tell.
func (v version) describe(src *sources.Source) {
	var languages []string
	var sound []string
	for _, t := range v.tracks() {
		switch strings.ToLower(t.Type) {
		case "video":
			if src.Quality == sources.QualityUnknown && len(src.Info) == 0 {
				src.Quality = sources.QualityOf(t.Width, t.Height)
				src.Info = appendLabel(src.Info, codecLabels[strings.ToLower(t.Codec)])
				src.Info = appendLabel(src.Info, t.hdr())
			}
		case "audio":
			if language := text.LanguageCode(t.Language); language != "" && !slices.Contains(languages, language) {
				languages = append(languages, language)
			}
			if sound == nil {
				sound = appendLabel(appendLabel([]string{}, codecLabels[strings.ToLower(t.Codec)]), channelsLabel(t.Channels))
			}
		}
	}
	src.Info = append(src.Info, sound...)
	switch len(languages) {
	case 0:
	case 1:
		src.Language = languages[0]
	default:
		src.Language = sources.LanguageMulti
	}
}

func appendLabel(labels []string, label string) []string {
	if label == "" {
		return labels
	}
	return append(labels, label)
}

// hdr is the label of the range of a picture, "" for the ordinary one.
func (t track) hdr() string {
	kind := strings.ToLower(t.RangeType + " " + t.Extended)
	switch {
	case strings.Contains(kind, "dovi"), strings.Contains(kind, "dolbyvision"):
		return "DV"
	case strings.Contains(kind, "hdr10plus"), strings.Contains(kind, "hdr10+"):
		return "HDR10+"
	case strings.Contains(kind, "hdr10"):
		return "HDR10"
	case strings.Contains(kind, "hlg"), strings.Contains(kind, "hyperloggamma"):
		return "HLG"
	case strings.HasPrefix(strings.ToUpper(t.Range), "HDR"):
		return "HDR"
	default:
		return ""
	}
}

// channelsLabel is how people count the channels of a sound.
func channelsLabel(n int) string {
	return map[int]string{1: "1.0", 2: "2.0", 6: "5.1", 7: "6.1", 8: "7.1"}[n]
}

// subtitle is where the server serves a track of subtitles that lies beside a version, ""
// for every other track.
func (s *site) subtitle(i item, v version, t track) string {
	if !strings.EqualFold(t.Type, "Subtitle") || !t.IsExternal || !t.IsText || t.Index < 0 {
		return ""
	}
	ext := strings.ToLower(t.Codec)
	switch ext {
	case "ass", "ssa", "vtt":
	default:
		ext = "srt"
	}
	return s.address("/Videos/"+i.ID+"/"+v.ID+"/Subtitles/"+strconv.Itoa(t.Index)+"/Stream."+ext, nil)
}
