package world_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/sourcetest/world"
)

func addInterface(t *testing.T, c world.InterfaceConfig) *world.Interface {
	t.Helper()
	i, err := start(t, world.Config{}).AddInterface("i", c)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func entries() []world.Entry {
	return []world.Entry{
		{Key: "a", Name: "A", Type: 1, API: "http://127.0.0.1/a", Searchable: 1, Timeout: 3, Ext: "x", Categories: []string{"Film"}},
		{Key: "b", Name: "远航", Type: 3, API: "csp_B", PlayURL: "http://p/", Header: map[string]string{"User-Agent": "x"}},
	}
}

func config(t *testing.T, i *world.Interface) []byte {
	t.Helper()
	_, body := mustGet(t, newClient(t), i.URL())
	return body
}

func listed(t *testing.T, i *world.Interface) []world.Entry {
	t.Helper()
	var doc struct {
		Sites []world.Entry `json:"sites"`
	}
	if err := json.Unmarshal(config(t, i), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Sites == nil {
		t.Fatal("the config has no sites key")
	}
	return doc.Sites
}

func TestInterface_Config(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{Entries: entries()})
	if diff := cmp.Diff(entries(), listed(t, i)); diff != "" {
		t.Errorf("sites (-want +got):\n%s", diff)
	}
	i.SetEntries(entries()[0])
	if got := listed(t, i); len(got) != 1 || got[0].Key != "a" {
		t.Errorf("sites after the change: %v", got)
	}
	i.SetMode(world.ModeEmpty)
	if got := listed(t, i); len(got) != 0 {
		t.Errorf("sites in mode empty: %v", got)
	}
}

func TestInterface_Quirks(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{Entries: entries(), BOM: true, Comments: true})
	body := string(config(t, i))
	if !strings.HasPrefix(body, "\uFEFF// ") || !strings.Contains(body, "/* ") || !strings.Contains(body, "\n    # ") {
		t.Errorf("config lacks the mark or a kind of comment:\n%s", body)
	}
}

func TestInterface_OtherPaths(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{})
	if resp, _ := mustGet(t, newClient(t), strings.Replace(i.URL(), "vod", "live", 1)); resp.StatusCode != http.StatusNotFound {
		t.Errorf("status %d beside the config, want 404", resp.StatusCode)
	}
}

func TestInterface_Depot(t *testing.T) {
	children := []world.Child{{Name: "A", URL: "http://h/a.json"}, {Name: "影", URL: "http://h/b.json"}}
	type depot struct {
		URLs   []struct{ Name, URL string } `json:"urls"`
		Houses []struct {
			Name string `json:"sourceName"`
			URL  string `json:"sourceUrl"`
		} `json:"storeHouse"`
		Sites []world.Entry `json:"sites"`
	}
	i := addInterface(t, world.InterfaceConfig{Children: children})
	if d := decode[depot](t, config(t, i)); len(d.URLs) != 2 || d.URLs[1].URL != "http://h/b.json" || d.URLs[1].Name != "影" || d.Sites != nil || d.Houses != nil {
		t.Errorf("depot %+v", d)
	}
	i.SetChildren(world.Child{Name: "itself", URL: i.URL()})
	if d := decode[depot](t, config(t, i)); len(d.URLs) != 1 || d.URLs[0].URL != i.URL() {
		t.Errorf("depot after the change: %+v", d)
	}
	i.SetMode(world.ModeEmpty)
	if d := decode[depot](t, config(t, i)); d.URLs == nil || len(d.URLs) != 0 || d.Sites != nil {
		t.Errorf("depot in mode empty: %+v", d)
	}

	i = addInterface(t, world.InterfaceConfig{Children: children, StoreHouse: true, Entries: entries()})
	if d := decode[depot](t, config(t, i)); len(d.Houses) != 2 || d.Houses[0].URL != "http://h/a.json" || len(d.Sites) != 2 || d.URLs != nil {
		t.Errorf("store house %+v", d)
	}
}

func TestInterface_Msg(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{Msg: "moved \"away\""})
	if d := decode[map[string]any](t, config(t, i)); d["msg"] != "moved \"away\"" {
		t.Errorf("config %v", d)
	}
}

func TestInterface_ShortURL(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{Entries: entries()})
	resp, err := newClient(t).Get(i.ShortURL())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Request.URL.String(); got != i.URL() || i.Requests() != 2 {
		t.Errorf("it leads to %q in %d requests, want %q in 2", got, i.Requests(), i.URL())
	}
}

func TestInterface_Validators(t *testing.T) {
	tests := []struct {
		name   string
		config world.InterfaceConfig
		header string // of the answer
		asked  string // of the request
	}{
		{"ETag", world.InterfaceConfig{ETag: true}, "ETag", "If-None-Match"},
		{"time", world.InterfaceConfig{LastModified: true}, "Last-Modified", "If-Modified-Since"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config.Entries = entries()
			i := addInterface(t, tt.config)
			c := newClient(t)
			first, _ := mustGet(t, c, i.URL())
			validator := first.Header.Get(tt.header)
			if n := len(first.Header["Etag"]) + len(first.Header["Last-Modified"]); n != 1 || validator == "" {
				t.Fatalf("%d validators, %s is %q", n, tt.header, validator)
			}
			again := tt.asked + ": " + validator
			if resp, body := mustGet(t, c, i.URL(), again); resp.StatusCode != http.StatusNotModified || len(body) > 0 {
				t.Errorf("unchanged: status %d, %d bytes", resp.StatusCode, len(body))
			}
			i.SetEntries(entries()[0])
			resp, _ := mustGet(t, c, i.URL(), again)
			if resp.StatusCode != http.StatusOK || resp.Header.Get(tt.header) == validator {
				t.Errorf("changed: status %d, the same validator: %t", resp.StatusCode, resp.Header.Get(tt.header) == validator)
			}
			if i.Requests() != 3 || i.NotModified() != 1 {
				t.Errorf("%d requests, %d of them 304, want 3 and 1", i.Requests(), i.NotModified())
			}
			if i.ResetCounters(); i.NotModified() != 0 || len(i.Log()) != 0 {
				t.Error("the reset leaves something")
			}
		})
	}
	i := addInterface(t, world.InterfaceConfig{})
	if resp, _ := mustGet(t, newClient(t), i.URL(), "If-None-Match: *"); resp.StatusCode != http.StatusOK || resp.Header.Get("ETag") != "" {
		t.Errorf("without validators: status %d, ETag %q", resp.StatusCode, resp.Header.Get("ETag"))
	}
}

func TestInterface_Encodings(t *testing.T) {
	for _, e := range world.Encodings() {
		t.Run(string(e), func(t *testing.T) {
			i := addInterface(t, world.InterfaceConfig{Entries: entries(), Encoding: e, Comments: true})
			body := config(t, i)
			if plain := bytes.Contains(body, []byte(`"sites"`)); plain != (e == world.EncodingNone) {
				t.Errorf("the config can be read as it is: %t", plain)
			}
			var text []byte
			switch e {
			case world.EncodingAES:
				text = decrypt(t, body)
			case world.EncodingNone:
				text = body
			default:
				if _, after, ok := bytes.Cut(body, []byte("**")); ok {
					body = after
				}
				text = make([]byte, base64.StdEncoding.DecodedLen(len(body)))
				if _, err := base64.StdEncoding.Decode(text, body); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.HasPrefix(text, []byte("// sites")) || !bytes.Contains(text, []byte(`"sites"`)) {
				t.Errorf("decoded it is %q", text)
			}
		})
	}
}

// decrypt reads the form of EncodingAES.
func decrypt(t *testing.T, body []byte) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.TrimSpace(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	key, rest, ok := bytes.Cut(bytes.TrimPrefix(raw, []byte("$#")), []byte("#$"))
	if !ok || len(rest) < 13 {
		t.Fatalf("no marker in %q", raw)
	}
	fill := func(b []byte) []byte { return append(bytes.ToLower(b), bytes.Repeat([]byte("0"), 16-len(b))...) }
	block, err := aes.NewCipher(fill(key))
	if err != nil {
		t.Fatal(err)
	}
	text, iv := rest[:len(rest)-13], rest[len(rest)-13:]
	cipher.NewCBCDecrypter(block, fill(iv)).CryptBlocks(text, text)
	return text[:len(text)-int(text[len(text)-1])]
}

func TestEncodeAES_Refuses(t *testing.T) {
	for _, tt := range [][2]string{{"a key that is far too long", "1700000000000"}, {"key", "short"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("key %q and iv %q are taken", tt[0], tt[1])
				}
			}()
			world.EncodeAES([]byte("{}"), tt[0], tt[1])
		}()
	}
}
