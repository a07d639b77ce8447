package vod

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// seal encrypts a config as its publishers do.
func seal(tb testing.TB, plain, key, iv string) string {
	tb.Helper()
	n := aes.BlockSize - len(plain)%aes.BlockSize
	return sealBlocks(tb, plain+strings.Repeat(string(rune(n)), n), key, iv)
}

// sealBlocks is seal with the padding given.
func sealBlocks(tb testing.TB, padded, key, iv string) string {
	tb.Helper()
	block, err := aes.NewCipher(filled(key))
	if err != nil {
		tb.Fatal(err)
	}
	text := []byte(padded)
	cipher.NewCBCEncrypter(block, filled(iv)).CryptBlocks(text, text)
	return hex.EncodeToString([]byte("$#"+key+"#$")) + hex.EncodeToString(text) + hex.EncodeToString([]byte(iv))
}

func filled(s string) []byte { return []byte((strings.ToLower(s) + strings.Repeat("0", 16))[:16]) }

func TestDecrypt(t *testing.T) {
	const plain, iv = `// 名字` + "\n" + `{"sites":[]}`, "1700000000000"
	tests := []struct{ name, in string }{
		{"key of three", seal(t, plain, "abc", iv)},
		{"key of sixteen", seal(t, plain, "0123456789abcdef", iv)},
		{"no key", seal(t, plain, "", iv)},
		{"key in upper case", seal(t, plain, "XcBox", "ABCDEFGHIJKLM")},
		{"end of key at an odd digit", seal(t, plain, "xb2Dx", iv)}, // 78 62 32 44 78: 2324 stands across two bytes
		{"digits in upper case", strings.ToUpper(seal(t, plain, "abc", iv))},
		{"white space", " " + strings.Join(strings.SplitAfter(seal(t, plain, "abc", iv), "7"), "\r\n") + "\t\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decrypt([]byte(tt.in))
			if err != nil || string(got) != plain {
				t.Errorf("decrypt = %q, %v", got, err)
			}
		})
	}
	if digits := tests[4].in; strings.Index(digits, "2324")%2 == 0 {
		t.Errorf("the first 2324 in %s is at an even digit, which proves nothing", digits)
	}
}

func TestDecrypt_error(t *testing.T) {
	const iv = "1700000000000"
	good := seal(t, `{"sites":[]}`, "abc", iv)
	tests := []struct{ name, in, want string }{
		{"nothing but the start", "2423", "its key has no end"},
		{"key without end", "2423616263", "its key has no end"},
		{"no text", hex.EncodeToString([]byte("$#abc#$" + iv)), "it is cut off"},
		{"short vector", hex.EncodeToString([]byte("$#abc#$x")), "it is cut off"},
		{"cut", good[:len(good)-2], "it is cut off"},
		{"odd", good[:len(good)-1], "it is not hexadecimal throughout"},
		{"not hexadecimal", good[:20] + "zz" + good[20:], "it is not hexadecimal throughout"},
		{"long key", hex.EncodeToString([]byte("$#0123456789abcdefX#$" + strings.Repeat("x", 16) + iv)), "its key has more than 16 bytes"},
		{"other key", strings.Replace(good, "616263", "616264", 1), "its key does not fit"},
		{"other vector", good[:len(good)-26] + hex.EncodeToString([]byte("9999999999999")), "its key does not fit"},
		{"no padding", sealBlocks(t, strings.Repeat(" ", 16), "abc", iv), "its key does not fit"},
		{"padding of zero", sealBlocks(t, strings.Repeat("a", 15)+"\x00", "abc", iv), "its key does not fit"},
		{"padding that differs", sealBlocks(t, strings.Repeat("a", 14)+"\x03\x02", "abc", iv), "its key does not fit"},
		{"nothing but padding", seal(t, "", "abc", iv), "its key does not fit"},
		{"binary", seal(t, "\xff\x00", "abc", iv), "its key does not fit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := decrypt([]byte(tt.in))
			if err == nil || err.Error() != tt.want {
				t.Errorf("decrypt = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestUnpack(t *testing.T) {
	const plain = `{"sites":[{"key":"名字??>>~~"}]}` // its base64 holds + and /
	std := base64.StdEncoding.EncodeToString([]byte(plain))
	plainURL := base64.URLEncoding.EncodeToString([]byte(plain))
	if !strings.ContainsAny(std, "+/") || !strings.HasSuffix(std, "=") {
		t.Fatalf("%s does not tell the alphabets and paddings apart", std)
	}
	const jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF\x00"
	tests := []struct{ name, in, inside string }{
		{"plain", plain, ""},
		{"base64", std, "inside base64: "},
		{"without padding", strings.TrimRight(std, "="), "inside base64: "},
		{"URL alphabet", plainURL, "inside base64: "},
		{"URL alphabet without padding", strings.TrimRight(plainURL, "="), "inside base64: "},
		{"lines", "\ufeff" + std[:20] + "\r\n " + std[20:] + "\n", "inside base64: "},
		{"marker of eight", "a1B2c3D4**" + std, "inside base64 behind a ** marker: "},
		{"marker of digits", "12345678**" + std, "inside base64 behind a ** marker: "},
		{"marker of sixteen", "a1B2c3D4e5F6g7H8**" + plainURL, "inside base64 behind a ** marker: "},
		{"junk behind", "a1B2c3D4**" + std + "\x00\xff\xd9", "inside base64 behind a ** marker: "},
		{"second marker", "see 12345678**!! a1B2c3D4**" + std, "inside base64 behind a ** marker: "},
		{"image", jpeg + "**a**\xff\xd9a1B2c3D4**" + std, "inside a JPEG image: "},
		{"marker in an image", jpeg + "a1B2c3D4**gICA\xff\xd9a1B2c3D4**" + std, "inside a JPEG image: "},
		{"encrypted", seal(t, plain, "key", "1700000000000"), "inside an encrypted config: "},
		{
			"encrypted in base64 in an image",
			"\x89PNG\x00a1B2c3D4**" + base64.StdEncoding.EncodeToString([]byte(seal(t, plain, "key", "1700000000000"))),
			"inside a PNG image: inside an encrypted config: ",
		},
		{"base64 in base64", base64.StdEncoding.EncodeToString([]byte(std)), "inside base64: inside base64: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, inside, err := unpack(Document{Body: []byte(tt.in), ContentType: "text/html"})
			if err != nil {
				t.Fatal(err)
			}
			if string(body) != plain || inside != tt.inside {
				t.Errorf("unpack = %q, %q; want %q", body, inside, tt.inside)
			}
		})
	}
}

func TestUnpack_bounds(t *testing.T) {
	body := []byte(`{"sites":[]}     `)
	for range maxShells {
		body = base64.StdEncoding.AppendEncode(nil, body)
	}
	if _, _, err := unpack(Document{Body: body}); err != nil {
		t.Errorf("%d times encoded: %v", maxShells, err)
	}
	body = base64.StdEncoding.AppendEncode(nil, body)
	_, _, err := unpack(Document{Body: body})
	if err == nil || err.Cause != CauseEncoded || err.Detail != "got a config that is encoded more than 4 times" {
		t.Errorf("%d times encoded: %v", maxShells+1, err)
	}
}

// TestUnpack_hostile has long bodies that look for quadratic work.
func TestUnpack_hostile(t *testing.T) {
	for _, pattern := range []string{"a1B2c3D4**", "\x89PNG\x00**", "a1B2c3D4**a1B2c3D4", "2423", "23242423", "**", "ey\n", "=*a1B2c3D4"} {
		for _, start := range []string{"", "\x89PNG\x00", "2423"} {
			body := bytes.Repeat([]byte(pattern), (1<<19)/len(pattern))
			if _, _, err := parse(Document{Body: append([]byte(start), body...)}); err == nil || err.Cause == "" {
				t.Errorf("%q after %q: %v", pattern, start, err)
			}
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, seed := range []string{
		`{"sites":[]}`, "eyJzaXRlcyI6W119", "a1B2c3D4**eyJzaXRlcyI6W119", "\xff\xd8\xff\x00a1B2c3D4**eyJzaXRlcyI6W10", "2423#$", "242361232431",
		seal(f, `{"sites":[]}`, "abc", "1700000000000"), "BM\x00\x00**", "ZXlKemFYUmxjeUk2VzEwOQ==", "<html>", "#EXTM3U", "{s\"v[e\"s\xe1t",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		body, _, err := unpack(Document{Body: in})
		switch {
		case err != nil && (err.Cause == "" || err.Detail == "" || err.Hint == ""):
			t.Fatalf("error %#v says too little", err)
		case err == nil && len(body) > 3*len(in): // a character of one byte may take three in UTF-8
			t.Fatalf("%d bytes became %d", len(in), len(body))
		}
	})
}

// FuzzDecrypt seals what it is given and opens it again.
func FuzzDecrypt(f *testing.F) {
	f.Add("{}", "abc", "1700000000000")
	f.Add("// 名\n{}", "b2d#", "abcdefghijklm")
	f.Fuzz(func(t *testing.T, plain, key, iv string) {
		if len(key) > aes.BlockSize || strings.Index(key+"#$", "#$") != len(key) || len(iv) != ivSize || !isText([]byte(plain)) {
			t.Skip("cannot be sealed")
		}
		if strings.ToLower(key) != key || strings.ToLower(iv) != iv {
			t.Skip("seal lowers characters, decrypt lowers bytes")
		}
		got, err := decrypt([]byte(seal(t, plain, key, iv)))
		if err != nil || string(got) != plain {
			t.Fatalf("decrypt = %q, %v; want %q", got, err, plain)
		}
	})
}

func BenchmarkUnpack(b *testing.B) {
	plain := strings.Repeat(`{"key":"site","name":"资源站","type":1,"api":"http://site.example/api.php/provide/vod/"},`, 20_000)
	plain = `{"sites":[` + plain + `]}`
	bodies := []struct{ name, body string }{
		{"base64", "a1B2c3D4**" + base64.StdEncoding.EncodeToString([]byte(plain))},
		{"AES", seal(b, plain, "abc", "1700000000000")},
	}
	for _, tt := range bodies {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(plain)))
			for b.Loop() {
				if _, _, err := unpack(Document{Body: []byte(tt.body)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
