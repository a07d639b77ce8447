package link

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	// valueName is a name and what stands between it and its value: an equals sign or a
	// colon, with quotes as in JSON.
	valueName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)([\p{L}\p{N}_.%\[\]-]+)(\\?["']?\s*(?:=|:|：|＝|%3[ad])\s*(?:\\?["'])?)`)
	})
	// quotedValue and plainValue are values, of which a quote or a divider ends.
	quotedValue = regexp.MustCompile(`^(?:[^"'\\]|\\[^"'])+`)
	plainValue  = regexp.MustCompile(`^(?i)(?:(?:bearer|basic|digest|token)\s+)?[^\s"'<>&;,，；、。(){}\[\]\\|]+`)
	// bearer is a token behind the word that says so.
	bearer = regexp.MustCompile(`(?i)\b(bearer\s+)([\w.~+/=-]+)`)
)

// secretHeaders are the headers whose values are secret, whatever they look like.
var secretHeaders = []string{"authorization", "proxy-authorization", "cookie", "set-cookie"}

// vagueNames are names of secrets that name other things as well.
var vagueNames = []string{"key", "st", "hash", "md5", "policy", "extend"}

// noValues stand where a value is missing.
var noValues = []string{"null", "true", "false", "none", "undefined"}

// redactNamed is text without the values that are secret by the names before them, in
// the forms in which servers write them: name=value, "name":"value", and headers.
func redactNamed(text string) string {
	if !strings.ContainsAny(text, "=:：＝%") && !strings.Contains(strings.ToLower(text), "bearer") {
		return text
	}
	text = bearer.ReplaceAllStringFunc(text, func(s string) string {
		m := bearer.FindStringSubmatch(s)
		if m[2] == Redacted || !strings.ContainsAny(m[2], "0123456789") && !isSecretValue("value", m[2]) {
			return s
		}
		return m[1] + Redacted
	})
	var b strings.Builder
	for {
		at := valueName().FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		name, divider := text[at[2]:at[3]], text[at[4]:at[5]]
		inQuery := at[2] > 0 && strings.IndexByte("?&", text[at[2]-1]) >= 0
		b.WriteString(text[:at[1]])
		text = text[at[1]:]
		value := valueStart(divider, text)
		if value != "" && isNamedSecret(name, divider, value, inQuery) {
			b.WriteString(Redacted)
			text = text[len(value):]
		}
	}
	return b.String() + text
}

// valueStart is the value that text starts with, behind divider.
func valueStart(divider, text string) string {
	if strings.HasSuffix(divider, `"`) || strings.HasSuffix(divider, "'") {
		if trimmed := strings.TrimRight(divider, ` "'\`); trimmed != "" && strings.ContainsAny(divider[len(trimmed):], `"'`) {
			return quotedValue.FindString(text)
		}
	}
	return plainValue.FindString(text)
}

// isNamedSecret tells whether the value behind a name is a secret. In plain words a colon
// says less than an equals sign: "invalid token: expired".
func isNamedSecret(name, divider, value string, inQuery bool) bool {
	if strings.HasPrefix(value, Redacted) || slices.Contains(noValues, strings.ToLower(value)) || !secretName(name) {
		return false
	}
	switch lower := strings.ToLower(name); {
	case inQuery, slices.Contains(secretHeaders, lower):
		return true
	case slices.Contains(vagueNames, lower):
		return isSecretValue("value", value)
	}
	isField := strings.ContainsAny(divider, `"'`)
	isAssigned := strings.ContainsAny(divider, "=＝") || strings.Contains(strings.ToLower(divider), "%3d")
	return isField || isAssigned || isSecretValue("value", value)
}
