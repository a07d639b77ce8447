package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"xship/sources/link"
)

// Quality is one of the picture classes that users know.
type Quality string

// The qualities, best first. QualityUnknown ranks with SD.
const (
	Quality4K      Quality = "4K"
	Quality1440p   Quality = "1440p"
	Quality1080p   Quality = "1080p"
	Quality720p    Quality = "720p"
	QualitySD      Quality = "SD"
	QualityUnknown Quality = ""
)

// Qualities lists the known qualities, best first.
func Qualities() []Quality {
	return []Quality{Quality4K, Quality1440p, Quality1080p, Quality720p, QualitySD}
}

// Rank orders qualities: 0 is the best, SD and unknown share the last place.
func (q Quality) Rank() int {
	if i := slices.Index(Qualities(), q); i >= 0 {
		return i
	}
	return len(Qualities()) - 1
}

// QualityOf names the quality of a picture of the given size in pixels. Wide
// pictures count by their width: 1920x804 is 1080p.
func QualityOf(width, height int) Quality {
	switch {
	case width <= 0 && height <= 0:
		return QualityUnknown
	case width >= 3200 || height >= 1800:
		return Quality4K
	case width >= 2400 || height >= 1300:
		return Quality1440p
	case width >= 1600 || height >= 900:
		return Quality1080p
	case width >= 1120 || height >= 620:
		return Quality720p
	default:
		return QualitySD
	}
}

// State is how far a source got.
type State string

// The states of a source. A dead source is listed nowhere unless asked for.
const (
	StateFound    State = "found"
	StateResolved State = "resolved"
	StateProbed   State = "probed"
	StateDead     State = "dead"
)

// Priorities order hosters before anything else does; lower comes first.
const (
	PriorityDefault = 100
	// PriorityNear is for titles that match only nearly, a year off: the second
	// choice.
	PriorityNear = 500
	// PriorityDoubtful is for sources that cannot be the whole title.
	PriorityDoubtful = 700
	// PriorityLast is for sources that need more than a player: they are listed
	// behind all others.
	PriorityLast = 999
)

// LanguageMulti is the language of a source with several audio languages.
const LanguageMulti = "multi"

// Source is one candidate link for a title.
type Source struct {
	ID         string            // SourceID, stable from scan to scan
	Site       string            // key of the site that named it
	Hoster     string            // link.Hoster of URL
	Name       string            // what the site calls it, control characters removed
	Label      string            // what it says of this link alone ("HD", "German 720p"); not stored
	URL        string            // as the site gave it, never shortened
	Headers    map[string]string // to be sent with URL, usually none
	Quality    Quality
	Language   string   // ISO 639-1, LanguageMulti, or "" where unknown
	Info       []string // short labels: "HEVC", "5.1", "HDR10"
	SizeBytes  int64    // 0 where unknown
	Priority   int      // lower is listed first, see PriorityDefault
	Trailer    bool     // a trailer or teaser, kept out of ordinary lists
	Unplayable string   // why no player can take it ("needs a parser"), or ""
	Needs      string   // what else it needs to be played, as NeedsError says, "" where nothing is known
	State      State
	Own        bool       // it lies in a folder or on a server of the user's: no health is kept of that
	Duration   int        // in seconds, as its site tells it, 0 where unknown
	Group      string     // the same for sources of several episodes that are one release, or ""
	Subtitles  []Subtitle // that its site names beside it

	// These are found out for a list, see ListOptions.Judge, and not stored.

	Claimed Quality // of its site, where its stream turned out to have another one
	SetBack string  // why it cannot be the whole title, "" where it may be
}

// Subtitle is a file of subtitles beside a source.
type Subtitle struct {
	URL      string `json:"url"`
	Language string `json:"language"` // ISO 639-1 where it has one, else as found; "" unknown
}

// SourceID is the identity of the link rawURL for t, whichever site names it.
func SourceID(t Title, rawURL string) string {
	return sourceID([]byte(t.Key() + "\x00" + link.Canonical(rawURL)))
}

// LinkID is the identity of a link of no title, which a user gave: the very same text has
// the same one, headers and fragment included.
func LinkID(rawURL string) string { return sourceID([]byte("link\x00" + rawURL)) }

// sourceID is that of the key of a title and the canonical form of a link, with a
// zero byte between them.
func sourceID(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:6])
}

// HosterHealth is what the hoster table knows of one hoster. Times that are
// not set are zero. Ends in the future that the clock makes impossible are not set.
type HosterHealth struct {
	Name             string
	ConsecutiveFails int
	BackoffUntil     time.Time
	OKCount          int64
	FailCount        int64
	LastSuccessAt    time.Time
	LastFailAt       time.Time
	LastError        string

	GoodLink    string    // the last link that worked, "" where it is not known
	LeasedUntil time.Time // an attempt has the failing hoster for itself, until then at most
	RetestDue   bool      // it is to be tested now, see HosterStore.DueRetests

	// These are in the whole table only.

	Provisional  bool // its last fails are taken back where the network turns out to be down
	Awaiting     bool // its last fail counts if the canary works that is being tested
	SuspectLinks int  // links of it that failed again and again while it worked with others
}

// HosterEvent is what became of one attempt at a hoster, or of fails that had waited.
type HosterEvent struct {
	At      time.Time
	Link    string // without its secrets, "" where it is not known
	Class   Class
	Effect  string // on the hoster, by the name that health.Effect gives it, or EffectTakenBack
	Fails   int    // in a row, afterwards
	Backoff time.Duration
}

// EffectTakenBack is the effect of an outage on a hoster that failed in it.
const EffectTakenBack = "taken_back"

// ErrUnknownHoster says that nothing is known of a hoster.
var ErrUnknownHoster = errors.New("nothing is known of this hoster")

// Healthy is the port of hoster_healthy: no fail since the last success. The
// zero value, an unknown hoster, is healthy.
func (h HosterHealth) Healthy() bool { return h.ConsecutiveFails == 0 }

// HosterSnapshot is the whole hoster table at one moment, by hoster name.
type HosterSnapshot map[string]HosterHealth

// Lists tells whether no hoster keeps src from being listed: it is the user's own, or
// its hoster is healthy.
func (s HosterSnapshot) Lists(src *Source) bool { return src.Own || s[src.Hoster].Healthy() }
