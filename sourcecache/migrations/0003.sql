-- What an interface asks to be told when its config is asked for again.
ALTER TABLE config_cache ADD COLUMN etag TEXT NOT NULL DEFAULT '';
ALTER TABLE config_cache ADD COLUMN last_modified TEXT NOT NULL DEFAULT '';

ALTER TABLE hoster ADD COLUMN lease_token TEXT NOT NULL DEFAULT ''; -- names the attempt that has the lease

-- Sources that xship cannot resolve are left alone for a while: queue 4.
ALTER TABLE sources ADD COLUMN rest_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sources_resting ON sources (rest_until) WHERE queue = 4;

-- Titles for which the last scan at an interface found nothing.
CREATE TABLE empty_scan (
  title_key     TEXT    NOT NULL, -- sources.Title.Key
  interface_url TEXT    NOT NULL,
  emptied_at    INTEGER NOT NULL,
  rest          INTEGER NOT NULL, -- seconds for which a watched title is not scanned again
  PRIMARY KEY (title_key, interface_url)
) WITHOUT ROWID;
