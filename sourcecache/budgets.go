package sourcecache

import (
	"context"
	"time"

	"xship/sources"
	"xship/sources/cooldown/state"
)

// budgets are the budgets of calls of all processes on the database.
type budgets struct{ db *DB }

var _ sources.CallBudgets = budgets{}

// CallBudgets implements sources.Store.
func (db *DB) CallBudgets() sources.CallBudgets { return budgets{db} }

// Spend implements sources.CallBudgets. It waits for the database for a second at most:
// a user waits for the call.
func (b budgets) Spend(ctx context.Context, name string, l sources.CallLimit, most time.Duration) (wait time.Duration, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cooldownPatience)
	defer cancel()
	type answer struct {
		wait int64
		ok   bool
	}
	rate := state.Rate{Calls: int64(l.Calls), Per: l.Per.Milliseconds()}
	got, err := bounded(ctx, func() (a answer, err error) {
		err = b.db.write(ctx, "count a call of a provider", func(t tx) error {
			budget, err := b.db.readBudget(ctx, t, name)
			if err != nil {
				return err
			}
			if a.wait, a.ok = budget.Spend(rate, t.at.UnixMilli(), most.Milliseconds()); !a.ok {
				return nil
			}
			_, err = t.ExecContext(ctx, `INSERT OR REPLACE INTO call_budget (name, full_ms) VALUES (?, ?)`, name, budget.Full)
			return err
		})
		return a, err
	})
	return time.Duration(got.wait) * time.Millisecond, got.ok, err
}

// readBudget gives a budget; one that is damaged has nothing spent.
func (db *DB) readBudget(ctx context.Context, q querier, name string) (b state.Budget, err error) {
	_, err = db.oneRow(ctx, q, "call_budget", name, []any{&b.Full}, `SELECT full_ms FROM call_budget WHERE name = ?`, name)
	return b, err
}
