package sources

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
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
	return Redacted
}

// Account is a user's account at a provider.
type Account struct {
	User     int64
	Provider string // such as "real_debrid"
	Key      Secret
	Refresh  Secret // what renews Key where a login gave it; only the provider reads it
	BaseURL  string // of the API, "" = the provider's own
}

// Provider is a debrid service: it turns links of hosters into streams, through
// an account of the user's.
type Provider interface {
	Name() string  // such as "real_debrid"
	Title() string // such as "Real-Debrid"
	// Serves is Supports by what is known without a request; known is false where
	// it would take one.
	Serves(ctx context.Context, a Account, hoster string) (serves, known bool)
	// Supports tells whether the provider serves links of hoster. An error is a
	// *ProviderStreamUnavailableError.
	Supports(ctx context.Context, a Account, hoster string) (bool, error)
	// Unlock gives the stream behind link. Background work leaves a share of
	// the account's request budget to the foreground. An error is a
	// *ProviderStreamUnavailableError, or that of ctx when it was cancelled.
	Unlock(ctx context.Context, a Account, link string, background bool) (Stream, error)
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
	Doubtful  bool           // ClassDeadLink: not believed of the call that goes first after a cooldown
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
		return CleanText(name)
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
)

// ProviderCooldown is the port of ProviderCooldown: which providers are not
// called now, by user and provider, never for all users. Marks only extend: a
// later, shorter one never shortens a cooldown that runs. Every method is quick,
// and safe for concurrent use.
type ProviderCooldown interface {
	// IsCoolingDown tells what remains of the key's cooldown.
	IsCoolingDown(ctx context.Context, key CooldownKey) (Cooldown, error)
	// MarkCooldown marks the key as cooling down, and tells what remains then.
	MarkCooldown(ctx context.Context, key CooldownKey, m CooldownMark) (Cooldown, error)
	// Begin is IsCoolingDown for one call to the provider. After a cooldown one
	// call goes first: it has the lease, and until it ended, was marked, or
	// CooldownLeaseOf is over, the others are told to wait.
	Begin(ctx context.Context, key CooldownKey) (CooldownLease, Cooldown, error)
	// End ends a call. answered tells that the provider works: then all may call,
	// and the next cooldown starts small; otherwise another call may go first.
	// Without a lease it does nothing.
	End(ctx context.Context, l CooldownLease, answered bool) error
	// Cooldowns lists those that run, by user and provider.
	Cooldowns(ctx context.Context) ([]CooldownEntry, error)
	// Clear ends the cooldowns of a user, 0 = all, at a provider, "" = all, and
	// tells how many ran.
	Clear(ctx context.Context, key CooldownKey) (int, error)
}

// AccountState is what is known of an account beside its cooldown.
type AccountState struct {
	Class  Class     // ClassProviderAuth, ClassProviderQuota; ClassOK where it works
	Reason string    // for people, without secrets
	Until  time.Time // ClassProviderQuota: when it works again
	Since  time.Time
}

// AccountStore keeps what is known of accounts, and what they unlocked.
type AccountStore interface {
	// AccountState gives the state of an account. That of another key does not
	// count, nor one whose Until has passed.
	AccountState(ctx context.Context, a Account) (AccountState, error)
	// SetAccountState stores it; ClassOK forgets it.
	SetAccountState(ctx context.Context, a Account, s AccountState) error
	// ProviderHosterRest tells how long the account's provider cannot serve
	// hoster, for this user or for all.
	ProviderHosterRest(ctx context.Context, key CooldownKey, hoster string) (Cooldown, error)
	// RestProviderHoster keeps links of hoster from the provider for a while. A
	// key without user is for all users. It only extends.
	RestProviderHoster(ctx context.Context, key CooldownKey, hoster string, c Cooldown) error
	// UnlockedStream gives what the user's account at the provider unlocked for a
	// source, and nil where that is nothing.
	UnlockedStream(ctx context.Context, key CooldownKey, sourceID string) (*StoredStream, error)
	// PutUnlockedStream stores it.
	PutUnlockedStream(ctx context.Context, key CooldownKey, sourceID string, s Stream) error
	// DropUnlockedStream forgets it.
	DropUnlockedStream(ctx context.Context, key CooldownKey, sourceID string) error
}
