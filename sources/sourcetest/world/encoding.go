package world

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

// Encoding is how an interface hides its config from other clients.
type Encoding string

// The encodings.
const (
	EncodingNone   Encoding = ""
	EncodingImage  Encoding = "image"  // base64 behind a marker behind the bytes of an image
	EncodingMarker Encoding = "marker" // base64 behind a marker
	EncodingBase64 Encoding = "base64" // base64
	EncodingAES    Encoding = "aes"    // AES-128-CBC, in hex digits and with its key, from "2423" on
)

// Encodings lists all encodings.
func Encodings() []Encoding {
	return []Encoding{EncodingNone, EncodingImage, EncodingMarker, EncodingBase64, EncodingAES}
}

const (
	// image is a GIF of one pixel.
	image = "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	// marker starts base64: eight letters or digits and two asterisks.
	marker = "aB3dE9fG**"
	// The key and the initialization vector of the AES form; the length of the
	// second is fixed. Clients lower them and fill them up with zeros.
	aesKey = "kX7"
	aesIV  = "1700000000000"
)

// Encode is a config as the encoding hides it.
func (e Encoding) Encode(config []byte) []byte {
	switch e {
	case EncodingImage:
		return []byte(image + marker + base64.StdEncoding.EncodeToString(config))
	case EncodingMarker:
		return []byte(marker + base64.StdEncoding.EncodeToString(config))
	case EncodingBase64:
		return []byte(base64.StdEncoding.EncodeToString(config) + "\n")
	case EncodingAES:
		return EncodeAES(config, aesKey, aesIV)
	default:
		return config
	}
}

// EncodeAES is a config in the form of EncodingAES: the hex digits of "$#",
// key, "#$", the encrypted config and iv, and a line end. It panics where key
// has more than 16 bytes or iv has not 13.
func EncodeAES(config []byte, key, iv string) []byte {
	if len(key) > aes.BlockSize || len(iv) != len(aesIV) {
		panic(fmt.Sprintf("world: key %q or iv %q is of the wrong length", key, iv))
	}
	block, err := aes.NewCipher(padded(key))
	if err != nil {
		panic(err) // the length is right
	}
	missing := aes.BlockSize - len(config)%aes.BlockSize
	text := append(bytes.Clone(config), bytes.Repeat([]byte{byte(missing)}, missing)...)
	cipher.NewCBCEncrypter(block, padded(iv)).CryptBlocks(text, text)
	return []byte(hex.EncodeToString([]byte("$#"+key+"#$")) + hex.EncodeToString(text) + hex.EncodeToString([]byte(iv)) + "\n")
}

// padded is s lowered and filled up with the digit zero to a block.
func padded(s string) []byte {
	return []byte(strings.ToLower(s) + strings.Repeat("0", aes.BlockSize-len(s)))
}
