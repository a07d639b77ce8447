package config_test

import (
	"slices"
	"strings"
	"testing"

	"xship/config"
)

// TestLoad_notifyCommand takes a list and a line, from the file and from the environment.
func TestLoad_notifyCommand(t *testing.T) {
	for _, tt := range []struct {
		name, file, env string
		want            []string
		shown           string
	}{
		{"none", "", "", nil, ""},
		{"empty", "notify: {command: ''}", "", nil, ""},
		{"empty list", "notify: {command: []}", "", nil, ""},
		{"the word", "notify: {command: none}", "", nil, ""},
		{"off", "notify: {command: off}", "", nil, ""},
		{"key without a value", "notify:\n  command:\n", "", nil, ""},
		{"list", "notify: {command: [curl, -sd, '@-', -H, 'Authorization: Bearer s3cretKEY', -m, 5]}", "", []string{"curl", "-sd", "@-", "-H", "Authorization: Bearer s3cretKEY", "-m", "5"}, "curl …"},
		{"list for a shell", "notify:\n  command:\n  - sh\n  - -c\n  - jq -r .message | mail -s xship me\n", "", []string{"sh", "-c", "jq -r .message | mail -s xship me"}, "sh …"},
		{"line", `notify: {command: "notify-send 'xship says' --x=\"a b\""}`, "", []string{"notify-send", "xship says", "--x=a b"}, "notify-send …"},
		{"one word", "notify: {command: /usr/local/bin/tell}", "", []string{"/usr/local/bin/tell"}, "/usr/local/bin/tell"},
		{"lines", "notify:\n  command: >\n    curl -d @-\n    https://ntfy.example/s3cretKEY\n", "", []string{"curl", "-d", "@-", "https://ntfy.example/s3cretKEY"}, "curl …"},
		{"environment", "notify: {command: other}", "tell 'a b' s3cretKEY", []string{"tell", "a b", "s3cretKEY"}, "tell …"},
		{"list in the environment", "", `["sh", -c, 'jq -r .message | mail -s s3cretKEY me']`, []string{"sh", "-c", "jq -r .message | mail -s s3cretKEY me"}, "sh …"},
		{"empty list in the environment", "notify: {command: other}", "[]", nil, ""},
		{"commas are no spaces", "notify: {command: 'tell a,b'}", "", []string{"tell", "a,b"}, "tell …"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := config.LoadOptions{File: settingsFile(t, tt.file+"\n"), LookupEnv: environment(map[string]string{"XSHIP_NOTIFY_COMMAND": tt.env})}
			s, err := config.Load(o)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.Notify.Command, tt.want) {
				t.Errorf("%q, want %q", s.Notify.Command, tt.want)
			}
			for _, v := range s.Values() {
				if v.Key == "notify.command" && v.Value != tt.shown || strings.Contains(v.Value, secret) {
					t.Errorf("%s is shown as %q, want %q", v.Key, v.Value, tt.shown)
				}
			}
			if len(s.Warnings) > 0 {
				t.Errorf("warnings %q", s.Warnings)
			}
		})
	}
	for _, tt := range []struct{ file, want string }{
		{`notify: {command: "curl 's3cretKEY"}`, "a quote is not closed"},
		{"notify: {command: 'jq -r .message | mail me'}", "| means something to a shell only, and there is none; use the list [sh, -c, '...']"},
		{"notify: {command: ['', s3cretKEY]}", "the program is missing"},
		{"notify: {command: [sh, [s3cretKEY]]}", "use a plain list"},
		{"notify: {command: [sh, true]}", "use a plain list"},
		{"notify:\n  command:\n  - sh\n  - curl -H Title: s3cretKEY\n", "what has a colon and a space in it"},
		{"notify: {command: {sh: s3cretKEY}}", "unknown key"},
		{"notify: {command: true}", "use a list such as"},
		{"notify: {command: 5}", "use a list such as"},
		{`notify: {command: ["a\0s3cretKEY"]}`, "zero byte"},
		{"notify: {comand: s3cretKEY}", "unknown key; did you mean notify.command?"},
	} {
		_, err := config.Load(config.LoadOptions{File: settingsFile(t, tt.file+"\n")})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(strings.ToLower(err.Error()), strings.ToLower(secret)) {
			t.Errorf("%s: %v, want %q", tt.file, err, tt.want)
		}
	}
}

// TestSecretVariables names those of settings that may hold secrets.
func TestSecretVariables(t *testing.T) {
	got := config.SecretVariables()
	for name, want := range map[string]bool{
		"XSHIP_DEBRID_ACCOUNTS": true, "XSHIP_REDIS_URL": true, "XSHIP_NETWORK_PROXY": true, "XSHIP_NOTIFY_COMMAND": true,
		"XSHIP_SCAN_TIMEOUT": false, "XSHIP_DATA_DIR": false,
	} {
		if slices.Contains(got, name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}

// TestLoad_listInVariable takes lists in brackets from the environment, as a settings file
// has them.
func TestLoad_listInVariable(t *testing.T) {
	s, err := config.Load(config.LoadOptions{LookupEnv: environment(map[string]string{"XSHIP_SCAN_LANGUAGES": "[de, 'en']", "XSHIP_SCAN_EXCLUDE": " [cam, hdr] "})})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Scan.Languages; !slices.Equal(got, []string{"de", "en"}) {
		t.Errorf("languages %q", got)
	}
	if got := s.Scan.Exclude; !slices.Equal(got, []string{"cam", "hdr"}) {
		t.Errorf("excluded %q", got)
	}
	_, err = config.Load(config.LoadOptions{LookupEnv: environment(map[string]string{"XSHIP_SCAN_LANGUAGES": "[de, german]"})})
	if err == nil || !strings.Contains(err.Error(), `"german" is no ISO 639-1 code`) {
		t.Errorf("a wrong one: %v", err)
	}
}
