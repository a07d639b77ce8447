-- How things stand: what the precacher did, how hosters did by the hour, which titles
-- can be played, and what accounts are paid for.

-- What the last cycles of the precacher did.
CREATE TABLE cycle (
  id            INTEGER PRIMARY KEY,
  begun_at      INTEGER NOT NULL,
  ended_at      INTEGER NOT NULL,
  next_at       INTEGER NOT NULL DEFAULT 0,  -- when the next one was to begin
  titles        INTEGER NOT NULL DEFAULT 0,
  titles_failed INTEGER NOT NULL DEFAULT 0,
  resolved      INTEGER NOT NULL DEFAULT 0,
  probed        INTEGER NOT NULL DEFAULT 0,
  failed        INTEGER NOT NULL DEFAULT 0,
  skipped       INTEGER NOT NULL DEFAULT 0,
  error         TEXT    NOT NULL DEFAULT '', -- why it did not run to its end
  interrupted   INTEGER NOT NULL DEFAULT 0   -- as it was to end
);

-- Attempts at hosters by the hour, counted or not, as in hoster.ok_count and fail_count.
CREATE TABLE hoster_hour (
  hoster TEXT    NOT NULL,
  hour   INTEGER NOT NULL,           -- since 1970
  ok     INTEGER NOT NULL DEFAULT 0,
  fail   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (hoster, hour)
) WITHOUT ROWID;

-- What providers last told of accounts. No key is stored here.
CREATE TABLE account_plan (
  user        INTEGER NOT NULL,
  provider    TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,             -- of the key, a truncated SHA-256
  plan        TEXT    NOT NULL DEFAULT '',
  premium     INTEGER NOT NULL DEFAULT 0,
  ends_at     INTEGER NOT NULL DEFAULT 0,   -- of what is paid for, 0 = not known, or never
  checked_at  INTEGER NOT NULL,
  PRIMARY KEY (user, provider)
) WITHOUT ROWID;

-- Sources that were proven to play, and did not fail since, by the quality of what was
-- read: 0 = not proven, 1 = the best one.
ALTER TABLE sources ADD COLUMN proven INTEGER NOT NULL DEFAULT 0;
UPDATE sources SET proven = CASE quality WHEN '4K' THEN 1 WHEN '1440p' THEN 2 WHEN '1080p' THEN 3 WHEN '720p' THEN 4 WHEN 'SD' THEN 5 ELSE 6 END
  WHERE state <> 3 AND source_id IN (SELECT source_id FROM stream WHERE media_info <> '');
CREATE INDEX sources_proven ON sources (title_id, proven, trailer, unplayable, hoster, own, source_id)
  WHERE proven <> 0 AND trailer = 0 AND unplayable = '';

-- When the precacher last looked for a watched title, whatever came of it.
ALTER TABLE watch ADD COLUMN looked_at INTEGER NOT NULL DEFAULT 0;

-- Since when nothing is proven of a watched title, 0 = something was.
ALTER TABLE watch ADD COLUMN waits_since INTEGER NOT NULL DEFAULT 0;
UPDATE watch SET waits_since = wanted_at WHERE NOT EXISTS (SELECT 1 FROM title t JOIN sources s ON s.title_id = t.id
  WHERE t.key = watch.title_key AND s.proven <> 0 AND s.trailer = 0 AND s.unplayable = '');
