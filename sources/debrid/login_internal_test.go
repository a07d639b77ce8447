package debrid

import "testing"

// What a service names for a login is shown, and opened in a browser.
func TestIsWeb(t *testing.T) {
	for link, want := range map[string]bool{
		"https://login.example/device": true, "http://127.0.0.1:8080/pin?code=1": true,
		"": false, "login.example/device": false, "javascript:alert(1)": false, "file:///etc/passwd": false, "ftp://login.example/": false,
		"https://": false, "https:///path": false, "https://login.example:port/": false, "//login.example/": false, "data:text/html,x": false,
	} {
		if got := isWeb(link); got != want {
			t.Errorf("isWeb(%q) = %v", link, got)
		}
	}
}

func TestFidelity(t *testing.T) {
	for points, want := range map[looseText]string{"0": "0 fidelity points", "1": "1 fidelity point", "1830": "1830 fidelity points"} {
		if got := fidelity(points); got != want {
			t.Errorf("fidelity(%q) = %q, want %q", points, got, want)
		}
	}
}
