package cmd_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"xship/cmd"
	"xship/config"
)

// recipes gives the blocks of docs/daemon.md that are in a language.
func recipes(t *testing.T, language string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "daemon.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		blocks = append(blocks, block[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("docs/daemon.md has no block of %s", language)
	}
	return blocks
}

// TestRecipes_commands has the command lines of all recipes be such as xship knows.
func TestRecipes_commands(t *testing.T) {
	t.Parallel()
	known := cmd.CommandNames()
	line := regexp.MustCompile(`(?m)\bxship(?:\.exe)?(?:\\?")? ([a-z]+)(?: ([a-z]+))?(?: (--\w+))?`)
	found := 0
	for _, language := range []string{"crontab", "sh", "bat", "ini"} {
		for _, block := range recipes(t, language) {
			block = strings.ReplaceAll(block, "compose exec xship ", "") // a service of that name
			for _, words := range line.FindAllStringSubmatch(block, -1) {
				found++
				if !slices.Contains(known, words[1]) && !slices.Contains(known, words[1]+" "+words[2]) {
					t.Errorf("%s: there is no command %q", language, words[0])
				}
				if words[1] == "precache" && !slices.Contains([]string{"", "--once", "--schedule"}, words[3]) {
					t.Errorf("%s: there is no flag %s", language, words[3])
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d command lines", found)
	}
}

// TestRecipes_variables has the variables of all recipes be such as xship reads.
func TestRecipes_variables(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "daemon.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"XSHIP_DATA_DIR", "XSHIP_CONFIG", "XSHIP_USER"}
	for _, k := range config.Keys() {
		known = append(known, k.Env)
	}
	for _, name := range regexp.MustCompile(`XSHIP_[A-Z_]+`).FindAllString(string(page), -1) {
		if !slices.Contains(known, name) {
			t.Errorf("docs/daemon.md names %s", name)
		}
	}
}

func TestRecipes_docker(t *testing.T) {
	t.Parallel()
	var compose struct {
		Services map[string]struct {
			Build       string            `yaml:"build"`
			User        string            `yaml:"user"`
			Command     []string          `yaml:"command"`
			Environment map[string]string `yaml:"environment"`
			Volumes     []string          `yaml:"volumes"`
			ReadOnly    bool              `yaml:"read_only"`
			CapDrop     []string          `yaml:"cap_drop"`
			SecurityOpt []string          `yaml:"security_opt"`
			MemLimit    string            `yaml:"mem_limit"`
			StopGrace   string            `yaml:"stop_grace_period"`
			Restart     string            `yaml:"restart"`
		} `yaml:"services"`
	}
	decoder := yaml.NewDecoder(strings.NewReader(recipes(t, "yaml")[0]))
	decoder.KnownFields(true)
	if err := decoder.Decode(&compose); err != nil {
		t.Fatal(err)
	}
	service := compose.Services["xship"]
	mounted := slices.ContainsFunc(service.Volumes, func(v string) bool { return strings.HasSuffix(v, ":"+service.Environment["XSHIP_DATA_DIR"]) })
	if !slices.Equal(service.Command, []string{"precache"}) || !mounted || !service.ReadOnly {
		t.Errorf("service %+v", service)
	}
	image := recipes(t, "dockerfile")[0]
	for _, instruction := range []string{"ENTRYPOINT", "CMD"} {
		_, list, ok := strings.Cut(image, "\n"+instruction+" ")
		list, _, _ = strings.Cut(list, "\n")
		var words []string
		if err := json.Unmarshal([]byte(list), &words); !ok || err != nil || len(words) != 1 {
			t.Errorf("%s %s: %v", instruction, list, err)
		}
	}
	version, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(version))[1]
	if !strings.Contains(image, "FROM golang:"+want+" ") {
		t.Errorf("the image is not built with go %s", want)
	}
}

// TestRecipes_launchd reads the property list: its keys and values come in turn.
func TestRecipes_launchd(t *testing.T) {
	t.Parallel()
	type element struct {
		XMLName xml.Name
		Text    string    `xml:",chardata"`
		Inner   []element `xml:",any"`
	}
	var plist element
	decoder := xml.NewDecoder(strings.NewReader(recipes(t, "xml")[0]))
	if err := decoder.Decode(&plist); err != nil {
		t.Fatal(err)
	}
	if _, err := decoder.Token(); err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if plist.XMLName.Local != "plist" || len(plist.Inner) != 1 || plist.Inner[0].XMLName.Local != "dict" {
		t.Fatalf("it is a %s", plist.XMLName.Local)
	}
	var arguments []string
	dict := plist.Inner[0].Inner
	for i := 0; i < len(dict); i += 2 {
		if dict[i].XMLName.Local != "key" || i+1 == len(dict) || dict[i+1].XMLName.Local == "key" {
			t.Fatalf("%s has no value", dict[i].Text)
		}
		if dict[i].Text == "ProgramArguments" {
			for _, argument := range dict[i+1].Inner {
				arguments = append(arguments, argument.Text)
			}
		}
	}
	if len(arguments) != 2 || filepath.Base(arguments[0]) != "xship" || arguments[1] != "precache" {
		t.Errorf("it runs %q", arguments)
	}
}

// TestRecipes_systemd has systemd read the unit, alone and with the files that the page
// puts beside it. What is left out is that which needs a systemd that runs.
func TestRecipes_systemd(t *testing.T) {
	t.Parallel()
	analyze := realCommand(t, "systemd-analyze")
	program, err := exec.LookPath("xship")
	if err != nil {
		t.Fatal(err)
	}
	unit, err := os.ReadFile(filepath.Join("..", "docs", "xship.service"))
	if err != nil {
		t.Fatal(err)
	}
	beside := append([]string{""}, recipes(t, "ini")...)
	if len(beside) != 4 {
		t.Errorf("%d files beside the unit", len(beside)-1)
	}
	for _, more := range beside {
		dir := t.TempDir()
		path := filepath.Join(dir, "xship.service")
		for name, text := range map[string]string{path: string(unit), filepath.Join(path+".d", "more.conf"): more} {
			text = regexp.MustCompile(`(?m)^ExecStart=\S+/xship `).ReplaceAllLiteralString(text, "ExecStart="+program+" ")
			writeText(t, name, text)
		}
		var said bytes.Buffer
		verify := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", path)
		verify.Stdout, verify.Stderr = &said, &said
		if err := verify.Run(); err != nil || said.Len() > 0 {
			t.Errorf("systemd-analyze verify: %v\n%s\nof the unit with\n%s", err, &said, more)
		}
	}
}
