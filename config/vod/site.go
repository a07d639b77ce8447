package vod

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"xship/sources/link"
	"xship/sources/text"
)

// Bounds of what a config may say of a site.
const (
	maxTimeout     = time.Hour
	maxHeaders     = 32
	maxCategories  = 1000
	maxName        = 200     // characters of a key, a name or a category
	maxAddress     = 8 << 10 // bytes of an address; also those of a depot
	maxExt         = 1 << 20 // bytes
	maxHeaderValue = 8 << 10 // bytes; servers refuse longer ones
)

// siteDecoder decodes one site.
type siteDecoder struct {
	base    *url.URL // for relative addresses, may be nil
	warning Warning  // names the site as far as it is known
	notes   []string // what of the site was ignored
	fields  object   // memory for those of the site

	keys  map[string]string // as they are shown, of those that hold a secret
	alike map[string]int    // how many of these are shown alike
}

// decode reads a site; an error says why it must be left out.
func (d *siteDecoder) decode(raw []byte) (Site, error) {
	o := appendFields(d.fields[:0], raw)
	if o == nil {
		return Site{}, fmt.Errorf("left out: it is not an object but %s", excerpt(string(raw), 40))
	}
	d.fields = o
	key := text.Clean(textOf(o.get("key")))
	isLong := text.Clip(key, maxName) != key
	key = d.shownKey(key)
	d.warning.Key = text.Clip(key, maxName)
	d.warning.Name = text.Clip(link.RedactInterfaceText(text.Clean(textOf(o.get("name")))), maxName)
	if isLong {
		return Site{}, fmt.Errorf("left out: its key is longer than %d characters", maxName)
	}
	if err := checkSizes(o); err != nil {
		return Site{}, err
	}
	siteType, typeErr := siteType(o.get("type"))
	site := Site{
		Key:        key,
		Name:       d.warning.Name,
		Type:       siteType,
		API:        d.apiOf(siteType, o.get("api")),
		Ext:        d.resolve(extText(o.get("ext")), "./", "../"),
		Headers:    d.headers(o.get("header")),
		Timeout:    d.timeout(o.get("timeout")),
		Searchable: d.searchable(o.get("searchable")),
		Categories: d.categories(o.get("categories")),
		PlayURL:    textOf(o.get("playUrl")),
	}
	if site.Name == "" {
		site.Name = site.Key
	}
	switch {
	case site.Key == "":
		return Site{}, errors.New("left out: it has no key")
	case typeErr != nil:
		return Site{}, typeErr
	case site.API == "" && !needsNoAPI(siteType):
		return Site{}, errors.New("left out: it has no api")
	}
	site.Unsupported = site.unsupported(d.base)
	if site.Unsupported != "" && isNamed(siteType) { // spiders are too many, and expected
		d.notes = append(d.notes, "cannot be asked: "+site.Unsupported)
	}
	return site, nil
}

// shownKey is a key without the secrets of an address that it may be: keys are shown and
// stored. Keys that are the same but for their secrets are numbered.
func (d *siteDecoder) shownKey(key string) string {
	shown := link.RedactInterfaceText(key)
	if shown == key {
		return key
	}
	if known, ok := d.keys[key]; ok {
		return known
	}
	if d.keys == nil {
		d.keys, d.alike = make(map[string]string), make(map[string]int)
	}
	if d.alike[shown]++; d.alike[shown] > 1 {
		shown = fmt.Sprintf("%s#%d", shown, d.alike[shown])
	}
	d.keys[key] = shown
	return shown
}

// checkSizes refuses what no server takes, but what would be stored and sent.
func checkSizes(o object) error {
	for _, field := range []struct {
		name string
		most int
	}{{"api", maxAddress}, {"playUrl", maxAddress}, {"ext", maxExt}} {
		if len(o.get(field.name)) > field.most {
			return fmt.Errorf("left out: its %s is %s", field.name, tooLong(field.most))
		}
	}
	return nil
}

// tooLong says that something has more than most bytes.
func tooLong(most int) string { return fmt.Sprintf("longer than %d KiB", most>>10) }

func (d *siteDecoder) ignore(field string, raw []byte) {
	d.notes = append(d.notes, fmt.Sprintf("ignored %s %s", field, excerpt(string(raw), 40)))
}

// siteType normalises the type to a number in plain digits, or a word in lower case.
func siteType(raw []byte) (string, error) {
	s := strings.TrimSpace(textOf(raw))
	if s == "" && (isNull(raw) || raw[0] == '"') {
		return "0", nil
	}
	n, err := strconv.ParseFloat(s, 64) // some write 1.0
	if err != nil && !isNull(raw) && raw[0] == '"' {
		if word := namedType(s); word != "" {
			return word, nil
		}
	}
	if err != nil || n < 0 || n > math.MaxUint8 || n != math.Trunc(n) {
		return "", fmt.Errorf("left out: its type %s is neither a number such as 1 nor a word such as stremio", excerpt(string(raw), 40))
	}
	return strconv.Itoa(int(n)), nil
}

// resolve makes text absolute that starts like a relative address; any other
// text may be a class name, a script or a parameter, and stays.
func (d *siteDecoder) resolve(s string, starts ...string) string {
	relative := slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(s, start) })
	if d.base == nil || !relative {
		return s
	}
	ref, err := url.Parse(s)
	if err != nil {
		return s
	}
	return d.base.ResolveReference(ref).String()
}

// extText gives the parameter that a site is called with as text.
func extText(raw []byte) string {
	if !isNull(raw) && (raw[0] == '{' || raw[0] == '[') {
		return string(raw)
	}
	return textOf(raw)
}

// headers reads an object, or a string that holds one.
func (d *siteDecoder) headers(raw []byte) map[string]string {
	o := fields(raw)
	if s := textOf(raw); o == nil && s != "" {
		if strict, _, err := Strict([]byte(s)); err == nil {
			o = fields(strict)
		}
	}
	if o == nil {
		if !isNull(raw) && textOf(raw) != "" {
			d.notes = append(d.notes, "ignored header, which is not an object") // it may hold a secret
		}
		return nil
	}
	headers := make(map[string]string)
	var refused []string
	for i, m := range o {
		if len(headers)+len(refused) == maxHeaders {
			d.notes = append(d.notes, fmt.Sprintf("ignored %d more headers", len(o)-i))
			break
		}
		name, value := m.name(), strings.TrimSpace(textOf(m.value))
		switch {
		case value == "":
		case !httpguts.ValidHeaderFieldName(name), !httpguts.ValidHeaderFieldValue(value), len(name) > maxName, len(value) > maxHeaderValue:
			refused = append(refused, name)
		default:
			headers[name] = value
		}
	}
	if len(refused) > 0 {
		d.notes = append(d.notes, fmt.Sprintf("ignored headers that cannot be sent (%d, such as %q)", len(refused), excerpt(refused[0], 40)))
	}
	return headers
}

// timeout reads a number of seconds.
func (d *siteDecoder) timeout(raw []byte) time.Duration {
	s := strings.TrimSpace(textOf(raw))
	if s == "" {
		return 0
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || n < 1 || math.IsNaN(n) {
		d.ignore("timeout", raw)
		return 0
	}
	return time.Duration(min(n, maxTimeout.Seconds()) * float64(time.Second))
}

// searchable reads 0 (never), 1 (yes) and 2 (off until the user turns it on).
func (d *siteDecoder) searchable(raw []byte) bool {
	switch s := strings.TrimSpace(textOf(raw)); s {
	case "", "1", "true":
		return true
	case "0", "2", "false":
		return false
	default:
		d.ignore("searchable", raw)
		return true
	}
}

// categories reads names of types. One that is too long to be a name is left out.
func (d *siteDecoder) categories(raw []byte) []string {
	var names []string
	for item := range items(raw) {
		if len(names) == maxCategories {
			break
		}
		name := text.Clean(textOf(item))
		if text.Clip(name, maxName) != name {
			d.ignore("category", item)
		} else if name != "" {
			names = append(names, name)
		}
	}
	return names
}
