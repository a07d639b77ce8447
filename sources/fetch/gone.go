package fetch

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// goneIn are the words by which a page says that what was asked for is no more, ""
// where it does not. Its title and its headings count as they are. In its text a
// sentence has to name what is gone, and a long page, which has more to tell than
// that, says nothing by one sentence.
func goneIn(p *visible) string {
	for _, head := range p.heads {
		for part := range strings.SplitSeq(head, " | ") {
			part = strings.TrimSpace(part)
			if isGoneStatus(part) || isGone(part) || bareGone().MatchString(part) {
				return part
			}
		}
	}
	const (
		longest = 4000 // bytes of a page that says nothing else
		bare    = 200  // of one that need not name what is gone
	)
	if len(p.text) > longest {
		return ""
	}
	for sentence := range strings.FieldsFuncSeq(p.text, endsSentence) {
		sentence = strings.TrimSpace(sentence)
		if isGone(sentence) || isGoneStatus(sentence) || len(p.text) <= bare && bareGone().MatchString(sentence) {
			return sentence
		}
	}
	return ""
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?\n。！？；;", r) }

// isGone tells whether a sentence in lower case says that something is gone.
func isGone(sentence string) bool {
	const longest = 400
	return len(sentence) <= longest && goneWords().MatchString(sentence) && things().MatchString(sentence) && !supposed().MatchString(sentence)
}

// isGoneStatus tells whether a title is that of an answer 404 or 410.
func isGoneStatus(title string) bool {
	m := statusTitle().FindStringSubmatch(title)
	return m != nil
}

// statusTitle: a film may be called "404", with a year behind it.
var statusTitle = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:http|error|status|code|erreur|fehler|errore|erro|ошибка|помилка|错误|錯誤|エラー|hata)[\s:#/-]*(?:1\.[01] )?)*(?:404|410)` +
		`(?:\s*$|\s*[-–—|:!.,·].*|\s+(?:error|not found|gone|page|file|oops|sorry|nicht|seite|no |introuvable|не |página|找不到|页面|頁面|ページ).*)$`)
})

// things are what can be gone.
var things = sync.OnceValue(func() *regexp.Regexp {
	words := `files?|videos?|movies?|films?|links?|media|streams?|contents?|pages?|urls?|resources?|documents?|items?|objects?|assets?|keys?|embeds?|uploads?|episodes?|` +
		`datei(?:en)?|seite|inhalte?|fichiers?|vidéos?|lien|contenu|archivos?|ficheiros?|ficheros?|vídeos?|página|pagina|enlace|contenido|película|arquivos?|conteúdo|` +
		`contenuto|bestand|plik\p{L}*|wideo|strona|soubor\p{L}*|súbor\p{L}*|stránka|файл\p{L}*|видео\p{L}*|ролик|фильм|страниц\p{L}*|ссылка|контент|відео|сторінк\p{L}*|` +
		`dosya\p{L}*|sayfa\p{L}*|bağlantı\p{L}*|filen|videon|videoen|sidan|siden|tiedosto\p{L}*|sivu\p{L}*|fájl\p{L}*|oldal|fișier\p{L}*|fisier\p{L}*|` +
		`фајл\p{L}*|datotek\p{L}*|failas|fails|faili|αρχείο|βίντεο|σελίδα|berkas|fail|halaman|tập tin|tệp|trang|phim|liên kết`
	parts := `文件|档案|檔案|视频|視頻|影片|资源|資源|链接|連結|鏈接|页面|頁面|网页|網頁|内容|內容|分享|ファイル|動画|ビデオ|ページ|コンテンツ|파일|동영상|비디오|영상|페이지|콘텐츠|링크|` +
		`ไฟล์|วิดีโอ|หน้า|ملف|فيديو|الصفحة|קובץ|סרטון|הדף|فایل|ویدیو|صفحه|फ़ाइल|फाइल|वीडियो|पेज`
	return regexp.MustCompile(`(?:^|\P{L})(?:` + words + `)(?:\P{L}|$)|` + parts)
})

const (
	goneLatin = `not (?:be )?(?:\pL+ )?found|(?:could|can|did)(?: not|n[’']t|not|['’]t) find|(?:was|were|been|is|are|got) (?:\pL+ ){0,2}(?:removed|deleted|erased|taken down)|` +
		`(?:file|video|content|link|page|media)s? (?:removed|deleted|expired|missing)|removed (?:due|for|by|because)|(?:does not|doesn[’']t|no longer|not) exists?|` +
		`no longer (?:\pL+ )?available|(?:not|(?:is|are|was)n[’']t) (?:\pL+ )?available any ?more|(?:has|have|is) expired|(?:is|are) gone|no such|` +
		`nicht (?:mehr )?(?:gefunden|vorhanden)|nicht mehr (?:verfügbar|da)|gelöscht|entfernt|existiert (?:\pL+ )?nicht|abgelaufen|` +
		`introuvables?|supprimée?s?|n[’']existe (?:plus|pas)|n[’']a (?:pas )?été trouvée?|non trouvée?|n[’']est plus disponible|expirée?|` +
		`no (?:se )?(?:ha |fue |pudo )?(?:sido |ser )?encontrad[oa]|no (?:se )?encontr(?:ó|amos|aron)|no existe|ya no (?:existe|está disponible)|eliminad[oa]|borrad[oa]|caducad[oa]|expirad[oa]|` +
		`não (?:foi )?encontrad[oa]|não existe|removid[oa]|excluíd[oa]|apagad[oa]|deletad[oa]|não está mais disponível|` +
		`non (?:è stat[oa] )?trovat[oa]|non esiste|rimoss[oa]|eliminat[oa]|cancellat[oa]|non è più disponibile|scadut[oa]|` +
		`niet gevonden|verwijderd|bestaat niet|niet (?:langer|meer) beschikbaar|verlopen|` +
		`nie (?:został[oa]? )?znalezion\pL*|nie istnieje|usunięt\pL*|skasowan\pL*|wygas\pL*|nie jest już dostępn\pL*|` +
		`nenalezen\pL*|nebyl\pL* nalezen\pL*|nenájden\pL*|neexistuje|smazán\pL*|zmazan\pL*|odstraněn\pL*|odstránen\pL*|` +
		`bulunamadı|bulunmuyor|silin(?:miş|di)\pL*|kaldırıl(?:mış|dı)\pL*|mevcut değil|` +
		`hittades inte|inte hittas|finns inte|borttage[nt]|raderats?|tagits bort|ikke fundet|ikke funnet|findes ikke|finnes ikke|slettet|fjernet|ei löy\pL*|on poistettu|` +
		`nem található|törölték|nu a fost găsit\pL*|nu există|șters|a fost eliminat|` +
		`tidak ditemukan|(?:telah|sudah) dihapus|tidak ada|tidak dijumpai|sudah tidak tersedia|tidak tersedia lagi|nije pronađen\pL*|ni bil\pL* najden\pL*|nerast\pL*|nav atrast\pL*|ei leitud|không tồn tại|không tìm thấy|bị x(?:óa|oá)`
	goneOther = `не (?:был[ао]? )?найден\pL*|удал[её]н\pL*|не существует|больше не (?:доступ|существ)\pL*|не знайден\pL*|не е намерен\pL*|није пронађен\pL*|видален\pL*|не існує|` +
		`δεν βρέθηκε|διαγράφηκε|δεν υπάρχει|αφαιρέθηκε|ไม่พบ|ถูกลบ|غير موجود|محذوف|تم حذف|لم يتم العثور|تمت? إزالة|לא נמצא|נמחק|הוסר|` +
		`یافت نشد|حذف شده|پیدا نشد|وجود ندارد|नहीं मिल[ाी]|हटा दि|मौजूद नहीं|` +
		`不存在|(?:已|被)(?:删除|刪除|移除)|已失效|已[过過]期|找不到|未找到|[没沒]有找到|已下架|已经?被?取消|已經被?取消|見つかりません|削除され|存在しません|存在しない|찾을 수 없|삭제(?:된|되|됐|했)|존재하지 않`
)

// goneWords are how languages say that something is gone: for good, and not for now.
var goneWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\P{L})(?:` + goneLatin + `)(?:\P{L}|$)|` + goneOther)
})

// bareGone are titles that need not name what is gone.
var bareGone = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + goneLatin + `|` + goneOther + `)$`)
})

// supposed are sentences about what may happen to a file one day.
var supposed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\P{L})(?:if|when|wenn|falls|si|если|als|jeśli|eğer|jika|nếu)(?:\P{L}|$)|如果|若`)
})

// statusNames are the members of JSON that hold a status, in lower case without "_".
var statusNames = map[string]bool{
	"code": true, "status": true, "statuscode": true, "errorcode": true, "errcode": true, "errno": true, "httpcode": true, "httpstatus": true, "httpstatuscode": true,
}

// messageNames are those that say what happened.
var messageNames = map[string]bool{
	"error": true, "message": true, "msg": true, "reason": true, "type": true, "code": true, "status": true, "errorcode": true, "errormessage": true, "detail": true, "info": true,
}

// goneInJSON is goneIn for JSON, "" also for what is none.
func goneInJSON(text string) string {
	var document any
	if json.Unmarshal([]byte(text), &document) != nil {
		return ""
	}
	return goneInValue("", document)
}

// wordMarks stand between the words of a name in JSON.
var wordMarks = strings.NewReplacer("_", "", "-", "")

func goneInValue(name string, value any) string {
	name = strings.ToLower(wordMarks.Replace(name))
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if words := goneInValue(name, member); words != "" {
				return words
			}
		}
	case []any:
		const most = 4 // of a list of errors; a long list is an answer
		for _, element := range v[:min(len(v), most)] {
			if words := goneInValue(name, element); words != "" {
				return words
			}
		}
	case float64:
		if statusNames[name] && (v == 404 || v == 410) {
			return name + " " + map[bool]string{true: "404", false: "410"}[v == 404]
		}
	case string:
		words := strings.ToLower(separateWords(v))
		switch {
		case statusNames[name] && (words == "404" || words == "410"):
			return name + " " + words
		case messageNames[name] && (bareGone().MatchString(words) || isGoneStatus(words) || words == "deleted" || words == "removed" || words == "gone"):
			return words
		}
		for sentence := range strings.FieldsFuncSeq(words, endsSentence) {
			if isGone(strings.TrimSpace(sentence)) {
				return strings.TrimSpace(sentence)
			}
		}
	}
	return ""
}

// separateWords is an identifier, "NoSuchKey" or "file_not_found", as words.
func separateWords(s string) string {
	if strings.ContainsFunc(s, unicode.IsSpace) {
		return s
	}
	var b strings.Builder
	var last rune
	for _, r := range s {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		if r == '_' || r == '-' {
			r = ' '
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}
