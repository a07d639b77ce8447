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

-- Media files below the user's own folders and servers. What was forgotten of a root
-- stays under a row without a name until it is removed, a little at a time.
CREATE TABLE index_root (
  id         INTEGER PRIMARY KEY,
  root       TEXT    UNIQUE,                  -- NULL = forgotten
  walked_at  INTEGER NOT NULL DEFAULT 0,      -- end of the last walk
  files      INTEGER NOT NULL DEFAULT 0,      -- that it found
  left_out   TEXT    NOT NULL DEFAULT '',     -- what it left out and why, for people
  written_at INTEGER NOT NULL                 -- when anything of the root was last written
);

CREATE TABLE index_folder (
  root_id INTEGER NOT NULL,                   -- index_root.id
  path    TEXT    NOT NULL,
  id      INTEGER NOT NULL UNIQUE,
  stamp   TEXT    NOT NULL,
  PRIMARY KEY (root_id, path)
) WITHOUT ROWID;

-- The files of a folder have neighbouring ids.
CREATE TABLE index_file (
  id    INTEGER PRIMARY KEY,                  -- index_folder.id << 24 | its number there
  path  TEXT    NOT NULL,
  keys  TEXT    NOT NULL,                     -- JSON array
  facts BLOB    NOT NULL
);

CREATE TABLE index_key (
  hash INTEGER NOT NULL,                      -- of root and key
  file INTEGER NOT NULL,                      -- index_file.id
  PRIMARY KEY (hash, file)
) WITHOUT ROWID;

-- What services for everybody answered.
CREATE TABLE answer (
  key  TEXT    NOT NULL UNIQUE,
  body BLOB    NOT NULL,
  size INTEGER NOT NULL, -- of body
  at   INTEGER NOT NULL
);

CREATE INDEX answer_at ON answer (at, size);

-- What the user was told once.
CREATE TABLE told (
  what TEXT    PRIMARY KEY,
  at   INTEGER NOT NULL
) WITHOUT ROWID;
