package sources

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// DefaultUser is the user of a program that nobody told another one.
const DefaultUser int64 = 1

// Secret is a key or token. Printed in any way it is REDACTED; Reveal gives it.
type Secret string

// Reveal gives the secret itself, for a request to the service it belongs to.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer.
func (s Secret) String() string { return redactedSecret(s) }

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return redactedSecret(s) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redactedSecret(s)) }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redactedSecret(s)), nil }

func redactedSecret(s Secret) string {
	if s == "" {
		return ""
	}
	return link.Redacted
}

// Account is a user's account at a provider.
type Account struct {
	User     int64
	Provider string // such as "real_debrid"
	Key      Secret
	Refresh  Secret // what renews Key where a login gave it; only the provider reads it
	BaseURL  string // of the API, "" = the provider's own
}

// ProviderStreamUnavailableError is the port of ProviderStreamUnavailableError:
// why a provider gave no stream, and what that means for the next call.
type ProviderStreamUnavailableError struct {
	Provider  string         // such as "real_debrid"
	Kind      Class          // what the failure is about
	Code      string         // the provider's own, "" where it gave none
	Status    int            // of HTTP, 0 where no answer came
	Cooldown  *time.Duration // the provider's own word on when to call again; nil: none, which is not 0
	Grow      bool           // without a word of the provider's: each repeat rests longer
	Transport bool           // no answer came: dial, TLS, our deadline
	ForAll    bool           // ClassProviderHoster: for all users, not only for this account
	Reset     time.Time      // ClassProviderQuota: when the account works again, zero where unknown
	Suspect   bool           // ClassProviderItem: of this link, unless the next link meets the same; then the provider cools
	Message   string         // for people, without secrets
	Err       error          // what lies beneath, may be nil
	// Rests is how long account, provider or hoster rest for it: set by the use
	// case, not by a Provider.
	Rests time.Duration
}

func (e *ProviderStreamUnavailableError) Error() string {
	var b strings.Builder
	b.WriteString(ProviderTitle(e.Provider))
	b.WriteString(": " + e.Message)
	if e.Code != "" {
		fmt.Fprintf(&b, " (code %s)", e.Code)
	}
	return b.String()
}

func (e *ProviderStreamUnavailableError) Unwrap() error { return e.Err }

// ErrorCode implements text.Coded.
func (*ProviderStreamUnavailableError) ErrorCode() string { return "provider" }

// Class implements Classifier.
func (e *ProviderStreamUnavailableError) Class() Class { return e.Kind }

// ProviderTitle is the name of a provider for people: "Real-Debrid" for
// "real_debrid".
func ProviderTitle(name string) string {
	switch name {
	case "real_debrid":
		return "Real-Debrid"
	case "all_debrid":
		return "AllDebrid"
	case "premiumize":
		return "Premiumize"
	case "torbox":
		return "TorBox"
	case "debrid_link":
		return "Debrid-Link"
	default:
		return text.Clean(name)
	}
}

// Cooldown tells how long a provider is not called, and why.
type Cooldown struct {
	Remaining time.Duration // 0 = it may be called
	Reason    string        // for people, without secrets
}

// CooldownMark is what a mark says.
type CooldownMark struct {
	For    time.Duration // 0 and less mark nothing, MaxCooldown at most
	Grow   bool          // where the last cooldown ended less than CooldownMemory ago, half as long again as that one, MaxCooldown at most
	Reason string        // for people, without secrets
}

// CooldownKey names what cools down.
type CooldownKey struct {
	User     int64
	Provider string
}

// CooldownLease is the right to make the one call that goes first after a
// cooldown. The zero lease is that of any other call.
type CooldownLease struct {
	Key   CooldownKey
	Token string
}

// CallLimit lets at most Calls pass in any span of the length Per.
type CallLimit struct {
	Calls int
	Per   time.Duration
}

// Refusal is a link that was refused, and by what answer. They are only compared, and
// stored as they are: digests, without a secret.
type Refusal struct{ Link, Answer string }

// CooldownEntry is one running cooldown.
type CooldownEntry struct {
	CooldownKey
	Cooldown
}

// Bounds of cooldowns.
const (
	MinCooldown     = time.Second
	MaxCooldown     = 300 * time.Second
	DefaultCooldown = 30 * time.Second
	CooldownMemory  = 10 * time.Minute // how long after its end a cooldown makes the next one grow
	CooldownLeaseOf = 30 * time.Second // the call that goes first has so long, until another one goes
	RefusalMemory   = 10 * time.Minute // how long after a link was refused the next one that meets the same tells of the provider
)

// AccountState is what is known of an account beside its cooldown.
type AccountState struct {
	Class  Class     // ClassProviderAuth, ClassProviderQuota; ClassOK where it works
	Reason string    // for people, without secrets
	Until  time.Time // ClassProviderQuota: when it works again
	Since  time.Time
}

// ProviderHosterRest is a hoster that a provider cannot serve now, for one user or,
// where User is 0, for all.
type ProviderHosterRest struct {
	CooldownEntry
	Hoster string
}
