package cmd

import (
	"reflect"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	const english, german, chinese = "trying the next interface: X", "nächste Schnittstelle wird versucht: X", "正在尝试下一个接口:X"
	for _, c := range []struct {
		env  string // NAME=value, with blanks between
		want string
	}{
		{"", english},
		{"LANG=C", english},
		{"LANG=POSIX", english},
		{"LANG=C.UTF-8", english},
		{"LANG=fr_FR.UTF-8", english},
		{"LANG=nonsense!", english},
		{"LANG=de", german},
		{"LANG=de_AT.UTF-8", german},
		{"LANG=de_DE.ISO-8859-15@euro", german},
		{"LANG=de_DE@euro", german},
		{"LANG=zh_CN.GB18030", chinese},
		{"LANG=zh_TW.UTF-8", chinese},
		{"LANG=de_DE.UTF-8 LC_MESSAGES=zh_CN.UTF-8", chinese},
		{"LANG=de_DE.UTF-8 LC_MESSAGES=zh_CN.UTF-8 LC_ALL=C", english},
		{"LANG=de_DE.UTF-8 LC_ALL= LC_MESSAGES=", german},
		{"LANG=de_DE.UTF-8 LC_CTYPE=zh_CN.UTF-8", german},
	} {
		env := make(map[string]string)
		for pair := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		a := newApp(System{LookupEnv: func(name string) (string, bool) { value, ok := env[name]; return value, ok }})
		m := a.messages()
		if got := m.tryingNext("X"); got != c.want {
			t.Errorf("%s: %q, want %q", c.env, got, c.want)
		}
		for i := range reflect.TypeOf(m).NumField() {
			if reflect.ValueOf(m).Field(i).String() == "" {
				t.Errorf("%s: no %s", c.env, reflect.TypeOf(m).Field(i).Name)
			}
		}
	}
}
