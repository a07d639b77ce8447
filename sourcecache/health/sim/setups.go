package sim

import "xship/sourcecache/health"

// Setup is what plays in a world.
type Setup struct {
	Name    string
	Policy  health.Policy
	Daemons int
	Paced   bool // the daemon spreads its work
	Alone   bool // each process has a guard of its own, as in the document
	GoesOn  bool // nothing pauses in an outage, and nothing tests the line
}

// The setups that are compared, by name.
var (
	// Document is the policy of the document: a guard for each process, any fail
	// counts.
	Document = Setup{Name: "the document", Policy: health.Document(), Daemons: 1, Alone: true}
	// Before is what xship did before its outages became a state: what this package
	// has of it.
	Before = Setup{Name: "before", Policy: health.Policy{Max: health.Hosters().Max, Rules: health.Rules{
		Clock: true, OneFail: true, Lease: true, Gone: true, Early: true, Outage: true, Undo: true, Hold: true,
	}}, Daemons: 1, GoesOn: true}

	Ours     = Setup{Name: "ours", Policy: health.Hosters(), Daemons: 1, Paced: true}
	Unpaced  = Setup{Name: "ours, not paced", Policy: health.Hosters(), Daemons: 1}
	NoDaemon = Setup{Name: "ours, no daemon", Policy: health.Hosters()}

	// Looking looks into long blocks each ten minutes, and fills lists up to three.
	Looking        = Setup{Name: "look and floor", Policy: looking(), Daemons: 1, Paced: true}
	LookingUnpaced = Setup{Name: "look and floor, not paced", Policy: looking(), Daemons: 1}

	// Two has two daemons on one database.
	Two = Setup{Name: "two daemons", Policy: health.Hosters(), Daemons: 2, Paced: true}
)

// Setups are those of the table.
func Setups() []Setup {
	return []Setup{Document, Before, Ours, Unpaced, NoDaemon, Looking, LookingUnpaced}
}

func looking() health.Policy {
	p := health.Hosters()
	p.Look, p.Floor = 600, 3
	return p
}
