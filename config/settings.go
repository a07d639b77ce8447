package config

import (
	"fmt"
	"time"
)

// Settings are the settings of one run. Load has checked every value.
type Settings struct {
	Scan       Scan       `mapstructure:"scan"`
	Interfaces Interfaces `mapstructure:"interfaces"`
	Resolve    Resolve    `mapstructure:"resolve"`
	Probe      Probe      `mapstructure:"probe"`
	Precache   Precache   `mapstructure:"precache"`
	Hosters    Hosters    `mapstructure:"hosters"`
	IDs        IDs        `mapstructure:"ids"`
	Archive    Archive    `mapstructure:"archive"`
	Notify     Notify     `mapstructure:"notify"`
	Network    Network    `mapstructure:"network"`
	Cooldown   Cooldown   `mapstructure:"cooldown"`
	Redis      Redis      `mapstructure:"redis"`
	Debrid     Debrid     `mapstructure:"debrid"`

	// Warnings are what a user should know of the settings, such as that others can
	// read the keys in the file.
	Warnings []string `mapstructure:"-"`
	// Ignored are warnings of variables that look like settings and are none.
	Ignored []string `mapstructure:"-"`

	values []Value
}

// Scan holds the settings of the foreground scan.
type Scan struct {
	Timeout     time.Duration `mapstructure:"timeout"`      // of the whole scan
	SiteTimeout time.Duration `mapstructure:"site_timeout"` // of one site
	CacheTTL    time.Duration `mapstructure:"cache_ttl"`    // 0 = never answer from the cache
	Workers     int           `mapstructure:"workers"`      // sites asked at once
	Limit       int           `mapstructure:"limit"`        // most sources listed
	Quality     string        `mapstructure:"quality"`      // best one listed: 4K, 1440p, 1080p, 720p, SD
	Languages   []string      `mapstructure:"languages"`    // ISO 639-1 codes, empty = all
	Exclude     []string      `mapstructure:"exclude"`      // words, codecs and the like that are left out
	MinSize     Size          `mapstructure:"min_size"`     // in bytes, 0 = none
	MaxSize     Size          `mapstructure:"max_size"`     // in bytes, 0 = none
}

// Interfaces holds the settings of loading interfaces.
type Interfaces struct {
	Timeout time.Duration `mapstructure:"timeout"` // of one load
	MaxAge  time.Duration `mapstructure:"max_age"` // 0 = always ask
}

// Resolve holds the settings of turning sources into streams.
type Resolve struct {
	YTDLP string `mapstructure:"ytdlp"` // path; "" = look on PATH, "off" = never
}

// Probe holds the settings of reading what streams hold after a scan.
type Probe struct {
	Timeout time.Duration `mapstructure:"timeout"` // of one probe, by the precacher too
	Total   time.Duration `mapstructure:"total"`   // of all probes after one scan
	Workers int           `mapstructure:"workers"` // probes at once
}

// Precache holds the settings of the precacher.
type Precache struct {
	Schedule    string        `mapstructure:"schedule"`     // not empty; what it means is checked by its user
	Workers     int           `mapstructure:"workers"`      // resolves and probes at once
	PerHoster   int           `mapstructure:"per_hoster"`   // of those, on one hoster
	Pace        bool          `mapstructure:"pace"`         // a cycle is spread over the time to the next one
	StreamTTL   time.Duration `mapstructure:"stream_ttl"`   // of streams that do not tell their own end
	NextEpisode bool          `mapstructure:"next_episode"` // the episode after one that was scanned or played is watched
	Unlock      bool          `mapstructure:"unlock"`       // links are unlocked through accounts ahead of time
}

// Hosters holds what users may add to the documented health of hosters.
type Hosters struct {
	Look                 time.Duration `mapstructure:"look"`                    // how often a long block is looked into; 0 = never
	Floor                int           `mapstructure:"floor"`                   // a list of fewer sources is filled up with hidden ones
	Count5xxWithoutGuard bool          `mapstructure:"count_5xx_without_guard"` // it is the hoster that answered
}

// IDs holds the settings of the service that tells the ids of titles.
type IDs struct {
	Enabled bool   `mapstructure:"enabled"`
	URL     string `mapstructure:"url"` // without a slash at its end
}

// Archive holds the settings of the Internet Archive.
type Archive struct {
	Enabled      bool   `mapstructure:"enabled"`       // in the built-in interface
	URL          string `mapstructure:"url"`           // without a slash at its end
	RightsRegion string `mapstructure:"rights_region"` // us, de, world, or any
}

// Notify holds who is told of what the precacher does. Printed, logged or written as JSON
// it shows no secret.
type Notify struct {
	Command []string `mapstructure:"command" json:"-"` // program and arguments; none: nobody
}

// String shows the settings, arguments masked.
func (n Notify) String() string { return "{" + maskedCommand(n.Command) + "}" }

// GoString implements fmt.GoStringer.
func (n Notify) GoString() string { return n.String() }

// Network holds the settings of the HTTP client. Printed, logged or written as JSON it
// shows no secret.
type Network struct {
	AllowPrivate bool   `mapstructure:"allow_private"`  // private addresses that the operator did not configure
	Proxy        string `mapstructure:"proxy" json:"-"` // URL; "" = that of the environment, "off" = none
}

// String shows the settings, secrets masked.
func (n Network) String() string { return fmt.Sprintf("{%t %s}", n.AllowPrivate, maskedURL(n.Proxy)) }

// GoString implements fmt.GoStringer.
func (n Network) GoString() string { return n.String() }

// Cooldown holds the settings of provider cooldowns.
type Cooldown struct {
	Store string `mapstructure:"store"` // sqlite, memory or redis; redis only with Redis.URL
}

// Redis holds the settings of the shared store. Printed, logged or written as JSON
// it shows no secret.
type Redis struct {
	URL    string `mapstructure:"url" json:"-"` // redis, rediss or unix; "" = none
	Prefix string `mapstructure:"prefix"`       // before every key
}

// String shows the settings, secrets masked.
func (r Redis) String() string { return fmt.Sprintf("{%s %s}", maskedURL(r.URL), r.Prefix) }

// GoString implements fmt.GoStringer.
func (r Redis) GoString() string { return r.String() }

// Debrid holds the settings of debrid providers, and the accounts there, one of each
// user and provider.
type Debrid struct {
	Timeout  time.Duration   `mapstructure:"timeout"` // of one call of a provider, 0 = as long as its clients wait
	Accounts []DebridAccount `mapstructure:"accounts"`
}

// Origin is where a value comes from.
type Origin string

// The origins, strongest first.
const (
	OriginArgument    Origin = "argument" // of a command that changes settings
	OriginFlag        Origin = "flag"
	OriginEnvironment Origin = "environment"
	OriginFile        Origin = "file"
	OriginDefault     Origin = "default"
)

// Value is a setting as it is in force.
type Value struct {
	Key    string
	Value  string // as a user would write it; lists with commas, secrets masked
	Origin Origin
	Source string // the environment variable or the file; "" otherwise
}

// Values lists the settings in the order of Keys, with their origins.
func (s *Settings) Values() []Value {
	return append([]Value(nil), s.values...)
}
