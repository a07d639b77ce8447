package link_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode"

	"xship/sources/link"
)

// shownAsGiven are addresses of interfaces, shaped as people and depots have them, that
// hold no secret.
var shownAsGiven = []string{
	// web addresses
	"https://a.example/vod.json",
	"http://a.example",
	"http://a.example/",
	"http://a.example:8080/tv/",
	"HTTP://A.Example/TV.JSON",
	"http://8.210.0.1/xc.json",
	"http://[2001:db8::1]:9000/tv.json",
	"http://饭太硬.example/tv",
	"http://接口.example:63/接口禁止贩卖",
	"https://a.example/片库/影视 仓.json",
	"https://a.example/my file.json",
	"https://a.example/a  b/two  spaces.json",
	"https://a.example/%E7%89%87%E5%BA%93/%E5%BD%B1%E8%A7%86.json",
	"https://a.example/%E8%BF%99%E6%98%AF%E4%B8%80%E4%B8%AA%E5%BE%88%E9%95%BF%E7%9A%84%E7%9B%AE%E5%BD%95",
	"https://a.example/这是一个名字很长很长很长很长很长很长的目录2024年第12版/接口.json",
	"https://a.example/ProfessionalEdition20240712/TVBoxPublicInterfaceForEverybody.json",
	"https://a.example/a-long-name-of-words-2024/season-01-episode-02",
	"https://a.example/this_is_the_configuration_of_the_living_room_2023_12_31.json",
	"https://a.example/zhongguodianshijudianyingzongyi2024.json",
	"https://a.example/20240712093000123456789012345.json",
	"https://raw.githubusercontent.com/u/r/0123456789abcdef0123456789abcdef01234567/tv.json",
	"https://ghproxy.example/https://raw.githubusercontent.com/u/r/main/tv.json",
	"https://ghproxy.example/raw.githubusercontent.com/u/r/a9993e364706816aba3e25717850c26c9cd0d89d/tv.json",
	"https://cdn.jsdelivr.net/gh/u/r@main/box/tv.txt",
	"https://cdn.jsdelivr.net/gh/u/r@a9993e364706816aba3e25717850c26c9cd0d89d/tv.json",
	"https://gitlab.com/u/r/-/raw/master/tv.json?ref_type=heads&inline=false",
	"https://gitee.com/u/r/raw/master/tv.json?v=20240712",
	"https://h.example/@user/tv",
	"https://h.example/x.php?url=https://a.example/tv.json&type=m3u8",
	"https://h.example/x.php?url=https%3A%2F%2Fa.example%2Ftv.json",
	"https://h.example/x.php?https://a.example/tv.json?v=1",
	"https://h.example/x.php?file=片库/影视.json",
	"https://h.example/tv.json?t=1699999999999&p=2&page=1",
	"https://h.example/tv.json?raw",
	"https://h.example/tv.json#主线",
	"https://h.example/tv.json#main",
	"https://h.example/a|b.json",
	"https://h.example/100% free.json",
	"https://h.example/tv.json?",
	"https://h.example/?token=",
	"https://pastebin.example/raw/gtbKvnE1",
	"https://h.example/download/2883/nzk/nzk0722.json",
	"clan://localhost/tvbox/片库.json",
	"builtin:open",
	"http://h.example/c.json;pk;",
	"https://cdn.jsdelivr.net/gh/u/r@main/jar/a.jar;md5;bb155c3f0133bbce4756ad52003f5968",
	"https://raw.kkgithub.com/u/r/bb4b7f06ed212f1c2ca1c3f4dc1a0f61904a754e/tvbox/23w.json",
	"http://tv.example/iptv/cctv.php?id=cctv4k&type=m3u8hd",
	"http://tv.example/1/api.php?id=CCTV-兵器科技",
	"http://192.168.1.2:4567/sub/0",
	"http://192.168.1.2:4567/tvbox/sub/0",
	"https://h.example/sub/tv.json",
	"https://h.example/sub/片库",
	"http://肥猫.example?&signame=肥猫",
	"https://gh.example/https://raw.githubusercontent.com/u/TVBox/main/api.json",
	"http://xn--ihqu10cn4c.xn--v4q818bf34b.example",
	// paths
	"/home/me/vod.json",
	"/tmp/x/my file.json",
	"/tmp/x/目录/片库.json",
	"/tmp/0123456789abcdef01234567/vod.json",
	"/tmp/x/a@b|c#d;e/100%.json",
	"/tmp/what?.json",
	"./box/my file.json",
	"../片库.json",
	"~/tv.json",
	`C:\Users\me\My Documents\片库.json`,
	"C:/Users/me/tv.json",
	"file:///tmp/0123456789abcdef01234567/my file.json",
	"file:///tmp/100%.json",
	"vod.json",
	"my file.json",
	"片库.json",
	"h.example/tv.json",
	"h.example:8080/gh/u/r@main/tv.json",
	"living room",
	"",
}

// secret are addresses with a secret, and what is shown of them.
var secret = []struct{ address, want string }{
	// parameters, by their names
	{"https://a.example/vod.json?k=s3cr3t", "https://a.example/vod.json?k=REDACTED"},
	{"https://a.example/vod.json?token=abc", "https://a.example/vod.json?token=REDACTED"},
	{"https://a.example/vod.json?v=1&pwd=hunter&x=y", "https://a.example/vod.json?v=1&pwd=REDACTED&x=y"},
	{"https://a.example/vod.json?user=me&password=p", "https://a.example/vod.json?user=REDACTED&password=REDACTED"},
	{"https://h.example/?%74oken=1&token=&token", "https://h.example/?%74oken=REDACTED&token=&REDACTED"},
	{"https://h.example/tv.json?code=1234", "https://h.example/tv.json?code=REDACTED"},
	{"https://h.example/tv.json?mac=00:11:22:33:44:55", "https://h.example/tv.json?mac=REDACTED"},
	// by their values
	{"https://u:p@a.example/?k=s3cr3t&empty=&v=1;w=2", "https://REDACTED@a.example/?k=REDACTED&empty=&v=1;w=2"},
	{"https://a.example/?s3cr3t", "https://a.example/?REDACTED"},
	{"https://a.example/?v=s3cr3t", "https://a.example/?v=REDACTED"},
	{"https://a.example/?x=me@mail.example", "https://a.example/?x=REDACTED"},
	{"https://a.example/?k=s3cr3t#s3cr3t", "https://a.example/?k=REDACTED#REDACTED"},
	{"https://a.example/?k=s3cr3t|Referer=s3cr3t&Cookie=s", "https://a.example/?k=REDACTED|Referer=REDACTED&Cookie=REDACTED"},
	{"https://h.example/raw/tv.json?x=a1b2c3d4e5f6a7b8c9d0", "https://h.example/raw/tv.json?x=REDACTED"},
	{"https://h.example/x.php?url=https%3A%2F%2Fu%3Ap%40a.example%2Ftv.json", "https://h.example/x.php?url=https%3A%2F%2FREDACTED%40a.example%2Ftv.json"},
	{"https://h.example/x.php?https://a.example/tv.json?token=abc", "https://h.example/x.php?https%3A%2F%2Fa.example%2Ftv.json%3Ftoken%3DREDACTED"},
	{"http://tv.example/公众号【A】.php?key=gat5&id=7f4703c71abe60b90887a794355363c8", "http://tv.example/公众号【A】.php?key=REDACTED&id=REDACTED"},
	{"https://tv.example/?migutoken=001214e769011353a01879a26f451018&id=hn_wlpd", "https://tv.example/?migutoken=REDACTED&id=hn_wlpd"},
	{"https://tv.example/home/api?type=ys&uid=292796&key=fnoryABDEFJNPQV269&url=", "https://tv.example/home/api?type=ys&uid=REDACTED&key=REDACTED&url="},
	{"https://gh.example/u/r/lib/token.json$$$token=1aee2366-2ff4-4436-b321-a14db23e8294", "https://gh.example/u/r/lib/REDACTED"},
	// segments
	{"https://h.example/a1b2c3d4e5f6a7b8c9d0.json", "https://h.example/REDACTED"},
	{"https://h.example/raw/0123456789abcdef01234567/tv.json", "https://h.example/raw/REDACTED/tv.json"},
	{"https://h.example/raw/a9993e364706816aba3e25717850c26c9cd0d89d/tv.json", "https://h.example/raw/REDACTED/tv.json"},
	{"https://h.example/sub/0eb052d0-fd51-43e6-aa33-ecdbf77a5d40/tv", "https://h.example/sub/REDACTED/tv"},
	{"https://h.example/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9/tv", "https://h.example/REDACTED/tv"},
	{"https://h.example/kJHgfdSaQwErTzLpOxNvBnMc/tv", "https://h.example/REDACTED/tv"},
	{"https://h.example/x9_Kd83-jfLq0aB7cDeF_45Tz8-q/tv", "https://h.example/REDACTED/tv"},
	{"https://h.example/片库-a1b2c3d4e5f6a7b8c9d0/tv.json", "https://h.example/REDACTED/tv.json"},
	{"https://h.example/tv;token=abc/x.json", "https://h.example/tv;token=REDACTED/x.json"},
	{"https://h.example/tv;jsessionid=abc/x.json?PHPSESSID=abc", "https://h.example/tv;jsessionid=REDACTED/x.json?PHPSESSID=REDACTED"},
	{"h.example/0123456789abcdef01234567/vod.json", "h.example/REDACTED/vod.json"},
	{"https://gh.example/https://ghp_Token@raw.githubusercontent.com/u/r/main/tv.json", "https://gh.example/https://REDACTED@raw.githubusercontent.com/u/r/main/tv.json"},
	{"http://h.example/%3Ftoken=hunter", "http://h.example/%3Ftoken=REDACTED"},
	{"http://h.example/token:hunter/tv.json", "http://h.example/token:REDACTED/tv.json"},
	{"http://192.168.1.2:4567/sub/nXvVkS9/0", "http://192.168.1.2:4567/sub/REDACTED/0"},
	{"http://192.168.1.2:4567/sub/abcde/0", "http://192.168.1.2:4567/sub/REDACTED/0"},
	{"http://192.168.1.2:4567/nXvVkS9/sub/0", "http://192.168.1.2:4567/REDACTED/sub/0"},
	{"https://h.example/token/hunter/tv.json", "https://h.example/token/REDACTED/tv.json"},
	// passwords
	{"http://user:pass@word@192.168.0.22/tv.json", "http://REDACTED@192.168.0.22/tv.json"},
	{"http://user:passwordwith%@192.168.0.22:554/video", "http://192.168.0.22:554/REDACTED"},
	{"https://u:p@ss@h.example", "https://REDACTED@h.example"},
	{"https://me@h.example/tv.json", "https://REDACTED@h.example/tv.json"},
	{"http://h.example/c.json;pk;PASSWORD", "http://h.example/c.json;pk;REDACTED"},
	{"http://h.example/c.json;PK;a/b?c#d@e f", "http://h.example/c.json;PK;REDACTED"},
	{"http://h.example/c.json%3Bpk%3Bpw", "http://h.example/c.json%3Bpk%3BREDACTED"},
	{"http://h.example/c.json?v=1;pk;pw", "http://h.example/c.json?v=1;pk;REDACTED"},
	{"h.example/c.json;pk;pw", "h.example/c.json;pk;REDACTED"},
	{"/box/c.json;pk;pw", "/box/c.json;pk;REDACTED"},
	{"admin:pw@h.example/x.json", "REDACTED@h.example/x.json"},
	{"/cwd/admin:pw@h.example/x.json?token=abc", "/cwd/REDACTED@h.example/x.json?token=REDACTED"},
	{"http:/admin:pw@h.example/x.json", "http:/REDACTED@h.example/x.json"},
	// what is no URL
	{"http://admin:p%ssw0rd@h.example/x.json", "http://h.example/REDACTED"},
	{"http://admin:p%ssw0rd@h.example:8080", "http://h.example:8080/REDACTED"},
	{"http://admin:pa ss@h.example/x.json?k=v", "http://h.example/REDACTED"},
	{"http://admin:pa/ss@h.example/x.json", "http://REDACTED"},
	{"http://admin:pa#ss@h.example/x.json", "http://REDACTED"},
	{"http://admin:pa?ss@h.example/x.json", "http://REDACTED"},
	{`http://admin:pa\ss@h.example/x.json`, "http://REDACTED"},
	{"http://admin:pä%@[::1/x.json", "http://REDACTED"},
	{"http://admin:p@ss w0rd/x.json", "http://REDACTED"},
	{"https://%zz/?sig=1", "https://REDACTED"},
	{"ad min:p%w@x://h.example/", "REDACTED"},
}

func TestRedactInterface(t *testing.T) {
	for _, address := range shownAsGiven {
		if got := link.RedactInterface(address); got != address {
			t.Errorf("%s: shown as %q, nothing is secret", address, got)
		}
		if link.HoldsSecret(address) {
			t.Errorf("%s holds no secret", address)
		}
	}
	for _, c := range secret {
		got := link.RedactInterface(c.address)
		if got != c.want {
			t.Errorf("%s: shown as %q, want %q", c.address, got, c.want)
		}
		if again := link.RedactInterface(got); again != got {
			t.Errorf("%s: %q is shown as %q", c.address, got, again)
		}
		if !link.HoldsSecret(c.address) {
			t.Errorf("%s holds a secret", c.address)
		}
	}
	if got := link.RedactInterface("http://h.example/\x1b[31m\u202ea\tb\n"); got != "http://h.example/a b" {
		t.Errorf("controls: %q", got)
	}
}

// FuzzRedactInterface wants passwords hidden wherever they stand, and nothing shown
// that a terminal obeys.
func FuzzRedactInterface(f *testing.F) {
	for _, address := range shownAsGiven {
		f.Add(address)
	}
	for _, c := range secret {
		f.Add(c.address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		shown := link.RedactInterface(address)
		if strings.ContainsFunc(shown, unicode.IsControl) {
			t.Errorf("%q is shown as %q", address, shown)
		}
		if u, err := url.Parse(address); err == nil && u.User != nil && u.Host != "" {
			if password, _ := u.User.Password(); len(password) > 12 && strings.Contains(shown, password) {
				t.Errorf("%q is shown as %q", address, shown)
			}
		}
	})
}

func TestRedactInterfaceText(t *testing.T) {
	for text, want := range map[string]string{
		"got no answer":                                       "got no answer",
		"a web address starts with https://":                  "a web address starts with https://",
		"name a web address (https://…)":                      "name a web address (https://…)",
		"write file:///dir/config.json":                       "write file:///dir/config.json",
		"GET http://a.example/x?k=s3cr3t: connection refused": "GET http://a.example/x?k=REDACTED: connection refused",
		`got "http://a.example/?k=s3cr3t", no config`:         `got "http://a.example/?k=REDACTED", no config`,
		"one of http://a.example/?k=s (A), http://b.example":  "one of http://a.example/?k=REDACTED (A), http://b.example",
		"地址：http://u:s3cr3t@a.example/x":                      "地址：http://REDACTED@a.example/x",
		"影视(https://a.example/?token=s3cr3t)":                 "影视(https://a.example/?token=REDACTED)",
		"HTTP%3A%2F%2Fu%3As3cr3t%40a.example":                 "HTTP:%2F%2FREDACTED@a.example",
		"//u:s3cr3t@a.example/x":                              "//REDACTED@a.example/x",
		"by u:s3cr3t@a.example":                               "by REDACTED@a.example",
		"see a.example/c.json?token=s3cr3t":                   "see a.example/c.json?token=REDACTED",
		"🔥 4K/8K 100% (a=b) what? is:this me@home a/b?c":      "🔥 4K/8K 100% (a=b) what? is:this me@home a/b?c",
		"A token=s3cr3t":                                      "A token=REDACTED",
		"HD token=secret 1080p":                               "HD token=REDACTED 1080p",
		"密码＝hunter 站":                                         "密码＝REDACTED 站",
		"key=word, st=1, hash: none, policy=open":             "key=word, st=1, hash: none, policy=open",
		"HD http://x.example/?token=s3cr3t":                   "HD http://x.example/?token=REDACTED",
		"invalid token: expired":                              "invalid token: expired",
		"第1集：片名?":                                             "第1集：片名?",
	} {
		if got := link.RedactInterfaceText(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestHideSecrets(t *testing.T) {
	const address = "http://somebody:passw0rd@a.example/sub/Zq9k02Xw7Lm4Tr8Yp2Bn6/tv.json?s=x9y8z7&pw=hunter22;t%6Fken=a%2Fb1c2d3&page=1234567&wd=M3GAN02#k=f1e2d3"
	for text, want := range map[string]string{
		"nothing of it": "nothing of it",
		"The requested URL /sub/Zq9k02Xw7Lm4Tr8Yp2Bn6/tv.json was not found": "The requested URL /sub/REDACTED/tv.json was not found",
		"x9y8z7 hunter22 a%2Fb1c2d3 a/b1c2d3 f1e2d3 passw0rd somebody":       "REDACTED REDACTED REDACTED REDACTED REDACTED REDACTED REDACTED",
		"page 1234567 for M3GAN02 of a.example":                              "page 1234567 for M3GAN02 of a.example",
	} {
		if got := link.HideSecrets(address, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := link.HideSecrets("http://%zz/", "as it is"); got != "as it is" {
		t.Errorf("no URL: %q", got)
	}
}
