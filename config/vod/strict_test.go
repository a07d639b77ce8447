package vod_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"xship/config/vod"
)

func TestStrict(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"strict stays", `{"a":[1,-2.5e3,true,false,null,"x"],"b":{}}`, `{"a":[1,-2.5e3,true,false,null,"x"],"b":{}}`},
		{"white space", " \t\r\n\v\f{ \"a\" : [ ] } ", `{"a":[]}`},
		{"wide white space", "\u00a0{\u3000\"a\"\u00a0:\ufeff1\u2028}", `{"a":1}`},
		{"byte order mark", "\ufeff{}", `{}`},
		{"line comments", "// a\n{# b\n\"a\"// c\n:1# d\n}// e", `{"a":1}`},
		{"block comments", "/* a */{/**/\"a\"/* * */:/***/1/*\n*/}", `{"a":1}`},
		{"comments in strings", `{"a":"http://h/a//b#c/* d */"}`, `{"a":"http://h/a//b#c/* d */"}`},
		{"trailing commas", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"superfluous commas", `{,"a":[,1,,2,,],,"b":[,],}`, `{"a":[1,2],"b":[]}`},
		{"semicolons", `{"a":[1;2;];"b":3;}`, `{"a":[1,2],"b":3}`},
		{"equals signs", `{a=1,"b" => 'x=y;z',c={}}`, `{"a":1,"b":"x=y;z","c":{}}`},
		{"single quotes", `{'a':'b "c" \'d\' e'}`, `{"a":"b \"c\" 'd' e"}`},
		{"bare names", `{a:1,$b_2:2,c-d:3,名:4,5:5}`, `{"a":1,"$b_2":2,"c-d":3,"名":4,"5":5}`},
		{"bare words", `[TRUE,Null,word,007,+1,.5,0x1F,1.,名]`, `[true,null,"word","007","+1",".5","0x1F","1.","名"]`},
		{"raw controls", "[\"a\tb\nc\x01\x00\"]", `["a\tb\nc\u0001\u0000"]`},
		{"escapes", `["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"]`, `["\"\\/\b\f\n\r\té😀"]`},
		{"unknown escapes", `["\d+\.ts\x41\u12","\` + "\n" + `"]`, `["\\d+\\.ts\\x41\\u12","\n"]`},
		{"lone surrogates", `["\ud83d","\ude00x","\ud83d\u0041"]`, `["�","�x","�A"]`},
		{"first duplicate stays", `{"a":1,"b":2,"a":{"x":[1,2]},"b":3}`, `{"a":1,"b":2}`},
		{"duplicates in other spellings", `{"a":1,'a':2,a:3,"\u0061":4,"A":5}`, `{"a":1,"A":5}`},
		{"duplicates one level deep", `{"a":{"a":1,"a":2},"b":{"a":3}}`, `{"a":{"a":1},"b":{"a":3}}`},
		{"first document", `{"a":1} {"b":2}`, `{"a":1}`},
		{"junk behind", `{"a":1}}]`, `{"a":1}`},
		{"array at the top", `[1]`, `[1]`},
		{"deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat("[", 100) + strings.Repeat("]", 100)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := vod.Strict([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("Strict(%q)\n got %s\nwant %s", tt.in, got, tt.want)
			}
			if !json.Valid(got) {
				t.Errorf("not valid JSON: %s", got)
			}
		})
	}
}

func TestStrict_error(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", "", "line 1, column 1: there is no JSON in the text"},
		{"missing comma", "{\"a\":1\n \"b\":2}", `line 2, column 2: expected a comma or '}', found '"'`},
		{"missing comma in an array", `[1 2]`, `line 1, column 4: expected a comma or ']', found '2'`},
		{"missing colon", `{"a" 1}`, `line 1, column 6: expected a colon after the name, found '1'`},
		{"missing value", `{"a":,"b":1}`, `line 1, column 6: expected a name or a value, found ','`},
		{"missing name", `{:1}`, `line 1, column 2: expected a name or a value, found ':'`},
		{"value after an arrow", `{"a"=>}`, `line 1, column 7: expected a name or a value, found '}'`},
		{"open after an equals sign", `{"a"=`, "line 1, column 6: the text ends inside the object that starts in line 1, column 1"},
		{"arrow of another kind", `{"a"->1}`, `line 1, column 5: expected a colon after the name, found '-'`},
		{"wrong bracket", "[1}", `line 1, column 3: expected a comma or ']', found '}'`},
		{"columns are characters", "\ufeff\r\n{\"名字\" x}", `line 2, column 7: expected a colon after the name, found 'x'`},
		{"column behind a mark", "\ufeff{=}", `line 1, column 2: expected a name or a value, found '='`},
		{"open object", "{\"a\":1,\n", "line 2, column 1: the text ends inside the object that starts in line 1, column 1"},
		{"open after a name", `{"a"`, "line 1, column 5: the text ends inside the object that starts in line 1, column 1"},
		{"open after a colon", `{"a": `, "line 1, column 7: the text ends inside the object that starts in line 1, column 1"},
		{"open array", "[[1", "line 1, column 4: the text ends inside the array that starts in line 1, column 2"},
		{"open string", `["a", "b\"]`, "line 1, column 7: the text ends inside the string that starts here"},
		{"backslash at the end", `["a\`, "line 1, column 2: the text ends inside the string that starts here"},
		{"open comment", "[1, /* 2]", "line 1, column 5: the comment that starts here has no end"},
		{"lone slash", "[1 / 2]", "line 1, column 4: unexpected '/'"},
		{"too deep", strings.Repeat("[", 101), "line 1, column 101: arrays and objects are nested more than 100 deep"},
		{"invalid UTF-8", "{\"a\" \xff}", "line 1, column 6: expected a colon after the name, found '�'"},
		{"address without quotes", `{"a":http://h}`, `line 1, column 10: expected a comma or '}', found ':'`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, _, err := vod.Strict([]byte(tt.in))
			if _, ok := errors.AsType[*vod.SyntaxError](err); !ok {
				t.Fatalf("Strict(%q) = %q, %v; want a *SyntaxError", tt.in, out, err)
			}
			if err.Error() != tt.want {
				t.Errorf("Strict(%q)\n got %s\nwant %s", tt.in, err, tt.want)
			}
		})
	}
}

func TestStrict_manyKeys(t *testing.T) {
	var b strings.Builder
	b.WriteByte('{')
	for i := range 3 * 1000 {
		fmt.Fprintf(&b, `"k%d":%d,`, i%1000, i)
	}
	b.WriteByte('}')
	out, warnings, err := vod.Strict([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]int
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if v := got[fmt.Sprintf("k%d", i)]; v != i {
			t.Fatalf("k%d = %d, want the first value", i, v)
		}
	}
	if len(warnings) != 21 || warnings[20].String() != "1980 more duplicate keys" {
		t.Errorf("%d warnings, last %v", len(warnings), warnings[len(warnings)-1])
	}
}

func FuzzStrict(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e3,true,null,"x"],"b":{}}`, "\ufeff// a\n{# b\n'a'/* c */:1,,}", `{a:b,"\u0061":'\d"\'',}`, `{a=1;b=>[2;3;];}`,
		"[\"\x01\t\\ud83d\\ude00\\ud83d\"] {}", `{"a":{"a":1,"a":{}},"a":[],b:.5,c:007}`, "\u3000[名, \xff, '\xff\\", strings.Repeat("[", 120),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, _, err := vod.Strict(in)
		if err != nil {
			if e, ok := errors.AsType[*vod.SyntaxError](err); !ok || e.Line < 1 || e.Column < 1 {
				t.Fatalf("Strict(%q): %#v", in, err)
			}
			return
		}
		if !json.Valid(out) {
			t.Fatalf("Strict(%q) = %q is not valid JSON", in, out)
		}
		again, warnings, err := vod.Strict(out)
		if err != nil || string(again) != string(out) || len(warnings) > 0 {
			t.Fatalf("Strict(%q) = %q, again %q, %v, %v", in, out, again, warnings, err)
		}
		if json.Valid(in) && len(out) == 0 {
			t.Fatalf("Strict(%q) lost everything", in)
		}
	})
}
