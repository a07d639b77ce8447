package fetch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
)

func TestPageVerdict(t *testing.T) {
	const dead, fault, unsupported = sources.ClassDeadLink, sources.ClassHosterFault, sources.ClassUnsupported
	for _, tt := range []struct {
		name, path, body string
		class            sources.Class
		says             string
	}{
		{"page", "/a.mp4", "<!doctype html><title>Hi</title>", fault, `a web page where media should be: HTML page "Hi"`},
		{"page of XML", "/a.mp4", `<?xml version="1.0"?><!DOCTYPE html><html>`, fault, `a web page where media should be: <?xml version="1.0"?><!DOCTYPE html><html>`},
		{"page by name", "/a.HTML", "<html>", unsupported, "a web page, which needs a parser: HTML page"},
		{"gone", "/a", "<html><h1>File was not found", dead, `it says "file was not found": HTML page`},
		{"gone, by name a page", "/a.html", "<html>Fichier introuvable", dead, `it says "fichier introuvable": HTML page`},
		{"gone, Russian", "/a", "<html><b>Файл удалён</b>", dead, `it says "файл удалён": HTML page`},
		{"gone, Chinese", "/a", "该资源已被删除", dead, `it says "该资源已被删除": 该资源已被删除`},
		{"gone, video", "/a", "This video was removed", dead, `it says "this video was removed": This video was removed`},
		{"gone in a script", "/a.mp4", "<html><SCRIPT>say('file not found')</SCRIPT>", fault, "a web page where media should be: HTML page"},
		{"gone in a script that the head cuts", "/a.mp4", "<html><script>say('file not found')", fault, "a web page where media should be: HTML page"},
		{"offer that is gone", "/a.mp4", "<html>This offer is no longer available", fault, "a web page where media should be: HTML page"},
		{"page of a link that names nothing", "/a", "<html>Watch", unsupported, "a web page, and the link does not name media: HTML page"},
		{"title", "/a.mp4", "<html><title>404 Not Found</title>", dead, `it says "404 not found": HTML page "404 Not Found"`},
		{"long sentence", "/a.mp4", "<html>The file that you are looking for on this server could not be found here, sorry for any inconvenience", dead, `it says "the file that you are looking for on this server could not be found here, sorry …": HTML page`},
		{"challenge", "/a", "<html><title>Just a moment...</title>", unsupported, `it wants a browser or a captcha: HTML page "Just a moment..."`},
		{"channels", "/a", "#EXTM3U\n#EXTINF:-1,One\nhttp://h/1\n", fault, "a list of channels where media should be: #EXTM3U #EXTINF:-1,One http://h/REDACTED"},
		{"manifest", "/a", "<MPD>", fault, "a manifest where media should be: <MPD>"},
		{"JSON", "/a", "\ufeff {\"error\": 1}", fault, `JSON where media should be: {"error": 1}`},
		{"XML", "/a", "<Error>AccessDenied</Error>", fault, "XML where media should be: <Error>AccessDenied</Error>"},
		{"link", "/a.strm", "smb://nas/a", unsupported, "a .strm file that names no http or https link: smb://nas/REDACTED"},
		{"secret that is said to be gone", "/a.mp4", "<html>File not found: token=s3cr3t", dead, `it says "file not found: token=REDACTED": HTML page`},
		{"text", "/a", "please pay", fault, "text where media should be: please pay"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := fetch.NewPage("http://h.example"+tt.path, "http://cdn.example/x.html", nil, []byte(tt.body)).Verdict()
			if tt.path == "/a" { // the name counts that was asked for, where it has an extension
				err = fetch.NewPage("http://h.example/a", "http://cdn.example/b", nil, []byte(tt.body)).Verdict()
			}
			if err.Class() != tt.class || err.Error() != tt.says {
				t.Errorf("got %s %q, want %s %q", err.Class(), err, tt.class, tt.says)
			}
			if errors.Is(err, sources.ErrPage) == (tt.class == dead) {
				t.Errorf("a page for an account: %t", errors.Is(err, sources.ErrPage))
			}
		})
	}
}

func TestPageOfHeader(t *testing.T) {
	header := http.Header{"Cf-Mitigated": {"challenge"}}
	if err := fetch.NewPage("http://h.example/a.mp4", "", header, []byte("<html>")).Verdict(); err.Class() != sources.ClassUnsupported {
		t.Errorf("got %s %v", err.Class(), err)
	}
	// Nothing of a file of this machine is quoted.
	if err := fetch.NewPage("/films/a.strm", "", nil, []byte("smb://user:pw@nas/a")).Verdict(); err.Error() != "a .strm file that names no http or https link" {
		t.Errorf("got %v", err)
	}
	// Where the link has no extension, that of what it leads to counts.
	if err := fetch.NewPage("http://h.example/a", "http://h.example/b.html", nil, []byte("<html>")).Verdict(); err.Class() != sources.ClassUnsupported {
		t.Errorf("got %s %v", err.Class(), err)
	}
}

// TestPageThatIsGone holds what hosters say, in the languages that they say it in.
func TestPageThatIsGone(t *testing.T) {
	for _, words := range []string{
		"This file was deleted by its owner", "Oops! We can't find the video you are looking for", "File is no longer available as it expired or has been deleted",
		"The requested URL was not found on this server", "This content isn't available anymore", "Not Found", "404 - File or directory not found", "410 Gone",
		"Diese Datei existiert nicht mehr", "Das Video wurde entfernt", "Die angeforderte Datei konnte nicht gefunden werden", "Dieses Video ist nicht mehr verfügbar",
		"Le fichier n’existe plus", "Cette vidéo a été supprimée", "Page introuvable", "El vídeo ha sido eliminado", "No se encontró el archivo", "Este video ya no está disponible",
		"O arquivo foi removido", "Página não encontrada", "Este vídeo foi excluído", "Il video è stato rimosso", "Pagina non trovata", "File rimosso",
		"Видео было удалено", "Запрошенная страница не существует", "Ошибка 404", "К сожалению, видео больше не доступно", "Сторінку не знайдено",
		"Nie znaleziono pliku", "Film został usunięty", "Soubor nebyl nalezen", "Súbor neexistuje", "Dosya bulunamadı", "Video kaldırılmış",
		"文件不存在或已被删除", "视频已下架", "页面未找到", "链接已过期", "分享的文件已经被取消了", "找不到檔案", "網頁不存在", "この動画は削除されました", "お探しのページは見つかりませんでした",
		"존재하지 않는 파일입니다", "삭제된 동영상입니다", "تم حذف الملف", "الصفحة غير موجودة", "De video is verwijderd", "Filen kunde inte hittas", "Filen blev ikke fundet", "Sivua ei löydy",
		"A fájl nem található", "Fișierul nu a fost găsit", "Το αρχείο δεν βρέθηκε", "Halaman tidak ditemukan", "Video đã bị xóa", "ไม่พบไฟล์", "הקובץ לא נמצא", "فایل پیدا نشد",
		"Файлът не е намерен", "Datoteka nije pronađena", "Failas nerastas", "Faili ei leitud",
	} {
		page := "<!DOCTYPE html><html><head><title>Example</title></head><body><div><p>" + words + ".</p></div></body></html>"
		for _, body := range []string{page, words, `{"message": "` + words + `"}`} {
			if err := fetch.NewPage("http://h.example/a.mp4", "", nil, []byte(body)).Verdict(); err.Class() != sources.ClassDeadLink {
				t.Errorf("%s: got %s %v", body, err.Class(), err)
			}
		}
	}
}

// TestPageThatIsNotGone holds pages that speak of what is gone and are not about it.
func TestPageThatIsNotGone(t *testing.T) {
	for _, body := range []string{
		"<html><title>Room 404 (2019)</title><p>Watch Error 404 now",
		"<html><title>404 (2011) - watch online</title>",
		"<html><p>If the file was removed, tell us",
		"<html><p>Falls eine Datei nicht gefunden wird, melde sie",
		"<html><p>We removed all ads from our video pages",
		"<html><p>Upload not allowed. Our offer is no longer available",
		"<html><p>Database connection not found",
		"<html><button>删除文件</button><p>在线观看",
		"<html><p>This video is temporarily unavailable",
		"<html><p>Watch" + strings.Repeat("<p>One comment about this film of many", 200) + "<p>The old video was deleted",
		"<html><!-- file not found --><p>Watch", "<html><template><p>File not found</template><p>Watch",
		`<html><p title="File not found">Watch`, `<html><div hidden>File not found</div>Watch`, `<html><div style="Display : None"><div>a</div>File not found</div>Watch`,
		"<html><noscript>Page not found</noscript><style>/* file not found */</style>Watch", "<html><select><option>File deleted</select>Watch",
		`{"code": 500, "id": 404}`, `{"code": 0, "list": [{"id": 404, "status": 1}]}`, `{"msg": "limit reached", "page": 404}`, `["a", 404]`,
		"<Error><Code>AccessDenied</Code></Error>", "Too many connections",
	} {
		err := fetch.NewPage("http://h.example/a.mp4", "", nil, []byte(body)).Verdict()
		if err.Class() != sources.ClassHosterFault {
			t.Errorf("%q: got %s %v", body[:min(len(body), 80)], err.Class(), err)
		}
	}
}

// TestPageWhereMediaWere is about links whose name says nothing: what was media before,
// or what a manifest calls media, and is a page now, is the hoster's fault.
func TestPageWhereMediaWere(t *testing.T) {
	p := fetch.NewPage("http://h.example/d/abc", "", nil, []byte("<html>Sign in"))
	if got := p.Verdict().Class(); got != sources.ClassUnsupported {
		t.Errorf("got %s", got)
	}
	p.Media = true
	if got := p.Verdict().Class(); got != sources.ClassHosterFault {
		t.Errorf("where media were: got %s", got)
	}
}

func FuzzPageVerdict(f *testing.F) {
	for _, s := range []string{"<html><h1>File", "<div hidden><div>", "{\"code\":404}", "\xff\xfe<\x00", "<p style=", "<!--", "404", "文件不存在"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, body string) {
		_ = fetch.NewPage("http://h.example/a.mp4", "", nil, []byte(body)).Verdict().Error()
	})
}
