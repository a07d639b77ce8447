package text_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"xship/sources/text"
)

func TestSimplified(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"Big Buck Bunny":       "Big Buck Bunny",
		"庆余年":                  "庆余年",
		"慶餘年":                  "庆余年",
		"庆餘年":                  "庆余年",
		"Über 慶餘年 2":           "Über 庆余年 2",
		"頭髮與發現":                "头发与发现",
		"裏裡臺台羣":                "里里台台群",
		"看著妳":                  "看着你",
		"著名":                   "着名",
		"鬼滅之刃":                 "鬼灭之刃",
		"乾隆王朝":                 "乾隆王朝",
		"乾杯":                   "干杯",
		"扭轉乾坤":                 "扭转乾坤",
		"沈默的羔羊":                "沉默的羔羊",
		"反覆":                   "反复",
		"里見八犬伝":                "里见八犬传",
		"竜とそばかすの姫":             "龙とそばかすの姬",
		"鋼の錬金術師":               "钢の炼金术师",
		"沙家浜与芸汐":               "沙家浜与芸汐",
		"さらばヌメモン":              "さらばヌメモン",
		"이상한":                  "이상한",
		"\xff慶":                "\xff庆",
		"\U00020c8e\U0002b8b8": text.Simplified("\U00020c8e\U0002b8b8"),
	} {
		if got := text.Simplified(in); got != want {
			t.Errorf("Simplified(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSimplifiedSpellings: two spellings of one name are one, and so are some that no
// text has or that mean something else; two words that works are called by are two.
func TestSimplifiedSpellings(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
		why  string
	}{
		{"慶餘年", "庆余年", true, "the two scripts"},
		{"裏見八犬伝", "里见八犬传", true, "Japanese forms"},
		{"著名", "着名", true, "the two scripts, by region"},
		{"想像", "想象", true, "two spellings of one word"},
		{"鍾馗", "钟馗", true, "written in both ways in simplified Chinese"},
		{"魏徵", "魏征", true, "written in both ways in simplified Chinese"},
		{"憑藉", "凭借", true, "a phrase"},

		{"乾隆", "干隆", false, "乾 stays in a name"},
		{"乾坤", "干坤", false, "乾 stays in a name"},
		{"沈浪", "沉浪", false, "沈 stays a surname"},
		{"芸汐傳", "艺汐传", false, "芸 is a Chinese character"},
		{"他", "她", false, "two words"},

		{"发现", "髮現", true, "nobody writes 髮現"},
		{"皇后", "皇後", true, "nobody writes 皇後"},
		{"干杯", "幹杯", true, "nobody writes 幹杯"},
		{"公里", "公裏", true, "nobody writes 公裏"},
		{"你的名字", "妳的名字", true, "妳 is 你 to a woman"},
		{"面", "麵", true, "two words of one spelling in simplified Chinese"},
	} {
		if same := text.Simplified(tt.a) == text.Simplified(tt.b); same != tt.same {
			t.Errorf("%s and %s are one: %v, want %v: %s", tt.a, tt.b, same, tt.same, tt.why)
		}
	}
}

func TestTraditional(t *testing.T) {
	for in, want := range map[string]string{"": "", "Alpha": "Alpha", "庆余年": "慶餘年", "慶餘年": "慶餘年", "鬼灭之刃": "鬼滅之刃", "流浪地球": "流浪地球"} {
		if got := text.Traditional(in); got != want {
			t.Errorf("Traditional(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSimplifiedTwice: what is simplified stays as it is, so that it is a key.
func TestSimplifiedTwice(t *testing.T) {
	changed := 0
	for r := rune(0); r <= 0x323af; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		once := text.Simplified(string(r))
		if again := text.Simplified(once); again != once {
			t.Errorf("%c becomes %s, and that %s", r, once, again)
		}
		if once != string(r) {
			changed++
		}
	}
	if changed < 3000 {
		t.Errorf("only %d characters change", changed)
	}
}

func FuzzSimplified(f *testing.F) {
	for _, s := range []string{"慶餘年 \xff", "反反覆覆沈默", "乾乾隆乾", "手鍊鍊子", "乾\xff隆"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := text.Simplified(s); text.Simplified(got) != got {
			t.Errorf("Simplified(%q) = %q is no key", s, got)
		}
	})
}

func BenchmarkSimplified(b *testing.B) {
	for _, bm := range []struct{ name, in string }{{"simplified", "庆余年 第二季"}, {"traditional", "慶餘年 第二季"}, {"latin", "The Wandering Earth"}} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				text.Simplified(bm.in)
			}
		})
	}
}

// SimplifiedFrom misses no character that becomes another.
func TestSimplifiedFrom(t *testing.T) {
	t.Parallel()
	for r := rune(0x3400); r < 0x2ffff; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		simple, _ := utf8.DecodeRuneInString(text.Simplified(string(r)))
		if from := text.SimplifiedFrom(simple); simple >= 0x3400 && !slices.Contains(from, r) && simple != r {
			t.Errorf("%q becomes %q, which is not known to come of it: %q", string(r), string(simple), string(from))
		}
	}
	for _, tt := range []struct{ from, to rune }{{'覆', '复'}, {'総', '总'}, {'髮', '发'}, {'总', '总'}} {
		if !slices.Contains(text.SimplifiedFrom(tt.to), tt.from) {
			t.Errorf("%q does not come of %q", string(tt.to), string(tt.from))
		}
	}
}
