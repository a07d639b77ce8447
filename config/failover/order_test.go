package failover_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config/failover"
)

// preferences keeps values in memory.
type preferences struct {
	values map[string]json.RawMessage
	err    error
}

func stored(key, value string) *preferences {
	p := &preferences{values: map[string]json.RawMessage{"other": json.RawMessage(`1`)}}
	if value != "" {
		p.values[key] = json.RawMessage(value)
	}
	return p
}

func (p *preferences) Get(key string) (json.RawMessage, error) { return p.values[key], p.err }

func (p *preferences) Update(change func(map[string]json.RawMessage)) error {
	if p.err == nil {
		change(p.values)
	}
	return p.err
}

func TestInterfaceOrderStore_Order(t *testing.T) {
	tests := []struct {
		name, stored string
		want         []string
	}{
		{"nothing", ``, nil},
		{"list", `["b","a"]`, []string{"b", "a"}},
		{"list as text", `"[\"b\",\"a\"]"`, []string{"b", "a"}},
		{"duplicates, blanks and other types", `["b"," ","a","","b",3,null," a ",["c"]]`, []string{"b", "a"}},
		{"broken text", `"[\"b\""`, nil},
		{"broken", `["b"`, nil},
		{"text", `"b"`, nil},
		{"no text", `""`, nil},
		{"object", `{"b":1}`, nil},
		{"null", `null`, nil},
		{"number", `5`, nil},
		{"empty", `[]`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := failover.NewInterfaceOrderStore(stored(failover.OrderKey, tt.stored)).Order()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

// 12.1, points 1 to 3: saved, restored, each once; the deleted ones stay.
func TestInterfaceOrderStore_SetOrder(t *testing.T) {
	tests := []struct {
		name, before string
		set          []string
		want         string // as stored, "" = nothing
	}{
		{"first", ``, []string{"b", "a"}, `["b","a"]`},
		{"each once", ``, []string{"b", " a", "", "b", "a "}, `["b","a"]`},
		{"unescaped", ``, []string{"https://h.example/?a=1&b=<2>"}, `["https://h.example/?a=1&b=<2>"]`},
		{"deleted ones stay, last", `["c","gone","a","left"]`, []string{"a", "b", "c"}, `["a","b","c","gone","left"]`},
		{"broken before", `["c"`, []string{"a"}, `["a"]`},
		{"text stays text", `"[\"gone\"]"`, []string{"a"}, `"[\"a\",\"gone\"]"`},
		{"empty removes", `["c"]`, nil, ``},
		{"blank removes", `["c"]`, []string{" "}, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := stored(failover.OrderKey, tt.before)
			if err := failover.NewInterfaceOrderStore(p).SetOrder(tt.set); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(p.values[failover.OrderKey])); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
			if _, ok := p.values[failover.OrderKey]; ok != (tt.want != "") || p.values["other"] == nil {
				t.Errorf("stored %v", p.values)
			}
		})
	}
}

func TestInterfaceOrderStore_Mode(t *testing.T) {
	p := stored(failover.ModeKey, "")
	s := failover.NewInterfaceOrderStore(p)
	if m, err := s.Mode(); m != failover.Auto || err != nil {
		t.Errorf("nothing stored: %v, %v", m, err)
	}
	for _, m := range []failover.Mode{failover.Off, failover.Manual, failover.Auto} {
		if err := s.SetMode(m); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Mode(); got != m || err != nil {
			t.Errorf("after SetMode(%v): %v, %v", m, got, err)
		}
	}
	if err := s.SetMode(3); err == nil || string(p.values[failover.ModeKey]) != "1" {
		t.Errorf("SetMode(3): %v, stored %s", err, p.values[failover.ModeKey])
	}
}

func TestInterfaceOrderStore_errors(t *testing.T) {
	broken := errors.New("disk is gone")
	s := failover.NewInterfaceOrderStore(&preferences{err: broken})
	_, modeErr := s.Mode()
	_, orderErr := s.Order()
	for what, err := range map[string]error{
		"read failover mode": modeErr, "read interface order": orderErr,
		"set failover mode off": s.SetMode(failover.Off), "set interface order": s.SetOrder([]string{"a"}),
	} {
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), what+": ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestSortConfigs(t *testing.T) {
	tests := []struct {
		name         string
		given, order string
		want         string
	}{
		{"no order", "abc", "", "abc"},
		{"restored", "abc", "cab", "cab"},
		{"deleted ones do not take part", "abc", "cxa", "cab"},
		{"new ones last", "abcd", "c", "cabd"},
		{"repeated in the order", "abc", "ccbc", "cba"},
		{"repeated", "abab", "ba", "bbaa"},
		{"none", "", "ab", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			given := strings.Split(tt.given, "")
			got := failover.SortConfigs(given, func(s string) string { return s }, strings.Split(tt.order, ""))
			if diff := cmp.Diff(tt.want, strings.Join(got, "")); diff != "" {
				t.Errorf("sorted (-want +got):\n%s", diff)
			}
			if strings.Join(given, "") != tt.given {
				t.Errorf("the given slice became %q", given)
			}
		})
	}
}

func FuzzInterfaceOrderStore(f *testing.F) {
	for _, seed := range []string{`["b","a"]`, `"[\"b\"]"`, `["a","a",1,null]`, `null`, `[`, `"`, `["\ud800"]`} {
		f.Add(seed, "a")
	}
	f.Fuzz(func(t *testing.T, value, url string) {
		p := stored(failover.OrderKey, value)
		s := failover.NewInterfaceOrderStore(p)
		before, err := s.Order()
		if err != nil {
			t.Fatal(err)
		}
		checkDistinct(t, before)
		if err := s.SetOrder([]string{url}); err != nil {
			t.Fatal(err)
		}
		after, err := s.Order()
		if err != nil {
			t.Fatal(err)
		}
		checkDistinct(t, after)
		kept := strings.TrimSpace(url) != ""
		if raw, ok := p.values[failover.OrderKey]; ok != kept || ok && !json.Valid(raw) {
			t.Errorf("stored %q", raw)
		}
		if kept && len(after) < len(before) {
			t.Errorf("order %q became %q", before, after)
		}
	})
}

func checkDistinct(t *testing.T, urls []string) {
	t.Helper()
	seen := map[string]bool{"": true}
	for _, u := range urls {
		if seen[u] || u != strings.TrimSpace(u) {
			t.Errorf("order %q", urls)
		}
		seen[u] = true
	}
}
