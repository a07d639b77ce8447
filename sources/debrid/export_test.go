package debrid

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Row is a row of the table of codes of a service.
type Row struct{ Code, Scope, Effect, Source string }

// Rows are the codes of a service, by scope and effect.
func Rows(service string) []Row {
	tables := map[string]map[string]verdict{
		"real_debrid": realDebridCodes, "all_debrid": allDebridCodes, "premiumize": premiumizeCodes, "torbox": torBoxCodes, "debrid_link": debridLinkCodes,
	}
	type entry struct {
		code string
		verdict
	}
	entries := make([]entry, 0, len(tables[service]))
	for code, v := range tables[service] {
		entries = append(entries, entry{code, v})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.effect, b.effect), cmp.Compare(len(a.code), len(b.code)), cmp.Compare(a.code, b.code))
	})
	rows := make([]Row, 0, len(entries))
	for _, e := range entries {
		rows = append(rows, Row{e.code, e.scope.String(), e.describe(), e.source})
	}
	return rows
}

// describe is the effect, with how long it lasts where that is set.
func (v verdict) describe() string {
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	switch v.effect {
	case rest:
		return v.effect.String() + lasting(v.end(now, in(hosterRest)).Sub(now))
	case quota:
		return v.effect.String() + lasting(v.end(now, nextDay).Sub(now))
	default:
		return v.effect.String()
	}
}

func lasting(d time.Duration) string {
	switch {
	case d == 24*time.Hour:
		return " until midnight UTC"
	case d%time.Hour == 0:
		return fmt.Sprintf(" for %d h", d/time.Hour)
	default:
		return fmt.Sprintf(" for %d min", d/time.Minute)
	}
}
