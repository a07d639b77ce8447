package text

import (
	"errors"
	"strings"
)

// SplitCommand splits a command line at spaces. Quotes keep words together as a
// POSIX shell has it; a backslash is one where it does not stand before a
// quote, a space or another one. Nothing is expanded. The error says that a quote is
// not closed.
func SplitCommand(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\\' && quote != '\'' && i+1 < len(runes) && strings.ContainsRune(`'" \`, runes[i+1]):
			i++
			word.WriteRune(runes[i])
			inWord = true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// ShellQuote is s in quotes, as one word of a line that is typed into a POSIX shell, in
// which nothing is expanded. What s holds may come from the network.
func ShellQuote(s string) string {
	if strings.ContainsAny(s, "\"`$\\!") { // which have a meaning in double quotes, too
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return `"` + s + `"`
}

// ShellWord is ShellQuote, without quotes where s needs none.
func ShellWord(s string) string {
	if s == "" || s[0] == '=' || strings.ContainsAny(s, " \t\n'\"\\$`!*?[]{}()<>|&;#~") {
		return ShellQuote(s)
	}
	return s
}
