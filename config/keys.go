package config

import (
	"strings"
	"time"
)

// Key describes one setting.
type Key struct {
	Name        string // as in the settings file, groups joined by dots
	Default     string // as a user would write it, "" = nothing
	Description string
	Env         string // name of its environment variable

	parse parser
	mask  func(value any) string // how a value that holds secrets is shown; nil = as a user would write it
}

// Keys lists all settings, in the order in which they are shown. A setting is
// one row here and one field of Settings.
func Keys() []Key {
	const (
		day  = 24 * time.Hour
		year = 365 * day
	)
	keys := []Key{
		{
			Name: "scan.timeout", Default: "30s", parse: duration(positive, day),
			Description: "whole foreground scan; the list comes at this moment at the latest",
		},
		{
			Name: "scan.workers", Default: "20", parse: integer(1000),
			Description: "sites asked at once",
		},
		{
			Name: "scan.site_timeout", Default: "10s", parse: duration(positive, day),
			Description: "one site; a shorter timeout of the interface's own wins",
		},
		{
			Name: "scan.cache_ttl", Default: "30m", parse: duration(0, year),
			Description: "a scan younger than this answers from the cache; 0s = never",
		},
		{
			Name: "scan.limit", Default: "100", parse: integer(100_000),
			Description: "most sources listed",
		},
		{
			Name: "scan.quality", Default: "4K", parse: quality,
			Description: "best quality listed: 4K, 1440p, 1080p, 720p, SD",
		},
		{
			Name: "scan.languages", Default: "", parse: languages,
			Description: "ISO 639-1 codes of the languages listed, empty = all; an unknown language always passes",
		},
		{
			Name: "scan.exclude", Default: "cam", parse: words,
			Description: "what is left out of lists, counted and named: cam (also telesync and telecine), hdr, dv, 3d, a codec such as av1, or any word of a name; none = nothing",
		},
		{
			Name: "scan.min_size", Default: "0", parse: size,
			Description: "smaller sources are left out, such as 200MB; one whose size is not known passes; 0 = none",
		},
		{
			Name: "scan.max_size", Default: "0", parse: size,
			Description: "larger sources are left out, such as 8GB; one whose size is not known passes; 0 = none",
		},
		{
			Name: "interfaces.timeout", Default: "8s", parse: duration(positive, day),
			Description: "one load of an interface",
		},
		{
			Name: "interfaces.max_age", Default: "1h", parse: duration(0, year),
			Description: "how long a loaded interface is used without asking again; 0s = always ask",
		},
		{
			Name: "resolve.ytdlp", Default: "", parse: plainText,
			Description: "path of yt-dlp, which resolves links to web pages; empty = look for it on PATH, off = do without",
		},
		{
			Name: "probe.timeout", Default: "20s", parse: duration(positive, day),
			Description: "one probe of a stream",
		},
		{
			Name: "probe.workers", Default: "8", parse: integer(1000),
			Description: "probes at once after a scan",
		},
		{
			Name: "probe.total", Default: "30s", parse: duration(positive, day),
			Description: "all probes after one scan",
		},
		{
			Name: "precache.schedule", Default: "@every 15m", parse: someText,
			Description: "when the precacher starts a cycle: five cron fields, or a descriptor such as @hourly",
		},
		{
			Name: "precache.workers", Default: "8", parse: integer(1000),
			Description: "sources resolved or probed at once by the precacher",
		},
		{
			Name: "precache.per_hoster", Default: "2", parse: integer(100),
			Description: "of those, on one hoster",
		},
		{
			Name: "precache.pace", Default: "true", parse: boolean,
			Description: "spread the work of a cycle over 80 % of the time to the next one",
		},
		{
			Name: "precache.stream_ttl", Default: "1h", parse: duration(positive, year),
			Description: "how long a stream that does not tell its own end counts as fresh",
		},
		{
			Name: "precache.next_episode", Default: "true", parse: boolean,
			Description: "put the episode after one that was scanned or played on the watchlist",
		},
		{
			Name: "precache.unlock", Default: "false", parse: boolean,
			Description: "unlock links through the debrid accounts of user 1 ahead of time; it costs of what an account may",
		},
		{
			Name: "hosters.look", Default: "0s", parse: duration(0, day),
			Description: "look this often whether a hoster that is blocked for long works again, though the documented block says to wait; 0s = never",
		},
		{
			Name: "hosters.floor", Default: "0", parse: integerFrom(0, 1000),
			Description: "fill a list of fewer sources up with hidden ones, marked, those of the fewest fails first; 0 = never",
		},
		{
			Name: "hosters.count_5xx_without_guard", Default: "false", parse: boolean,
			Description: "count an answer of 5xx as a fail of its hoster also while nothing else shows that the network is up",
		},
		{
			Name: "ids.enabled", Default: "true", parse: boolean,
			Description: "ask the id service where a site wants an IMDb id that the title has not, and for the next episode of a series",
		},
		{
			Name: "ids.url", Default: "https://v3-cinemeta.strem.io", parse: serviceURL, mask: maskedURL,
			Description: "the id service, which speaks the protocol of Cinemeta",
		},
		{
			Name: "archive.enabled", Default: "true", parse: boolean,
			Description: "ask the Internet Archive beside the open films, while no interface was added",
		},
		{
			Name: "archive.url", Default: "https://archive.org", parse: serviceURL, mask: maskedURL,
			Description: "the Internet Archive, or a mirror of it",
		},
		{
			Name: "archive.rights_region", Default: "us", parse: oneOf("us", "de", "world", "any"),
			Description: "where films of the Internet Archive have to be free: us, de, world; de and world take licensed ones alone; any = the filter is off",
		},
		{
			Name: "notify.command", Default: "", parse: command, mask: maskedCommand,
			Description: "program, with its arguments, that the precacher runs with a JSON event on standard input: a title is ready, an account ends, another interface is in use, a cycle could not run; a list, or one line without a shell; empty = none",
		},
		{
			Name: "network.allow_private", Default: "true", parse: boolean,
			Description: "follow remote configs, links and redirects to private addresses; those that you configured are always asked",
		},
		{
			Name: "network.proxy", Default: "", parse: proxyURL, mask: maskedURL,
			Description: "proxy for all calls: http://, https://, socks5://; empty = that of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, off = none; NO_PROXY is honoured",
		},
		{
			Name: "cooldown.store", Default: "sqlite", parse: oneOf("sqlite", "memory", "redis"),
			Description: "where cooldowns of providers are kept: sqlite, memory, redis; with redis.url set the default is redis",
		},
		{
			Name: "redis.url", Default: "", parse: redisURL, mask: maskedURL,
			Description: "Redis server that shares cooldowns among machines: redis://, rediss:// or unix://",
		},
		{
			Name: "redis.prefix", Default: "", parse: plainText,
			Description: "text before every Redis key",
		},
		{
			Name: "debrid.timeout", Default: "30s", parse: duration(positive, day),
			Description: "one call of a debrid provider; where it is not set, TorBox and Premiumize have 60s",
		},
		{
			Name: "debrid.accounts", Default: "", parse: debridAccounts, mask: maskedAccounts,
			Description: "list of {user: 1, provider: real_debrid, api_key: ...}; as a variable the same in JSON",
		},
	}
	for i := range keys {
		keys[i].Env = envName(keys[i].Name)
	}
	return keys
}

// envName is the environment variable of a key.
func envName(key string) string {
	return "XSHIP_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// SecretVariables are the environment variables of settings that may hold secrets: other
// programs need not know them.
func SecretVariables() []string {
	var names []string
	for _, k := range Keys() {
		if k.mask != nil {
			names = append(names, k.Env)
		}
	}
	return names
}
