package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/sources/text"
)

func newManCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write a manual page for each command to a folder",
		Long: `Write a manual page for each command to a folder, which has to exist. The pages bear
the date in SOURCE_DATE_EPOCH (seconds since 1970) where that is set, else that of the
source of this program, so that they come out the same each time.`,
		Example: `  mkdir -p ~/.local/share/man/man1
  xship man ~/.local/share/man/man1
  man xship-scan`,
		Args: oneArg("a folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return runMan(cmd.Root(), a, args[0]) },
	}
}

func runMan(root *cobra.Command, a *app, dir string) error {
	date, err := a.sourceDate()
	if err != nil {
		return err
	}
	if err := checkFolder(dir); err != nil {
		return err
	}
	doc := api.ManPages{Dir: dir, Pages: []string{}}
	for _, cmd := range withSubcommands(root) {
		if cmd != root && !cmd.IsAvailableCommand() {
			continue
		}
		name := manName(cmd) + ".1"
		if err := os.WriteFile(filepath.Join(dir, name), manPage(cmd, date), 0o644); err != nil { //nolint:gosec // everybody may read a manual
			return text.WithHint(fmt.Errorf("write a manual page: %w", err), "name a folder that you may write to, such as ~/.local/share/man/man1")
		}
		doc.Pages = append(doc.Pages, name)
	}
	a.note("wrote %s to %s; man -l %s shows the first", text.Plural(len(doc.Pages), "page"), dir, filepath.Join(dir, doc.Pages[0]))
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// checkFolder says what is wrong with a folder that files are to be written to.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return text.WithHint(fmt.Errorf("there is no folder %s", dir), "make it first: mkdir -p "+text.ShellWord(dir))
	case err != nil:
		return err
	case !info.IsDir():
		return text.WithHint(fmt.Errorf("%s is a file, and the pages are written to a folder", dir), "name the folder: xship man "+text.ShellWord(filepath.Dir(dir)))
	default:
		return nil
	}
}

// sourceDate is the date of what is made from the source of this program.
func (a *app) sourceDate() (time.Time, error) {
	const variable = "SOURCE_DATE_EPOCH"
	if epoch := a.getenv(variable); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || seconds < 0 {
			return time.Time{}, &usageError{msg: fmt.Sprintf("%s=%q is no time", variable, text.Clean(epoch)), hint: "it is a number of seconds since 1970: " + variable + "=1700000000"}
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if made, err := time.Parse(time.RFC3339, setting.Value); setting.Key == "vcs.time" && err == nil {
				return made.UTC(), nil
			}
		}
	}
	return a.Now().UTC(), nil
}
