package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/language"

	"xship/cmd/engine/loader"
	"xship/cmd/term"
	"xship/sources"
)

// messages are the words of a switch between interfaces, and of the choices between
// titles, seasons, episodes and sources, in one of the languages that people with such
// interfaces read.
type messages struct {
	trying   string // the next interface, one %s
	switched string // to an interface, one %s
	failed   string // title of the question
	next     string // its choices
	choose   string
	to       string // one %s
	cancel   string
	which    string // title of the second question
	declined string // the question, by a cancel

	whichTitle, film, series string // the question which title is meant, and its kinds

	didYouMean, none          string // the question between near titles, and its last answer
	nobodyHas                 string // what led to it, one %s
	whichSeason, whichEpisode string // the questions for an episode of a series
	season, specials, episode string // their answers, the first and the last with one %d
	seasonHas, seasonHasOne   string // a season and its episodes, two %s each

	up, down, confirm              string // what keys do
	filter, setFilter, clearFilter string
	number                         string // asks for one of the choices, from one %d to another

	whichSource string // the question what is to be played
}

func (m messages) tryingNext(to string) string { return fmt.Sprintf(m.trying, to) }
func (m messages) switchedTo(to string) string { return fmt.Sprintf(m.switched, to) }

// words are what the keys of the question do.
func (m messages) words() term.Words {
	return term.Words{
		Up: m.up, Down: m.down, Confirm: m.confirm,
		Filter: m.filter, SetFilter: m.setFilter, ClearFilter: m.clearFilter, Number: m.number,
	}
}

// kind is the word for a film or a series.
func (m messages) kind(k sources.Kind) string {
	if k == sources.KindEpisode {
		return m.series
	}
	return m.film
}

// seasonName is the word for a season.
func (m messages) seasonName(season int) string {
	if season == 0 {
		return m.specials
	}
	return fmt.Sprintf(m.season, season)
}

// localised is the message of an error in the words of the user, where it says that they
// wanted no other interface.
func (m messages) localised(err error, message string) string {
	failed, ok := errors.AsType[*loader.FailedError](err)
	if !ok || !failed.Cancelled {
		return message
	}
	headline, _, _ := strings.Cut(failed.Error(), "\n")
	return strings.Replace(message, headline, m.declined, 1)
}

// messages gives the words in the language of the locale, English where it is
// another one.
func (a *app) messages() messages {
	locale := cmp.Or(a.getenv("LC_ALL"), a.getenv("LC_MESSAGES"), a.getenv("LANG"))
	name, _, _ := strings.Cut(locale, ".") // of the character set
	name, _, _ = strings.Cut(name, "@")
	tag, err := language.Parse(strings.ReplaceAll(name, "_", "-"))
	if err != nil {
		tag = language.English
	}
	switch base, _ := tag.Base(); base.String() {
	case "de":
		return messages{
			trying:     "nächste Schnittstelle wird versucht: %s",
			switched:   "gewechselt zu %s",
			failed:     "Die Schnittstelle konnte nicht geladen werden",
			next:       "Zur nächsten wechseln: %s",
			choose:     "Eine andere wählen …",
			to:         "Wechseln zu %s",
			cancel:     "Abbrechen",
			which:      "Welche Schnittstelle?",
			declined:   "Wechsel der Schnittstelle abgebrochen",
			whichTitle: "Welcher Titel ist gemeint?", film: "Film", series: "Serie",
			didYouMean: "Was ist gemeint?", none: "Nichts davon", nobodyHas: "Nichts gefunden für %s",
			whichSeason: "Welche Staffel?", whichEpisode: "Welche Folge?",
			season: "Staffel %d", specials: "Specials", episode: "Folge %d", seasonHas: "%s: Folgen %s", seasonHasOne: "%s: Folge %s",
			up: "hoch", down: "ab", confirm: "wählen",
			filter: "filtern", setFilter: "Filter übernehmen", clearFilter: "Filter löschen",
			number: "Eine Zahl von %d bis %d: ",

			whichSource: "Was soll laufen?",
		}
	case "zh":
		return messages{
			trying:     "正在尝试下一个接口:%s",
			switched:   "已切换到 %s",
			failed:     "接口加载失败",
			next:       "切换到下一个:%s",
			choose:     "指定接口……",
			to:         "切换到 %s",
			cancel:     "取消",
			which:      "选择接口",
			declined:   "已取消接口切换",
			whichTitle: "要找的是哪一部？", film: "电影", series: "剧集",
			didYouMean: "要找的是下面的哪一部？", none: "都不是", nobodyHas: "未找到 %s",
			whichSeason: "选择季", whichEpisode: "选择集",
			season: "第 %d 季", specials: "特别篇", episode: "第 %d 集", seasonHas: "%s:第 %s 集", seasonHasOne: "%s:第 %s 集",
			up: "上移", down: "下移", confirm: "确定",
			filter: "筛选", setFilter: "应用筛选", clearFilter: "清除筛选",
			number: "请输入 %d 到 %d 之间的数字:",

			whichSource: "播放哪一个？",
		}
	default:
		return messages{
			trying:     "trying the next interface: %s",
			switched:   "switched to %s",
			failed:     "The interface could not be loaded",
			next:       "Switch to the next one: %s",
			choose:     "Choose another one …",
			to:         "Switch to %s",
			cancel:     "Cancel",
			which:      "Which interface?",
			declined:   "interface switch cancelled",
			whichTitle: "Which title is meant?", film: "film", series: "series",
			didYouMean: "Did you mean one of these?", none: "None of them", nobodyHas: "Nothing found for %s",
			whichSeason: "Which season?", whichEpisode: "Which episode?",
			season: "Season %d", specials: "Specials", episode: "Episode %d", seasonHas: "%s: episodes %s", seasonHasOne: "%s: episode %s",
			up: "up", down: "down", confirm: "choose",
			filter: "filter", setFilter: "set filter", clearFilter: "clear filter",
			number: "Enter a number from %d to %d: ",

			whichSource: "What is to be played?",
		}
	}
}
