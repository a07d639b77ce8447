package failover_test

import (
	"encoding/json"
	"testing"

	"xship/config/failover"
)

func TestParseMode(t *testing.T) {
	tests := []struct {
		stored string
		want   failover.Mode
	}{
		{``, failover.Auto},
		{`0`, failover.Off},
		{`1`, failover.Auto},
		{`2`, failover.Manual},
		{`3`, failover.Auto},
		{`-1`, failover.Auto},
		{`0.5`, failover.Auto},
		{`1e400`, failover.Auto},
		{`0.0`, failover.Off},
		{`1.0`, failover.Auto},
		{`2.0`, failover.Manual},
		{`20e-1`, failover.Manual},
		{`"0"`, failover.Off},
		{`"1"`, failover.Auto},
		{`" 2 "`, failover.Manual},
		{`"2.0"`, failover.Manual},
		{`"0x0"`, failover.Auto},
		{`"off"`, failover.Auto},
		{`""`, failover.Auto},
		{`"null"`, failover.Auto},
		{`"\"0\""`, failover.Auto},
		{`null`, failover.Auto},
		{`false`, failover.Auto},
		{`[0]`, failover.Auto},
		{`{"a":0}`, failover.Auto},
		{`0 0`, failover.Auto},
		{`nonsense`, failover.Auto},
	}
	for _, tt := range tests {
		t.Run(tt.stored, func(t *testing.T) {
			if got := failover.ParseMode(json.RawMessage(tt.stored)); got != tt.want {
				t.Errorf("ParseMode = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestModeNamed(t *testing.T) {
	tests := []struct {
		name string
		want failover.Mode
		ok   bool
	}{
		{"off", failover.Off, true},
		{"AUTO", failover.Auto, true},
		{" manual ", failover.Manual, true},
		{"", failover.Auto, false},
		{"0", failover.Auto, false},
		{"on", failover.Auto, false},
	}
	for _, tt := range tests {
		if got, ok := failover.ModeNamed(tt.name); got != tt.want || ok != tt.ok {
			t.Errorf("ModeNamed(%q) = %v, %v; want %v, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
	for mode, want := range map[failover.Mode]string{0: "off", 1: "auto", 2: "manual", 9: "auto"} {
		if got := mode.String(); got != want {
			t.Errorf("Mode(%d) = %q, want %q", int(mode), got, want)
		}
	}
}

func FuzzParseMode(f *testing.F) {
	for _, seed := range []string{``, `0`, `"2"`, `1.0`, `null`, `"null"`, `[0]`, `-0`, `"0x0"`, `1e400`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stored string) {
		m := failover.ParseMode(json.RawMessage(stored))
		if m < failover.Off || m > failover.Manual {
			t.Fatalf("ParseMode(%q) = %d", stored, int(m))
		}
		if again, ok := failover.ModeNamed(m.String()); !ok || again != m {
			t.Errorf("ModeNamed(%q) = %v, %v", m, again, ok)
		}
		var number float64
		if err := json.Unmarshal([]byte(stored), &number); err == nil && number != 0 && m == failover.Off {
			t.Errorf("ParseMode(%q) = off", stored)
		}
	})
}
