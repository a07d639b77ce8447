package vod_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"xship/config/vod"
)

// TestLoad_charset reads configs in the charsets that editors save them in, as files
// and from servers, also in what they may be encoded in.
func TestLoad_charset(t *testing.T) {
	const config = `{"sites":[{"key":"影视","name":"影视大全","type":1,"api":"http://h.example/","categories":["电影","电视剧"]}]}`
	base64Of := func(b []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(b)) }
	for _, c := range []struct {
		name        string
		as          encoding.Encoding
		contentType string
		shell       func([]byte) []byte
	}{
		{"GBK", simplifiedchinese.GBK, "", nil},
		{"GBK with its name", simplifiedchinese.GBK, "text/html; charset=GBK", nil},
		{"GBK with another name", simplifiedchinese.GBK, "application/json; charset=utf-8", nil},
		{"GB 18030", simplifiedchinese.GB18030, "text/plain; charset=gb18030", nil},
		{"Big5", traditionalchinese.Big5, "", nil},
		{"UTF-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "", nil},
		{"UTF-16 without a mark", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "", nil},
		{"UTF-8 with a mark", unicode.UTF8BOM, "text/plain", nil},
		{"GBK in base64", simplifiedchinese.GBK, "text/plain", base64Of},
		{"GBK behind a marker", simplifiedchinese.GBK, "", func(b []byte) []byte { return append([]byte("q7Ab3dE9**"), base64Of(b)...) }},
		{"GBK behind an image", simplifiedchinese.GBK, "image/jpeg", func(b []byte) []byte {
			return append([]byte("\xff\xd8\xff\xe0\x00q7Ab3dE9**"), base64Of(b)...)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := config
			if c.as == traditionalchinese.Big5 {
				text = `{"sites":[{"key":"影視","name":"影視大全","type":1,"api":"http://h.example/","categories":["電影","電視劇"]}]}`
			}
			body, err := c.as.NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if c.shell != nil {
				body = c.shell(body)
			}
			path := filepath.Join(t.TempDir(), "片库.json")
			if err := os.WriteFile(path, body, 0o600); err != nil {
				t.Fatal(err)
			}
			fromServer, err := decode(t, vod.Document{Body: body, FinalURL: "http://h.example/tv.json", ContentType: c.contentType})
			if err != nil {
				t.Fatal(err)
			}
			fromFile, err := vod.Load(t.Context(), path, noFetch(t), vod.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for from, config := range map[string]*vod.Config{"server": fromServer, "file": fromFile} {
				name, category := "影视大全", "电视剧"
				if c.as == traditionalchinese.Big5 {
					name, category = "影視大全", "電視劇"
				}
				if s := config.Sites[0]; s.Name != name || !slices.Contains(s.Categories, category) {
					t.Errorf("from the %s: %+v", from, s)
				}
			}
		})
	}
}
