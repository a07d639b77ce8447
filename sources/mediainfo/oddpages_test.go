package mediainfo_test

import (
	"xship/sources"
)

func oddPages() []odd {
	dead, fault, unsupported := sources.ClassDeadLink, sources.ClassHosterFault, sources.ClassUnsupported
	const gone, html, media = "the hoster says that it is gone", "text/html; charset=utf-8", "/v/film.mp4"
	page := func(title, body string) string {
		return "<!DOCTYPE html><html><head><meta charset=utf-8><title>" + title + "</title></head><body>" + body + "</body></html>"
	}
	var rows []odd
	for language, words := range map[string]string{
		"English": "The file you were looking for could not be found, sorry for any inconvenience.", "English, removed": "This video was removed by the uploader.",
		"English, expired": "This file has expired and is no longer available.", "English, DMCA": "This video has been removed due to a copyright claim (DMCA).",
		"German": "Die Datei wurde nicht gefunden.", "German, deleted": "Dieses Video wurde vom Nutzer gelöscht.",
		"French": "Fichier introuvable", "French, deleted": "Ce fichier a été supprimé ou n'existe plus.",
		"Spanish": "El archivo no existe o ha sido eliminado.", "Portuguese": "Arquivo não encontrado", "Italian": "Il file non è stato trovato",
		"Russian": "Файл удалён", "Russian, not found": "Запрашиваемый файл не найден", "Polish": "Plik nie został znaleziony",
		"Turkish": "Dosya bulunamadı", "Chinese": "文件已被删除", "Chinese, traditional": "檔案不存在", "Japanese": "ファイルが見つかりません。",
		"Korean": "삭제된 파일입니다", "Arabic": "الملف غير موجود", "Dutch": "Bestand niet gevonden", "Czech": "Soubor nenalezen", "Vietnamese": "Tập tin không tồn tại",
		"Swedish": "Filen hittades inte", "Ukrainian": "Файл видалено", "Indonesian": "File tidak ditemukan",
	} {
		rows = append(rows, odd{name: "gone: " + language, path: media, serve: one(sends(html, []byte(page("Example Host", "<h1>"+words+"</h1>")))), want: dead, why: gone})
	}
	for name, body := range map[string]string{
		"JSON code": `{"code":404,"msg":"not found"}`, "JSON status": `{"status":"error","error":{"code":"file_not_found","message":"nope"}}`,
		"JSON status as a number": `{"success":false,"status":410}`, "JSON words": `{"error":"File not found"}`, "JSON escaped": `{"msg":"\u6587\u4ef6\u4e0d\u5b58\u5728"}`,
		"JSON Chinese": `{"code":-1,"message":"资源不存在"}`, "XML NoSuchKey": `<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>`,
		"plain text": "File not found", "plain text, 404": "404 Not Found\n",
	} {
		rows = append(rows, odd{name: "gone: " + name, path: media, serve: one(sends("", []byte(body))), want: dead, why: gone})
	}
	return append(rows,
		odd{name: "gone: a page titled 404 Not Found", path: media, serve: one(sends(html, []byte(page("404 Not Found", "<center>nginx</center>")))), want: dead, why: gone},
		odd{name: "gone: a page headed Error 404", path: media, serve: one(sends(html, []byte(page("Host", "<h1>Error 404</h1><p>Sorry</p>")))), want: dead, why: gone},
		odd{name: "gone: entities and tags between the words", path: media, serve: one(sends(html, []byte(page("Host", "<h1>File&nbsp;<b>not</b>\n found</h1>")))), want: dead, why: gone},
		odd{name: "gone: in windows-1251", path: media, serve: one(sends("text/html; charset=windows-1251", []byte("<html><title>\xd4\xe0\xe9\xeb \xed\xe5 \xed\xe0\xe9\xe4\xe5\xed</title><body>"))), want: dead, why: gone},
		odd{name: "gone: in ISO-8859-1", path: media, serve: one(sends("text/html; charset=iso-8859-1", []byte("<html><body><p>Fichier supprim\xe9"))), want: dead, why: gone},
		odd{name: "gone: in GBK by its meta tag", path: media, serve: one(sends("text/html", []byte("<html><meta charset=gbk><body>\xce\xc4\xbc\xfe\xb2\xbb\xb4\xe6\xd4\xda"))), want: dead, why: gone},

		odd{name: "page: gone only in a script", path: media, serve: one(sends(html, []byte(page("Film", "<video></video><script>var m={e:'This file is no longer available',n:'404 not found'}</script>")))), want: fault, why: "a page where media should be; it does not say that the film is gone"},
		odd{name: "page: gone only in a comment", path: media, serve: one(sends(html, []byte(page("Film", "<!-- file not found --><video></video>")))), want: fault, why: "a page where media should be; it does not say that the film is gone"},
		odd{name: "page: gone only in a template", path: media, serve: one(sends(html, []byte(page("Film", "<template><p>File not found</p></template><p>Watch</p>")))), want: fault, why: "a page where media should be; it does not say that the film is gone"},
		odd{name: "page: gone only in an attribute", path: media, serve: one(sends(html, []byte(page("Film", `<div data-error="File not found">Watch</div>`)))), want: fault, why: "a page where media should be; it does not say that the film is gone"},
		odd{name: "page: gone only in what is hidden", path: media, serve: one(sends(html, []byte(page("Film", `<div style="display: none">File not found</div><div hidden>File was deleted</div>Watch`)))), want: fault, why: "a page where media should be; it does not say that the film is gone"},
		odd{name: "page: 404 in the name of a film", path: media, serve: one(sends(html, []byte(page("Room 404 (2019)", "<p>Watch Error 404 now</p>")))), want: fault, why: "a page where media should be; it does not say that the film is gone"},
		odd{name: "page: login", path: media, serve: one(sends(html, []byte(page("Sign in", "<form><input type=password></form>")))), want: fault, why: "a page where media should be"},
		odd{name: "page: of a link that is named like one", path: "/film.html", serve: one(sends(html, []byte(page("Film", "<p>Watch")))), want: unsupported, why: "a page behind a link that never named media"},
		odd{name: "page: of a link that names nothing", path: "/d/abc", serve: one(sends(html, []byte(page("Film", "<p>Watch")))), want: unsupported, why: "a page behind a link that never named media"},
		odd{name: "page: login, of a link that names nothing", path: "/d/abc", serve: one(sends(html, []byte(page("Sign in", "<form>")))), want: unsupported, why: "a page behind a link that never named media"},
		odd{name: "page: waits", path: media, serve: one(sends(html, []byte(page("Wait", "Your download starts in 30 seconds")))), want: fault, why: "a page where media should be"},
		odd{name: "page: challenge", path: media, serve: one(sends(html, []byte(page("Just a moment...", "<script src=/cdn-cgi/challenge-platform/x></script>")))), want: unsupported, why: "it wants a browser"},
		odd{name: "page: captcha", path: media, serve: one(sends(html, []byte(page("Check", `<div class="h-captcha"></div>`)))), want: unsupported, why: "it wants a browser"},
		odd{name: "page: JSON of a limit", path: media, serve: one(sends("application/json", []byte(`{"code":1,"msg":"limit reached"}`))), want: fault, why: "JSON where media should be"},
		odd{name: "page: JSON of a fault that holds 404 as a number of its own", path: media, serve: one(sends("application/json", []byte(`{"code":500,"id":404,"msg":"oops"}`))), want: fault, why: "JSON where media should be"},
		odd{name: "page: AccessDenied", path: media, serve: one(sends("application/xml", []byte(`<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`))), want: fault, why: "XML where media should be"},
		odd{name: "page: text", path: media, serve: one(sends("text/plain", []byte("Too many connections\n"))), want: fault, why: "text where media should be"},
		odd{name: "page: of a hoster's own fault", path: media, serve: one(sends(html, []byte(page("Error", "Database connection not found")))), want: fault, why: "a page where media should be"},
	)
}
