// Package jellyfinfake is a media server for tests, which speaks the protocol of Jellyfin
// or that of Emby over a catalogue of the loopback world. Its shapes are those of the
// public documentation of both, its content is made up.
//
// It is as strict about who asks as a Jellyfin of 2026 is: a key counts in the header
// Authorization with the scheme MediaBrowser, and in the parameter ApiKey, and nowhere
// else. Emby takes X-Emby-Token and api_key.
package jellyfinfake

import (
	"bytes"
	"crypto/md5" //nolint:gosec // as ids are made, no secret
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"xship/sources/match"
	"xship/sources/sourcetest/world"
)

// Config describes a server.
type Config struct {
	Emby  bool
	Base  string            // path before all others, such as "/media"
	Keys  []string          // that it takes
	Users map[string]string // passwords by name
	Films []world.Film
	IMDb  map[string]string // ids by the name of a film or series
	// Bare leaves out what old servers do not tell: the files of items.
	Bare bool
}

// Server is a running server.
type Server struct {
	*world.Server
	config Config

	mu     sync.Mutex
	tokens []string // that it takes: keys, and what logins gave
	logins int
	items  []object
	files  map[string]string // names by the id of a version
}

type object = map[string]any

// Add starts a server in a world.
func Add(w *world.World, name string, c Config) (*Server, error) {
	s := &Server{config: c, tokens: slices.Clone(c.Keys), files: make(map[string]string)}
	for _, f := range c.Films {
		s.add(f)
	}
	server, err := w.AddServer(name, s.answer)
	s.Server = server
	return s, err
}

// URL is the address that a user gives.
func (s *Server) URL() string { return "http://" + s.Addr() + s.config.Base }

// Revoke has the server take a key or a token no more.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = slices.DeleteFunc(s.tokens, func(t string) bool { return t == token })
}

// Tokens are the keys and tokens that the server takes.
func (s *Server) Tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tokens)
}

// api is the address before the path of a call.
func (s *Server) api() string {
	if s.config.Emby {
		return s.URL() + "/emby"
	}
	return s.URL()
}

// Link is where the server has the file that a film of its catalogue has at link.
func (s *Server) Link(link string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.items {
		for _, v := range versionsOf(i) {
			if v["fake"] == link {
				params := url.Values{"static": {"true"}, "mediaSourceId": {v["Id"].(string)}}
				if s.config.Emby {
					params = url.Values{"Static": {"true"}, "MediaSourceId": {v["Id"].(string)}}
				}
				return s.api() + "/Videos/" + i["Id"].(string) + "/stream" + path.Ext(v["Path"].(string)) + "?" + params.Encode()
			}
		}
	}
	return "no file of " + link
}

func versionsOf(item object) []object {
	versions, _ := item["MediaSources"].([]object)
	return versions
}

// id is that of what a text names.
func id(of string) string {
	sum := md5.Sum([]byte(of)) //nolint:gosec // no secret
	return hex.EncodeToString(sum[:])
}

// add puts a film, or a series with its episodes, into the catalogue.
func (s *Server) add(f world.Film) {
	i := object{
		"Id": id(f.Name + strconv.Itoa(f.Year)), "Name": f.Name, "Type": "Movie", "ServerId": "f00d", "IsFolder": false, "LocationType": "FileSystem",
		"ProviderIds": object{}, "UserData": nil,
	}
	if f.Year > 0 {
		i["ProductionYear"] = f.Year
	}
	if imdb := s.config.IMDb[f.Name]; imdb != "" {
		i["ProviderIds"] = object{"Imdb": imdb, "Tmdb": "1"}
	}
	if f.Type == "Series" {
		i["Type"], i["IsFolder"] = "Series", true
		s.items = append(s.items, i)
		s.addEpisodes(f, i)
		return
	}
	var versions []object
	for _, group := range f.Groups {
		for _, it := range group.Items {
			versions = append(versions, s.version(it, f.Lang))
		}
	}
	if len(versions) > 0 {
		s.files[i["Id"].(string)] = versions[0]["Path"].(string)
		versions[0]["Id"] = i["Id"]
		i["MediaSources"], i["Path"], i["Container"], i["RunTimeTicks"] = versions, versions[0]["Path"], "mkv", int64(10_000_000)
	}
	s.items = append(s.items, i)
}

func (s *Server) addEpisodes(f world.Film, series object) {
	_, season, ok := match.SplitSeason(f.Name)
	if !ok {
		season = 1
	}
	for _, group := range f.Groups {
		for n, it := range group.Items {
			r, ok := match.ParseEpisode(it.Label)
			if !ok {
				r = match.EpisodeRange{Season: -1, First: n + 1}
			}
			if r.Season < 0 {
				r.Season = season
			}
			v := s.version(it, f.Lang)
			e := object{
				"Id": v["Id"], "Name": fmt.Sprintf("Part %d", r.First), "Type": "Episode", "SeriesId": series["Id"], "SeriesName": f.Name,
				"ParentIndexNumber": r.Season, "IndexNumber": r.First, "IndexNumberEnd": nil, "LocationType": "FileSystem",
				"MediaSources": []object{v}, "Path": v["Path"], "Container": "mkv", "RunTimeTicks": int64(10_000_000),
			}
			if r.Last > r.First {
				e["IndexNumberEnd"] = r.Last
			}
			s.items = append(s.items, e)
		}
	}
}

var heightForm = regexp.MustCompile(`(?i)\b(\d{3,4})p\b`)

// version is a link as a file of the server.
func (s *Server) version(it world.Item, language string) object {
	file := path.Base(it.URL)
	if ext := path.Ext(file); ext != ".mp4" && ext != ".mkv" && ext != ".webm" && ext != ".ts" {
		file = strings.TrimSuffix(file, ext) + ".mkv"
	}
	container := map[string]string{".mp4": "mov,mp4,m4a,3gp,3g2,mj2", ".ts": "mpegts,ts", ".webm": "matroska,webm"}[path.Ext(file)]
	if container == "" {
		container = "mkv"
	}
	height := 720
	if m := heightForm.FindStringSubmatch(it.Label + " " + file); m != nil {
		height, _ = strconv.Atoi(m[1])
	}
	v := object{
		"fake": it.URL, "Id": id(it.URL), "Name": it.Label, "Path": "/media/" + file, "Protocol": "File", "Type": "Default", "VideoType": "VideoFile",
		"Container": container, "Size": len(world.Media("/" + file)), "RunTimeTicks": int64(10_000_000), "IsRemote": false,
		"MediaStreams": []object{
			{"Type": "Video", "Codec": "h264", "Index": 0, "Width": height * 16 / 9, "Height": height, "VideoRange": "SDR", "VideoRangeType": "SDR"},
			{"Type": "Audio", "Codec": "aac", "Index": 1, "Channels": 2, "Language": language},
			{"Type": "Subtitle", "Codec": "subrip", "Index": 2, "Language": "ger", "IsExternal": true, "IsTextSubtitleStream": true},
		},
	}
	s.files[v["Id"].(string)] = "/" + file
	return v
}

// answer is the content of the server.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, m world.Mode) {
	called, ok := strings.CutPrefix(r.URL.Path, s.config.Base)
	if s.config.Emby && ok {
		called, ok = strings.CutPrefix(called, "/emby")
		if !ok && called == "/System/Info/Public" { // which both have
			ok = true
		}
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	query := lowered(r.URL.Query())
	parts := strings.Split(strings.Trim(called, "/"), "/")
	switch {
	case called == "/System/Info/Public":
		s.info(w)
	case called == "/Users/AuthenticateByName" && r.Method == http.MethodPost:
		s.login(w, r)
	case !s.knows(r, query):
		w.WriteHeader(http.StatusUnauthorized)
		if s.config.Emby {
			_, _ = fmt.Fprint(w, "Access token is invalid or expired.")
		}
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case called == "/Items":
		s.list(w, m, func(i object) bool { return s.isSearched(i, query) }, query)
	case len(parts) == 3 && parts[0] == "Shows" && parts[2] == "Episodes":
		s.list(w, m, func(i object) bool {
			return i["SeriesId"] == parts[1] && fmt.Sprint(i["ParentIndexNumber"]) == query.Get("season")
		}, query)
	case len(parts) == 3 && parts[0] == "Videos" && strings.HasPrefix(parts[2], "stream"):
		s.stream(w, r, parts[1], query)
	case len(parts) == 6 && parts[0] == "Videos" && parts[3] == "Subtitles":
		_, _ = fmt.Fprint(w, "1\n00:00:00,000 --> 00:00:01,000\nHello\n")
	default:
		http.NotFound(w, r)
	}
}

// lowered are parameters by their names in lower case, as both servers read them.
func lowered(query url.Values) url.Values {
	out := make(url.Values, len(query))
	for name, values := range query {
		out[strings.ToLower(name)] = values
	}
	return out
}

func (s *Server) info(w http.ResponseWriter) {
	info := object{"LocalAddress": s.URL(), "ServerName": s.Name(), "Version": "12.0.0", "ProductName": "Jellyfin Server", "OperatingSystem": "", "Id": id(s.Name()), "StartupWizardCompleted": true}
	if s.config.Emby {
		info = object{"LocalAddresses": []string{s.URL()}, "RemoteAddresses": []string{}, "ServerName": s.Name(), "Version": "4.9.1.0", "Id": id(s.Name())}
	}
	write(w, info)
}

// partForm is a value of an Authorization header.
var partForm = regexp.MustCompile(`([A-Za-z]+)="([^"]*)"`)

// authorization reads a header with one of the schemes.
func authorization(header string, schemes ...string) map[string]string {
	scheme, rest, _ := strings.Cut(header, " ")
	parts := make(map[string]string)
	if slices.Contains(schemes, scheme) {
		for _, m := range partForm.FindAllStringSubmatch(rest, -1) {
			parts[m[1]] = m[2]
		}
	}
	return parts
}

// who is what a request tells of who asks.
func (s *Server) who(r *http.Request) map[string]string {
	if !s.config.Emby {
		return authorization(r.Header.Get("Authorization"), "MediaBrowser")
	}
	if header := r.Header.Get("X-Emby-Authorization"); header != "" {
		return authorization(header, "Emby", "MediaBrowser")
	}
	return authorization(r.Header.Get("Authorization"), "Emby", "MediaBrowser")
}

// knows tells whether a request has a key or a token that the server takes.
func (s *Server) knows(r *http.Request, query url.Values) bool {
	token := s.who(r)["Token"]
	switch {
	case s.config.Emby && r.Header.Get("X-Emby-Token") != "":
		token = r.Header.Get("X-Emby-Token")
	case s.config.Emby && token == "":
		token = query.Get("api_key")
	case token == "":
		token = query.Get("apikey")
	}
	return token != "" && slices.Contains(s.Tokens(), token)
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	who := s.who(r)
	for _, name := range []string{"Client", "Device", "DeviceId", "Version"} {
		if who[name] == "" {
			http.Error(w, "Error processing request.", http.StatusBadRequest)
			return
		}
	}
	var asked struct{ Username, Pw string }
	if json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&asked) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if password, ok := s.config.Users[asked.Username]; !ok || password != asked.Pw {
		http.Error(w, "Invalid username or password entered.", http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	s.logins++
	token := id(fmt.Sprintf("token %d of %s", s.logins, who["DeviceId"]))
	s.tokens = append(s.tokens, token)
	s.mu.Unlock()
	write(w, object{"User": object{"Name": asked.Username, "Id": id(asked.Username)}, "SessionInfo": nil, "AccessToken": token, "ServerId": id(s.Name())})
}

// isSearched tells whether an item is what a search asks for.
func (s *Server) isSearched(i object, query url.Values) bool {
	if query.Get("recursive") != "true" || !slices.Contains(strings.Split(query.Get("includeitemtypes"), ","), i["Type"].(string)) {
		return false
	}
	if wanted := query.Get("anyprovideridequals"); wanted != "" && s.config.Emby {
		ids, _ := i["ProviderIds"].(object)
		return wanted == fmt.Sprintf("imdb.%v", ids["Imdb"])
	}
	term := strings.ToLower(query.Get("searchterm"))
	return term != "" && strings.Contains(strings.ToLower(i["Name"].(string)), term)
}

// list answers with the items that are wanted, and those fields that are asked for.
func (s *Server) list(w http.ResponseWriter, m world.Mode, wanted func(object) bool, query url.Values) {
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		limit = len(s.items)
	}
	items := []object{}
	for _, i := range s.items {
		if m == world.ModeEmpty || !wanted(i) || len(items) == limit {
			continue
		}
		shown := make(object, len(i))
		for name, value := range i {
			optional := slices.Contains([]string{"MediaSources", "Path", "ProviderIds", "OriginalTitle"}, name)
			if optional && !slices.Contains(strings.Split(query.Get("fields"), ","), name) || s.config.Bare && name == "MediaSources" {
				continue
			}
			shown[name] = value
		}
		items = append(items, shown)
	}
	write(w, object{"Items": items, "TotalRecordCount": len(items), "StartIndex": 0})
}

// stream serves a file as it is, by ranges too.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, itemID string, query url.Values) {
	version := query.Get("mediasourceid")
	if version == "" {
		version = itemID
	}
	s.mu.Lock()
	file, ok := s.files[version]
	s.mu.Unlock()
	if !ok || query.Get("static") != "true" {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, path.Base(file), time.Unix(1_700_000_000, 0), bytes.NewReader(world.Media("/"+path.Base(file))))
}

func write(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client has gone: nobody is left to be told
}
