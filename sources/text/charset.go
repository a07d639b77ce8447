package text

import (
	"bytes"
	"mime"
	"regexp"
	"slices"
	"strings"
	"sync"
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
)

// Decode gives the text of a document in UTF-8, without a byte order mark. Its charset
// is that of the mark, else UTF-8 where that is what the bytes are, else the one that
// contentType or an XML declaration names, where the bytes bear that out. Where none is
// named, or a wrong one, it is guessed: UTF-16, GB 18030, which holds GBK, Big5,
// Shift_JIS, EUC-JP, EUC-KR or Windows-1252. What was turned into UTF-8 twice is turned
// back.
//
// Texts of several charsets are read as such: one that cannot be read does not spoil
// the others, and has U+FFFD in its places. ok is false where most of what is not ASCII
// cannot be read.
func Decode(body []byte, contentType string) (decoded []byte, ok bool) {
	if decoded, ok := marked(body); ok {
		return decoded, true
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff")) // the mark of a file that wrote the rest
	if wide := wideUnmarked(body); wide != nil {
		return wide, true
	}
	declared := declaredCharset(body, contentType)
	if utf8.Valid(body) {
		if isChinese(declared) && holdsNoWide(body) && plausible(declared, body) {
			if decoded, ok := decodeAs(declared, body); ok {
				return decoded, true
			}
		}
		return undouble(body), true
	}
	if declared != nil && plausible(declared, body) {
		if decoded, ok := decodeAs(declared, body); ok {
			return decoded, true
		}
	}
	if e := guess(body); e != nil {
		if decoded, ok := decodeAs(e, body); ok {
			return decoded, true
		}
	}
	return decodeParts(body, declared)
}

// IsGBK tells whether a document is in GBK or a charset that holds it: by its bytes, and
// of ASCII alone by what it is said to be in, see Decode.
func IsGBK(body []byte, contentType string) bool {
	said := declaredCharset(body, contentType) == simplifiedchinese.GB18030
	if utf8.Valid(body) {
		return said && asciiCount(body) == len(body)
	}
	return said && plausible(simplifiedchinese.GB18030, body) || guess(body) == simplifiedchinese.GB18030
}

// ToGBK is s, which is in UTF-8, in GBK; ok is false where GBK has not all of it.
func ToGBK(s string) (encoded string, ok bool) {
	encoded, err := simplifiedchinese.GBK.NewEncoder().String(s)
	return encoded, err == nil
}

// marked decodes a text with a byte order mark.
func marked(body []byte) ([]byte, bool) {
	for _, m := range []struct {
		mark string
		as   encoding.Encoding // nil: UTF-8
	}{
		{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}, // starts like UTF-16
		{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"\ufeff", nil},
	} {
		rest, ok := bytes.CutPrefix(body, []byte(m.mark))
		switch {
		case !ok:
		case m.as != nil:
			return decodeAs(m.as, rest)
		case utf8.Valid(rest):
			return rest, true
		}
	}
	return nil, false
}

// wideUnmarked decodes UTF-16 without a mark, in which each ASCII character has a zero
// before or behind it, and few others have one on the other side. It is nil for all else.
func wideUnmarked(body []byte) []byte {
	const looked, least, others = 4096, 8, 4 // one zero in so many bytes, one on the other side in so many zeros
	head := body[:min(len(body), looked)]
	if bytes.IndexByte(head, 0) < 0 {
		return nil
	}
	var zeros [2]int // at even and odd places
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	endian := unicode.LittleEndian
	if zeros[0] > zeros[1] {
		endian = unicode.BigEndian
	}
	if most := max(zeros[0], zeros[1]); min(zeros[0], zeros[1])*others > most || most < 2 || most*least < len(head) {
		return nil
	}
	decoded, ok := decodeAs(unicode.UTF16(endian, unicode.IgnoreBOM), body[:len(body)&^1])
	if !ok || !seemsText(decoded) {
		return nil
	}
	return decoded
}

// seemsText tells text, be it with a few control characters, from other bytes.
func seemsText(decoded []byte) bool {
	const tolerated = 50 // one in so many
	controls := 0
	for _, c := range decoded {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			controls++
		}
	}
	return controls*tolerated <= len(decoded)
}

// maxPreamble is how much may stand before an XML declaration.
const maxPreamble = 4096

var xmlDeclaration = regexp.MustCompile(`(?i)^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']`)

// declaredCharset is the charset that a document is said to have, nil where that is
// none, UTF-8, UTF-16, which is known by its zeros, or one that servers name for all they
// send.
func declaredCharset(body []byte, contentType string) encoding.Encoding {
	var names []string
	if at := bytes.Index(body[:min(len(body), maxPreamble)], []byte("<?xml")); at >= 0 {
		if m := xmlDeclaration.FindSubmatch(body[at:min(len(body), at+256)]); m != nil {
			names = append(names, string(m[1]))
		}
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		names = append(names, params["charset"])
	}
	for _, name := range names {
		e, err := htmlindex.Get(name)
		if err != nil {
			continue
		}
		canonical, _ := htmlindex.Name(e) // it came from there
		if e = wider(e); e != unicode.UTF8 && e != charmap.Windows1252 && !strings.HasPrefix(canonical, "utf-16") {
			return e
		}
	}
	return nil
}

// wider is the charset that holds all of e: GBK is often said to be GB 2312, and GB
// 18030 to be GBK.
func wider(e encoding.Encoding) encoding.Encoding {
	if e == simplifiedchinese.GBK || e == simplifiedchinese.HZGB2312 {
		return simplifiedchinese.GB18030
	}
	return e
}

func isChinese(e encoding.Encoding) bool {
	return e == simplifiedchinese.GB18030 || e == traditionalchinese.Big5
}

// decodeAs decodes body, and tells whether nearly all of it is in that charset.
func decodeAs(e encoding.Encoding, body []byte) ([]byte, bool) {
	const tolerated = 50 // one bad character in so many that are not ASCII
	decoded, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return nil, false
	}
	decoded = bytes.TrimPrefix(decoded, []byte("\ufeff"))
	bad := bytes.Count(decoded, []byte("\ufffd"))
	return decoded, bad == 0 || bad*tolerated <= utf8.RuneCount(decoded)-asciiCount(decoded)
}

func asciiCount(body []byte) int {
	n := 0
	for _, c := range body {
		if c < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// guess tells which charset a text is in that is no UTF-8, nil where that cannot be
// told.
func guess(body []byte) encoding.Encoding {
	gb, big5 := commonGB(body), commonBig5(body)
	switch {
	case isEUCJP(body):
		return japanese.EUCJP
	case isEUCKR(body):
		return korean.EUCKR
	case gb >= likely && gb >= big5:
		return simplifiedchinese.GB18030
	case big5 >= likely:
		return traditionalchinese.Big5
	case isShiftJIS(body):
		return japanese.ShiftJIS
	case isLatin(body):
		return charmap.Windows1252
	}
	return nil
}

// plausible tells whether a text may be in the charset that it is said to be in. The two
// of Chinese are taken for each other; of others the word counts.
func plausible(e encoding.Encoding, body []byte) bool {
	const byChance = 35 // percent
	if !isChinese(e) {
		return true
	}
	own, other := commonGB(body), commonBig5(body)
	if e == traditionalchinese.Big5 {
		own, other = other, own
	}
	return own >= likely || own >= other && own > byChance
}

// likely is how many percent of the characters of a text are common ones, in the charset
// that it is in.
const likely = 60

// commonGB is how many percent of the characters of body, read as GBK, are punctuation
// or of the first level of GB 2312, which holds the common ones.
func commonGB(body []byte) int {
	return share(body, func(lead, trail byte) bool {
		return trail >= 0xa1 && (lead >= 0xa1 && lead <= 0xa3 || lead >= 0xb0 && lead <= 0xd7)
	})
}

// commonBig5 is commonGB of Big5.
func commonBig5(body []byte) int {
	return share(body, func(lead, trail byte) bool {
		return lead >= 0xa1 && lead <= 0xc6 && (trail >= 0x40 && trail <= 0x7e || trail >= 0xa1)
	})
}

// share is how many percent of the pairs of bytes that a text of two-byte characters has
// are common.
func share(body []byte, common func(lead, trail byte) bool) int {
	const looked = 64 << 10
	body = body[:min(len(body), looked)]
	pairs, found := 0, 0
	for i := 0; i < len(body); i++ {
		if body[i] < utf8.RuneSelf {
			continue
		}
		pairs++
		if i+1 < len(body) && body[i+1] >= 0x40 {
			if common(body[i], body[i+1]) {
				found++
			}
			i++
		}
	}
	if pairs == 0 {
		return 0
	}
	return found * 100 / pairs
}

// isEUCJP tells a text in EUC-JP. The codes of its kana are such in GBK too, and
// characters in Big5: it has many different ones, and nothing but two bytes that may
// stand in the charset.
func isEUCJP(body []byte) bool {
	const fewest, share, most = 3, 20, 60 // percent of many pairs, and of few
	pairs, ok := eucPairs(body, 0xf4)
	kana := 0
	for pair := range pairs {
		if lead, trail := pair[0], pair[1]; lead == 0xa4 && trail <= 0xf3 || lead == 0xa5 && trail <= 0xf6 {
			kana++
		}
	}
	if !ok || kana < fewest {
		return false
	}
	if len(pairs) >= sure {
		return kana*100 >= len(pairs)*share
	}
	return kana*100 >= len(pairs)*most
}

// isEUCKR tells a text in EUC-KR: all but a few of its characters are of the part that
// holds the syllables. In GBK and Big5 half of the characters are elsewhere, but for
// those that stand in every answer of a Chinese site.
func isEUCKR(body []byte) bool {
	const fewest, share = 8, 95 // percent
	pairs, ok := eucPairs(body, 0xfd)
	syllables, others, chinese := 0, 0, 0
	for pair := range pairs {
		switch {
		case pair[0] >= 0xb0 && pair[0] <= 0xc8:
			syllables++
			if _, ok := usualChinese()[pair]; ok {
				chinese++
			}
		case pair[0] > 0xa3:
			others++
		}
	}
	return ok && syllables >= fewest && others*share <= syllables*(100-share) && chinese*10 <= syllables
}

// usualChinese are the characters of usual words of sites, in GBK.
var usualChinese = sync.OnceValue(func() map[[2]byte]struct{} {
	words, _ := simplifiedchinese.GBK.NewEncoder().String("高清国产剧第集动漫科幻片大陆港台美日韩电更全季部回番剧场版恐怖惊悚古装爱情家庭纪录冒险犯罪点播资源地区年份不的")
	all, _ := eucPairs([]byte(words), 0xfe)
	return all
})

// sure is how many different characters tell a charset from one in which the same bytes
// are other characters.
const sure = 12

// eucPairs are the different pairs of bytes beyond ASCII of a text, whose first byte is
// last at most; ok tells whether it has nothing else beyond ASCII.
func eucPairs(body []byte, last byte) (pairs map[[2]byte]struct{}, ok bool) {
	const looked, most = 64 << 10, 4096
	pairs = make(map[[2]byte]struct{})
	body = body[:min(len(body), looked)]
	for i := 0; i < len(body) && len(pairs) < most; i++ {
		switch {
		case body[i] < utf8.RuneSelf:
		case body[i] < 0xa1 || body[i] > last:
			return pairs, false
		case i+1 == len(body):
			return pairs, true // cut within a character
		case body[i+1] < 0xa1 || body[i+1] == 0xff:
			return pairs, false
		default:
			pairs[[2]byte{body[i], body[i+1]}] = struct{}{}
			i++
		}
	}
	return pairs, true
}

// isShiftJIS tells a text in Shift_JIS: most of its pairs of bytes are kana, punctuation
// or common characters, and either some of them are kana, or some second bytes no ASCII,
// as those behind a sign of Windows-1252 are.
func isShiftJIS(body []byte) bool {
	const fewest, looked = 4, 64 << 10
	body = body[:min(len(body), looked)]
	pairs, common, kana, beyond := 0, 0, 0, 0
	for i := 0; i < len(body); i++ {
		lead := body[i]
		if lead < utf8.RuneSelf {
			continue
		}
		pairs++
		if lead > 0x9f && lead < 0xe0 || i+1 == len(body) {
			continue // half a kana
		}
		i++
		trail := body[i]
		if trail >= utf8.RuneSelf {
			beyond++
		}
		switch {
		case trail < 0x40 || trail == 0x7f || trail > 0xfc:
		case lead == 0x82 && trail >= 0x9f && trail <= 0xf1, lead == 0x83 && trail <= 0x96:
			kana++
			common++
		case lead == 0x81, lead == 0x82, lead >= 0x88 && lead <= 0x97, lead == 0x98 && trail <= 0x72:
			common++
		}
	}
	return pairs >= fewest && common*100 >= pairs*likely && (kana*4 >= pairs || beyond*4 >= pairs)
}

// isLatin tells a text in Windows-1252: most of what is not ASCII are letters that
// stand alone, or two by two, within words, or quotes and dashes.
func isLatin(body []byte) bool {
	const longest = 2
	letters, others, run := 0, 0, 0
	for i, c := range body {
		if c < utf8.RuneSelf {
			run = 0
			continue
		}
		run++
		between := i > 0 && IsAlnum(body[i-1]) || i+1 < len(body) && IsAlnum(body[i+1])
		if isSign := c == 0x85 || c >= 0x91 && c <= 0x97; isSign && run == 1 && (i+1 == len(body) || body[i+1] < utf8.RuneSelf) {
			letters++
			continue
		}
		if c >= 0xc0 && c != 0xd7 && c != 0xf7 && run <= longest && (between || run == longest) {
			letters++
		} else {
			others++
		}
	}
	return letters > 0 && others*4 <= letters
}

// holdsNoWide tells whether UTF-8 holds characters of two bytes at most: two bytes that
// make one in another charset may be one of them by chance.
func holdsNoWide(body []byte) bool {
	two := false
	for _, c := range body {
		if c >= 0xe0 {
			return false
		}
		two = two || c >= utf8.RuneSelf
	}
	return two
}

// isDelimiter tells whether a text ends where JSON, XML or lines do. No two-byte
// charset has such a byte within a character.
func isDelimiter(c byte) bool { return c == '"' || c == '<' || c == '>' || c == '\n' }

// parts are the pieces of body between delimiters, and the delimiters.
func parts(body []byte) [][]byte {
	var all [][]byte
	for len(body) > 0 {
		end := slices.IndexFunc(body, isDelimiter)
		if end < 0 {
			end = len(body)
		}
		if end > 0 {
			all = append(all, body[:end])
		}
		if end < len(body) {
			all = append(all, body[end:end+1])
			end++
		}
		body = body[end:]
	}
	return all
}

// decodeParts decodes a text of several charsets.
func decodeParts(body []byte, declared encoding.Encoding) ([]byte, bool) {
	var foreign []byte
	for _, part := range parts(body) {
		if !utf8.Valid(part) {
			foreign = append(append(foreign, part...), '\n')
		}
	}
	as := guess(foreign)
	if as == nil {
		as = declared
	}
	var decoded []byte
	readable, broken := 0, 0
	for _, part := range parts(body) {
		switch {
		case utf8.Valid(part):
			if asciiCount(part) < len(part) {
				readable++
			}
			decoded = append(decoded, part...)
			continue
		case as != nil:
			if text, ok := decodeAs(as, part); ok {
				readable++
				decoded = append(decoded, text...)
				continue
			}
		}
		text := bytes.ToValidUTF8(part, []byte("\ufffd"))
		if wholeRunes := utf8.RuneCount(text) - asciiCount(text); bytes.Count(text, []byte("\ufffd"))*2 <= wholeRunes {
			readable++ // cut within a character, say
		} else {
			broken++
		}
		decoded = append(decoded, text...)
	}
	return decoded, broken <= readable
}

// undouble gives texts that were turned from Windows-1252 into UTF-8 though they were
// UTF-8 already as they were before. Others stay.
func undouble(body []byte) []byte {
	if !seemsDoubled(body) {
		return body
	}
	var out []byte
	copied := 0 // bytes of body
	at := 0
	for _, part := range parts(body) {
		if once := undoubled(part); once != nil {
			out = append(append(out, body[copied:at]...), once...)
			copied = at + len(part)
		}
		at += len(part)
	}
	if copied == 0 {
		return body
	}
	return append(out, body[copied:]...)
}

// seemsDoubled tells whether body has what such texts are full of: a Latin letter that
// was the first byte of a character, and behind it what was the second.
func seemsDoubled(body []byte) bool {
	const first, length = 0xc3, 2
	for {
		i := bytes.IndexByte(body, first)
		if i < 0 || i+length >= len(body) {
			return false
		}
		if next := body[i+length]; next >= 0xc2 && next <= 0xcb || next == 0xe2 {
			return true
		}
		body = body[i+length:]
	}
}

// undoubled is what part was before, nil where it is as it ought to be.
func undoubled(part []byte) []byte {
	if !seemsDoubled(part) {
		return nil
	}
	once := make([]byte, 0, len(part))
	for _, r := range string(part) {
		switch c, ok := charmap.Windows1252.EncodeRune(r); {
		case ok:
			once = append(once, c)
		case r >= 0x80 && r <= 0x9f: // what Windows-1252 has not, browsers keep
			once = append(once, byte(r))
		default:
			return nil
		}
	}
	if !utf8.Valid(once) {
		return nil
	}
	return once
}
