-- Attempts: who may make them, and which of their fails stand.
ALTER TABLE hoster ADD COLUMN lease_until INTEGER NOT NULL DEFAULT 0; -- an attempt has the failing hoster for itself
ALTER TABLE hoster ADD COLUMN good_link TEXT NOT NULL DEFAULT '';     -- the last one that worked
ALTER TABLE hoster ADD COLUMN fail_run INTEGER NOT NULL DEFAULT 0;    -- fails are provisional while this is guard.run
ALTER TABLE hoster ADD COLUMN undo_fails INTEGER NOT NULL DEFAULT 0;  -- consecutive_fails before the provisional ones
ALTER TABLE hoster ADD COLUMN undo_until INTEGER NOT NULL DEFAULT 0;  -- backoff_until before them

-- The network-outage guard, one row. A run is the time between two successes.
CREATE TABLE guard (
  id              INTEGER PRIMARY KEY CHECK (id = 1),
  last_success_at INTEGER NOT NULL DEFAULT 0, -- of any hoster
  run             INTEGER NOT NULL DEFAULT 0,
  run_hosters     INTEGER NOT NULL DEFAULT 0, -- with provisional fails
  run_ok          INTEGER NOT NULL DEFAULT 0, -- a canary showed that fails of this run stand
  outage          INTEGER NOT NULL DEFAULT 0, -- the network is down
  outage_end      INTEGER NOT NULL DEFAULT 0, -- of the last outage
  canary_until    INTEGER NOT NULL DEFAULT 0, -- one is under way
  canary_bad_at   INTEGER NOT NULL DEFAULT 0  -- the last one that failed
);

INSERT INTO guard (id, last_success_at) VALUES (1, coalesce((SELECT value FROM state WHERE key = 'last_success_at'), 0));
DELETE FROM state WHERE key = 'last_success_at';

CREATE TABLE watch (
  id            INTEGER PRIMARY KEY AUTOINCREMENT, -- a number that a user knows is never another title's
  title_key     TEXT    NOT NULL UNIQUE, -- sources.Title.Key
  kind          TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  original_name TEXT    NOT NULL DEFAULT '',
  year          INTEGER NOT NULL DEFAULT 0,
  imdb          TEXT    NOT NULL DEFAULT '',
  season        INTEGER,
  episode       INTEGER,
  aliases       TEXT    NOT NULL DEFAULT '[]',
  origin        TEXT    NOT NULL DEFAULT 'user', -- user or next
  added_at      INTEGER NOT NULL,
  wanted_at     INTEGER NOT NULL -- added again, or moved on to this episode; the latest is watched soonest
);

-- What sources are stored of watched titles is ranked by wanted_at, in small
-- batches; ranked_at is what it was ranked by.
ALTER TABLE title ADD COLUMN wanted_at INTEGER NOT NULL DEFAULT 0; -- that of watch, 0 = not on it
ALTER TABLE title ADD COLUMN ranked_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX title_unranked ON title (id) WHERE ranked_at <> wanted_at;

-- Work on sources of watched titles.
ALTER TABLE sources ADD COLUMN queue INTEGER NOT NULL DEFAULT 0; -- 0 none, 1 to resolve, 2 to probe, 3 failed in this cycle
ALTER TABLE sources ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;  -- (day and quality) << 32 | id, lower = sooner
CREATE INDEX sources_id ON sources (source_id);
CREATE INDEX sources_resolve ON sources (hoster, rank) WHERE queue = 1;
CREATE INDEX sources_probe ON sources (hoster, rank) WHERE queue = 2;
CREATE INDEX sources_failed ON sources (id) WHERE queue = 3;
CREATE INDEX sources_link ON sources (url) WHERE queue > 0;

-- Sources resolved, on all interfaces.
CREATE TABLE stream (
  source_id   TEXT    PRIMARY KEY,
  url         TEXT    NOT NULL,
  headers     TEXT    NOT NULL DEFAULT '', -- JSON object, '' = none
  mime        TEXT    NOT NULL DEFAULT '',
  expires_at  INTEGER NOT NULL DEFAULT 0,  -- by its own word
  resolved_at INTEGER NOT NULL,
  probed_at   INTEGER NOT NULL DEFAULT 0,  -- this stream was read
  media_info  TEXT    NOT NULL DEFAULT '', -- JSON, of the last stream of the source that was read, '' = none
  overdue     INTEGER NOT NULL DEFAULT 0   -- to be resolved again
) WITHOUT ROWID;

CREATE INDEX stream_end ON stream (expires_at, resolved_at) WHERE overdue = 0;
