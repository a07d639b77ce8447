package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// templateHead begins the settings file of Template.
const templateHead = `# Settings of xship. Each stands here with its default, and changes nothing
# while its line begins with "# ". To change one take that off, or use
#
#   xship config set KEY VALUE
#
# A variable of the environment goes before this file; its name stands in
# brackets.
`

// Template is a settings file in which each key stands with its default, its meaning and
// its variable, all of it commented out.
func Template() []byte {
	var b strings.Builder
	b.WriteString(templateHead)
	for _, key := range Keys() {
		b.WriteString("\n")
		for _, line := range filled(key.Description+" ["+key.Env+"]", templateWidth) {
			b.WriteString("# " + line + "\n")
		}
		b.WriteString("# " + key.Name + ": " + key.defaultYAML() + "\n")
	}
	return []byte(b.String())
}

// templateWidth is how long a line of text in a Template is.
const templateWidth = 76

// filled breaks text at spaces into lines of width bytes, where that can be.
func filled(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// defaultYAML is the default of a key as a settings file has it.
func (k Key) defaultYAML() string {
	value, err := k.parse(k.Default)
	if err != nil {
		return `""`
	}
	written, err := yamlValue(value)
	if err != nil {
		return `""`
	}
	return written
}

// Secret tells whether the values of a key may hold secrets.
func (k Key) Secret() bool { return k.mask != nil }

// Type is what the values of a key are, in a word or two.
func (k Key) Type() string {
	value, _ := k.parse(k.Default)
	switch value.(type) {
	case time.Duration:
		return "duration"
	case int:
		return "whole number"
	case bool:
		return "true or false"
	case Size:
		return "size"
	case []string:
		return "list"
	case []DebridAccount:
		return "list of accounts"
	default:
		return "text"
	}
}

// yamlValue writes a value as a parser gives it in one line of YAML, which is right in
// the braces of a list or a group too.
func yamlValue(value any) (string, error) {
	var items []any
	list := false
	switch v := value.(type) {
	case []string:
		list = true
		for _, item := range v {
			items = append(items, item)
		}
	case []DebridAccount:
		if len(v) > 0 {
			return "", errors.New("accounts are not written")
		}
		list = true
	case time.Duration:
		items = []any{short(v)}
	case Size:
		items = []any{v.String()}
		if v == 0 {
			items = []any{0}
		}
	default:
		items = []any{v}
	}
	text, err := yaml.Marshal(struct {
		V []any `yaml:"v,flow"`
	}{items})
	if err != nil {
		return "", err
	}
	written := strings.TrimPrefix(strings.TrimSuffix(string(text), "\n"), "v: ")
	if !list {
		written = strings.TrimSuffix(strings.TrimPrefix(written, "["), "]")
	}
	if strings.Contains(written, "\n") {
		return "", errors.New("the value takes more than a line")
	}
	return written, nil
}

// InitFile makes the settings file at path from the Template, for its owner only, and
// its directory where that is missing. The error is fs.ErrExist where there is a file.
func InitFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the directory of the settings file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fs.ErrExist
		}
		return fmt.Errorf("make the settings file %s: %w", path, bare(err))
	}
	if err := writeSynced(f, Template()); err != nil {
		return errors.Join(fmt.Errorf("write the settings file %s: %w", path, bare(err)), os.Remove(path))
	}
	return nil
}
