package text_test

import (
	"testing"

	"xship/sources/text"
)

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 999: "999 bytes", 1000: "1 kB", 699_600_000: "700 MB", 999_600_000: "1.0 GB", 4_123_000_000: "4.1 GB",
		99_960_000_000: "100 GB", 2_500_000_000_000: "2.5 TB",
	} {
		if got := text.Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
