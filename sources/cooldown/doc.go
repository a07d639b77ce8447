// Package cooldown keeps xship from calling a provider that asked for a rest or
// is broken. It implements "Provider Circuit Breaker / Cooldown Pattern" (the
// specification provider-cooldown.md), the port being sources.ProviderCooldown.
//
// Its invariants:
//
//  1. A cooldown is per user and provider, never global.
//  2. Fail-open: while Redis is down, hangs or answers nonsense, every operation
//     answers from the memory of this process, within 100 ms. A Mirrored has what
//     this machine keeps as well, so that the next process knows it too.
//  3. Retry-After takes priority, within sources.MinCooldown and
//     sources.MaxCooldown.
//  4. The default is sources.DefaultCooldown, which grows on repeats.
//  5. Marks of zero and less do nothing.
//  6. It is optional: a nil sources.ProviderCooldown is for the caller to heed.
//
// Where the specification has traps, they are closed: marks only extend; what
// remains and why is told, not only whether; time counts in milliseconds; memory
// is swept; and when a cooldown ends one call goes first. That is a lease, no
// half-open state: nothing is counted, and it ends by itself.
//
// All backends keep a cooldown in three parts, so that they behave alike: the
// cooldown itself; what the last one was, for sources.CooldownMemory after its
// end or until a call was answered; and the lease of the call that goes first.
// Beside it stands the link that was last refused in words that nobody can judge, as
// a digest. No part holds a secret.
package cooldown
