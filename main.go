// Command xship finds playable sources for films and episodes.
package main

import (
	"os"

	"xship/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], cmd.OS())) }
