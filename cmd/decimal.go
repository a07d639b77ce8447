package cmd

import (
	"strconv"

	"github.com/spf13/pflag"
)

// decimal is a flag with a whole number as people write it: 08 is eight, and 010 ten. Those
// of pflag take a zero in front for the mark of another base.
type decimal int

// Set implements pflag.Value.
func (d *decimal) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err == nil {
		*d = decimal(n)
	}
	return err
}

// String implements pflag.Value.
func (d *decimal) String() string { return strconv.Itoa(int(*d)) }

// Type implements pflag.Value, and names the value in help.
func (*decimal) Type() string { return "int" }

// decimalVar adds a flag with a whole number, 0 without it.
func decimalVar(flags *pflag.FlagSet, to *int, name, shorthand, usage string) {
	flags.VarP((*decimal)(to), name, shorthand, usage)
}
