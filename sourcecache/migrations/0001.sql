-- Times are Unix seconds UTC, 0 = never.

CREATE TABLE hoster (
  name              TEXT    PRIMARY KEY,
  consecutive_fails INTEGER NOT NULL DEFAULT 0, -- counted fails since the last success
  backoff_until     INTEGER NOT NULL DEFAULT 0,
  ok_count          INTEGER NOT NULL DEFAULT 0, -- lifetime, every reported attempt
  fail_count        INTEGER NOT NULL DEFAULT 0, -- lifetime, counted or not
  last_success_at   INTEGER NOT NULL DEFAULT 0,
  last_fail_at      INTEGER NOT NULL DEFAULT 0,
  last_error        TEXT    NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- Health of sites, by the ladder of hosters up to 300 s.
CREATE TABLE site_health (
  interface_url     TEXT    NOT NULL,
  site              TEXT    NOT NULL,
  consecutive_fails INTEGER NOT NULL DEFAULT 0,
  backoff_until     INTEGER NOT NULL DEFAULT 0,
  ok_count          INTEGER NOT NULL DEFAULT 0,
  fail_count        INTEGER NOT NULL DEFAULT 0,
  last_success_at   INTEGER NOT NULL DEFAULT 0,
  last_fail_at      INTEGER NOT NULL DEFAULT 0,
  last_error        TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (interface_url, site)
) WITHOUT ROWID;

-- Interfaces. type 0 = VOD; the default order is time DESC.
CREATE TABLE config (
  id             INTEGER PRIMARY KEY,
  type           INTEGER NOT NULL DEFAULT 0,
  time           INTEGER NOT NULL DEFAULT 0, -- added, or last loaded well
  url            TEXT    NOT NULL,
  name           TEXT    NOT NULL DEFAULT '',
  last_loaded_at INTEGER NOT NULL DEFAULT 0,
  last_error     TEXT    NOT NULL DEFAULT '',
  UNIQUE (type, url)
);

-- What an interface last answered.
CREATE TABLE config_cache (
  url          TEXT    PRIMARY KEY, -- as asked, also of interfaces that are not in config
  body         BLOB    NOT NULL,
  final_url    TEXT    NOT NULL DEFAULT '',
  content_type TEXT    NOT NULL DEFAULT '',
  fetched_at   INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE title (
  id            INTEGER PRIMARY KEY,
  interface_url TEXT    NOT NULL,
  key           TEXT    NOT NULL, -- full identity, sources.Title.Key
  kind          TEXT    NOT NULL, -- movie or episode
  name          TEXT    NOT NULL,
  original_name TEXT    NOT NULL DEFAULT '',
  year          INTEGER NOT NULL DEFAULT 0,
  imdb          TEXT    NOT NULL DEFAULT '',
  season        INTEGER,          -- NULL for a movie, 0 = specials
  episode       INTEGER,
  aliases       TEXT    NOT NULL DEFAULT '[]', -- JSON
  scanned_at    INTEGER NOT NULL, -- end of the last scan that found something
  sites         TEXT    NOT NULL DEFAULT '[]', -- JSON, how that scan went, in site order
  UNIQUE (key, interface_url)
);

-- When a site last gave an answer for a title; the answer is its rows in sources.
CREATE TABLE site_answer (
  title_id INTEGER NOT NULL REFERENCES title (id),
  site     TEXT    NOT NULL,
  seen_at  INTEGER NOT NULL,
  PRIMARY KEY (title_id, site)
) WITHOUT ROWID;

CREATE INDEX site_answer_seen ON site_answer (seen_at);

CREATE TABLE sources (
  id         INTEGER PRIMARY KEY,
  title_id   INTEGER NOT NULL REFERENCES title (id),
  site       TEXT    NOT NULL,
  source_id  TEXT    NOT NULL, -- stable from scan to scan
  position   INTEGER NOT NULL, -- in the site's answer
  hoster     TEXT    NOT NULL,
  state      INTEGER NOT NULL DEFAULT 0, -- 0 found, 1 resolved, 2 probed, 3 dead
  state_at   INTEGER NOT NULL DEFAULT 0, -- when it got that state
  name       TEXT    NOT NULL,
  url        TEXT    NOT NULL,
  headers    TEXT    NOT NULL DEFAULT '', -- JSON object, '' = none
  quality    TEXT    NOT NULL DEFAULT '',
  language   TEXT    NOT NULL DEFAULT '',
  info       TEXT    NOT NULL DEFAULT '', -- JSON array, '' = none
  size_bytes INTEGER NOT NULL DEFAULT 0,
  priority   INTEGER NOT NULL DEFAULT 100,
  trailer    INTEGER NOT NULL DEFAULT 0,
  unplayable TEXT    NOT NULL DEFAULT '',
  UNIQUE (title_id, site, source_id)
);

-- Single values: last_success_at (the guard), site_success_at, current_interface, expired_at.
CREATE TABLE state (
  key   TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;
