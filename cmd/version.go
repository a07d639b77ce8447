package cmd

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"xship/cmd/api"
)

// version is set by the linker (-X xship/cmd.version=v1.2.3).
var version string

// project is where xship is at home, set by the linker as version is; "" where it has no
// place of its own.
var project string

// agent names xship to services for everybody: its version, and where people find who is
// behind it.
func agent() string {
	name := "xship/" + readVersion().Version
	if project != "" {
		name += " (+" + project + ")"
	}
	return name
}

func readVersion() api.Version {
	v := api.Version{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		v.Version = cmp.Or(v.Version, "dev")
		return v
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Revision = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	module := build.Main.Version
	if module == "(devel)" {
		module = ""
	}
	v.Version = cmp.Or(v.Version, module, "dev")
	return v
}

func newVersionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			if a.asJSON() {
				return a.writeJSON(v)
			}
			_, err := fmt.Fprintf(a.Stdout, "xship %s (%s, %s)\n", v.Version, v.Go, v.Platform)
			return err
		},
	}
}
