package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/text/language"
)

// failoverMessages are the words of a switch between interfaces, in one of the
// languages that people with such interfaces read.
type failoverMessages struct {
	trying   string // the next interface, one %s
	switched string // to an interface, one %s
	failed   string // title of the question
	next     string // its choices
	choose   string
	to       string // one %s
	cancel   string
	which    string // title of the second question
}

func (m failoverMessages) tryingNext(to string) string { return fmt.Sprintf(m.trying, to) }
func (m failoverMessages) switchedTo(to string) string { return fmt.Sprintf(m.switched, to) }

// messages gives the words in the language of the locale, English where it is
// another one.
func (a *app) messages() failoverMessages {
	locale := cmp.Or(a.getenv("LC_ALL"), a.getenv("LC_MESSAGES"), a.getenv("LANG"))
	name, _, _ := strings.Cut(locale, ".") // of the character set
	name, _, _ = strings.Cut(name, "@")
	tag, err := language.Parse(strings.ReplaceAll(name, "_", "-"))
	if err != nil {
		tag = language.English
	}
	switch base, _ := tag.Base(); base.String() {
	case "de":
		return failoverMessages{
			trying:   "nächste Schnittstelle wird versucht: %s",
			switched: "gewechselt zu %s",
			failed:   "Die Schnittstelle konnte nicht geladen werden",
			next:     "Zur nächsten wechseln: %s",
			choose:   "Eine andere wählen …",
			to:       "Wechseln zu %s",
			cancel:   "Abbrechen",
			which:    "Welche Schnittstelle?",
		}
	case "zh":
		return failoverMessages{
			trying:   "正在尝试下一个接口:%s",
			switched: "已切换到 %s",
			failed:   "接口加载失败",
			next:     "切换到下一个:%s",
			choose:   "指定接口……",
			to:       "切换到 %s",
			cancel:   "取消",
			which:    "选择接口",
		}
	default:
		return failoverMessages{
			trying:   "trying the next interface: %s",
			switched: "switched to %s",
			failed:   "The interface could not be loaded",
			next:     "Switch to the next one: %s",
			choose:   "Choose another one …",
			to:       "Switch to %s",
			cancel:   "Cancel",
			which:    "Which interface?",
		}
	}
}
