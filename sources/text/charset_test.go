package text_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"xship/sources/text"
)

// encoded is s in a charset.
func encoded(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecode(t *testing.T) {
	const (
		simple      = `{"list":[{"vod_name":"流浪地球","vod_year":"2019","vod_remarks":"高清"},{"vod_name":"三体"}]}`
		traditional = `{"list":[{"vod_name":"甄嬛傳","vod_year":"2011","vod_remarks":"全集"},{"vod_name":"臥虎藏龍"}]}`
		japaneseRow = `{"list":[{"vod_name":"となりのトトロ"}]}`
		french      = `{"list":[{"vod_name":"Le Fabuleux Destin d'Amélie, intégrale"}]}`
		german      = `{"list":[{"vod_name":"Die Größe der Übung"}]}`
		ascii       = `{"list":[{"vod_name":"Big Buck Bunny"}]}`
		xml         = `<?xml version="1.0" encoding="gb2312"?><rss><list><video><name>流浪地球</name></video></list></rss>`
	)
	gbk, gb18030, big5 := simplifiedchinese.GBK, simplifiedchinese.GB18030, traditionalchinese.Big5
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	bareLittle, bareBig := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	for _, c := range []struct {
		name, text  string
		as          encoding.Encoding
		contentType string
	}{
		{"ASCII", ascii, unicode.UTF8, ""},
		{"UTF-8", simple, unicode.UTF8, "application/json"},
		{"UTF-8 with a mark", simple, unicode.UTF8BOM, ""},
		{"UTF-8 said to be GBK", simple, unicode.UTF8, "application/json; charset=gbk"},
		{"UTF-8 said to be Latin", simple, unicode.UTF8, "text/html; charset=ISO-8859-1"},
		{"German in UTF-8", german, unicode.UTF8, "text/html; charset=ISO-8859-1"},
		{"GBK as said", simple, gbk, "application/json; charset=GBK"},
		{"GBK said to be GB 2312", simple, gbk, `text/html; charset="gb2312"`},
		{"GBK without a word", simple, gbk, ""},
		{"GBK said to be UTF-8", simple, gbk, "application/json; charset=utf-8"},
		{"GBK said to be Latin", simple, gbk, "text/html;charset=iso-8859-1"},
		{"GBK said to be Big5", simple, gbk, "text/html;charset=big5"},
		{"GBK of something unknown", simple, gbk, "text/html;charset=x-none"},
		{"GBK with a broken header", simple, gbk, "text/html; charset="},
		{"GB 18030", `{"name":"𠀀𠀁流浪地球电影频道"}`, gb18030, "text/html; charset=gb18030"},
		{"one character of GBK", `{"name":"一"}`, gbk, "application/json; charset=gbk"},
		{"two characters of GBK", `{"name":"影视"}`, gbk, ""},
		{"traditional text in GBK", traditional, gbk, "application/json; charset=gbk"},
		{"Big5 as said", traditional, big5, "application/json; charset=big5"},
		{"Big5 without a word", traditional, big5, ""},
		{"Big5 said to be GBK", traditional, big5, "application/json; charset=gbk"},
		{"XML with a declaration", xml, gbk, ""},
		{"XML with a declaration and a header", xml, gbk, "text/xml; charset=utf-8"},
		{"XML that became UTF-8", xml, unicode.UTF8, "text/xml"},
		{"UTF-16 with a mark", simple, little, ""},
		{"UTF-16 the other way round", simple, big, "application/json; charset=utf-8"},
		{"UTF-16 without a mark", simple, bareLittle, ""},
		{"UTF-16 the other way round, without a mark", simple, bareBig, ""},
		{"ASCII in UTF-16", ascii, bareLittle, ""},
		{"UTF-32", simple, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), ""},
		{"Shift JIS as said", japaneseRow, japanese.ShiftJIS, "application/json; charset=Shift_JIS"},
		{"EUC-JP as said", japaneseRow, japanese.EUCJP, "application/json; charset=euc-jp"},
		{"Russian as said", `{"name":"Кинопоказ"}`, charmap.Windows1251, "application/json; charset=windows-1251"},
		{"French in Latin", french, charmap.Windows1252, ""},
		{"German in Latin", german, charmap.Windows1252, "text/html; charset=iso-8859-1"},
		{"GBK said to be UTF-16", strings.Replace(xml, "gb2312", "utf-16", 1), gbk, "text/xml; charset=utf-16"},
		{"UTF-8 said to be UTF-16", strings.Replace(xml, "gb2312", "utf-16", 1), unicode.UTF8, "text/xml"},
		{"Russian in KOI8", `{"name":"Солярис, Сталкер и Зеркало"}`, charmap.KOI8R, "application/json; charset=koi8-r"},
		{"Russian in capitals", `{"name":"СОЛЯРИС И СТАЛКЕР"}`, charmap.Windows1251, "application/json; charset=windows-1251"},
		{"Greek as said", `{"name":"Το βλέμμα του Οδυσσέα"}`, charmap.ISO8859_7, "application/json; charset=iso-8859-7"},
		{"Korean as said", `{"name":"기생충과 올드보이"}`, korean.EUCKR, "application/json; charset=euc-kr"},
		{"Shift JIS without a word", japaneseRow, japanese.ShiftJIS, ""},
		{"Shift JIS said to be UTF-8", `{"name":"進撃の巨人","remarks":"全25話","sub":"ソードアート"}`, japanese.ShiftJIS, "application/json; charset=utf-8"},
		{"ideographs in Shift JIS", `{"name":"東京物語","type":"映画","remarks":"字幕版"}`, japanese.ShiftJIS, ""},
		{"EUC-JP without a word", japaneseRow, japanese.EUCJP, ""},
		{"ideographs in EUC-JP", `{"name":"進撃の巨人","type":"アニメ","sub":"千と千尋の神隠し","actor":"宮崎駿"}`, japanese.EUCJP, ""},
		{"EUC-KR without a word", `{"name":"기생충","type":"한국영화","remarks":"완결","sub":"올드보이"}`, korean.EUCKR, ""},
		{"EUC-KR said to be UTF-8", `{"name":"오징어 게임","type":"드라마","remarks":"전체 9화"}`, korean.EUCKR, "text/html; charset=utf-8"},
		{"GBK of usual words", `{"name":"大江大河","area":"大陆","type":"国产剧","remarks":"高清","url":"第1集","class":"剧场"}`, gbk, ""},
		{"GBK with kana", `{"list":[{"name":"爱の诗","remarks":"高清"},{"name":"名侦探柯南：ゼロの日常","remarks":"更新至第6集"},{"name":"鬼灭之刃","type":"日本动漫"}]}`, gbk, ""},
		{"Big5 of few strokes", `{"name":"天下父母心","type":"中國","remarks":"全二十四集","sub":"五月之子"}`, big5, ""},
		{"English with signs of Windows", `{"name":"It’s a Wonderful Life – Émile’s cut"}`, charmap.Windows1252, "text/html; charset=windows-1252"},
		{"UTF-16 with characters that hold a zero", `{"name":"第一季","sub":"一一一　开","remarks":"刀"}`, bareLittle, ""},
		{"UTF-16 the other way round with them", `{"name":"第一季","sub":"一一一　开","remarks":"刀"}`, bareBig, ""},
		{"UTF-16 with a control character", `{"name":"第一季","remarks":"a` + "\x0b" + `b","year":"2019","area":"x","lang":"yyyyyyy"}`, bareLittle, ""},
		{"XML behind messages", strings.Repeat("<br /><b>Warning</b>: x in <b>/www/x.php</b> on line <b>3</b><br />\n", 9) + `<?xml version="1.0" encoding="shift_jis"?><rss><name>三体</name></rss>`, japanese.ShiftJIS, "text/xml; charset=utf-8"},
		{"nothing", "", unicode.UTF8, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := text.Decode(encoded(t, c.as, c.text), c.contentType)
			if !ok || string(got) != c.text {
				t.Errorf("%q, %v; want %q", got, ok, c.text)
			}
			again, ok := text.Decode(got, c.contentType)
			if !ok || !bytes.Equal(again, got) {
				t.Errorf("decoded again: %q, %v", again, ok)
			}
		})
	}
}

// TestDecode_parts: a part that cannot be read, or that is in another charset, does not
// spoil the others.
func TestDecode_parts(t *testing.T) {
	const row = `{"vod_name":"流浪地球"},{"vod_name":"三体"},{"vod_name":"战狼"},`
	foreign := string(encoded(t, simplifiedchinese.GBK, "三国演义"))
	latin := string(encoded(t, charmap.Windows1252, "Amélie"))
	for _, c := range []struct{ name, body, want string }{
		{"a row in GBK", row + `"` + foreign + `"`, row + `"三国演义"`},
		{"a row in Latin", row + `"` + latin + `"`, row + `"Amélie"`},
		{"cut within a character", row + "\"流浪\xe5\x9c\"", row + "\"流浪\ufffd\""},
		{"rubbish", row + "\"\xff\xfe\xfd\"", row + "\"\ufffd\""},
		{"turned twice", row + `"TÃ©lÃ© rÃ©alitÃ©","ÐšÐ¸Ð½Ð¾Ð¿Ð¾ÐºÐ°Ð·","` + "æµ\u0081æµªåœ°ç\u0090ƒ" + `","Größe"`, row + `"Télé réalité","Кинопоказ","流浪地球","Größe"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := text.Decode([]byte(c.body), ""); !ok || string(got) != c.want {
				t.Errorf("%q, %v; want %q", got, ok, c.want)
			}
		})
	}
}

// TestDecode_strayMark: a mark may come of a file that wrote an answer in another charset.
func TestDecode_strayMark(t *testing.T) {
	const row = `{"list":[{"vod_name":"流浪地球","vod_remarks":"高清"}]}`
	body := append([]byte("\ufeff"), encoded(t, simplifiedchinese.GBK, row)...)
	if got, ok := text.Decode(body, ""); !ok || string(got) != row {
		t.Errorf("%q, %v; want %q", got, ok, row)
	}
}

func TestIsGBK(t *testing.T) {
	chinese := encoded(t, simplifiedchinese.GBK, `{"name":"流浪地球"}`)
	for _, c := range []struct {
		body        []byte
		contentType string
		want        bool
	}{
		{chinese, "", true},
		{chinese, "text/html; charset=utf-8", true},
		{[]byte("{}"), "text/html; charset=gb2312", true},
		{[]byte(`<?xml version="1.0" encoding="GBK"?><rss/>`), "", true},
		{[]byte("{}"), "", false},
		{[]byte(`{"name":"流浪地球"}`), "text/html; charset=gbk", false},
		{encoded(t, traditionalchinese.Big5, `{"name":"臥虎藏龍"}`), "", false},
		{encoded(t, japanese.ShiftJIS, `{"name":"となりのトトロ"}`), "", false},
	} {
		if got := text.IsGBK(c.body, c.contentType); got != c.want {
			t.Errorf("%q, %q: %v", c.body, c.contentType, got)
		}
	}
	if s, ok := text.ToGBK("流浪"); !ok || s != string(encoded(t, simplifiedchinese.GBK, "流浪")) {
		t.Errorf("%q, %v", s, ok)
	}
	if s, ok := text.ToGBK("😀"); ok {
		t.Errorf("%q", s)
	}
}

// TestDecode_unreadable: what nobody can read is told from text.
func TestDecode_unreadable(t *testing.T) {
	for name, body := range map[string]string{
		"rubbish in quotes": `{"name":"` + "\xff\xfe\xfd\xfc\xfb\x80\x81" + `"}`,
		"bytes at random":   "\x8e\x01\xc7\xff\x93\x17\xfe\x90\x99\xef\x02\xd3\x88\x81\x9d",
		"a cut PNG":         "\x89PNG\r\n\x1a\n\xe3\x00\xff\x90\xa7",
	} {
		got, ok := text.Decode([]byte(body), "")
		if ok || !utf8.Valid(got) {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

// TestDecode_names wants every charset that browsers know by name.
func TestDecode_names(t *testing.T) {
	for name, word := range map[string]string{
		"euc-kr": "기생충", "koi8-r": "Кинопоказ", "windows-1250": "Příběh", "iso-8859-2": "Łódź", "windows-874": "ภาพยนตร์",
		"gb_2312-80": "流浪地球", "x-sjis": "となりの", "cn-big5": "甄嬛傳", "chinese": "流浪地球",
	} {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := text.Decode(encoded(t, e, word), "text/plain; charset="+name); !ok || string(got) != word {
			t.Errorf("%s: %q, %v; want %q", name, got, ok, word)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "a", "\xff\xfe", "\xff\xfea", "{\x00}\x00", "\xc3\x83\xc2\xa9", "\xb5\xe7\xd3\xb0\"\xe5", `<?xml encoding="big5"?>`} {
		f.Add([]byte(s), "text/plain; charset=gbk")
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		given := bytes.Clone(body)
		got, _ := text.Decode(body, contentType)
		if !utf8.Valid(got) {
			t.Errorf("%q: %q is no UTF-8", body, got)
		}
		if !bytes.Equal(body, given) {
			t.Errorf("%q was changed", given)
		}
	})
}
