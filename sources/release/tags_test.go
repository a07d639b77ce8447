package release_test

import (
	"slices"
	"testing"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/release"
	"xship/sources/text"
)

// Every word of the table tells, as a label, what the table says of it.
func TestTagsAreRead(t *testing.T) {
	for word, tags := range text.TagWords() {
		info := release.ParseLabel(word)
		for _, tag := range tags {
			if !tells(info, tag) && word != "版" { // which is a tag behind others only
				t.Errorf("%q does not tell %+v but %+v", word, tag, info)
			}
		}
	}
}

func tells(info release.Info, tag text.Tag) bool {
	switch tag.Kind {
	case text.TagQuality:
		return slices.Contains(sources.Qualities(), info.Quality) && string(info.Quality) == tag.Value
	case text.TagSource:
		return info.Source == tag.Value
	case text.TagCodec:
		return info.Codec == tag.Value
	case text.TagDepth:
		return info.BitDepth > 0
	case text.TagHDR:
		return slices.Equal(info.HDR, []string{tag.Value})
	case text.TagAudio:
		return info.Audio == tag.Value
	case text.TagAtmos:
		return info.Atmos
	case text.TagChannels:
		return info.Channels == tag.Value
	case text.TagLanguage:
		return info.Language() == tag.Value && !info.Cantonese
	case text.TagCantonese:
		return info.Language() == tag.Value && info.Cantonese
	case text.TagMulti:
		return info.Language() == "multi"
	case text.TagSubtitle:
		return info.Subtitled && (tag.Value == "" || slices.Contains(info.Subtitles, tag.Value))
	case text.TagTrailer:
		return info.Trailer
	case text.TagEdition:
		return slices.Equal(info.Editions, []string{tag.Value})
	default:
		return info.Language() == "" && info.Labels() == nil && !info.Trailer
	}
}

// What is left of a name without its tags is the title for both: for who reads the
// name, and for who compares it. Only with a trailer it is not: one reads that it is
// that film's, the other that it is not the film.
func TestTagsAreDropped(t *testing.T) {
	words := []string{
		"1080p", "HD1080P", "1080i", "360p", "1920x804", "WEB-DL", "WEB.DL", "Blu-ray", "H.264", "x 265", "10-bit", "DTS-HD MA", "Dolby Vision", "HD国语", "国语中字", "英语版",
	}
	for word, tags := range text.TagWords() {
		if tags[0].Kind != text.TagTrailer {
			words = append(words, word)
		}
	}
	title := sources.Title{Kind: sources.KindMovie, Name: "静港"}
	for _, word := range words {
		name := "静港 " + word
		read := release.Parse(name)
		fit := match.Title(title, match.Candidate{Names: []string{name}})
		if read.Title == title.Name && read.AltTitle == "" && fit != match.Exact {
			t.Errorf("%q is read as %q, but fits it %d", name, read.Title, fit)
		}
		if tags := text.TagsOf(word); tags == nil || tags[0].Sure() {
			if read.Title != title.Name {
				t.Errorf("%q has the title %q", name, read.Title)
			}
		}
	}
	for _, word := range text.TrailerWords() {
		if fit := match.Title(title, match.Candidate{Names: []string{"静港 " + word}}); fit != match.None {
			t.Errorf("the film of that name fits %d with the trailer's word %q", fit, word)
		}
	}
}
