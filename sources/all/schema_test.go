package all_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"xship/config/vod"
	"xship/sources/all"
)

// schema is that of interfaces, for editors.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "interfaces.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid tells whether a document is valid, as JSON and by the schema.
func valid(s *jsonschema.Schema, document string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// TestSchema_samples: configs that are good, and written as JSON has it, are valid.
func TestSchema_samples(t *testing.T) {
	s := schema(t)
	for _, name := range []string{"own", "plain", "relative", "depot", "storehouse", "spiders"} {
		body, err := os.ReadFile(filepath.Join("..", "..", "testdata", "configs", "good", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		strict, _, err := vod.Strict(body) // without comments
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(s, string(strict)); err != nil {
			t.Errorf("%s.json: %v", name, err)
		}
	}
}

// TestSchema_types: each type that can be asked is one of the schema, and no other word.
func TestSchema_types(t *testing.T) {
	s := schema(t)
	document := func(siteType string) string {
		return fmt.Sprintf(`{"sites":[{"key":"k","type":%s,"api":"https://h.example/"}]}`, siteType)
	}
	for _, siteType := range all.AskedTypes() {
		forms := []string{strconv.Quote(siteType)}
		if _, err := strconv.Atoi(siteType); err == nil {
			forms = append(forms, siteType)
		}
		for _, form := range forms {
			if err := valid(s, document(form)); err != nil {
				t.Errorf("type %s: %v", form, err)
			}
		}
	}
	for _, form := range []string{`"plex"`, `9`, `-1`, `1.5`, `true`, `["stremio"]`, `""`} {
		if valid(s, document(form)) == nil {
			t.Errorf("type %s is valid", form)
		}
	}
}

// TestSchema_docs: the examples of the documentation are valid, and there is one of each
// type that can be asked.
func TestSchema_docs(t *testing.T) {
	s := schema(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "interfaces.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(page), "```json\n")
	block, _, closed := strings.Cut(block, "```")
	if err := valid(s, block); err != nil || !ok || !closed {
		t.Errorf("the config: %v", err)
	}
	shown := map[string]bool{}
	for _, example := range regexp.MustCompile("`({\"key\".*})`").FindAllStringSubmatch(string(page), -1) {
		if err := valid(s, `{"sites":[`+example[1]+`]}`); err != nil {
			t.Errorf("%s: %v", example[1], err)
		}
		var site struct{ Type any }
		if err := json.Unmarshal([]byte(example[1]), &site); err != nil {
			t.Fatal(err)
		}
		shown[fmt.Sprint(site.Type)] = true
	}
	for _, siteType := range all.AskedTypes() {
		if !shown[siteType] {
			t.Errorf("type %s has no example", siteType)
		}
	}
}

// TestSchema_mistakes: what an editor should mark.
func TestSchema_mistakes(t *testing.T) {
	s := schema(t)
	for _, sites := range []string{
		`{"type":1,"api":"https://h.example/"}`,
		`{"key":"k","type":1}`,
		`{"key":"k"}`,
		`{"key":"k","type":"stremio","api":"h.example/manifest.json"}`,
		`{"key":"k","type":"webdav","api":"davs://h.example/"}`,
		`{"key":"k","type":"webdav"}`,
		`{"key":"k","type":"folder","api":"~/films"}`,
		`{"key":"k","type":"folder"}`,
		`{"key":"k","type":"openfilms","searchable":3}`,
		`{"key":"k","type":"openfilms","header":["A: b"]}`,
	} {
		if valid(s, `{"sites":[`+sites+`]}`) == nil {
			t.Errorf("%s is valid", sites)
		}
	}
	for _, document := range []string{`{}`, `[]`, `{"lives":[]}`, `{"urls":[{"name":"x"}]}`, `{"storeHouse":[{"url":"x"}]}`} {
		if valid(s, document) == nil {
			t.Errorf("%s is valid", document)
		}
	}
}
