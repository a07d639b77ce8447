package sourcecache

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"xship/sources"
)

// ProviderHosters implements sources.ProviderHosterStore. A row that is damaged
// is none.
func (db *DB) ProviderHosters(ctx context.Context, key sources.CooldownKey) (hosters []string, at time.Time, err error) {
	var text string
	var unix int64
	name := fmt.Sprint(key.User, " ", key.Provider)
	found, err := db.oneRow(ctx, db.reads, "provider_hosters", name, []any{&text, &unix},
		`SELECT hosters, at FROM provider_hosters WHERE user = ? AND provider = ?`, key.User, key.Provider)
	if !found {
		return nil, time.Time{}, db.fail(ctx, "read the hosters of "+key.Provider, err)
	}
	if err := json.Unmarshal([]byte(text), &hosters); err != nil {
		db.leaveOut(ctx, "provider_hosters", name, err)
		return nil, time.Time{}, nil
	}
	return hosters, fromUnix(unix), nil
}

// PutProviderHosters implements sources.ProviderHosterStore.
func (db *DB) PutProviderHosters(ctx context.Context, key sources.CooldownKey, hosters []string, at time.Time) error {
	what := "store the hosters of " + key.Provider
	text, err := json.Marshal(hosters)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return db.write(ctx, what, func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO provider_hosters (user, provider, hosters, at) VALUES (?, ?, ?, ?)`,
			key.User, key.Provider, string(text), toUnix(at))
		return err
	})
}
