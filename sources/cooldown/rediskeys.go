package cooldown

import (
	"fmt"
	"strconv"
	"strings"

	"xship/sources"
)

// What Redis holds of a key, each under a name of its own.
const (
	familyCooldown = "cooldown"         // exists while it cools; the value is the reason
	familyLast     = "cooldown-last"    // "<length in ms> <reason>" of the last cooldown, length 0 where it is over for all
	familyLease    = "cooldown-lease"   // the token of the call that goes first
	familyRefused  = "cooldown-refused" // "<link> <answer>", digests of the last link that was refused
)

// redisKeys names the keys in Redis.
type redisKeys struct{ prefix string }

func (k redisKeys) name(family string, key sources.CooldownKey) string {
	return k.prefix + family + ":" + strconv.FormatInt(key.User, 10) + ":" + escapeName(key.Provider)
}

// all are the names of everything about key: cooldown, last, lease.
func (k redisKeys) all(key sources.CooldownKey) []string {
	return []string{k.name(familyCooldown, key), k.name(familyLast, key), k.name(familyLease, key)}
}

// refused is the name of what was refused.
func (k redisKeys) refused(key sources.CooldownKey) string { return k.name(familyRefused, key) }

// pattern matches the names that parse may know, for SCAN.
func (k redisKeys) pattern() string {
	return globEscaper.Replace(k.prefix) + familyCooldown + "*"
}

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)

// parse reads what name made, and nothing else.
func (k redisKeys) parse(name string) (family string, key sources.CooldownKey, ok bool) {
	rest, ours := strings.CutPrefix(name, k.prefix)
	parts := strings.Split(rest, ":")
	if !ours || len(parts) != 3 {
		return "", key, false
	}
	family = parts[0]
	key.User, _ = strconv.ParseInt(parts[1], 10, 64)
	key.Provider = unescapeName(parts[2])
	switch family {
	case familyCooldown, familyLast, familyLease, familyRefused:
	default:
		return "", sources.CooldownKey{}, false
	}
	if k.name(family, key) != name {
		return "", sources.CooldownKey{}, false
	}
	return family, key, true
}

// escapeName writes a provider's name with letters, digits, '_', '-' and '.',
// all else as %XX, so that it holds no ':' and no two names become one.
func escapeName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; plainByte(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// unescapeName undoes escapeName. Of what escapeName cannot have written it
// makes anything.
func unescapeName(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
