package direct

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
)

// pageError is text where media should be.
type pageError struct {
	what  string // it is
	title string // of it, "" where unknown
	class sources.Class
}

func (e *pageError) Error() string {
	if e.title != "" {
		return fmt.Sprintf("%s: %s", e.what, e.title)
	}
	return e.what
}

// Class implements sources.Classifier.
func (e *pageError) Class() sources.Class { return e.class }

// Is makes a page a sources.ErrPage, unless it says that the link is dead.
func (e *pageError) Is(target error) bool {
	return target == sources.ErrPage && e.class != sources.ClassDeadLink
}

// gone are the words by which hosters say that a file is no more, in lower case.
var gone = []string{
	"file not found", "file was not found", "video not found", "file does not exist", "file doesn't exist", "file no longer exists",
	"file removed", "file was removed", "file has been removed", "video was removed", "video has been removed",
	"file deleted", "file was deleted", "file has been deleted", "video was deleted", "video has been deleted",
	"file is no longer available", "video is no longer available", "removed due to a copyright", "removed for copyright",
	"datei nicht gefunden", "datei wurde gelöscht", "datei existiert nicht", "video wurde gelöscht", "video nicht gefunden",
	"fichier introuvable", "fichier supprimé", "fichier a été supprimé", "archivo no encontrado", "archivo ha sido eliminado", "archivo eliminado",
	"file non trovato", "file è stato rimosso", "файл не найден", "файл удален", "файл удалён", "plik nie istnieje", "plik został usunięty",
	"文件不存在", "文件已删除", "文件已被删除", "视频不存在", "视频已删除", "视频已被删除", "资源不存在", "ファイルが見つかりません", "파일을 찾을 수 없습니다",
}

// lookText is look for text.
func lookText(head []byte, name string) (content, error) {
	text := strings.TrimSpace(strings.TrimPrefix(string(head), "\ufeff"))
	switch mime := link.ManifestOf(head); {
	case mime == link.MIMEHLS && !strings.Contains(text, "#EXT-X-"):
		return content{}, &pageError{what: "a list of channels where media should be", class: sources.ClassHosterFault}
	case mime != "":
		return content{mime: mime}, nil
	}
	if named := strmLink(text); named != "" {
		return content{link: named}, nil
	}
	return content{}, textError(head, text, name)
}

// strmLink is what a .strm file names: its first line that is neither empty
// nor a property for Kodi. Only http and https links are taken, so that no file
// of the network can name one of this machine.
func strmLink(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if isHTTP(line) && !strings.ContainsAny(line, "\t<>\"") {
			return line
		}
		return ""
	}
	return ""
}

// textError says what text is, which is no media.
func textError(head []byte, text, name string) *pageError {
	said := strings.ToLower(withoutScripts(text))
	for _, words := range gone {
		if strings.Contains(said, words) {
			return &pageError{what: fmt.Sprintf("it says %q", words), class: sources.ClassDeadLink}
		}
	}
	ext := strings.ToLower(path.Ext(name))
	switch {
	case fetch.IsHTML(head) && (ext == ".html" || ext == ".htm"):
		return &pageError{what: "a web page, which needs a parser", class: sources.ClassUnsupported}
	case fetch.IsHTML(head):
		return &pageError{what: "a web page where media should be", class: sources.ClassHosterFault}
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return &pageError{what: "JSON where media should be", class: sources.ClassHosterFault}
	case ext == ".strm":
		return &pageError{what: "a .strm file that names no http or https link", class: sources.ClassUnsupported}
	default:
		return &pageError{what: "text where media should be", class: sources.ClassHosterFault}
	}
}

var scripts = regexp.MustCompile(`(?is)<(?:script|style)\b.*?(?:</(?:script|style)>|$)`)

// withoutScripts is a page without what it does not show: the messages that
// its script might show are no news.
func withoutScripts(page string) string { return scripts.ReplaceAllString(page, "") }
