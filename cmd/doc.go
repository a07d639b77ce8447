// Package cmd is the command line of xship: it joins all other packages, knows
// the exit codes, and is the only one that prints.
package cmd
