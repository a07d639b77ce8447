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

// Precedence of what tells the quality: a picture's size beats its class,
// which beats words that everyone uses differently.
const (
	rankVague = iota + 1
	rankClass
	rankLines
	rankSize
)

// hanRun reads a run of Han as nothing but tags, nil where it is more.
func hanRun(run string) []text.Tag {
	var tags []text.Tag
	for rest := run; rest != ""; {
		found, n := hanWord(rest)
		switch {
		case n == 0 || rest == run && !found[0].Sure():
			return nil
		case tags == nil:
			tags = slices.Clip(found)
		default:
			tags = append(tags, found...)
		}
		rest = rest[n:]
	}
	return tags
}

// hanWord are the tags of the longest word that rest starts with, and its length.
func hanWord(rest string) (tags []text.Tag, n int) {
	var ends [text.LongestHanTag]int
	runes, end := 0, 0
	for ; runes < len(ends) && end < len(rest); runes++ {
		_, size := utf8.DecodeRuneInString(rest[end:])
		end += size
		ends[runes] = end
	}
	for runes--; runes >= 0; runes-- {
		if tags = text.TagsOf(rest[:ends[runes]]); tags != nil {
			return tags, ends[runes]
		}
	}
	return nil, 0
}

// hanTrailer tells whether a run of Han is a title and the word for trailer.
func hanTrailer(run string) bool {
	return slices.ContainsFunc(text.TrailerWords(), func(word string) bool { return strings.HasSuffix(run, word) })
}

// pictureTags has the tag of each quality.
var pictureTags = sync.OnceValue(func() map[sources.Quality][]text.Tag {
	all := make(map[sources.Quality][]text.Tag)
	for _, q := range sources.Qualities() {
		all[q] = []text.Tag{{Kind: text.TagQuality, Value: string(q), Place: text.Anywhere}}
	}
	return all
})

// picture is the quality that the size of a picture tells.
func picture(word string) (q sources.Quality, rank int) {
	switch w, h := text.PictureSize(word); {
	case w > 0:
		return sources.QualityOf(w, h), rankSize
	case h > 0:
		return sources.QualityOf(0, h), rankLines
	default:
		return sources.QualityUnknown, 0
	}
}

// qualityRank is the precedence of a quality word.
func qualityRank(word string) int {
	switch word {
	case "hd", "sd", "蓝光", "高清", "超清", "标清":
		return rankVague
	default:
		return rankClass
	}
}

// audioChannels reads an audio codec with the first digit of its channels
// behind it: "ddp5" of "DDP5.1", "aac2" of "AAC2.0".
func audioChannels(word string) (codec text.Tag, channels string, ok bool) {
	n := len(word) - 1
	if n < 2 || !text.IsDigit(word[n]) {
		return text.Tag{}, "", false
	}
	found := text.TagsOf(word[:n])
	if found == nil || found[0].Kind != text.TagAudio {
		return text.Tag{}, "", false
	}
	return found[0], word[n:], true
}

// channelTags has the tag of each usual speaker set-up.
var channelTags = sync.OnceValue(func() (all [][]text.Tag) {
	for _, channels := range []string{"1.0", "2.0", "2.1", "5.0", "5.1", "6.1", "7.1"} {
		all = append(all, []text.Tag{{Kind: text.TagChannels, Value: channels, Place: text.AmongTags}})
	}
	return all
})

// gluedTags has the two tags of an audio codec and its channels in one word.
var gluedTags = sync.OnceValue(func() map[[2]text.Tag][]text.Tag {
	all := make(map[[2]text.Tag][]text.Tag)
	for _, tags := range text.TagWords() {
		for _, channels := range channelTags() {
			if codec := tags[0]; codec.Kind == text.TagAudio {
				all[[2]text.Tag{codec, channels[0]}] = []text.Tag{codec, channels[0]}
			}
		}
	}
	return all
})

// channelsOf is the tag of the set-up front.low, nil where it is none.
func channelsOf(front, low string) []text.Tag {
	for _, tags := range channelTags() {
		if f, l, _ := strings.Cut(tags[0].Value, "."); f == front && l == low {
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
