-- What the rules of package sourcecache/health know of hosters, links and the
-- network.
ALTER TABLE hoster ADD COLUMN last_try_at INTEGER NOT NULL DEFAULT 0; -- while it was failing, or in an outage
ALTER TABLE hoster ADD COLUMN retests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hoster ADD COLUMN doubt_run INTEGER NOT NULL DEFAULT 0; -- the run in which it last failed
ALTER TABLE hoster ADD COLUMN awaits INTEGER NOT NULL DEFAULT 0; -- the canary that says whether its last fail counts
ALTER TABLE hoster ADD COLUMN awaits_since INTEGER NOT NULL DEFAULT 0;
UPDATE hoster SET doubt_run = fail_run WHERE fail_run <> 0;

ALTER TABLE guard ADD COLUMN canary INTEGER NOT NULL DEFAULT 0; -- number of the last one
ALTER TABLE guard ADD COLUMN canary_tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE guard ADD COLUMN test_at INTEGER NOT NULL DEFAULT 0; -- when an outage is tested next
ALTER TABLE guard ADD COLUMN test_step INTEGER NOT NULL DEFAULT 0;
UPDATE guard SET canary_until = 0;

-- Links that failed since they worked, or are gone. A link without a row did neither.
CREATE TABLE link (
  url           TEXT    PRIMARY KEY,
  fails         INTEGER NOT NULL DEFAULT 0,
  first_fail_at INTEGER NOT NULL DEFAULT 0,
  fail_run      INTEGER NOT NULL DEFAULT 0, -- the run of the last of them
  undo_fails    INTEGER NOT NULL DEFAULT 0, -- fails before those of that run
  gone_run      INTEGER NOT NULL DEFAULT 0, -- the run in which it was found to be gone
  deep          INTEGER NOT NULL DEFAULT 0, -- the last fail was behind the first bytes
  at            INTEGER NOT NULL            -- when this was written
) WITHOUT ROWID;

CREATE INDEX link_at ON link (at);
CREATE INDEX link_failed ON link (fail_run) WHERE fail_run <> 0;
CREATE INDEX link_gone ON link (gone_run) WHERE gone_run <> 0;
CREATE INDEX link_again ON link (url) WHERE fails > 1;
CREATE INDEX sources_dead ON sources (url) WHERE state = 3;
CREATE INDEX sources_hoster ON sources (hoster); -- which hosters are named
DROP INDEX sources_failed;
CREATE INDEX sources_held ON sources (hoster, rank) WHERE queue = 3;

-- What happened to hosters lately.
CREATE TABLE hoster_event (
  hoster  TEXT    NOT NULL,
  id      INTEGER NOT NULL, -- counts those of the hoster
  at      INTEGER NOT NULL,
  link    TEXT    NOT NULL, -- without its secrets
  class   TEXT    NOT NULL, -- sources.Class
  effect  TEXT    NOT NULL, -- health.Effect
  fails   INTEGER NOT NULL, -- in a row, afterwards
  backoff INTEGER NOT NULL, -- length of the block that it made, in seconds
  PRIMARY KEY (hoster, id)
) WITHOUT ROWID;
