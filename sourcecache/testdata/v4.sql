-- Rows of every table, as xship stored them before its packages were moved
-- (schema version 4). Title keys, source ids and rows have to stay what they are.
PRAGMA user_version = 4;
CREATE TABLE hoster (
  name              TEXT    PRIMARY KEY,
  consecutive_fails INTEGER NOT NULL DEFAULT 0, -- counted fails since the last success
  backoff_until     INTEGER NOT NULL DEFAULT 0,
  ok_count          INTEGER NOT NULL DEFAULT 0, -- lifetime, every reported attempt
  fail_count        INTEGER NOT NULL DEFAULT 0, -- lifetime, counted or not
  last_success_at   INTEGER NOT NULL DEFAULT 0,
  last_fail_at      INTEGER NOT NULL DEFAULT 0,
  last_error        TEXT    NOT NULL DEFAULT ''
, lease_until INTEGER NOT NULL DEFAULT 0, good_link TEXT NOT NULL DEFAULT '', fail_run INTEGER NOT NULL DEFAULT 0, undo_fails INTEGER NOT NULL DEFAULT 0, undo_until INTEGER NOT NULL DEFAULT 0, lease_token TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
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
CREATE TABLE config_cache (
  url          TEXT    PRIMARY KEY, -- as asked, also of interfaces that are not in config
  body         BLOB    NOT NULL,
  final_url    TEXT    NOT NULL DEFAULT '',
  content_type TEXT    NOT NULL DEFAULT '',
  fetched_at   INTEGER NOT NULL DEFAULT 0
, etag TEXT NOT NULL DEFAULT '', last_modified TEXT NOT NULL DEFAULT '');
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
  sites         TEXT    NOT NULL DEFAULT '[]', wanted_at INTEGER NOT NULL DEFAULT 0, ranked_at INTEGER NOT NULL DEFAULT 0, -- JSON, how that scan went, in site order
  UNIQUE (key, interface_url)
);
CREATE TABLE site_answer (
  title_id INTEGER NOT NULL REFERENCES title (id),
  site     TEXT    NOT NULL,
  seen_at  INTEGER NOT NULL,
  PRIMARY KEY (title_id, site)
) WITHOUT ROWID;
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
  unplayable TEXT    NOT NULL DEFAULT '', queue INTEGER NOT NULL DEFAULT 0, rank INTEGER NOT NULL DEFAULT 0, rest_until INTEGER NOT NULL DEFAULT 0,
  UNIQUE (title_id, site, source_id)
);
CREATE TABLE state (
  key   TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;
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
CREATE TABLE empty_scan (
  title_key     TEXT    NOT NULL, -- sources.Title.Key
  interface_url TEXT    NOT NULL,
  emptied_at    INTEGER NOT NULL,
  rest          INTEGER NOT NULL, -- seconds for which a watched title is not scanned again
  PRIMARY KEY (title_key, interface_url)
) WITHOUT ROWID;
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
CREATE TABLE provider_hoster (
  user     INTEGER NOT NULL, -- 0 = all
  provider TEXT    NOT NULL,
  hoster   TEXT    NOT NULL,
  until    INTEGER NOT NULL,
  reason   TEXT    NOT NULL DEFAULT '',
  since    INTEGER NOT NULL,
  PRIMARY KEY (provider, hoster, user)
) WITHOUT ROWID;
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
CREATE TABLE provider_hosters (
  user     INTEGER NOT NULL,
  provider TEXT    NOT NULL,
  hosters  TEXT    NOT NULL, -- JSON array
  at       INTEGER NOT NULL,
  PRIMARY KEY (user, provider)
) WITHOUT ROWID;
CREATE INDEX site_answer_seen ON site_answer (seen_at);
CREATE INDEX title_unranked ON title (id) WHERE ranked_at <> wanted_at;
CREATE INDEX sources_id ON sources (source_id);
CREATE INDEX sources_resolve ON sources (hoster, rank) WHERE queue = 1;
CREATE INDEX sources_probe ON sources (hoster, rank) WHERE queue = 2;
CREATE INDEX sources_failed ON sources (id) WHERE queue = 3;
CREATE INDEX sources_link ON sources (url) WHERE queue > 0;
CREATE INDEX stream_end ON stream (expires_at, resolved_at) WHERE overdue = 0;
CREATE INDEX sources_resting ON sources (rest_until) WHERE queue = 4;
INSERT INTO hoster VALUES ('192.0.2.7', 1, 1700187267, 0, 1, 0, 1700187262, 'hoster_fault: "details" – ä', 0, '', 1, 0, 0, '');
INSERT INTO hoster VALUES ('cam.example', 1, 1700187270, 0, 1, 0, 1700187265, 'hoster_fault: "details" – ä', 0, '', 1, 0, 0, '');
INSERT INTO hoster VALUES ('files.example', 0, 0, 1, 0, 1700187261, 0, '', 0, 'http://files.example/film.m3u8|Referer=https://files.example/&User-Agent=Mozilla%2F5.0', 0, 0, 0, '');
INSERT INTO hoster VALUES ('page.example', 0, 0, 0, 0, 0, 0, '', 0, '', 0, 0, 0, '');
INSERT INTO hoster VALUES ('sub.co.uk', 0, 0, 0, 0, 0, 0, '', 0, '', 0, 0, 0, '');
INSERT INTO hoster VALUES ('xn--bcher-kva.example', 0, 0, 0, 0, 0, 0, '', 0, '', 0, 0, 0, '');
INSERT INTO site_health VALUES ('https://vod.example/config.json', 'broken', 1, 1700187265, 0, 1, 0, 1700187260, 'status 500');
INSERT INTO site_health VALUES ('https://vod.example/config.json', 'one', 0, 0, 1, 0, 1700187260, 0, '');
INSERT INTO config VALUES (1, 0, 1700000000, 'https://vod.example/config.json', 'Example', 1700000000, '');
INSERT INTO config VALUES (2, 0, 0, '/home/user/影视/配置.json', '', 0, 'status 404');
INSERT INTO config_cache VALUES ('https://vod.example/config.json', X'7B227369746573223A5B5D7D00FF', 'https://cdn.example/config.json', 'application/json', 1700000000, 'W/"7"', 'Tue, 14 Nov 2023 22:13:20 GMT');
INSERT INTO title VALUES (1, 'https://vod.example/config.json', '5:movie9:tt123456718:theclockmakerskite18:钟表匠的风筝4:20214:202125:derdrachendesuhrmachersao16:kitedirectorscut', 'movie', 'The Clockmaker''s Kite', '钟表匠的风筝', 2021, 'tt1234567', NULL, NULL, '["Der Drachen des Uhrmachers – Ä/ö","KITE  (Director’s Cut)","2021"]', 1700187200, '[{"key":"one","name":"ONE 站","type":"1","timeout_ms":3000,"status":"ok","sources":12,"elapsed_ms":1234},{"key":"two","name":"TWO 站","type":"1","timeout_ms":3000,"status":"ok","sources":6,"elapsed_ms":1234},{"key":"broken","name":"","type":"","status":"error","sources":0,"elapsed_ms":0,"error":"status 500"}]', 1700000000, 1700000000);
INSERT INTO title VALUES (2, 'https://vod.example/config.json', '7:episode0:11:harbournine8:hafenno91:01:02:12', 'episode', 'Harbour Nine', 'Hafen № 9', 0, '', 0, 12, '[]', 1700187260, '[{"key":"one","name":"ONE 站","type":"1","timeout_ms":3000,"status":"ok","sources":2,"elapsed_ms":1234},{"key":"broken","name":"","type":"","status":"error","sources":0,"elapsed_ms":0,"error":"status 500"}]', 1700093600, 1700093600);
INSERT INTO title VALUES (3, 'https://vod.example/config.json', '5:movie0:35:бумажныесубмарины20:1:0', 'movie', 'Бумажные Субмарины II', '', 0, '', NULL, NULL, '[]', 1700187260, '[{"key":"one","name":"ONE 站","type":"1","timeout_ms":3000,"status":"ok","sources":2,"elapsed_ms":1234},{"key":"broken","name":"","type":"","status":"error","sources":0,"elapsed_ms":0,"error":"status 500"}]', 1700187200, 1700187200);
INSERT INTO title VALUES (4, 'https://vod.example/config.json', '7:episode0:18:filmandwidenaive120:1:01:31:03:911', 'episode', 'ﬁlm & Ｗｉｄｅ: «naïve» ½', '', 0, '', 3, 0, '["9-1-1"]', 1700187260, '[{"key":"one","name":"ONE 站","type":"1","timeout_ms":3000,"status":"ok","sources":2,"elapsed_ms":1234},{"key":"broken","name":"","type":"","status":"error","sources":0,"elapsed_ms":0,"error":"status 500"}]', 0, 0);
INSERT INTO title VALUES (5, '/home/user/影视/配置.json', '5:movie9:tt123456718:theclockmakerskite18:钟表匠的风筝4:20214:202125:derdrachendesuhrmachersao16:kitedirectorscut', 'movie', 'The Clockmaker''s Kite', '钟表匠的风筝', 2021, 'tt1234567', NULL, NULL, '["Der Drachen des Uhrmachers – Ä/ö","KITE  (Director’s Cut)","2021"]', 1700187260, '[{"key":"three","name":"THREE 站","type":"1","timeout_ms":3000,"status":"ok","sources":3,"elapsed_ms":1234},{"key":"broken","name":"","type":"","status":"error","sources":0,"elapsed_ms":0,"error":"status 500"}]', 1700000000, 1700000000);
INSERT INTO site_answer VALUES (1, 'one', 1700187200);
INSERT INTO site_answer VALUES (1, 'two', 1700187200);
INSERT INTO site_answer VALUES (2, 'one', 1700187260);
INSERT INTO site_answer VALUES (3, 'one', 1700187260);
INSERT INTO site_answer VALUES (4, 'one', 1700187260);
INSERT INTO site_answer VALUES (5, 'three', 1700187260);
INSERT INTO sources VALUES (1, 1, 'one', 'cd5b3a426f2a', 0, 'files.example', 1, 1700187261, 'Release 0 – «Ä»', 'HTTPS://WWW.Files.Example:443//a//b.mp4?b=2&a=1&utm_source=x&fbclid=y#t=1', '{"Cookie":"a=\"b\"; c","Referer":"https://files.example/"}', '4K', 'de', '["HEVC","5.1"]', 8589934592, 100, 0, '', 2, 3151543922589697, 0);
INSERT INTO sources VALUES (2, 1, 'one', '2f03087895b0', 1, 'files.example', 2, 1700187261, 'Release 1 – «Ä»', 'http://files.example/film.m3u8|Referer=https://files.example/&User-Agent=Mozilla%2F5.0', '', '1440p', '', '', 0, 100, 0, '', 0, 3151548217556994, 0);
INSERT INTO sources VALUES (3, 1, 'one', '17a584bf2247', 2, '192.0.2.7', 0, 1700187200, 'Release 2 – «Ä»', 'http://192.0.2.7:8080/x y.mkv?z=%20&z=1&A=b', '', '1080p', '', '', 0, 100, 0, '', 3, 3151552512524291, 0);
INSERT INTO sources VALUES (4, 1, 'one', '4527c2d01d38', 3, 'xn--bcher-kva.example', 3, 1700187261, 'Release 3 – «Ä»', 'https://bücher.example/strm/%E9%92%9F?token=a%2Fb', '{"Cookie":"a=\"b\"; c","Referer":"https://files.example/"}', '720p', 'de', '["HEVC","5.1"]', 8589934592, 100, 0, '', 0, 3151556807491588, 0);
INSERT INTO sources VALUES (5, 1, 'one', '20369ba134ce', 4, '2001:db8::1', 0, 1700187200, 'Release 4 – «Ä»', 'http://[2001:db8::1]/a', '', 'SD', '', '', 0, 100, 1, '', 0, 0, 0);
INSERT INTO sources VALUES (6, 1, 'one', '45e09c25bf4d', 5, 'host.example', 0, 1700187200, 'Release 5 – «Ä»', 'https://user:pw@host.example', '', '4K', '', '', 0, 100, 0, 'needs a parser', 0, 0, 0);
INSERT INTO sources VALUES (7, 1, 'one', '999da25525a9', 6, 'local', 0, 1700187200, 'Release 6 – «Ä»', 'file:///home/user/影片/a.mkv', '{"Cookie":"a=\"b\"; c","Referer":"https://files.example/"}', '1440p', 'de', '["HEVC","5.1"]', 8589934592, 999, 0, '', 0, 0, 0);
INSERT INTO sources VALUES (8, 1, 'one', 'da7efa6eadae', 7, 'local', 0, 1700187200, 'Release 7 – «Ä»', '/home/user/videos/b.mp4', '', '1080p', '', '', 0, 100, 0, '', 0, 0, 0);
INSERT INTO sources VALUES (9, 1, 'one', '0645e6cab184', 8, '', 0, 1700187200, 'Release 8 – «Ä»', 'magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567&dn=x', '', '720p', '', '', 0, 100, 0, '', 0, 0, 0);
INSERT INTO sources VALUES (10, 1, 'one', '918e8938600a', 9, 'sub.co.uk', 0, 1700187200, 'Release 9 – «Ä»', ' https://cdn.sub.co.uk/a/../b/?&&q= ', '{"Cookie":"a=\"b\"; c","Referer":"https://files.example/"}', 'SD', 'de', '["HEVC","5.1"]', 8589934592, 100, 0, '', 3, 3151561102458890, 0);
INSERT INTO sources VALUES (11, 1, 'one', '02caa0243c92', 10, 'page.example', 0, 1700187200, 'Release 10 – «Ä»', 'https://page.example/d/AbC123?mc_cid=1', '', '4K', '', '', 0, 100, 0, '', 4, 3151543922589707, 1700273663);
INSERT INTO sources VALUES (12, 1, 'one', 'b5589e6ec827', 11, 'cam.example', 0, 1700187200, 'Release 11 – «Ä»', 'rtsp://cam.example:554/live', '', '1440p', '', '', 0, 100, 0, '', 3, 3151548217557004, 0);
INSERT INTO sources VALUES (13, 1, 'two', 'cd5b3a426f2a', 0, 'files.example', 1, 1700187261, 'Release 0 – «Ä»', 'HTTPS://WWW.Files.Example:443//a//b.mp4?b=2&a=1&utm_source=x&fbclid=y#t=1', '{"Cookie":"a=\"b\"; c","Referer":"https://files.example/"}', '4K', 'de', '["HEVC","5.1"]', 8589934592, 100, 0, '', 2, 3151543922589709, 0);
INSERT INTO sources VALUES (14, 1, 'two', '17a584bf2247', 1, '192.0.2.7', 0, 1700187200, 'Release 2 – «Ä»', 'http://192.0.2.7:8080/x y.mkv?z=%20&z=1&A=b', '', '1080p', '', '', 0, 100, 0, '', 3, 3151552512524302, 0);
INSERT INTO sources VALUES (15, 1, 'two', '20369ba134ce', 2, '2001:db8::1', 0, 1700187200, 'Release 4 – «Ä»', 'http://[2001:db8::1]/a', '', 'SD', '', '', 0, 100, 1, '', 0, 0, 0);
INSERT INTO sources VALUES (16, 1, 'two', '999da25525a9', 3, 'local', 0, 1700187200, 'Release 6 – «Ä»', 'file:///home/user/影片/a.mkv', '{"Cookie":"a=\"b\"; c","Referer":"https://files.example/"}', '1440p', 'de', '["HEVC","5.1"]', 8589934592, 999, 0, '', 0, 0, 0);
INSERT INTO sources VALUES (17, 1, 'two', '0645e6cab184', 4, '', 0, 1700187200, 'Release 8 – «Ä»', 'magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567&dn=x', '', '720p', '', '', 0, 100, 0, '', 0, 0, 0);
INSERT INTO sources VALUES (18, 1, 'two', '02caa0243c92', 5, 'page.example', 0, 1700187200, 'Release 10 – «Ä»', 'https://page.example/d/AbC123?mc_cid=1', '', '4K', '', '', 0, 100, 0, '', 4, 3151543922589714, 1700273663);
INSERT INTO sources VALUES (19, 2, 'one', '52c7b611b708', 0, 'files.example', 0, 1700187260, 'Harbour Nine S00E12', 'HTTPS://WWW.Files.Example:443//a//b.mp4?b=2&a=1&utm_source=x&fbclid=y#t=1', '', '1080p', '', '', 0, 100, 0, '', 1, 3151415073570835, 0);
INSERT INTO sources VALUES (20, 2, 'one', 'ab45e5341f71', 1, 'files.example', 0, 1700187260, 'Harbour Nine', 'https://files.example/harbour nine', '', '', '', '', 0, 100, 0, '', 1, 3151423663505428, 0);
INSERT INTO sources VALUES (21, 3, 'one', 'a905c2b913c6', 0, 'files.example', 0, 1700187260, 'Бумажные Субмарины II', 'HTTPS://WWW.Files.Example:443//a//b.mp4?b=2&a=1&utm_source=x&fbclid=y#t=1', '', '1080p', '', '', 0, 100, 0, '', 1, 3151346354094101, 0);
INSERT INTO sources VALUES (22, 3, 'one', '7c506fd4d129', 1, 'files.example', 0, 1700187260, 'Бумажные Субмарины II', 'https://files.example/бумажные субмарины ii', '', '', '', '', 0, 100, 0, '', 1, 3151354944028694, 0);
INSERT INTO sources VALUES (23, 4, 'one', '1e74c8e02ff1', 0, 'files.example', 0, 1700187260, 'ﬁlm & Ｗｉｄｅ: «naïve» ½ S03E00', 'HTTPS://WWW.Files.Example:443//a//b.mp4?b=2&a=1&utm_source=x&fbclid=y#t=1', '', '1080p', '', '', 0, 100, 0, '', 0, 0, 0);
INSERT INTO sources VALUES (24, 4, 'one', 'e77b3110af15', 1, 'files.example', 0, 1700187260, 'ﬁlm & Ｗｉｄｅ: «naïve» ½', 'https://files.example/ﬁlm & ｗｉｄｅ: «naïve» ½', '', '', '', '', 0, 100, 0, '', 0, 0, 0);
INSERT INTO sources VALUES (25, 5, 'three', 'cd5b3a426f2a', 0, 'files.example', 1, 1700187261, 'Release 0 – «Ä»', 'HTTPS://WWW.Files.Example:443//a//b.mp4?b=2&a=1&utm_source=x&fbclid=y#t=1', '{"Cookie":"a=\"b\"; c","Referer":"https://files.example/"}', '4K', 'de', '["HEVC","5.1"]', 8589934592, 100, 0, '', 2, 3151543922589721, 0);
INSERT INTO sources VALUES (26, 5, 'three', '2f03087895b0', 1, 'files.example', 2, 1700187261, 'Release 1 – «Ä»', 'http://files.example/film.m3u8|Referer=https://files.example/&User-Agent=Mozilla%2F5.0', '', '1440p', '', '', 0, 100, 0, '', 0, 3151548217557018, 0);
INSERT INTO sources VALUES (27, 5, 'three', '17a584bf2247', 2, '192.0.2.7', 0, 1700187260, 'Release 2 – «Ä»', 'http://192.0.2.7:8080/x y.mkv?z=%20&z=1&A=b', '', '1080p', '', '', 0, 100, 0, '', 3, 3151552512524315, 0);
INSERT INTO state VALUES ('current_interface', 'https://vod.example/config.json');
INSERT INTO state VALUES ('cycle', 1);
INSERT INTO state VALUES ('cycle_at', 1700187260);
INSERT INTO state VALUES ('expired_at', 1700187200);
INSERT INTO state VALUES ('inspected_at', 1700187265);
INSERT INTO state VALUES ('site_success_at', 1700187260);
INSERT INTO guard VALUES (1, 1700187261, 1, 2, 0, 0, 0, 1700187295, 0);
INSERT INTO watch VALUES (1, '5:movie9:tt123456718:theclockmakerskite18:钟表匠的风筝4:20214:202125:derdrachendesuhrmachersao16:kitedirectorscut', 'movie', 'The Clockmaker''s Kite', '钟表匠的风筝', 2021, 'tt1234567', NULL, NULL, '["Der Drachen des Uhrmachers – Ä/ö","KITE  (Director’s Cut)","2021"]', 'user', 1700000000, 1700000000);
INSERT INTO watch VALUES (2, '7:episode0:11:harbournine8:hafenno91:01:02:12', 'episode', 'Harbour Nine', 'Hafen № 9', 0, '', 0, 12, '[]', 'user', 1700093600, 1700093600);
INSERT INTO watch VALUES (3, '5:movie0:35:бумажныесубмарины20:1:0', 'movie', 'Бумажные Субмарины II', '', 0, '', NULL, NULL, '[]', 'next', 1700187200, 1700187200);
INSERT INTO stream VALUES ('2f03087895b0', 'https://cdn.example/film.m3u8?sig=1', '{"Referer":"https://files.example/"}', 'application/vnd.apple.mpegurl', 1700190861, 1700187261, 1700187261, '{"container":"hls","duration_seconds":5400.25,"bitrate_bps":8000000,"size_bytes":0,"video":{"codec":"hevc","width":3840,"height":1600,"fps":23.976,"hdr":"HDR10"},"audio":[{"codec":"eac3","channels":6,"language":"de"}],"subtitles":null,"probed_at":1700187261}', 0);
INSERT INTO stream VALUES ('cd5b3a426f2a', 'https://cdn.example/b.mp4', '', '', 0, 1700187261, 0, '', 0);
INSERT INTO empty_scan VALUES ('7:episode0:11:harbournine8:hafenno91:01:02:12', '/home/user/影视/配置.json', 1700187260, 3600);
INSERT INTO cooldown VALUES (1, 'real_debrid', 1700187325000, 60000, '429: slow down', 0, '');
INSERT INTO account_state VALUES (2, 'all_debrid', '2bb80d537b1da3e3', 'provider_quota', 'used up', 1700190865, 1700187265);
INSERT INTO provider_hoster VALUES (1, 'real_debrid', 'files.example', 1700187325, 'busy', 1700187265);
INSERT INTO provider_hoster VALUES (0, 'real_debrid', 'page.example', 1700190865, 'down', 1700187265);
INSERT INTO unlocked_stream VALUES (1, 'real_debrid', '02caa0243c92', 'https://cdn.example/unlocked', '{"X":"y"}', 'video/mp4', 1700190865, 1700187265);
INSERT INTO provider_hosters VALUES (1, 'real_debrid', '["page.example","files.example"]', 1700187265);
INSERT INTO sqlite_sequence VALUES ('watch', 4);
