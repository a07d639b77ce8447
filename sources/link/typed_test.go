package link_test

import (
	"strings"
	"testing"

	"xship/sources/link"
)

func TestReadTyped(t *testing.T) {
	const same = "=" // the URL is what was typed
	for typed, want := range map[string]link.Typed{
		"http://host.example/a":                              {Kind: link.TypedLink, URL: same},
		"https://host.example":                               {Kind: link.TypedLink, URL: same},
		"HTTPS://X":                                          {Kind: link.TypedLink, URL: same},
		"Http://Host.Example/A.mkv":                          {Kind: link.TypedLink, URL: same},
		"https://host.example/d/abc?token=s3cr3t#t=1":        {Kind: link.TypedLink, URL: same},
		"https://user:pass@host.example/x":                   {Kind: link.TypedLink, URL: same},
		"http://127.0.0.1:8080/x.mkv":                        {Kind: link.TypedLink, URL: same},
		"http://[::1]:8080/x.mkv":                            {Kind: link.TypedLink, URL: same},
		"https://例子.中国/abc":                                  {Kind: link.TypedLink, URL: same},
		"https://host.example/My Film (2016).mkv":            {Kind: link.TypedLink, URL: same},
		"https://host.example/100% Film.mkv":                 {Kind: link.TypedLink, URL: same},
		"https://host.example/a|Referer=https://b.example/":  {Kind: link.TypedLink, URL: same},
		"https://host.example/a|User-Agent=a b&Cookie=c%3Dd": {Kind: link.TypedLink, URL: same},
		"https://host.example/a?u=https://b.example/c":       {Kind: link.TypedLink, URL: same},
		"https://web.archive.org/web/2016/http://b.example/": {Kind: link.TypedLink, URL: same},
		"  https://host.example/x  ":                         {Kind: link.TypedLink, URL: "https://host.example/x"},
		"<https://host.example/x>":                           {Kind: link.TypedLink, URL: "https://host.example/x"},
		`"https://host.example/x"`:                           {Kind: link.TypedLink, URL: "https://host.example/x"},
		"'https://host.example/x'":                           {Kind: link.TypedLink, URL: "https://host.example/x"},
		"https://www.imdb.com/title/tt0083658/":              {Kind: link.TypedLink, URL: same},

		"example.com/f/x":      {Kind: link.TypedLink, URL: "https://example.com/f/x"},
		"www.host.com":         {Kind: link.TypedLink, URL: "https://www.host.com"},
		"youtu.be/dQw4w9WgXcQ": {Kind: link.TypedLink, URL: "https://youtu.be/dQw4w9WgXcQ"},
		"//host.com/x":         {Kind: link.TypedLink, URL: "https://host.com/x"},
		"host.co.uk:8443/x":    {Kind: link.TypedLink, URL: "https://host.co.uk:8443/x"},
		"192.168.0.7/film.mkv": {Kind: link.TypedLink, URL: "http://192.168.0.7/film.mkv"},
		"192.168.0.7:8080":     {Kind: link.TypedLink, URL: "http://192.168.0.7:8080"},
		"localhost:8080/x":     {Kind: link.TypedLink, URL: "http://localhost:8080/x"},
		"[::1]:8080/x":         {Kind: link.TypedLink, URL: "http://[::1]:8080/x"},
		"user:pass@host.com/x": {Kind: link.TypedLink, URL: "https://user:pass@host.com/x"},

		"magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567": {Kind: link.TypedTorrent},
		"MAGNET:?xt=a": {Kind: link.TypedTorrent},
		"urn:btih:0123456789abcdef0123456789abcdef01234567": {Kind: link.TypedTorrent},
		"0123456789abcdef0123456789ABCDEF01234567":          {Kind: link.TypedTorrent},
		"ed2k://|file|a.mkv|1|0|/":                          {Kind: link.TypedTorrent},
		"ed2k:|file|a":                                      {Kind: link.TypedTorrent},
		"thunder://QUFodHRwOi8v":                            {Kind: link.TypedTorrent},
		"acestream://0123":                                  {Kind: link.TypedTorrent},
		"https://host.example/film.torrent":                 {Kind: link.TypedTorrent},
		"https://host.example/film.Torrent?key=1":           {Kind: link.TypedTorrent},
		"example.com/film.torrent":                          {Kind: link.TypedTorrent},

		"ftp://host/film.mkv":           {Kind: link.TypedScheme, Scheme: "ftp"},
		"FTP://host/film.mkv":           {Kind: link.TypedScheme, Scheme: "ftp"},
		"rtmp://h/live":                 {Kind: link.TypedScheme, Scheme: "rtmp"},
		"rtmp:example.com/live":         {Kind: link.TypedScheme, Scheme: "rtmp"},
		"smb://nas/films":               {Kind: link.TypedScheme, Scheme: "smb"},
		"plugin://plugin.video.x/?a=b":  {Kind: link.TypedScheme, Scheme: "plugin"},
		"plugin:plugin.video.x/?a=b":    {Kind: link.TypedScheme, Scheme: "plugin"},
		"data:video/mp4;base64,AAAA":    {Kind: link.TypedScheme, Scheme: "data"},
		"blob:https://example.com/1-2":  {Kind: link.TypedScheme, Scheme: "blob"},
		"view-source:http://e.com/a":    {Kind: link.TypedScheme, Scheme: "view-source"},
		"foo://example.com/a":           {Kind: link.TypedScheme, Scheme: "foo"},
		"file:///home/me/film.mkv":      {Kind: link.TypedFile},
		"file:/home/me/film.mkv":        {Kind: link.TypedFile},
		"FILE:///home/me/film.mkv":      {Kind: link.TypedFile},
		"/home/me/film.mkv":             {Kind: link.TypedFile},
		"./film.mkv":                    {Kind: link.TypedFile},
		"../film.mkv":                   {Kind: link.TypedFile},
		"~/film.mkv":                    {Kind: link.TypedFile},
		`C:\Films\film.mkv`:             {Kind: link.TypedFile},
		`\\nas\films\film.mkv`:          {Kind: link.TypedFile},
		"http://":                       {Kind: link.TypedBroken},
		"https:///x":                    {Kind: link.TypedBroken},
		"http:/example.com/a":           {Kind: link.TypedBroken},
		"http:example.com/a":            {Kind: link.TypedBroken},
		"hxxps://h.example/a":           {Kind: link.TypedBroken},
		"https%3A%2F%2Fhost.example%2F": {Kind: link.TypedBroken},
		"https：//host.example/x":        {Kind: link.TypedBroken},
		"https://ho st.example/x":       {Kind: link.TypedBroken},
		"https://host.example/\x1b[2J":  {Kind: link.TypedBroken},
		"ht\u200btps://example.com/a":   {Kind: link.TypedBroken},
		"me@nas:/films/a.mkv":           {Kind: link.TypedBroken},
		`https:\\example.com\a`:         {Kind: link.TypedBroken},

		"Film https://host.example/x?key=1":                 {Kind: link.TypedMixed},
		"see <https://host.example/x>":                      {Kind: link.TypedMixed},
		"https://host.example/a https://host.example/b":     {Kind: link.TypedMixed},
		"https://host.example/a\nhttps://host.example/b":    {Kind: link.TypedMixed},
		"https://host.example/a magnet:?xt=urn:btih:012345": {Kind: link.TypedMixed},
		"Film (magnet:?xt=a)":                               {Kind: link.TypedMixed},
		"Film www.host.com":                                 {Kind: link.TypedMixed},

		"":                         {},
		"-":                        {},
		"Big Buck Bunny":           {},
		"Face/Off":                 {},
		"AC/DC: Live":              {},
		"AC/DC: Let There Be Rock": {},
		"A.I.":                     {},
		"S.W.A.T. S01E01":          {},
		"Mr. Robot":                {},
		"Startup.com":              {},
		"V/H/S":                    {},
		".hack//SIGN":              {},
		"50/50":                    {},
		"Mission: Impossible":      {},
		"Re:ZERO":                  {},
		"http: the movie":          {},
		"Magnet: The Film":         {},
		"File: 39":                 {},
		"精英部队/精锐部队":                {},
		"君の名は。":                    {},
		"tt0083658":                {},
		`"Face/Off"`:               {},
	} {
		if want.URL == same {
			want.URL = typed
		}
		if got := link.ReadTyped(typed); got != want {
			t.Errorf("%q is read as %+v, want %+v", typed, got, want)
		}
	}
}

// FuzzReadTyped reads anything: what is no name is what InTitle keeps from sites, and a
// link begins with its scheme and names a host.
func FuzzReadTyped(f *testing.F) {
	for _, seed := range []string{"https://h.example/a b|Referer=x", "//h.com/x", "magnet:?xt=a", "<http://[::1]/>", "Face/Off", "https://0000 |", "https://h.example/\x00", "a@b.com:1/%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		got := link.ReadTyped(typed)
		if isLink := got.Kind == link.TypedLink; isLink != (got.URL != "") || isLink && link.Hoster(got.URL) == "" {
			t.Errorf("%q is read as %+v", typed, got)
		}
		if got.Kind == link.TypedLink && (!strings.HasPrefix(strings.ToLower(got.URL), "http") || !link.InTitle(got.URL)) {
			t.Errorf("%q is the link %q", typed, got.URL)
		}
		if got.Kind == link.TypedName && link.InTitle(strings.TrimSpace(typed)) && !strings.ContainsAny(typed, "<\"'“「") {
			t.Errorf("%q is a name, and holds a link", typed)
		}
	})
}
