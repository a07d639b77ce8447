// Package debrid unlocks links of hosters through debrid services: Real-Debrid,
// AllDebrid, Premiumize, TorBox and Debrid-Link.
//
// Each service has a file of its own with its protocol and its table of error
// codes. What they have in common is the client: request budgets, the mapping of
// failures to *sources.ProviderStreamUnavailableError, and texts without secrets.
// An answer's body counts before its status. The package keeps no cooldowns and no
// account states: its errors say what they should be.
package debrid
