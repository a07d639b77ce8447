package text

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Unwrap gives an answer, in UTF-8, without what servers and languages put before it:
// byte order marks, blanks and control characters, comments, the messages that PHP
// prints while it goes on, guards against foreign scripts, and the call or the variable
// of JSONP, whose end is taken off as well. Nothing else is passed over, so that what
// stands within another text, such as a page, is no answer. from says for people what
// the answer was in, "" where that was nothing but blanks.
func Unwrap(body []byte) (inner []byte, from string) {
	inner = skipBlanks(body)
	for len(inner) > 0 && inner[0] != '{' && inner[0] != '[' {
		if rest := skipComment(inner); rest != nil {
			inner, from = rest, "comments"
		} else if rest := skipMessages(inner); rest != nil {
			inner, from = rest, "messages of PHP"
		} else if rest := unwrapCall(inner); rest != nil {
			return rest, "a JSONP call"
		} else {
			break
		}
		inner = skipBlanks(inner)
	}
	return inner, from
}

// skipBlanks passes over what takes no place, or an empty one.
func skipBlanks(body []byte) []byte {
	return bytes.TrimLeftFunc(body, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || isHiddenFormat(r)
	})
}

// guardPattern is what keeps an answer from being run as a script of another site.
var guardPattern = regexp.MustCompile(`^(?:\)\]\}',?|(?:while|for)\s*\((?:1|true|;;)\)\s*(?:;|\{\s*\}))`)

// skipComment passes over one comment or guard, and gives nil where there is none.
func skipComment(body []byte) []byte {
	for _, c := range [][2]string{{"<!--", "-->"}, {"/*", "*/"}} {
		if inner, ok := bytes.CutPrefix(body, []byte(c[0])); ok {
			if _, rest, ok := bytes.Cut(inner, []byte(c[1])); ok {
				return rest
			}
			return nil
		}
	}
	if guard := guardPattern.Find(body[:min(len(body), maxHead)]); guard != nil {
		return body[len(guard):]
	}
	return nil
}

// maxHead is how long a guard, or what stands before the value of a call, may be.
const maxHead = 512

// callPattern is what stands before the value of a call, or of a variable. Careful
// servers look first whether the name is that of a function.
var callPattern = regexp.MustCompile(strings.ReplaceAll(
	`^(?:;\s*)*(?:try\s*\{\s*)?(?:(?:if\s*\(\s*)?(?:typeof\s+)?NAME(?:\s*={2,3}\s*["']function["'])?\s*(?:&&|\)\s*\{?)\s*)?`+
		`(?:NAME\s*\(|\(|(?:(?:var|let|const)\s+)?NAME\s*=)\s*`,
	"NAME", `[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\s*["']?[\w$.-]+["']?\s*\])*`))

// browserPattern is of what only scripts for browsers call or set: they are no answers.
var browserPattern = regexp.MustCompile(`\b(?:location|document|navigator|history|alert|eval|console)\b`)

// unwrapCall gives the object or array that a call is made with, or that a variable is
// set to, nil for all else.
func unwrapCall(body []byte) []byte {
	head := callPattern.Find(body[:min(len(body), maxHead)])
	if head == nil || browserPattern.Match(head) {
		return nil
	}
	inner := skipBlanks(body[len(head):])
	if len(inner) == 0 || inner[0] != '{' && inner[0] != '[' {
		return nil
	}
	return bytes.TrimSuffix(bytes.TrimRight(inner, "; \t\r\n"), []byte(")"))
}

// messageKinds are those of the messages of PHP after which it goes on.
var messageKinds = []string{"warning", "notice", "deprecated", "strict standards", "core warning", "compile warning"}

// maxMessage is how long a message of PHP may be.
const maxMessage = 8 << 10

// skipMessages passes over messages of PHP, as text or as HTML, and gives nil where there
// is none.
func skipMessages(body []byte) []byte {
	var behind []byte
	for rest := skipBreaks(body); ; rest = skipBreaks(rest) {
		after := skipMessage(rest)
		if after == nil {
			after = skipTable(rest)
		}
		if after == nil {
			return behind
		}
		rest = skipBreaks(after)
		behind = rest
	}
}

// breakPattern is the end of a line in HTML, as PHP writes it around a message.
var breakPattern = regexp.MustCompile(`(?i)^\s*<br\s*/?>`)

func skipBreaks(body []byte) []byte {
	for {
		body = skipBlanks(body)
		line := breakPattern.Find(body[:min(len(body), len("<br />"))])
		if line == nil {
			return body
		}
		body = body[len(line):]
	}
}

// skipMessage passes over "Warning: … in … on line 3", where the kind, the file and the
// line may be bold.
func skipMessage(body []byte) []byte {
	head := body[:min(len(body), maxMessage)]
	kind, _, _ := bytes.Cut(head, []byte(":"))
	kind = bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimPrefix(kind, []byte("PHP ")), []byte("<b>")), []byte("</b>"))
	if !slices.ContainsFunc(messageKinds, func(k string) bool { return strings.EqualFold(k, string(kind)) }) {
		return nil
	}
	const line = " on line "
	at := bytes.Index(head, []byte(line))
	if at < 0 {
		return nil
	}
	at += len(line)
	number := bytes.TrimPrefix(body[at:], []byte("<b>"))
	after := bytes.TrimLeft(number, "0123456789")
	if len(after) == len(number) {
		return nil
	}
	return bytes.TrimPrefix(after, []byte("</b>"))
}

// skipTable passes over a message in the table that Xdebug makes of it.
func skipTable(body []byte) []byte {
	const start, mark, end = "<font size=", "class='xdebug-error xe-", "</table></font>"
	head := body[:min(len(body), maxMessage)]
	at := bytes.Index(head, []byte(mark))
	if !bytes.HasPrefix(head, []byte(start)) || at < 0 {
		return nil
	}
	kind := head[at+len(mark):]
	goesOn := func(name string) bool { return bytes.HasPrefix(kind, []byte(strings.ReplaceAll(name, " ", "-"))) }
	if !slices.ContainsFunc(messageKinds, goesOn) {
		return nil
	}
	if _, rest, ok := bytes.Cut(body, []byte(end)); ok {
		return rest
	}
	return nil
}
