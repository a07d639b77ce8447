package debrid

import "time"

// patience bounds the wait for a service that prepares a file, where the caller's
// deadline is later or there is none.
const patience = 2 * time.Minute

// How long one call may take: TorBox and Premiumize may fetch a file first.
const (
	usualTimeout = 30 * time.Second
	longTimeout  = time.Minute
)

// Timeout is how long one call of a provider may take where nobody set that: as long
// as its clients wait.
func Timeout(provider string) time.Duration {
	for _, s := range services() {
		if s.name() == provider {
			return s.timeout()
		}
	}
	return usualTimeout
}

// services are all services, in the order in which they are listed.
func services() []service {
	return []service{
		realDebrid{},
		allDebrid{},
		premiumize{},
		torBox{},
		debridLink{},
	}
}
