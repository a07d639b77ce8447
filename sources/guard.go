package sources

import "time"

// NetworkState is what the outcomes of attempts tell of the network.
type NetworkState string

// The states of the network.
const (
	// NetworkOK: a hoster answered within the last 30 s.
	NetworkOK NetworkState = "ok"
	// NetworkSuspect: several hosters failed and none answered since; it is not
	// known yet whose fault that is.
	NetworkSuspect NetworkState = "suspect"
	// NetworkOutage: it is down; no fail counts until something works again.
	NetworkOutage NetworkState = "outage"
	// NetworkUnknown: nothing worked lately. That is all when nothing was tried.
	NetworkUnknown NetworkState = "unknown"
)

// GuardState is the state of the network-outage guard.
type GuardState struct {
	LastSuccessAt time.Time // of any hoster; zero where there was none
	Network       NetworkState
}
