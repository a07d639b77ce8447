package vod_test

import (
	"fmt"
	"strings"
	"testing"

	"xship/config/vod"
)

// bigConfig is a config of n sites, about 250 bytes each, written as people
// write them.
func bigConfig(n int) []byte {
	var b strings.Builder
	b.WriteString("\ufeff// 点播接口\n{\n  \"spider\": \"./spider.jar;md5;0123456789abcdef0123456789abcdef\",\n  \"sites\": [\n")
	for i := range n {
		fmt.Fprintf(&b, "    { \"key\": \"site%d\", \"name\": \"资源站 %d\", \"type\": %d, \"api\": \"http://site%d.example/api.php/provide/vod/\",\n"+
			"      \"searchable\": \"1\", \"quickSearch\": 1, \"filterable\": 0, \"ext\": {\"a\": [1, 2]}, \"categories\": [\"电影\", \"剧集\"], }, # %d\n", i, i, i%4, i, i)
	}
	b.WriteString("  ],\n  \"lives\": [],\n}\n")
	return []byte(b.String())
}

func BenchmarkDecode(b *testing.B) {
	for _, sites := range []int{240, 8000} {
		body := bigConfig(sites)
		b.Run(fmt.Sprintf("%dKB", len(body)>>10), func(b *testing.B) {
			doc := vod.Document{Body: body, FinalURL: "http://h.example/config.json"}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				config, err := decode(b, doc)
				if err != nil || len(config.Sites) != sites {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStrict(b *testing.B) {
	body := bigConfig(8000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, _, err := vod.Strict(body); err != nil {
			b.Fatal(err)
		}
	}
}
