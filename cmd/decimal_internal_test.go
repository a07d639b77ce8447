package cmd

import (
	"testing"

	"github.com/spf13/pflag"
)

// TestDecimal reads numbers as they stand in the names of episodes.
func TestDecimal(t *testing.T) {
	for given, want := range map[string]int{"0": 0, "8": 8, "08": 8, "09": 9, "010": 10, "-1": -1, "2016": 2016} {
		n := 0
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		decimalVar(flags, &n, "episode", "e", "`NUMBER`")
		if err := flags.Parse([]string{"-e", given}); err != nil || n != want {
			t.Errorf("%q is %d, %v, want %d", given, n, err, want)
		}
	}
	for _, given := range []string{"", "x", "0x10", "1e3", "1_000", "99999999999999999999", "1.0"} {
		n := 7
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		decimalVar(flags, &n, "episode", "e", "`NUMBER`")
		if err := flags.Parse([]string{"--episode", given}); err == nil || n != 7 {
			t.Errorf("%q is %d", given, n)
		}
	}
}
