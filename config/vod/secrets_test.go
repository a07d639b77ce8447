package vod_test

import (
	"fmt"
	"strings"
	"testing"

	"xship/config/vod"
)

// TestLoad_secretsInTexts: whatever text of a config is shown, the secrets of addresses in
// it are not; keys that are alike but for them stay apart.
func TestLoad_secretsInTexts(t *testing.T) {
	const (
		first  = "http://user:hunter2secret@h.example/x?token=q8Zr4Tn1Lw6Yb3"
		second = "http://user:hunter3secret@h.example/x?token=a8Zr4Tn1Lw6Yb4"
		shown  = "http://REDACTED@h.example/x?token=REDACTED"
	)
	site := func(fields string) string { return `{"type":1,"api":"http://a.example/",` + fields + `}` }
	body := `{"sites":[` + strings.Join([]string{
		site(fmt.Sprintf(`"key":%q,"name":"影视(%s)"`, first, first)),
		site(fmt.Sprintf(`"key":%q`, second)),
		site(fmt.Sprintf(`"key":%q,"name":"again"`, first)),
		site(fmt.Sprintf(`"key":"k1","name":"地址：%s"`, first)),
		site(`"key":"k2","name":"user:hunter2secret@h.example"`),
		site(`"key":"k3","name":"//user:hunter2secret@h.example/x"`),
		site(`"key":"k4","name":"h.example/api.php?token=q8Zr4Tn1Lw6Yb3"`),
		site(`"key":"k5","name":"http%3A%2F%2Fuser%3Ahunter2secret%40h.example%2F"`),
		site(`"key":"plain/4K:影视?","name":"🔥 综艺:4K/8K 100% & more? (a=b)"`),
		fmt.Sprintf("%q", first),
		site(fmt.Sprintf(`"key":"k6","searchable":%q,"timeout":%[1]q,"categories":["%s"]`, first, strings.Repeat("x", 240)+first)),
		site(fmt.Sprintf(`"key":"k7",%q:1,%[1]q:2`, first)),
		fmt.Sprintf(`{"key":"k8","type":%q,"api":%[1]q}`, first),
		fmt.Sprintf(`{"key":"k9","type":3,"api":%q}`, first),
		`{"key":"k10","type":1,"api":"user:hunter2secret@h.example"}`,
	}, ",") + `]}`
	config, err := decode(t, vod.Document{Body: []byte(body), FinalURL: "http://h.example/tv.json"})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	named := make(map[string]string)
	for _, s := range config.Sites {
		named[s.Key] = s.Name
		texts = append(texts, s.Key, s.Name, s.Unsupported)
	}
	for _, w := range config.Warnings {
		texts = append(texts, w.String(), w.Key, w.Name, w.Reason)
	}
	for key, name := range map[string]string{
		shown:          "影视(" + shown + ")",
		shown + "#2":   shown + "#2",
		"k1":           "地址：" + shown,
		"k2":           "REDACTED@h.example",
		"k4":           "h.example/api.php?token=REDACTED",
		"plain/4K:影视?": "🔥 综艺:4K/8K 100% & more? (a=b)",
	} {
		if named[key] != name {
			t.Errorf("site %q is called %q, want %q", key, named[key], name)
		}
	}
	_, err = decode(t, vod.Document{Body: []byte(fmt.Sprintf(`{"msg":"see %s"}`, first)), FinalURL: "http://h.example/tv.json"})
	texts = append(texts, fmt.Sprint(err))
	_, err = decode(t, vod.Document{Body: []byte("moved to " + strings.Repeat("x", 40) + " " + first), FinalURL: "http://h.example/tv.json"})
	texts = append(texts, fmt.Sprint(err))
	_, err = decode(t, vod.Document{Body: []byte("<html><title>" + first + "</title></html>"), FinalURL: "http://h.example/tv.json"})
	texts = append(texts, fmt.Sprint(err))
	_, err = decode(t, vod.Document{Body: []byte(fmt.Sprintf(`{"urls":[{"url":"ftp://d.example/x","name":%q}]}`, first)), FinalURL: "http://h.example/tv.json"})
	texts = append(texts, fmt.Sprint(err))
	for _, text := range texts {
		for _, secret := range []string{"hunter", "q8Zr", "a8Zr"} {
			if strings.Contains(text, secret) {
				t.Errorf("shown: %q", text)
			}
		}
	}
}
