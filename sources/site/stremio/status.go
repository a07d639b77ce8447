package stremio

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// verdict is what a row is in truth: add-ons have no other way to tell a user something
// than a row, which Stremio shows beside the streams.
type verdict int

const (
	isStream  verdict = iota
	isFailure         // it tells why the add-on has no streams
	isNothing         // it tells that there are none
	isNotice          // it tells something else
)

// maxSaid is how many characters of such a text are kept.
const maxSaid = 160

// judge tells whether a row is a stream, and what it says if it is none. Words alone
// decide only where the row names no file and no picture, and where the title is not
// made of such words itself.
func judge(r *row, to target, addon *url.URL, t sources.Title) (v verdict, said string) {
	hinted := r.hinted()
	if v = judgeWords(r.name()+"\n"+r.description(), hinted, t); v == isStream {
		v = judgeTarget(to, hinted, addon)
	}
	if v != isStream {
		said = text.Shorten(cmp.Or(strings.TrimSpace(r.description()), r.name()), maxSaid)
	}
	return v, said
}

// judgeWords judges a row by its name, and its description behind a line break.
func judgeWords(words string, hinted bool, t sources.Title) verdict {
	signs, mayTell := strings.ContainsFunc(words, isMark), !hinted && mayTell(words)
	if !signs && !mayTell {
		return isStream
	}
	name, description, _ := strings.Cut(words, "\n")
	words = text.Clean(name) + "\n" + strings.ReplaceAll(text.CleanLines(description), "\ufe0f", "") // which colours a sign
	if mayTell {
		words = asked().ReplaceAllString(words, " ")
	}
	plain := !hinted && !picture().MatchString(words)
	telling := plain && mayTell && !slices.ContainsFunc(t.Names(), func(name string) bool { return failure().MatchString(name) || nothing().MatchString(name) })
	switch {
	case signs && markedNotice().MatchString(words):
		return isNotice
	case telling && nothing().MatchString(words):
		return isNothing
	case signs && plain && (markedName().MatchString(words) || markedLine().MatchString(words)), telling && failure().MatchString(words):
		return isFailure
	}
	return isStream
}

// mayTell tells whether words have one of tellingWords.
func mayTell(words string) bool {
	lower := strings.ToLower(words)
	return slices.ContainsFunc(tellingWords, func(word string) bool { return strings.Contains(lower, word) })
}

// judgeTarget judges a row by what it leads to.
func judgeTarget(to target, hinted bool, addon *url.URL) verdict {
	switch {
	case to.url == nil:
		if schemeOf(to.address) == "stremio" { // a page of the app itself
			return isNotice
		}
		return isStream
	case !hinted && isStatusVideo(to.url, addon), isConfigure(to.url, addon):
		return isFailure
	case to.kind != kindYouTube && isNoticePage(to.url, addon):
		return isNotice
	}
	return isStream
}

// tellingWords are parts of what failure and nothing look for, one of which is in each
// text that they match.
var tellingWords = []string{
	"key", "token", "account", "credential", "subscription", "config", "login", "password", "username", "limit", "many requests", "quota", "unauthori",
	"denied", "authentication", "forbidden", "please", "error", "wrong", "unavailable", "maintenance", "timed out", "failed to", "no ", "nothing", "streams found",
	"try again", "premium", "not available", "unable", "schlüssel", "ungültig", "fehler", "kein", "clé", "aucun", "erreur", "clave", "ningún", "ninguna", "encontr", "chave", "nenhum", "erro", "chiave", "nessun", "errore",
}

// The patterns of judge look at the name of a row, a line break, and its description.
var (
	// picture is what streams tell of themselves, and no message does: their quality, size
	// or where they come from, the name of a file, an episode with its title.
	picture = pattern(`(?i)\b(?:4320|2160|1440|1080|720|576|540|480|360|240)[pi]\b|\b[48]k\b|(?m:^|[^\pL\pN\s,.(] ?)\d+(?:[.,]\d+)?\s?[KMGT]i?B\b|` +
		`\b(?:blu-?ray|bdrip|brrip|dvdrip|web-?dl|web-?rip|hdtv|remux|[xh]\.?26[45]|hevc|av1)\b|\.(?:mkv|mp4|avi|m4v|webm)\b|` +
		`\b(?:s\d{1,2} ?e\d{1,3}|\d{1,2}x\d{2}|episode \d+) ?[-–·:] ?\pL|\pL\.s\d{1,2}e\d{1,3}\b`)
	// asked is how streams say what they do not ask for.
	asked = pattern(`(?i)\bno (?:\w+ ){0,2}(?:required|needed|necessary)\b`)
	// markedName is a name with a sign of failure first, and markedLine a line with one.
	// "external" is what some write behind it of a link to a page.
	markedName = pattern(`\A[\[( ]*(?:❌|🚫|⛔|⚠)`)
	markedLine = pattern(`(?m)^[\[( ]*(?:❌|🚫|⛔|⚠)\s*(?:[^e\s]|e[^x])`)
	// markedNotice is what offers to do something rather than a stream.
	markedNotice = pattern(`\A[\[( ]*🔄`)
	failure      = pattern(`(?i)` + strings.Join([]string{
		`\b(?:invalid|wrong|bad|missing|expired|no valid|revoked)\b[^.\n]{0,40}\b(?:api[ -]?keys?|tokens?|accounts?|credentials?|subscription|config(?:uration)?|login|password|username)\b`,
		`\b(?:api[ -]?keys?|tokens?|account|subscription|configuration|credentials?|login|password)\b[^.\n]{0,30}\b(?:invalid|expired|missing|required|not valid|blocked|disabled|suspended|obsolete|wrong|denied)\b`,
		`\brate[ -]?limit`, `\btoo many requests\b`, `\b(?:limit|quota)s? (?:was |is |has been )?(?:reached|exceeded)\b`, `\b(?:reached|exceeded|over) (?:your|the) (?:\w+ )?(?:limit|quota)\b`,
		`\bunauthori[sz]ed\b`, `\baccess denied\b`, `\bauthentication (?:failed|required|is)\b`, `\b40[13] forbidden\b`,
		`\bobsolete configuration\b`, `\bre-?configure\b`, `\bplease (?:configure|re-?install|upgrade|update|log ?in|sign in|re-?authenticate|try again)\b`, `\btry again (?:in|later|soon)\b`, `\b(?:upgrade|account) to premium\b`, `\bnot available in your (?:region|country)\b`,
		`\b(?:internal|server|handler|scrap\w{2,4}|search|fetch|network|unknown|unexpected) (?:server )?error\b`, `\berror (?:while|when|occurred|fetching|loading|getting)\b`, `\A[^\n]*\berror(?:\n|\z)`,
		`\bsomething went wrong\b`, `\b(?:service|temporarily|currently) unavailable\b`, `\b(?:under|down for) maintenance\b`, `\btimed out\b`, `\bfailed to (?:fetch|load|get|scrape)\b`,
		`\b(?:ung[üu]ltige[rs]?|falsche[rs]?|fehlende[rs]?|abgelaufene[rs]?) [^.\n]{0,20}(?:schlüssel|token|konto|passwort)`, `\bfehler (?:beim|bei|aufgetreten)\b`,
		`\bclé (?:d.)?api [^.\n]{0,20}(?:invalide|manquante|expirée)`, `\berreur (?:lors|de|interne)\b`, `\b(?:clave|chave|chiave) (?:de |da |di )?api [^.\n]{0,20}(?:inv[áa]lid[ao]|non valida|incorrecta|caducada|expirada|scaduta)`,
	}, "|"))
	nothing = pattern(`(?i)\bno (?:\w+ ){0,2}(?:streams?|results?|sources?|links?|torrents?|releases?|matches)\b(?: (?:were |was |are )?(?:found|available|for)\b|[ .!]*(?:\n|\z))|\bnothing (?:was )?found\b|🚫 streams found|` +
		`\bunable to find (?:any )?(?:streams?|results?|sources?|links?)\b|\bkeine? (?:\pL+ ){0,1}(?:streams?|ergebnisse?|quellen?|links?) (?:gefunden|verfügbar|vorhanden)\b|` +
		`\baucune? (?:résultat|source|lien|flux|stream)s?(?: (?:trouvée?|disponible)s?)?[ .!]*(?:\n|\z)|\bno se (?:encontraron|han encontrado)\b|` +
		`\bn(?:enhum|enhuma|ingún|inguna|essun|essuna) (?:stream|resultado|risultato|fonte|fuente|link|enlace)s?(?: (?:encontrad[oa]|disponível|disponible|trovat[oa]|disponibile))?[ .!]*(?:\n|\z)`)
)

// pattern compiles an expression when it is first needed.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// isStatusVideo tells whether u is a video that shows a message.
func isStatusVideo(u, addon *url.URL) bool {
	return link.ShowsMessage(u) || isAddons(u, addon) && link.NamesMessage(u)
}

// isConfigure tells whether u is the page on which the add-on is configured.
func isConfigure(u, addon *url.URL) bool {
	return isAddons(u, addon) && strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/configure")
}

// noticeHosts have pages about films, projects and money, and no streams.
var noticeHosts = []string{
	"github.com", "githubusercontent.com", "gitlab.com", "discord.com", "discord.gg", "reddit.com", "t.me", "telegram.me", "ko-fi.com", "patreon.com",
	"buymeacoffee.com", "paypal.com", "paypal.me", "imdb.com", "themoviedb.org", "thetvdb.com", "trakt.tv", "letterboxd.com", "rottentomatoes.com",
	"metacritic.com", "commonsensemedia.org", "justwatch.com", "wikipedia.org", "stremio.com", "strem.io",
}

// isNoticePage tells whether u is a page that has no stream: one of noticeHosts, or the
// first page of a host.
func isNoticePage(u, addon *url.URL) bool {
	if link.MediaOf(u.Path).MIME != "" {
		return false
	}
	isHost := func(domain string) bool { return liesAt(u, domain) }
	return slices.ContainsFunc(noticeHosts, isHost) || strings.Trim(u.Path, "/") == "" && (u.RawQuery == "" || isAddons(u, addon))
}
