-- Accounts of users at providers. No key is stored here.

-- Providers that are not called now, and those whose cooldown ended lately.
CREATE TABLE cooldown (
  user           INTEGER NOT NULL,
  provider       TEXT    NOT NULL,
  until_ms       INTEGER NOT NULL,            -- Unix milliseconds
  step_ms        INTEGER NOT NULL,            -- length of the cooldown, from which the next one grows
  reason         TEXT    NOT NULL DEFAULT '',
  lease_until_ms INTEGER NOT NULL DEFAULT 0,  -- after the cooldown one call goes first
  lease_token    TEXT    NOT NULL DEFAULT '', -- names that call, '' = none is under way
  PRIMARY KEY (user, provider)
) WITHOUT ROWID;

-- Accounts that do not work.
CREATE TABLE account_state (
  user        INTEGER NOT NULL,
  provider    TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,           -- of the key, a truncated SHA-256
  class       TEXT    NOT NULL,           -- sources.Class
  reason      TEXT    NOT NULL DEFAULT '',
  until       INTEGER NOT NULL DEFAULT 0, -- it works again, 0 = not known
  since       INTEGER NOT NULL,
  PRIMARY KEY (user, provider, fingerprint)
) WITHOUT ROWID;

-- Hosters that a provider cannot serve now.
CREATE TABLE provider_hoster (
  user     INTEGER NOT NULL, -- 0 = all
  provider TEXT    NOT NULL,
  hoster   TEXT    NOT NULL,
  until    INTEGER NOT NULL,
  reason   TEXT    NOT NULL DEFAULT '',
  since    INTEGER NOT NULL,
  PRIMARY KEY (provider, hoster, user)
) WITHOUT ROWID;

-- What accounts unlocked for sources.
CREATE TABLE unlocked_stream (
  user        INTEGER NOT NULL,
  provider    TEXT    NOT NULL,
  source_id   TEXT    NOT NULL,
  url         TEXT    NOT NULL,
  headers     TEXT    NOT NULL DEFAULT '', -- JSON object, '' = none
  mime        TEXT    NOT NULL DEFAULT '',
  expires_at  INTEGER NOT NULL DEFAULT 0,  -- by its own word
  unlocked_at INTEGER NOT NULL,
  PRIMARY KEY (source_id, user, provider)
) WITHOUT ROWID;

-- Which hosters providers serve.
CREATE TABLE provider_hosters (
  user     INTEGER NOT NULL,
  provider TEXT    NOT NULL,
  hosters  TEXT    NOT NULL, -- JSON array
  at       INTEGER NOT NULL,
  PRIMARY KEY (user, provider)
) WITHOUT ROWID;
