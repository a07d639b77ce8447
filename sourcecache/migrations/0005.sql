-- Calls that limits of debrid services bound, see sources/cooldown/state. A row says
-- nothing once full_ms has passed.
CREATE TABLE call_budget (
  name    TEXT    PRIMARY KEY, -- provider, fingerprint of the key, limit
  full_ms INTEGER NOT NULL     -- when nothing is spent any more, Unix milliseconds
) WITHOUT ROWID;
