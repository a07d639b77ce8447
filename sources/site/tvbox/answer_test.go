package tvbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/tvbox"
)

var request = fetch.Request{URL: "http://h.example/?token=abcdef123456"}

func TestDecode(t *testing.T) {
	tests := []struct {
		name, body string
		rows       int
		err        string // "" = none
	}{
		{"object", `{"code":1,"list":[{"vod_id":1},{"vod_id":"2"}]}`, 2, ""},
		{"bare array", `[{"vod_id":1},{"vod_id":"2"}]`, 2, ""},
		{"array with a broken row", `[{"vod_id":1},"x",{"vod_id":{}},{"vod_id":2},null]`, 4, ""},
		{"empty array", "\ufeff[]", 0, ""},
		{"empty list", `{"list":[]}`, 0, ""},
		{"no pages, no code", `{"list":[{"vod_id":1}]}`, 1, ""},
		{"numbered rows", `{"code":1,"list":{"0":{"vod_id":1},"1":3}}`, 2, ""},
		{"numbered rows among others", `{"code":1,"list":{"1":{"vod_id":1},"total":{"vod_id":2},"7":{"vod_id":3}}}`, 2, ""},
		{"object for a list", `{"code":1,"list":{}}`, 0, ""},
		{"nothing for a list", `{"code":1,"list":""}`, 0, ""},
		{"null for a list", `{"code":1,"list":null}`, 0, ""},
		{"null for rows", `{"code":1,"list":[null,null]}`, 0, ""},
		{"a list in the data", `{"code":1,"data":{"total":1,"list":[{"vod_id":1}]}}`, 1, ""},
		{"the data are the list", `{"code":1,"data":[{"vod_id":1},{"vod_id":2}]}`, 2, ""},
		{"a list and other data", `{"code":1,"list":[{"vod_id":1}],"data":[{"vod_id":2},{"vod_id":3}]}`, 1, ""},
		{"data without a list", `{"code":1,"data":{"total":0}}`, 0, ""},
		{"nothing in the data", `{"code":200,"data":[]}`, 0, ""},
		{"endless rows", `{"list":[{}` + strings.Repeat(`,{"vod_id":1}`, 2*tvbox.MaxRows) + `]}`, tvbox.MaxRows, ""},
		{"endless array", `[0` + strings.Repeat(`,{"vod_id":1}`, 2*tvbox.MaxRows) + `]`, tvbox.MaxRows, ""},
		{"endless numbered rows", `{"list":{"0":{}` + strings.Repeat(`,"1":{}`, 2*tvbox.MaxRows) + `}}`, tvbox.MaxRows, ""},

		{"text for a list", `{"code":1,"list":"none"}`, 0, `GET http://h.example/?token=REDACTED: the answer has a list without a row that can be read: {"code":1,"list":"none"}`},
		{"texts for rows", `{"code":1,"list":["a","b"]}`, 0, `GET http://h.example/?token=REDACTED: the answer has a list without a row that can be read: {"code":1,"list":["a","b"]}`},
		{"no numbered rows", `{"list":{"a":{"vod_id":1}}}`, 0, `GET http://h.example/?token=REDACTED: the answer has a list without a row that can be read: {"list":{"a":{"vod_id":1}}}`},
		{"a bare array of texts", `["a"]`, 0, `GET http://h.example/?token=REDACTED: the answer has a list without a row that can be read: ["a"]`},
		{"usual emptiness", `{"code":1,"msg":"数据列表","page":1,"pagecount":0,"limit":"20","total":0,"list":[]}`, 0, ""},
		{"says that there is nothing", `{"code":1,"msg":"没有找到"}`, 0, ""},
		{"null for the data", `{"code":1,"msg":"success","data":null}`, 0, ""},
		{"says so with a list", `{"code":1,"msg":"暂无数据","list":[]}`, 0, ""},
		{"behind the last page", `{"code":1,"page":2,"pagecount":1,"total":5,"list":[]}`, 0, ""},
		{"a count that is none", `{"list":[],"page":1,"pagecount":9999,"limit":90,"total":999999}`, 0, ""},
		{"false for a list", `{"code":1,"list":false}`, 0, `GET http://h.example/?token=REDACTED: the answer has a list without a row that can be read: {"code":1,"list":false}`},
		{"a count of rows", `{"code":1,"total":"5","list":[]}`, 0, `GET http://h.example/?token=REDACTED: the answer counts 5 rows and holds none: {"code":1,"total":"5","list":[]}`},
		{"a count in the data", `{"code":1,"data":{"total":1,"list":[]}}`, 0, `GET http://h.example/?token=REDACTED: the answer counts 1 row and holds none: {"code":1,"data":{"total":1,"list":[]}}`},
		{"no list", `{"code":1,"msg":"ok"}`, 0, `GET http://h.example/?token=REDACTED: the answer has no list and does not say that there is nothing: {"code":1,"msg":"ok"}`},
		{"captcha", `{"code":1,"msg":"请输入验证码","verify":true}`, 0, "http://h.example/?token=REDACTED reports an error: 请输入验证码"},
		{"banned", `{"code":1,"msg":"当前IP已被封禁","list":[]}`, 0, "http://h.example/?token=REDACTED reports an error: 当前IP已被封禁"},
		{"maintenance", `{"code":1,"msg":"站点维护中","list":[]}`, 0, "http://h.example/?token=REDACTED reports an error: 站点维护中"},
		{"too often", `{"msg":"Too many requests","list":[]}`, 0, "http://h.example/?token=REDACTED reports an error: Too many requests"},
		{"rows despite a message", `{"code":1,"msg":"站点维护中","list":[{"vod_id":1}]}`, 1, ""},
		{"error", `{"error":"boom"}`, 0, "http://h.example/?token=REDACTED reports an error: boom"},
		{"code and message", `{"code":500,"msg":"no \u001b[31mluck"}`, 0, "http://h.example/?token=REDACTED reports an error: no luck"},
		{"sentence", "closed", 0, "GET http://h.example/?token=REDACTED: the answer is not a JSON object: closed"},
		{"secret echoed", "no abcdef123456", 0, "GET http://h.example/?token=REDACTED: the answer is not a JSON object: no REDACTED"},
		{"array cut short", `[{"vod_id":1}`, 0, `GET http://h.example/?token=REDACTED: the answer is not valid JSON: [{"vod_id":1}`},
		{"nothing", "", 0, "GET http://h.example/?token=REDACTED: the answer is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := tvbox.Decode(request, []byte(tt.body))
			switch {
			case tt.err == "" && err != nil:
				t.Fatal(err)
			case tt.err == "" && len(a.List) != tt.rows:
				t.Errorf("%d rows, want %d", len(a.List), tt.rows)
			case tt.err != "" && (sources.ClassOf(err) != sources.ClassHosterFault || err.Error() != tt.err):
				t.Errorf("got %s %v, want %q", sources.ClassOf(err), err, tt.err)
			}
		})
	}
}

func TestDecodeRow(t *testing.T) {
	want := tvbox.Row{ID: "7", Name: `a"b`, Year: "2008", PlayFrom: `c\`, PlayURL: "d$http://h/1#"}
	tests := []struct{ name, body string }{
		{"plain", `{"list":[{"vod_id":7,"vod_name":"a\"b","vod_year":"2008","vod_play_from":"c\\","vod_play_url":"d$http://h/1#"}]}`},
		{"white space", " {\n\"list\" :\t[ {\r\"vod_id\" : 7 , \"vod_name\":\"a\\\"b\" ,\"vod_year\":\"2008\", \"vod_play_from\":\"c\\\\\" , \"vod_play_url\" : \"d$http://h/1#\" } ] } "},
		{"links in an array", `{"list":[{"vod_id":7,"vod_name":"a\"b","vod_year":"2008","vod_play_from":"c\\","vod_play_url":["d$http://h/1",""]}]}`},
		{"escapes", `{"list":[{"vod_id":7,"vod_name":"\u0061\"b","vod_year":"2008","vod_play_from":"c\\","vod\u005fplay_url":"d$http:\/\/h\/1#"}]}`},
		{"capitals", `{"LIST":[{"Vod_Id":7,"VOD_NAME":"a\"b","vod_year":"2008","vod_play_from":"c\\","vod_play_URL":"d$http://h/1#"}]}`},
		{"values between that look like it", `{"x":{"list":[{}],"y":"]}\\"},"list":[{"vod_id":7,"a":[{"vod_id":8},"\\\"}"],"vod_name":"a\"b",` +
			`"b":-1.5e3,"vod_year":"2008","c":true,"vod_play_from":"c\\","d":null,"vod_play_url":"d$http://h/1#","e":{}}],"f":[]}`},
		{"wrong types between", `{"list":[{"vod_id":7,"vod_name":"a\"b","vod_year":"2008","vod_sub":[1],"type_name":{"a":"b"},"vod_lang":null,` +
			`"vod_remarks":false,"vod_play_from":"c\\","vod_play_url":"d$http://h/1#","vod_play_url":5}]}`},
		{"the last of two counts", `{"list":[{"vod_id":8,"vod_name":"a\"b","vod_year":"2008","vod_play_from":"c\\","vod_play_url":"d$http://h/1#","vod_id":7}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := tvbox.Decode(request, []byte(tt.body))
			if err != nil || len(a.List) != 1 || a.List[0] != want {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
}

func TestBadAnswerNamesTheMethod(t *testing.T) {
	err := tvbox.BadAnswer(fetch.Request{Method: http.MethodPost, URL: "http://h/"}, nil, "nothing came")
	if want := "POST http://h/: nothing came"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestText(t *testing.T) {
	tests := []struct {
		json  string
		want  tvbox.Text
		clean string
		n     int
	}{
		{`"a &amp; b "`, "a &amp; b ", "a & b", 0},
		{`"2021 "`, "2021 ", "2021", 2021},
		{`"\u0041\"1"`, `A"1`, `A"1`, 0},
		{`12.5`, "12.5", "12.5", 12},
		{`-3`, "-3", "-3", 0},
		{`null`, "", "", 0},
		{`{"a":1}`, "", "", 0},
		{`true`, "", "", 0},
	}
	for _, tt := range tests {
		got := tvbox.Text("before")
		if err := got.UnmarshalJSON([]byte(tt.json)); err != nil || got != tt.want || got.Clean() != tt.clean || got.Int() != tt.n {
			t.Errorf("%s: got %q, %q, %d, %v", tt.json, got, got.Clean(), got.Int(), err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"code":1,"list":[{"vod_id":1,"vod_name":"a","vod_play_url":"E1$http://h/1"}]}`, `{"list":{"0":{},"x":1}}`, "closed",
		`{"code":"1","list":[1,"a",null,{"vod_name":{}}]}`, `{"error":"\u001b[31m"}`, "\ufeff{}", `[{"vod_id":1},2]`, `{"list":[],"list":[{}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := tvbox.Decode(request, body)
		if err != nil && (sources.ClassOf(err) != sources.ClassHosterFault || strings.ContainsRune(err.Error(), 0x1b)) {
			t.Errorf("unexpected error %q", err)
		}
		if err == nil && a == nil {
			t.Error("neither answer nor error")
		}
	})
}

// page is an answer of series with 24 episodes for each of two players.
func page(count int) []byte {
	var rows []string
	for n := range count {
		var items []string
		for e := range 24 {
			items = append(items, fmt.Sprintf("第%02d集$https://media.example.com/%d/%02d/index.m3u8", e+1, n, e+1))
		}
		rows = append(rows, fmt.Sprintf(`{"vod_id":%d,"vod_name":"影片 %d","type_name":"国产剧","vod_year":"2021","vod_remarks":"更新至24集","vod_lang":"国语",`+
			`"vod_content":"<p>%s</p>","vod_play_from":"am3u8$$$bm3u8","vod_play_url":"%[4]s$$$%[4]s"}`, n, n, strings.Repeat("内容", 200), strings.Join(items, "#")))
	}
	return []byte(`{"code":1,"msg":"数据列表","page":1,"pagecount":1,"limit":"20","total":20,"list":[` + strings.Join(rows, ",") + `]}`)
}

func BenchmarkDecode(b *testing.B) {
	body := page(100)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if a, err := tvbox.Decode(request, body); err != nil || len(a.List) != 100 {
			b.Fatal(err)
		}
	}
}
