package sourcecache

import (
	"context"
	"database/sql"

	"xship/sourcecache/health"
	"xship/sources"
)

// RestingSites implements sources.ScanStore.
func (db *DB) RestingSites(ctx context.Context, interfaceURL string) (map[string]sources.SiteRest, error) {
	resting := make(map[string]sources.SiteRest)
	now := db.now().Unix()
	err := db.eachRow(ctx, db.reads, "site_health", func(rows *sql.Rows) error {
		var site string
		var h health.Hoster
		if err := rows.Scan(append([]any{&site}, hosterFields(&h)...)...); err != nil {
			return err
		}
		if until := health.Sites().Until(h, now); until > now {
			resting[site] = sources.SiteRest{Until: fromUnix(until), Reason: h.LastError}
		}
		return nil
	}, `SELECT site, `+hosterColumns+` FROM site_health WHERE interface_url = ? AND backoff_until > ?`, interfaceURL, now)
	return resting, db.fail(ctx, "read resting sites", err)
}

// SiteTouch implements sources.ScanStore.
func (db *DB) SiteTouch(ctx context.Context, interfaceURL string, outcomes []sources.SiteOutcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	return db.write(ctx, "record how sites fared", func(t tx) error {
		guard, err := t.siteGuard(ctx)
		if err != nil {
			return err
		}
		before := guard
		for _, wantOK := range []bool{true, false} {
			for _, o := range outcomes {
				if o.OK != wantOK {
					continue
				}
				if err := t.touchSite(ctx, interfaceURL, o, &guard); err != nil {
					return err
				}
			}
		}
		if guard == before {
			return nil
		}
		return t.setState(ctx, keySiteSuccess, guard.LastSuccessAt)
	})
}

// siteGuard is the guard for sites: a site or a hoster vouches for the network.
// Hosters keep a guard of their own, which no site moves.
func (t tx) siteGuard(ctx context.Context) (health.Guard, error) {
	at, err := t.db.stateTime(ctx, t, keySiteSuccess)
	guard := health.Guard{LastSuccessAt: at}
	if err != nil || guard.Vouches(t.now) {
		return guard, err
	}
	hosters, err := t.db.readGuard(ctx, t)
	return health.Guard{LastSuccessAt: hosters.LastSuccessAt}, err
}

func (t tx) touchSite(ctx context.Context, interfaceURL string, o sources.SiteOutcome, guard *health.Guard) error {
	var h health.Hoster
	found, err := t.db.oneRow(ctx, t, "site_health", o.Site, hosterFields(&h),
		`SELECT `+hosterColumns+` FROM site_health WHERE interface_url = ? AND site = ?`, interfaceURL, o.Site)
	if err != nil {
		return err
	}
	if !found {
		h = health.Hoster{}
	}
	class := health.Fail
	if o.OK {
		class = health.OK
	}
	health.Sites().Touch(&h, guard, health.Event{StartedAt: toUnix(o.Started), Class: class, Error: o.Error}, t.now)
	_, err = t.ExecContext(ctx, `INSERT INTO site_health (interface_url, site, `+hosterColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (interface_url, site) DO UPDATE SET `+hosterUpdate, append([]any{interfaceURL, o.Site}, hosterFields(&h)...)...)
	return err
}
