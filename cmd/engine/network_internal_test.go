package engine

import "testing"

func TestHostSet(t *testing.T) {
	s := &hostSet{hosts: make(map[string]bool)}
	for _, url := range []string{"http://Home.Example:8080/tv.json", "http://饭太硬.example/tv", "http://192.0.2.1/", "/a/path", "::"} {
		s.add(url)
	}
	for host, want := range map[string]bool{
		"home.example": true, "HOME.example": true, "xn--sss604efuw.example": true, "192.0.2.1": true, "other.example": false, "": false,
	} {
		if got := s.has(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}
