package config

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"xship/sources/link"
	"xship/sources/text"
)

// parser turns a value as it was given (text, or what YAML or a flag made of it)
// into that of its field. The error says what would be right.
type parser func(raw any) (any, error)

// positive is the shortest duration where none makes no sense.
const positive = time.Nanosecond

// duration accepts durations of shortest to longest.
func duration(shortest, longest time.Duration) parser {
	return func(raw any) (any, error) {
		d, err := parseDuration(raw)
		switch {
		case err != nil:
			return nil, err
		case d < 0:
			return nil, errors.New("a duration cannot be negative; use one such as 30s")
		case d < shortest:
			return nil, errors.New("a duration of zero makes no sense here; use one such as 30s")
		case d > longest:
			return nil, fmt.Errorf("too long; use %s at most", short(longest))
		}
		return d, nil
	}
}

func parseDuration(raw any) (time.Duration, error) {
	if d, ok := raw.(time.Duration); ok {
		return d, nil
	}
	text := strings.TrimSpace(fmt.Sprint(raw))
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, nil
	}
	if d, err = time.ParseDuration(text + "s"); err != nil {
		return 0, errors.New("not a duration; use one such as 30s, 5m or 1h30m")
	}
	if d >= 0 {
		return 0, fmt.Errorf("a duration needs a unit; use %ss", text)
	}
	return d, nil
}

// short is d without trailing zero units: 1h30m instead of 1h30m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// integer accepts whole numbers from 1 to most.
func integer(most int) parser { return integerFrom(1, most) }

// integerFrom accepts whole numbers from least to most.
func integerFrom(least, most int) parser {
	return func(raw any) (any, error) {
		n, err := strconv.Atoi(strings.TrimSpace(fmt.Sprint(raw)))
		if err != nil || n < least || n > most {
			return nil, fmt.Errorf("use a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// oneOf accepts one of words, in any case.
func oneOf(words ...string) parser {
	return func(raw any) (any, error) {
		text := strings.TrimSpace(fmt.Sprint(raw))
		i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, text) })
		if i < 0 {
			return nil, notOneOf(text, words)
		}
		return words[i], nil
	}
}

// notOneOf is the error of a word that is none of those that are known.
func notOneOf(word string, known []string) error {
	use := "use one of " + strings.Join(known, ", ")
	if near := text.Nearest(word, known); near != "" {
		use += "; did you mean " + near + "?"
	}
	return errors.New(use)
}

// qualities are the names of a quality that people use, best first, and its lines: of a
// picture of this height or more.
var qualities = []struct {
	name    string
	lines   int
	aliases []string
}{
	{"4K", 2160, []string{"uhd", "ultra hd", "ultrahd", "4k uhd"}},
	{"1440p", 1440, []string{"qhd", "wqhd", "2k"}},
	{"1080p", 1080, []string{"fhd", "full hd", "fullhd"}},
	{"720p", 720, []string{"hd"}},
	{"SD", 576, []string{"480", "360", "dvd"}},
}

// quality accepts a quality by its name, by its lines, with or without a p, and by what
// else people call it.
func quality(raw any) (any, error) {
	given := strings.ToLower(strings.TrimSpace(fmt.Sprint(raw)))
	called := strings.NewReplacer("-", " ", "_", " ").Replace(given) // full-hd
	plain := strings.TrimRight(given, "pi ")
	lines, err := strconv.Atoi(plain)
	if thousands, isK := strings.CutSuffix(plain, "k"); err != nil && isK {
		lines, err = strconv.Atoi(thousands)
		lines *= 540 // 8K has 4320
	}
	var names []string
	nearest, least := "", math.MaxInt
	for _, q := range qualities {
		if given == strings.ToLower(q.name) || plain == strconv.Itoa(q.lines) || slices.Contains(q.aliases, called) || slices.Contains(q.aliases, plain) {
			return q.name, nil
		}
		names = append(names, q.name)
		if away := max(lines-q.lines, q.lines-lines); err == nil && lines > 0 && away <= least {
			nearest, least = q.name, away
		}
	}
	if nearest != "" {
		return nil, fmt.Errorf("use one of %s; did you mean %s?", strings.Join(names, ", "), nearest)
	}
	return nil, notOneOf(given, names)
}

// boolean accepts true and false, in any case.
func boolean(raw any) (any, error) {
	switch strings.ToLower(strings.TrimSpace(fmt.Sprint(raw))) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return nil, errors.New("use true or false")
	}
}

// plainText accepts one line of text. YAML takes "off" for false.
func plainText(raw any) (any, error) {
	switch raw := raw.(type) {
	case string:
		text := strings.TrimSpace(raw)
		if strings.ContainsFunc(text, unicode.IsControl) {
			return nil, errors.New("use one line of text")
		}
		return text, nil
	case bool:
		if !raw {
			return "off", nil
		}
	}
	return nil, errors.New("use text")
}

// someText accepts one line of text that is not empty.
func someText(raw any) (any, error) {
	text, err := plainText(raw)
	if err == nil && text == "" {
		err = errors.New("it must not be empty")
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// redisURL accepts the URL of a Redis server. No error holds what was given.
func redisURL(raw any) (any, error) {
	const use = "use one such as redis://:PASSWORD@HOST:6379/0, with special characters of the password percent-encoded"
	text, err := plainText(raw)
	if err != nil || text == "" {
		return text, err
	}
	u, err := url.Parse(text.(string))
	if err != nil {
		return nil, errors.New("not a URL; " + use)
	}
	switch {
	case u.Scheme != "redis" && u.Scheme != "rediss" && u.Scheme != "unix":
		return nil, errors.New("the scheme must be redis, rediss or unix; " + use)
	case u.Scheme == "unix" && u.Path == "":
		return nil, errors.New("the path of the socket is missing; use one such as unix:///run/redis/redis.sock")
	case u.Scheme != "unix" && u.Hostname() == "":
		return nil, errors.New("the host is missing; " + use)
	case u.Fragment != "":
		return nil, errors.New("there is a # in it; " + use)
	}
	return text, nil
}

// proxyURL accepts the address of a proxy, or "off". No error holds what was given.
func proxyURL(raw any) (any, error) {
	text, err := plainText(raw)
	if err != nil || text == "" || text == "off" {
		return text, err
	}
	u, err := link.ParseProxy(text.(string))
	if err != nil {
		return nil, err
	}
	return u.String(), nil
}

// serviceURL accepts the address of a service that wants no login, without the slashes
// at its end. No error holds what was given.
func serviceURL(raw any) (any, error) {
	text, err := plainText(raw)
	if err != nil {
		return nil, err
	}
	if !PlainURL(text.(string)) {
		return nil, errors.New("use an http or https URL without user, query and fragment")
	}
	return strings.TrimRight(text.(string), "/"), nil
}

// maskedURL shows the URL of a server without user, password, and the values
// of parameters other than the number of the database.
func maskedURL(value any) string {
	u, err := url.Parse(fmt.Sprint(value))
	if err != nil {
		return Masked
	}
	if u.User != nil {
		u.User = url.User(Masked)
	}
	query := u.Query()
	for name := range query {
		if name != "db" {
			query.Set(name, Masked)
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// languages accepts a list of ISO 639-1 codes, also as text with commas.
func languages(raw any) (any, error) {
	items, err := list(raw)
	if err != nil {
		return nil, err
	}
	codes := make([]string, 0, len(items))
	var problems []string
	for _, item := range items {
		code, problem := languageCode(item)
		switch {
		case problem != "":
			problems = append(problems, problem)
		case !slices.Contains(codes, code):
			codes = append(codes, code)
		}
	}
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
	}
	return codes, nil
}

// list gives the items of a list, or of text with commas; empty ones are none.
func list(raw any) ([]string, error) {
	var items []string
	switch raw := raw.(type) {
	case string:
		items = strings.Split(raw, ",")
	case []string:
		items = slices.Clone(raw)
	case []any:
		for _, item := range raw {
			if _, nested := item.([]any); nested {
				return nil, errors.New("use a plain list")
			}
			items = append(items, fmt.Sprint(item))
		}
	default:
		return nil, errors.New("use a list")
	}
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return slices.DeleteFunc(items, func(s string) bool { return s == "" }), nil
}

// maxWord is the length of a word in bytes, maxWords how many a list may have.
const (
	maxWord  = 100
	maxWords = 100
)

// words accepts a list of words, also as text with commas; none is the empty list.
func words(raw any) (any, error) {
	items, err := list(raw)
	if err != nil {
		return nil, err
	}
	all := make([]string, 0, len(items))
	for _, item := range items {
		switch item = strings.ToLower(item); {
		case len(item) > maxWord || strings.ContainsFunc(item, unicode.IsControl):
			return nil, fmt.Errorf("use words of one line, of %d bytes at most", maxWord)
		case item == "none" && len(items) > 1:
			return nil, errors.New("none stands alone; leave it out, or the other words")
		case item != "none" && !slices.Contains(all, item):
			all = append(all, item)
		}
	}
	if len(all) > maxWords {
		return nil, fmt.Errorf("use %d words at most", maxWords)
	}
	return all, nil
}

// shellWords are words of a command that only a shell understands.
var shellWords = []string{"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&>", ">/dev/null", "2>/dev/null"}

// command accepts a program with its arguments: a list, or one line that is split at
// spaces, quotes kept together. Nothing, none and off are no program. No error holds
// what was given, which may be a secret.
func command(raw any) (any, error) {
	var words []string
	switch raw := raw.(type) {
	case string:
		split, err := text.SplitCommand(raw)
		if err != nil {
			return nil, err
		}
		for _, word := range split {
			if slices.Contains(shellWords, word) {
				return nil, fmt.Errorf("%s means something to a shell only, and there is none; use the list [sh, -c, '...']", word)
			}
		}
		words = split
	case []string:
		words = slices.Clone(raw)
	case []any:
		for _, item := range raw {
			switch item := item.(type) {
			case string, int, float64:
				words = append(words, fmt.Sprint(item))
			default:
				return nil, errors.New("use a plain list of texts; what has a colon and a space in it, and true and false, stand in quotes there")
			}
		}
	default:
		return nil, errors.New("use a list such as [notify-send, xship], or one line")
	}
	switch {
	case len(words) == 0, len(words) == 1 && slices.Contains([]string{"", "none", "off"}, words[0]):
		return []string(nil), nil
	case strings.TrimSpace(words[0]) == "":
		return nil, errors.New("the program is missing, which comes first")
	case slices.ContainsFunc(words, func(word string) bool { return strings.ContainsRune(word, 0) }):
		return nil, errors.New("there is a zero byte in it")
	}
	return words, nil
}

// maskedCommand shows the program alone: an argument may be a token, or an address that
// opens for whoever has it.
func maskedCommand(value any) string {
	words, _ := value.([]string)
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return words[0] + " …"
	}
}

// sizeUnits are what sizes end in, by their bytes. A MB has a million, as on disks.
var sizeUnits = []struct {
	name  string
	bytes float64
}{
	{"bytes", 1},
	{"kib", 1 << 10},
	{"mib", 1 << 20},
	{"gib", 1 << 30},
	{"tib", 1 << 40},
	{"kb", 1e3},
	{"mb", 1e6},
	{"gb", 1e9},
	{"tb", 1e12},
}

// maxSize is the largest size that makes sense of one file.
const maxSize = 1 << 50

// Size is a size of a file in bytes, 0 = none.
type Size int64

// String is s as a user writes it, exactly.
func (s Size) String() string {
	if s == 0 {
		return "0"
	}
	units := []string{"bytes", "KB", "MB", "GB", "TB"}
	unit := 0
	for ; s%1000 == 0 && unit < len(units)-1; unit++ {
		s /= 1000
	}
	if unit == 0 {
		return strconv.FormatInt(int64(s), 10) + " bytes"
	}
	return strconv.FormatInt(int64(s), 10) + units[unit]
}

// size accepts a size such as 700MB or 1.5 GiB, in any case; 0 and none are none.
func size(raw any) (any, error) {
	const use = "use a size such as 700MB or 1.5GB, or 0 for none"
	given := strings.ToLower(strings.TrimSpace(fmt.Sprint(raw)))
	if given == "" || given == "0" || given == "none" {
		return Size(0), nil
	}
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(given, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		switch {
		case err != nil || n < 0 || n != n:
			return nil, errors.New(use)
		case n*unit.bytes > maxSize:
			return nil, errors.New("too large; " + use)
		}
		return Size(n * unit.bytes), nil
	}
	if n, err := strconv.ParseFloat(given, 64); err == nil && n > 0 {
		return nil, fmt.Errorf("a size needs a unit; use %sMB", given)
	}
	return nil, errors.New(use)
}

// languageCode checks one ISO 639-1 code, in any case.
func languageCode(text string) (code, problem string) {
	base, err := language.ParseBase(text)
	if err == nil && len(text) == 2 && len(base.String()) == 2 {
		return base.String(), ""
	}
	use := "use codes of two letters such as de, en, zh"
	if tag, err := language.Parse(text); err == nil {
		if base, confidence := tag.Base(); confidence == language.Exact && len(base.String()) == 2 {
			use = "use " + base.String()
		}
	}
	return "", fmt.Sprintf("%q is no ISO 639-1 code, %s", text, use)
}
