package archive

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// Region says for which country the rights to a film have to be free.
type Region string

// The regions. What is licensed is free in all of them.
const (
	// RegionUS takes what is in the public domain of the United States: what the Archive
	// says is not in copyright, its curated collections of such films, and films of more
	// than 95 years ago.
	RegionUS Region = "us"
	// RegionDE and RegionWorld take what is licensed alone. In Germany, and in most
	// countries, a film is free 70 years after the last of its authors died, which no item
	// tells; no film is old enough for its age to vouch for that.
	RegionDE    Region = "de"
	RegionWorld Region = "world"
	// RegionAny takes everything: the filter is off.
	RegionAny Region = "any"
)

// termUS is for how many years after it a film is protected in the United States.
const termUS = 95

// unchecked is the label of what nothing vouches for.
const unchecked = "rights not checked"

// curated are the collections of films that the Archive's curators hold to be free in
// the United States.
var curated = []string{"feature_films", "film_noir", "silent_films"}

// rights tells whether the item may be offered in the region at the time now, and by
// which right. known is the year of the title looked for, 0 where it has none: of two
// years the later one counts.
func (f *facts) rights(region Region, known int, now time.Time) (label string, free bool) {
	for _, address := range f.Licences {
		if label, ok := licence(address); ok {
			return label, true
		}
	}
	label = f.freeInUS(known, now)
	switch {
	case region == RegionAny && label == "":
		return unchecked, true
	case region == RegionAny, region == RegionUS:
		return label, label != ""
	default:
		return "", false
	}
}

// freeInUS is why the item is in the public domain of the United States, "" where
// nothing says so.
func (f *facts) freeInUS(known int, now time.Time) string {
	switch {
	case slices.ContainsFunc(f.Statuses, isFree):
		return "US public domain, by its status"
	case slices.ContainsFunc(f.Collections, func(c string) bool { return slices.Contains(curated, strings.ToLower(c)) }):
		return "US public domain, curated"
	case f.Year > 0 && max(f.Year, known) < now.Year()-termUS:
		return "US public domain, by its age"
	}
	return ""
}

// isFree tells whether a possible-copyright-status says that there is none.
func isFree(status string) bool {
	return strings.EqualFold(status, "NOT_IN_COPYRIGHT") || strings.EqualFold(status, "Public Domain")
}

// licenceHost is where the licences that count are published.
const licenceHost = "creativecommons.org"

// licence is the label of the licence at an address; it is ok only for one of Creative
// Commons. Its host tells, not what else the address may hold.
func licence(address string) (label string, ok bool) {
	if bare := strings.TrimPrefix(address, "//"); strings.HasPrefix(strings.ToLower(bare), licenceHost+"/") {
		address = "https://" + bare
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	if host := strings.ToLower(u.Hostname()); host != licenceHost && !strings.HasSuffix(host, "."+licenceHost) {
		return "", false
	}
	parts := strings.Split(strings.Trim(strings.ToLower(u.Path), "/"), "/")
	parts = append(parts, "", "")
	switch {
	case parts[0] == "publicdomain" && parts[1] == "zero":
		return "CC0", true
	case parts[0] == "publicdomain" && parts[1] == "mark":
		return "public domain mark", true
	case parts[0] == "publicdomain", parts[0] == "licenses" && parts[1] == "publicdomain":
		return "public domain", true
	case parts[0] == "licenses" && isLicenceCode(parts[1]):
		return strings.TrimSpace("CC " + strings.ToUpper(parts[1]) + " " + licenceVersion(parts[2])), true
	default:
		return "Creative Commons", true
	}
}

// isLicenceCode tells whether code is one such as "by-nc-sa".
func isLicenceCode(code string) bool {
	for part := range strings.SplitSeq(code, "-") {
		if !slices.Contains([]string{"by", "nc", "nd", "sa"}, part) {
			return false
		}
	}
	return true
}

// licenceVersion is s where it is one such as "3.0", else "".
func licenceVersion(s string) string {
	if len(s) > len("10.0") || !isNumber(s) {
		return ""
	}
	return s
}
