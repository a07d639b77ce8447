package engine

import (
	"testing"

	"xship/sources"
)

func TestInterfaceNames(t *testing.T) {
	names := newInterfaceNames([]sources.Interface{{URL: "http://a.example", Name: "Größe"}, {URL: "http://b.example"}})
	for _, c := range []struct{ url, name, want, err string }{
		{"http://c.example", "", "", ""},
		{"http://c.example", " \x1b ", "", ""},
		{"http://c.example", "GRÖSSE", "GRÖSSE", ""},
		{"http://d.example", "grösse", "", `another interface is called "grösse" already`},
		{"http://d.example", "GRÖßE", "", `another interface is called "GRÖßE" already`},
		{"http://a.example", "größe", "größe", ""},
		{"http://d.example", "http://e.example", "", `--name "http://e.example" is a URL, not a name`},
		{"http://d.example", "me:s3cr3t@e.example", "", `--name "REDACTED@e.example" is a URL, not a name`},
		{"http://d.example", "e.example/c.json;pk;s3cr3t", "", `--name "e.example/c.json;pk;REDACTED" is a URL, not a name`},
		{"http://d.example", "mine @ home; 4K/HDR", "mine @ home; 4K/HDR", ""},
	} {
		got, err := names.take(c.url, c.name)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("take(%q, %q) = %q, %v; want %q, %q", c.url, c.name, got, err, c.want, c.err)
		}
	}
}
