package link_test

import (
	"testing"

	"xship/sources/link"
)

func TestInTitle(t *testing.T) {
	links := []string{
		"http://host.example/d/abc?token=s3cr3t", "HTTPS://HOST.EXAMPLE/", "https://host.example", "ftp://host/film.mkv", "rtmp://h/live", "hxxps://h.example/a",
		"  https://host.example/x  ", "Film https://host.example/x?key=1", "see <https://host.example/x>", "https: //host.example/x", "https：//host.example/x",
		"ｈｔｔｐｓ：／／host.example/x", "https%3A%2F%2Fhost.example%2Fx", "ed2k://|file|a.mkv|1|0|/", "thunder://QUFodHRwOi8v", "acestream://0123", "smb://nas/films",
		"magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567", "MAGNET:?xt=a", "Film (magnet:?xt=a)", "urn:btih:0123456789abcdef0123456789abcdef01234567",
		"0123456789abcdef0123456789ABCDEF01234567", "data:video/mp4;base64,AAAA", "file:/home/me/film.mkv", "file:///home/me/film.mkv", "plugin:plugin.video.x/?a=b",
		"/home/me/film.mkv", "~/film.mkv", "./film.mkv", "../film.mkv", `C:\Films\film.mkv`, "C:/Films/film.mkv", `\\nas\films\film.mkv`,
		"www.host.com", "www.host.com/x", "host.com/watch?v=1", "youtu.be/dQw4w9WgXcQ", "//host.com/x", "user:pass@host.com/x", "192.168.0.7/film.mkv", "192.168.0.7:8080",
		"localhost:8080/x", "[::1]:8080/x", "host.co.uk:8443", "https://www.imdb.com/title/tt0083658/", "imdb.com/title/tt0083658",
		"http:/example.com/a", "http:example.com/a", `https:\\example.com\a`, `https:\/\/example.com\/a`, "http ://example.com/a", "Foo (https:a.example)",
		"https∶//example.com/a", "https:∕∕example.com∕a", "https:⁄⁄example.com", "http&#58;//example.com/a", "http&colon;//example.com/a", "http:&#x2f;&sol;example.com",
		"例子.中国/abc?x=1", "example。com/abc", "example｡com/abc", "rtmp:example.com/live", "RTSP:host/live", "smb:nas/x", "user@host.example:/path", "me@nas:/films/a.mkv",
		"me@nas:~/a.mkv", "ed2k:|file|a", "thunder:QUFodHRw", "foo:/example.com/a", "foo:example.com/a", "ht\u200btps://example.com/a", "Film《example.com/a》 example.com/a",
	}
	for _, name := range links {
		if !link.InTitle(name) {
			t.Errorf("%q is taken for a title", name)
		}
	}
	titles := []string{
		"Big Buck Bunny", "Face/Off", "Frost/Nixon", "V/H/S", "50/50", "Fate/stay night", ".hack//SIGN", "Re:ZERO", "Re: Zero", "2001: A Space Odyssey", "Mission: Impossible",
		"Startup.com", "FeardotCom", "S.W.A.T.", "Mr. Robot", "Mr.Robot/S01", "A.I.", "9-1-1", "+1", "@midnight", "#Alive", "$9.99", "[REC]", "*batteries not included",
		"www", "Who Am I?", "What/If", "Data: A Love Story", "File: 39", "Case 39", "Urn: A Story", "C: The Film", "钟表匠的风筝", "精英部队/精锐部队", "出租车司机/的士司机", "Tár", "1/2 Prince",
		"Film 24/7", "11/22/63", "AC/DC: Let There Be Rock", "Deadbeef", "The Net 2.0", "3.10 to Yuma", "3:10 to Yuma", "12:01", "Ocean's 8", "tt0083658", "S01E05", "E.T. the Extra-Terrestrial",
		"You.", "Yes/No", "Love/Hate", "/", "//", "Nip/Tuck", "me@home", "The Code: 10.0.0.1", "Episode 4.1/2",
		"http: the movie", "Http", "HTTP 404", "Mission:Impossible", "Mission: Impossible", "Re:Zero", "Mission∶Impossible", "Re：ゼロから始める異世界生活", "君の名は。", "モーニング娘。/カントリー娘。",
		"Tom &amp; Jerry", "MMS: The Film", `Face\Off`, "4:44 Last Day on Earth", "me@home: the film", "Life 2.0: The Net", "Se7en", "某片。外传/前传",
	}
	for _, name := range titles {
		if link.InTitle(name) {
			t.Errorf("%q is taken for a link", name)
		}
	}
}
