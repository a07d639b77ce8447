package debrid

import "time"

// patience bounds the wait for a service that prepares a file, where the caller's
// deadline is later or there is none.
const patience = 2 * time.Minute

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
