package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/text"
)

// sourceInfo is what a table tells of a source beside its name: why it does not work or is
// not listed any more, or what its stream turned out to hold, and the labels that do not
// say the same again.
func sourceInfo(row engine.LiveRow, doc api.Source) string {
	var parts []string
	add := func(part string) {
		if part = text.Clean(part); part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if row.Why != "" && row.Step != sources.ProbeWorks {
		return text.Clean(row.Why)
	}
	add(row.Why) // it works, and is not listed all the same
	add(doc.SetBack)
	if doc.Needs != "" {
		add("needs " + doc.Needs)
	}
	if wrongLabel(row) {
		add("not " + string(row.Claimed))
	}
	if row.Media == nil {
		if doc.SizeBytes > 0 {
			add(text.Size(doc.SizeBytes))
		}
		for _, label := range doc.Info {
			add(label)
		}
		return strings.Join(parts, " ")
	}
	facts := mediaFacts(*row.Media)
	if row.Media.SizeBytes == 0 && doc.SizeBytes > 0 {
		facts = append(facts, text.Size(doc.SizeBytes))
	}
	for _, fact := range facts {
		add(fact)
	}
	known := strings.ToLower(strings.Join(facts, " "))
	for _, label := range doc.Info {
		if !toldAlready(label, known) {
			add(label)
		}
	}
	for _, note := range row.Media.Notes {
		add(note)
	}
	return strings.Join(parts, " ")
}

// wrongLabel tells whether the stream of a source has another quality than its site says.
func wrongLabel(row engine.LiveRow) bool {
	return row.Claimed != sources.QualityUnknown && row.Claimed != row.Quality
}

// toldAlready tells whether a label of a release is among the facts of its stream, or is
// about what these tell better: codecs and channels.
func toldAlready(label, facts string) bool {
	label = strings.ToLower(label)
	switch label {
	case "h264", "hevc", "av1", "vp9", "xvid", "aac", "ac3", "eac3", "dts", "opus", "flac", "mp3", "2.0", "5.1", "7.1":
		return true
	}
	return strings.Contains(facts, label)
}

// mediaFacts are what a stream holds, in words, the most telling first.
func mediaFacts(m sources.MediaInfo) []string {
	var facts []string
	if v := m.Video; v != nil && v.Width > 0 && v.Height > 0 {
		facts = append(facts, fmt.Sprintf("%dx%d", v.Width, v.Height))
	}
	if m.DurationSeconds > 0 {
		facts = append(facts, playingTime(m.DurationSeconds))
	}
	if m.SizeBytes > 0 {
		facts = append(facts, text.Size(m.SizeBytes))
	}
	if sound := soundFacts(m.Audio); sound != "" {
		facts = append(facts, sound)
	}
	if v := m.Video; v != nil {
		if v.Codec != "" {
			facts = append(facts, codecName(v.Codec))
		}
		if v.HDR != "" {
			facts = append(facts, v.HDR)
		}
	}
	return facts
}

// playingTime is the duration of a stream as players show it: "1:32:10", "0:42".
func playingTime(seconds float64) string {
	d := time.Duration(min(max(seconds, 0), 1e7) * float64(time.Second)).Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
}

// soundFacts are the sound tracks of a stream: "de,en 5.1", "stereo".
func soundFacts(tracks []sources.AudioTrack) string {
	const named = 3
	var languages []string
	channels := 0
	for _, t := range tracks {
		if t.Language != "" && t.Language != "und" && !slices.Contains(languages, t.Language) {
			languages = append(languages, t.Language)
		}
		channels = max(channels, t.Channels)
	}
	if n := len(languages); n > named {
		languages = append(languages[:named], fmt.Sprintf("+%d", n-named))
	}
	return strings.TrimSpace(strings.Join(languages, ",") + " " + channelName(channels))
}

func channelName(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "mono"
	case 2:
		return "stereo"
	case 6:
		return "5.1"
	case 8:
		return "7.1"
	default:
		return fmt.Sprintf("%d ch", n)
	}
}

// codecName is the name of a picture codec as releases have it.
func codecName(codec string) string {
	known := map[string]string{"h264": "H264", "hevc": "HEVC", "av1": "AV1", "vp9": "VP9"}
	return cmp.Or(known[codec], codec)
}

// factColumns are the tsv columns of what a stream holds, and factCells their cells.
func factColumns() []string {
	return []string{"provider", "claimed quality", "width", "height", "duration seconds", "size bytes", "video codec", "audio"}
}

func factCells(row engine.LiveRow, doc api.Source) []string {
	m := sources.MediaInfo{}
	if row.Media != nil {
		m = *row.Media
	}
	v := sources.VideoTrack{}
	if m.Video != nil {
		v = *m.Video
	}
	return []string{
		doc.Provider, doc.ClaimedQuality, number(int64(v.Width)), number(int64(v.Height)), number(int64(m.DurationSeconds)),
		number(cmp.Or(m.SizeBytes, doc.SizeBytes)), v.Codec, soundFacts(m.Audio),
	}
}

// number is n for a column of numbers, "" where it is not known.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
