package cmd_test

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"xship/cmd"
	"xship/cmd/api"
	"xship/sources/sourcetest/debridfake"
)

// withoutDocument are the commands that write no document with -o json.
var withoutDocument = []string{
	"completion bash", "completion fish", "completion powershell", "completion zsh", // scripts
	"demo",     // a story
	"help",     // text
	"precache", // only its log
}

// jsonDocument is a document that docs/json.md shows: its section is called like the
// command, or as other says, which stands for what is no command.
type jsonDocument struct {
	command string
	other   string
	doc     any        // of what type it is
	runs    [][]string // command lines that write it on the world of the test, in this order
	stderr  bool       // it is the last line there
	without []string   // fields of the type that this command never writes
}

// jsonDocuments are all documents. A new one is a line here and a section of the page.
func jsonDocuments(w jsonWorld) []jsonDocument {
	film := []string{w.film, "--year", "2016", "--interface", w.good}
	line := func(words ...string) [][]string { return [][]string{words} }
	return []jsonDocument{
		{command: "version", doc: api.Version{}, runs: line("version")},
		{command: "config show", doc: api.Settings{}, runs: line("config", "show")},
		{command: "config path", doc: api.Paths{}, runs: line("config", "path")},
		{command: "man", doc: api.ManPages{}, runs: line("man", w.dir)},
		{command: "interfaces add", doc: api.InterfaceAdded{}, runs: [][]string{{"interfaces", "add", w.good, "--name", "good"}, {"interfaces", "add", w.dir}, {"interfaces", "add", w.broken}}},
		{command: "interfaces group", doc: api.InterfaceGroup{}, runs: line("interfaces", "group", "home", w.dir)},
		{command: "interfaces use", doc: api.InterfaceInUse{}, runs: line("interfaces", "use", "good"), without: []string{"removed", "logins_removed"}},
		{command: "interfaces list", doc: api.Interfaces{}, runs: line("interfaces", "list")},
		{command: "interfaces order", doc: api.Interfaces{}, runs: line("interfaces", "order", "good")},
		{command: "interfaces mode", doc: api.InterfacesMode{}, runs: line("interfaces", "mode")},
		{command: "interfaces check", doc: api.InterfacesCheck{}, runs: [][]string{{"interfaces", "check"}, {"interfaces", "check", "good"}}},
		{command: "interfaces remove", doc: api.InterfaceInUse{}, runs: line("interfaces", "remove", "home")},
		{command: "scan", doc: api.Scan{}, runs: [][]string{append([]string{"scan"}, film...), append([]string{"scan", "--explain", "--all"}, film...), {"scan", "Harbour Nine", "--interface", w.good}, {"scan", "Paper Lantern", "--interface", w.good}}},
		{command: "play", doc: api.Play{}, runs: line(append([]string{"play"}, film...)...), without: []string{"why"}},
		{other: "xship play URL...", doc: api.PlayLink{}, runs: [][]string{{"play", w.link}, {"play", w.link + ".gone"}}, without: []string{
			"why", "claimed_quality", "needs", "own", "set_back", "size_bytes", "duration_seconds", "subtitles", "mediainfo",
		}},
		{command: "search", doc: api.Titles{}, runs: line("search", w.film, "--interface", w.good)},
		{command: "watch add", doc: api.WatchChanged{}, runs: [][]string{{"watch", "add", w.film}, {"watch", "add", "Harbour Nine", "--season", "1", "--episode", "5"}}, without: []string{"ended", "unaired", "airs_on"}},
		{command: "watch next", doc: api.WatchChanged{}, runs: line("watch", "next", "2")},
		{command: "watch list", doc: api.Watchlist{}, runs: line("watch", "list")},
		{command: "watch import", doc: api.WatchImported{}, runs: line("watch", "import", w.list)},
		{command: "watch remove", doc: api.WatchRemoved{}, runs: line("watch", "remove", "1")},
		{command: "hosters stats", doc: api.Hosters{}, runs: line("hosters", "stats")},
		{command: "hosters log", doc: api.HosterLog{}, runs: line("hosters", "log", w.hoster)},
		{command: "hosters reset", doc: api.HostersReset{}, runs: [][]string{{"hosters", "reset", w.hoster, "none.example"}, {"hosters", "reset", "--all"}}},
		{command: "accounts add", doc: api.AccountAdded{}, runs: line("accounts", "add", "real_debrid", "--key-stdin", "--base-url", w.provider)},
		{command: "accounts list", doc: api.Accounts{}, runs: line("accounts", "list")},
		{command: "accounts check", doc: api.AccountsCheck{}, runs: line("accounts", "check")},
		{command: "accounts remove", doc: api.AccountRemoved{}, runs: line("accounts", "remove", "real_debrid")},
		{command: "cooldowns list", doc: api.Cooldowns{}, runs: line("cooldowns", "list")},
		{command: "cooldowns clear", doc: api.CooldownsCleared{}, runs: line("cooldowns", "clear")},
		{command: "doctor", doc: api.Doctor{}, runs: line("doctor")},
		{command: "backup export", doc: api.Backup{}, runs: line("backup", "export", filepath.Join(w.dir, "backup.json"))},
		{command: "backup import", doc: api.Backup{}, runs: line("backup", "import", filepath.Join(w.dir, "backup.json")), without: []string{"logins_left_out", "members_left_out"}},
		{command: "status", doc: api.Status{}, runs: line("status")},
		{command: "config init", doc: api.SettingsFile{}, runs: line("config", "init")},
		{command: "config set", doc: api.SettingChanged{}, runs: [][]string{{"config", "set", "scan.timeout", "20s"}, {"config", "set", "ids.enabled", "true"}}},
		{command: "config edit", doc: api.SettingsFile{}},  // asks an editor
		{other: "notify.command", doc: api.Notification{}}, // no command writes it
		{other: "Errors", doc: api.FailureDoc{}, runs: line("scan"), stderr: true},
	}
}

// jsonWorld is what the commands of the documents work on.
type jsonWorld struct {
	good, broken, provider string // addresses
	film, hoster           string // of the good one
	link                   string // one that plays
	dir                    string // a folder with an episode
	list                   string // of titles
}

// sections gives the examples of each section of docs/json.md.
func sections(t *testing.T) map[string][]any {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][]any)
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		found[title] = nil
		for _, block := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(body, -1) {
			var example any
			if err := json.Unmarshal([]byte(block[1]), &example); err != nil {
				t.Errorf("%s: %v in\n%s", title, err, block[1])
			}
			found[title] = append(found[title], example)
		}
	}
	return found
}

func (d jsonDocument) section() string {
	if d.command == "" {
		return d.other
	}
	return "xship " + d.command
}

// TestJSONPage_commands has each command that writes a document in the page, and nothing
// that is none.
func TestJSONPage_commands(t *testing.T) {
	t.Parallel()
	page := sections(t)
	documents := jsonDocuments(jsonWorld{})
	for _, name := range cmd.CommandNames() {
		documented := slices.ContainsFunc(documents, func(d jsonDocument) bool { return d.command == name })
		if exempt := slices.Contains(withoutDocument, name); documented == exempt {
			t.Errorf("xship %s writes a document: %v, and is one without: %v", name, documented, exempt)
		}
	}
	for _, d := range documents {
		if examples := page[d.section()]; len(examples) == 0 {
			t.Errorf("docs/json.md shows no example of %s", d.section())
		}
	}
	for title := range page {
		if !slices.ContainsFunc(documents, func(d jsonDocument) bool { return d.section() == title }) {
			t.Errorf("docs/json.md has a section %s, and nothing writes that", title)
		}
	}
}

// TestJSONPage_fields compares the examples with the types: they show all fields, and no
// other.
func TestJSONPage_fields(t *testing.T) {
	t.Parallel()
	page := sections(t)
	for _, d := range jsonDocuments(jsonWorld{}) {
		shown := make(shownFields)
		for _, example := range page[d.section()] {
			shown.compare(t, d.section(), reflect.TypeOf(d.doc), example)
		}
		for kind, fields := range shown {
			for name := range jsonFields(kind) {
				if !fields[name] && !slices.Contains(d.without, name) {
					t.Errorf("%s: the field %s of %s is not shown", d.section(), name, kind)
				}
			}
		}
	}
}

// shownFields are the fields of types that were seen in examples.
type shownFields map[reflect.Type]map[string]bool

// compare compares a type with an example; where says which that is.
func (s shownFields) compare(t *testing.T, where string, kind reflect.Type, example any) {
	t.Helper()
	for kind.Kind() == reflect.Pointer {
		if example == nil {
			return
		}
		kind = kind.Elem()
	}
	if want := jsonKind(kind); shapeOf(example) != want {
		t.Errorf("%s: %v is a %s, not a %s", where, example, shapeOf(example), want)
		return
	}
	switch example := example.(type) {
	case []any:
		for _, element := range example {
			s.compare(t, where+"[]", kind.Elem(), element)
		}
	case map[string]any:
		if kind.Kind() == reflect.Map {
			for name, value := range example {
				s.compare(t, where+"."+name, kind.Elem(), value)
			}
			return
		}
		if s[kind] == nil {
			s[kind] = make(map[string]bool)
		}
		fields := jsonFields(kind)
		for name, value := range example {
			field, ok := fields[name]
			if !ok {
				t.Errorf("%s: there is no field %s", where, name)
				continue
			}
			s[kind][name] = s[kind][name] || isShown(field, value)
			s.compare(t, where+"."+name, field, value)
		}
	}
}

// isShown tells whether a value shows what a field may be: null shows nothing of an object,
// and no list of objects is shown by an empty one.
func isShown(field reflect.Type, value any) bool {
	for field.Kind() == reflect.Pointer {
		field = field.Elem()
	}
	switch list, _ := value.([]any); {
	case field.Kind() == reflect.Struct:
		return value != nil
	case field.Kind() == reflect.Slice && field.Elem().Kind() == reflect.Struct:
		return len(list) > 0
	default:
		return true
	}
}

// jsonFields are the fields of a struct by their names in JSON.
func jsonFields(kind reflect.Type) map[string]reflect.Type {
	fields := make(map[string]reflect.Type)
	for _, f := range reflect.VisibleFields(kind) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields[name] = f.Type
	}
	return fields
}

// jsonKind is what a type is in JSON.
func jsonKind(kind reflect.Type) string {
	switch kind.Kind() {
	case reflect.Bool:
		return "truth"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	default:
		return "number"
	}
}

// shapeOf is what a value of a document is.
func shapeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "truth"
	case string:
		return "text"
	case float64:
		return "number"
	case []any:
		return "list"
	default:
		return "object"
	}
}

// TestJSONPage_output runs the commands: what they write has the shape of the examples.
func TestJSONPage_output(t *testing.T) {
	s := startStory(t)
	m := newMachine(t)
	fake := debridfake.NewRealDebrid(func(string) string { return "" })
	fake.AcceptKey("fakekey-rd")
	provider := httptest.NewServer(fake)
	t.Cleanup(provider.Close)
	w := jsonWorld{
		good: s.Good.URL(), broken: s.Broken.URL(), provider: provider.URL, film: s.Film.Name, hoster: s.Hosters[1].IP(), link: s.Hosters[0].URL("film.mp4"), dir: filepath.Join(t.TempDir(), "films"),
	}
	writeText(t, filepath.Join(w.dir, "Harbour Nine", "Harbour Nine S01E01.mkv"), "film")
	w.list = filepath.Join(t.TempDir(), "titles.txt")
	writeText(t, w.list, "Big Buck Bunny (2008)\n!?\n")
	page := sections(t)
	for _, d := range jsonDocuments(w) {
		for _, args := range d.runs {
			m.Stdin = strings.NewReader("fakekey-rd\n")
			m.out.Reset()
			m.err.Reset()
			cmd.Main(append([]string{"-o", "json"}, args...), m.System) // whose exit code the scripts test
			written := m.out.String()
			if d.stderr {
				lines := strings.Split(strings.TrimSpace(m.err.String()), "\n")
				written = lines[len(lines)-1]
			}
			var got any
			if err := json.Unmarshal([]byte(written), &got); err != nil {
				t.Errorf("%q: %v in %q, stderr %s", args, err, written, m.err)
				continue
			}
			compareShape(t, d.section(), got, page[d.section()])
		}
	}
}

// compareShape compares what was written with what examples have in its place.
func compareShape(t *testing.T, where string, got any, examples []any) {
	t.Helper()
	if got == nil {
		return
	}
	examples = slices.DeleteFunc(slices.Clone(examples), func(e any) bool { return shapeOf(e) != shapeOf(got) })
	if len(examples) == 0 {
		t.Errorf("%s: the page shows no %s there, as in %v", where, shapeOf(got), got)
		return
	}
	switch got := got.(type) {
	case []any:
		var all []any
		for _, e := range examples {
			all = append(all, e.([]any)...)
		}
		for _, element := range got {
			compareShape(t, where+"[]", element, all)
		}
	case map[string]any:
		for name, value := range got {
			var values []any
			for _, e := range examples {
				object := e.(map[string]any)
				if v, ok := object[name]; ok {
					values = append(values, v)
				} else if strings.HasSuffix(where, ".headers") || strings.HasSuffix(where, ".types") { // names of the data
					values = slices.AppendSeq(values, maps.Values(object))
				}
			}
			compareShape(t, where+"."+name, value, values)
		}
	}
}
