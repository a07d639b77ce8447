package vod

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"xship/sources/text"
)

// maxShells bounds how often a config may be encoded.
const maxShells = 4

const (
	markerSize = 8  // letters and digits before the asterisks of a marker, at least
	minBase64  = 16 // characters of a body that is base64 without a marker
	ivSize     = 13 // characters of the initialisation vector of an encrypted config
)

// behindMarker decodes the base64 behind a marker, letters and digits before two
// asterisks, wherever it stands: an image in front may hold bytes that look like
// one. found tells whether there was any; the text is nil where none can be decoded.
func behindMarker(body []byte) (text []byte, found bool) {
	if start, _, ok := bytes.Cut(body[:min(len(body), markerSize+2)], []byte("**")); ok {
		found = isMarker(start) && bytes.ContainsAny(start, "0123456789") // such a word begins no text
	}
	for {
		i := bytes.Index(body, []byte("**"))
		if i < 0 {
			return nil, found
		}
		if isMarker(body[:i]) {
			if text, _ := decodeBase64(body[i+2:]); isText(text) {
				return text, true
			}
			found = found || isBase64Start(body[i+2:])
		}
		body = body[i+2:]
	}
}

// isBase64Start tells base64, be it damaged further on, from the bold words of
// Markdown, which stand between such asterisks: it starts with a long row of digits
// that no asterisk ends.
func isBase64Start(s []byte) bool {
	end := base64End(s)
	row, _, _ := bytes.Cut(s[:end], []byte(" "))
	row, _, _ = bytes.Cut(row, []byte("\n"))
	return len(bytes.TrimSpace(row)) >= minBase64 && !bytes.HasPrefix(s[end:], []byte("*"))
}

func isMarker(before []byte) bool {
	if len(before) < markerSize {
		return false
	}
	for _, c := range before[len(before)-markerSize:] {
		if !isAlphanumeric(c) {
			return false
		}
	}
	return true
}

// wholeBase64 decodes a body that is base64 and nothing else, and gives nil for
// any other.
func wholeBase64(body []byte) []byte {
	if len(body) < minBase64 {
		return nil
	}
	text, rest := decodeBase64(body)
	if len(bytes.Trim(rest, "= \t\r\n")) > 0 || !isText(text) {
		return nil
	}
	return text
}

// startsLikeBase64 knows base64 of a text that starts with a brace, a comment or a
// byte order mark.
func startsLikeBase64(body []byte) bool {
	head := body[:min(len(body), headSize)]
	for _, prefix := range []string{"ey", "ew", "Ly8", "Iy", "77u/"} {
		if bytes.HasPrefix(head, []byte(prefix)) {
			row, _, _ := bytes.Cut(head, []byte(" ")) // of words, the first one
			return len(row) >= 2*minBase64 && len(bytes.TrimRight(head[base64End(head):], "= \t\r\n")) == 0
		}
	}
	return false
}

// decodeBase64 decodes base64 of either alphabet, with or without white space and
// padding, up to the first byte that cannot belong to it. The text is nil where
// that is not possible.
func decodeBase64(body []byte) (text, rest []byte) {
	end := base64End(body)
	digits := withoutSpace(body[:end])
	if bytes.IndexByte(digits, '-') >= 0 || bytes.IndexByte(digits, '_') >= 0 {
		digits = bytes.ReplaceAll(bytes.ReplaceAll(digits, []byte("-"), []byte("+")), []byte("_"), []byte("/"))
	}
	text, err := base64.RawStdEncoding.AppendDecode(nil, digits)
	if err != nil {
		return nil, body[end:]
	}
	return text, body[end:]
}

// base64Bytes are the digits of base64, of either alphabet, and white space.
var base64Bytes = func() (is [256]bool) {
	for c := range is {
		b := byte(c)
		is[c] = isAlphanumeric(b) || isSpace(b) || b == '+' || b == '/' || b == '-' || b == '_'
	}
	return is
}()

// base64End is where a run of base64 digits and white space ends.
func base64End(body []byte) int {
	for i, c := range body {
		if !base64Bytes[c] {
			return i
		}
	}
	return len(body)
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// whiteSpace may stand between digits.
const whiteSpace = " \t\r\n"

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n'
}

// isText tells a decoded text, in any charset, from what a wrong key or chance makes.
func isText(body []byte) bool {
	decoded, ok := text.Decode(body, "")
	return ok && len(decoded) > 0 && !hasZero(decoded)
}

// isCipher knows the hex digits of an encrypted config, whose bytes start with "$#".
func isCipher(head []byte) bool {
	return bytes.HasPrefix(head, []byte("2423")) && len(bytes.Trim(head, "0123456789abcdefABCDEF\r\n\t ")) == 0
}

// decrypt reads an encrypted config: in hex digits "$#", a key, "#$", AES-CBC with
// PKCS #7 padding, and an initialisation vector of 13 characters. Both key and
// vector are in lower case and filled up with zeros.
func decrypt(body []byte) ([]byte, error) {
	raw, err := hex.AppendDecode(nil, withoutSpace(body))
	if err != nil {
		return nil, errors.New("it is not hexadecimal throughout")
	}
	key, sealed, ok := bytes.Cut(raw[len("$#"):], []byte("#$"))
	if !ok {
		return nil, errors.New("its key has no end")
	}
	size := len(sealed) - ivSize
	if size < aes.BlockSize || size%aes.BlockSize != 0 {
		return nil, errors.New("it is cut off")
	}
	if len(key) > aes.BlockSize {
		return nil, fmt.Errorf("its key has more than %d bytes", aes.BlockSize)
	}
	block, err := aes.NewCipher(zeroFilled(key))
	if err != nil {
		return nil, err
	}
	text := make([]byte, size)
	cipher.NewCBCDecrypter(block, zeroFilled(sealed[size:])).CryptBlocks(text, sealed[:size])
	text, ok = unpad(text)
	if !ok || !isText(text) {
		return nil, errors.New("its key does not fit")
	}
	return text, nil
}

// withoutSpace is body, or a copy of it where there is white space within.
func withoutSpace(body []byte) []byte {
	body = bytes.Trim(body, whiteSpace)
	if !slices.ContainsFunc([]byte(whiteSpace), func(c byte) bool { return bytes.IndexByte(body, c) >= 0 }) {
		return body
	}
	out := make([]byte, 0, len(body))
	for len(body) > 0 {
		end := slices.IndexFunc(body, isSpace)
		if end < 0 {
			end = len(body)
		}
		out = append(out, body[:end]...)
		body = bytes.TrimLeft(body[end:], whiteSpace)
	}
	return out
}

// zeroFilled is s in lower case with the digit zero appended up to one block.
func zeroFilled(s []byte) []byte {
	block := bytes.Repeat([]byte{'0'}, aes.BlockSize)
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		block[i] = c
	}
	return block
}

// unpad removes PKCS #7 padding from whole blocks.
func unpad(text []byte) ([]byte, bool) {
	n := int(text[len(text)-1])
	if n == 0 || n > aes.BlockSize {
		return nil, false
	}
	body, padding := text[:len(text)-n], text[len(text)-n:]
	return body, len(bytes.Trim(padding, string(rune(n)))) == 0
}
