package loader

import (
	"errors"
	"strings"

	"xship/config/vod"
	"xship/sources/link"
)

// RedactURL is the URL of an interface for listings, logs and errors: what
// link.Redact leaves of it, without the values of its parameters. There
// any parameter may be a token, whatever its name.
func RedactURL(rawURL string) string {
	head, query, ok := strings.Cut(link.Redact(rawURL), "?")
	if !ok {
		return head
	}
	params := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	for i, param := range params {
		switch name, value, ok := strings.Cut(param, "="); {
		case !ok:
			params[i] = link.Redacted
		case value != "":
			params[i] = name + "=" + link.Redacted
		}
	}
	return head + "?" + strings.Join(params, "&")
}

// redactError is err with the URLs in its texts as RedactURL shows them.
func redactError(err error) error {
	failed, ok := errors.AsType[*vod.Error](err)
	if !ok {
		return err
	}
	shown := *failed
	for _, text := range []*string{&shown.URL, &shown.FinalURL, &shown.Detail, &shown.Hint} {
		*text = redactText(*text)
	}
	return &shown
}

// redactText redacts the URLs in a text.
func redactText(text string) string {
	words := strings.SplitAfter(text, " ")
	for i, word := range words {
		start := strings.Index(word, "://")
		if start < 0 {
			continue
		}
		start = strings.LastIndexAny(word[:start], "\"'(<") + 1
		end := len(strings.TrimRight(word, " \"')>,;:.…"))
		words[i] = word[:start] + RedactURL(word[start:end]) + word[end:]
	}
	return strings.Join(words, "")
}
