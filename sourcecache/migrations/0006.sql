-- The link of an account that was last refused in words that nobody can judge, see
-- sources/cooldown/state. A row says nothing once until_ms has passed.
CREATE TABLE refused_link (
  user     INTEGER NOT NULL,
  provider TEXT    NOT NULL,
  link     TEXT    NOT NULL, -- a digest
  answer   TEXT    NOT NULL, -- a digest
  until_ms INTEGER NOT NULL, -- Unix milliseconds
  PRIMARY KEY (user, provider)
) WITHOUT ROWID;

-- What a source needs to be played that was not there when it was tried ("an account
-- or yt-dlp"), '' = nothing is known.
ALTER TABLE sources ADD COLUMN needs TEXT NOT NULL DEFAULT '';
