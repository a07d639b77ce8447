-- Sources of the user's own, and what else sites tell of what they name.
ALTER TABLE sources ADD COLUMN own INTEGER NOT NULL DEFAULT 0;          -- no health is kept of where it lies
ALTER TABLE sources ADD COLUMN duration INTEGER NOT NULL DEFAULT 0;     -- in seconds, 0 = not known
ALTER TABLE sources ADD COLUMN release_group TEXT NOT NULL DEFAULT '';  -- the same for several episodes
ALTER TABLE sources ADD COLUMN subtitles TEXT NOT NULL DEFAULT '';      -- JSON array, '' = none

-- What is the user's own waits beside the others of its hoster.
DROP INDEX sources_resolve;
DROP INDEX sources_probe;
DROP INDEX sources_held;
CREATE INDEX sources_resolve ON sources (own, hoster, rank) WHERE queue = 1;
CREATE INDEX sources_probe ON sources (own, hoster, rank) WHERE queue = 2;
CREATE INDEX sources_held ON sources (own, hoster, rank) WHERE queue = 3;
