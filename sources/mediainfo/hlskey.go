package mediainfo

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"net/url"
	"strings"

	"xship/sources"
	"xship/sources/text"
)

// key fetches the key k: nil where there is none. One that cannot be had keeps
// whoever plays the stream from it, as a missing segment does.
func (h *hls) key(ctx context.Context, r *reader, k *segmentKey) ([]byte, error) {
	switch {
	case k == nil:
		return nil, nil
	case !k.open():
		return nil, unplayable("its segments are under copy protection (%s %s)", text.Clean(k.method), text.Clean(k.format))
	case k.uri == "":
		return nil, unplayable("its segments are encrypted, and the playlist does not name the key")
	case h.keys[k.uri] != nil:
		return h.keys[k.uri], nil
	case h.failed[k.uri] != nil:
		return nil, h.failed[k.uri]
	}
	data, err := h.loadKey(ctx, r, k.uri)
	if len(data) > aes.BlockSize { // players read no further
		data = data[:aes.BlockSize]
	}
	if err == nil && len(data) < aes.BlockSize {
		err = sources.Errorf(sources.ClassHosterFault, "the key of its segments has %d bytes, not %d", len(data), aes.BlockSize)
	}
	if err != nil {
		h.failed[k.uri] = err
		return nil, err
	}
	h.keys[k.uri] = data
	return data, nil
}

func (h *hls) loadKey(ctx context.Context, r *reader, uri string) ([]byte, error) {
	if content, ok := strings.CutPrefix(uri, "data:"); ok {
		return dataURL(content)
	}
	kr, err := h.open(r, segment{uri: uri})
	if err != nil {
		return nil, err
	}
	data, err := kr.start(ctx)
	const longest = 2 * aes.BlockSize // of a key with a line end, or a note, behind it
	if err == nil && len(data) > longest && sniff(data) == kindText {
		return nil, kr.pageError()
	}
	return data, err
}

// dataURL is the content of a URL behind "data:".
func dataURL(content string) ([]byte, error) {
	kind, data, ok := strings.Cut(content, ",")
	if !ok {
		return nil, unplayable("the key of its segments is in a URL that cannot be read")
	}
	var (
		decoded []byte
		err     error
	)
	if strings.HasSuffix(kind, ";base64") {
		decoded, err = base64.StdEncoding.DecodeString(data)
	} else {
		var plain string
		plain, err = url.PathUnescape(data)
		decoded = []byte(plain)
	}
	if err != nil {
		return nil, unplayable("the key of its segments is in a URL that cannot be read")
	}
	return decoded, nil
}

// decrypted is the start of the segment behind r in the clear. number is that of the
// segment, the initialisation vector where k has none. Only whole segments of AES-128
// are encrypted as they stand; with the other method, what tells of tracks is not.
func decrypted(r *reader, k *segmentKey, key []byte, number int64) *reader {
	if k == nil || k.method != aes128 || len(key) != aes.BlockSize {
		return r
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return r
	}
	iv := k.iv
	if len(iv) != aes.BlockSize {
		iv = binary.BigEndian.AppendUint64(make([]byte, 8), uint64(number))
	}
	data := r.buffered(0)
	plain := make([]byte, len(data)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(plain, data[:len(plain)])
	d := newReader(r.budget, r.url, r.headers)
	d.media, d.segment, d.finalURL, d.header = r.media, r.segment, r.finalURL, r.header
	d.whole = true // there is no more of it than this
	d.add(span{0, plain})
	if r.total == int64(len(data)) {
		d.total = int64(len(plain))
	}
	return d
}
