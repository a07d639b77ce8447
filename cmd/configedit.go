package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/term"
	"xship/config"
	"xship/sources/text"
)

func newConfigEditCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Change the settings file in an editor",
		Long: `Change the settings file in the editor that $VISUAL or $EDITOR names, else in one that
is there. A copy is changed, and takes the place of the file when it is right; where it is
not you are asked, and without a terminal the copy stays and the message names it. A
file that is missing begins as xship config init makes it.`,
		Example: `  xship config edit
  EDITOR=nano xship config edit`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runConfigEdit(cmd.Context(), a) },
	}
}

func runConfigEdit(ctx context.Context, a *app) error {
	file, err := a.changedFile()
	if err != nil {
		return err
	}
	editor, err := a.findEditor()
	if err != nil {
		return err
	}
	was, err := file.Text()
	if err != nil {
		return err
	}
	start := was
	if was == nil {
		start = config.Template()
	}
	draft, err := newDraft(start)
	if err != nil {
		return err
	}
	return a.edit(ctx, editor, file, was, draft)
}

// edit has the draft edited until it is right, and writes the file.
func (a *app) edit(ctx context.Context, editor []string, file config.SettingsFile, was []byte, d *draft) error {
	for {
		if err := a.runEditor(ctx, editor, d.path); err != nil {
			return errors.Join(err, d.leave(a))
		}
		changed, err := d.read()
		if err != nil {
			return text.WithHint(errors.Join(err, d.leave(a)), "the settings file stays as it was")
		}
		if bytes.Equal(changed, d.start) {
			a.note("nothing was changed")
			return errors.Join(a.edited(file, false, was == nil), d.remove())
		}
		invalid := file.Valid(changed)
		if invalid == nil {
			return a.replaceSettings(file, was, changed, d)
		}
		again, err := a.editAgain(ctx, invalid)
		if err != nil || !again {
			return errors.Join(err, d.leave(a), unlessAsked(a, invalid))
		}
	}
}

// unlessAsked is the error of a draft that was given up: the user has seen it where they
// were asked.
func unlessAsked(a *app, invalid error) error {
	if a.prompts() {
		return text.WithHint(errors.New("the settings file stays as it was"), "go on with xship config edit")
	}
	return invalid
}

// replaceSettings writes a draft that is right.
func (a *app) replaceSettings(file config.SettingsFile, was, changed []byte, d *draft) error {
	warnings, err := file.Replace(was, changed)
	switch {
	case errors.Is(err, config.ErrFileChanged):
		return errors.Join(text.WithHint(err, "take over from the copy what you want: xship config edit"), d.leave(a))
	case err != nil:
		return errors.Join(err, d.leave(a))
	}
	for _, w := range warnings {
		a.warn("warning: %s", w)
	}
	a.note("wrote %s", file.Path)
	return errors.Join(a.edited(file, true, was == nil), d.remove())
}

func (a *app) edited(file config.SettingsFile, changed, missing bool) error {
	if !a.asJSON() {
		return nil
	}
	return a.writeJSON(api.SettingsFile{Config: file.Path, Made: changed && missing, Changed: changed})
}

// The answers to what becomes of a draft that is wrong.
const (
	answerAgain = "again"
	answerLeave = "leave"
)

// editAgain shows what is wrong with a draft, and asks whether it is edited again, where
// somebody is there.
func (a *app) editAgain(ctx context.Context, invalid error) (bool, error) {
	if !a.prompts() {
		return false, nil
	}
	a.warn("xship: %v", invalid)
	answer, err := a.dialog().Ask(ctx, term.Choice{
		Title:   "The settings are not right yet",
		Options: []term.Option{{Text: "Edit them again", Value: answerAgain}, {Text: "Leave the file as it was, and keep the copy", Value: answerLeave}},
		Default: answerLeave,
		Words:   a.messages().words(),
	})
	if errors.Is(err, term.ErrNoAnswer) {
		return false, nil
	}
	return answer == answerAgain, err
}

// editors are those that are looked for where the environment names none.
func editors() []string {
	if runtime.GOOS == "windows" {
		return []string{"notepad"}
	}
	return []string{"editor", "nano", "vi"}
}

// findEditor gives the command line of the user's editor.
func (a *app) findEditor() ([]string, error) {
	const hint = "name one that is installed: EDITOR=nano xship config edit; or change a setting with xship config set"
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		line := a.getenv(variable)
		words, err := text.SplitCommand(line)
		if err != nil {
			return nil, &usageError{msg: fmt.Sprintf("%s %q: %v", variable, line, err), hint: hint}
		}
		if len(words) == 0 {
			continue
		}
		if _, err := exec.LookPath(words[0]); err != nil {
			return nil, text.WithHint(fmt.Errorf("the editor %q of %s was not found: %w", words[0], variable, bareExec(err)), hint)
		}
		return words, nil
	}
	if !a.Interactive {
		return nil, &usageError{msg: "config edit needs a terminal, or an editor that needs none in EDITOR", hint: "change a setting with xship config set KEY VALUE"}
	}
	for _, name := range editors() {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, text.WithHint(errors.New("there is no editor"), hint)
}

// runEditor has the user edit the file at path.
func (a *app) runEditor(ctx context.Context, editor []string, path string) error {
	a.status.Clear()
	cmd := exec.CommandContext(ctx, editor[0], append(slices.Clone(editor[1:]), path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.editorOutput(), a.Stderr.Writer
	cmd.WaitDelay = editorGrace
	if runtime.GOOS != "windows" {
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it may save what was typed
	}
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return text.WithHint(fmt.Errorf("the editor %s failed: %w", editor[0], bareExec(err)), "the settings file stays as it was")
	}
	return nil
}

// editorGrace is how long an editor has to end after it was asked to.
const editorGrace = 2 * time.Second

// editorOutput is where an editor draws: stdout is for results, and may be a pipe.
func (a *app) editorOutput() io.Writer {
	if a.Stdout.Terminal {
		return a.Stdout.Writer
	}
	return a.Stderr.Writer
}

// draft is a copy of the settings file that is edited.
type draft struct {
	path  string
	start []byte // as it was at first
}

// newDraft makes a draft, for its owner only.
func newDraft(start []byte) (*draft, error) {
	f, err := os.CreateTemp("", "xship-config-*.yaml")
	if err != nil {
		return nil, fmt.Errorf("make a copy of the settings file: %w", err)
	}
	_, err = f.Write(start)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("make a copy of the settings file: %w", err), os.Remove(f.Name()))
	}
	return &draft{path: f.Name(), start: start}, nil
}

// maxDraft bounds a draft, in bytes.
const maxDraft = 1 << 20

// read gives the draft as it was saved.
func (d *draft) read() ([]byte, error) {
	f, err := os.Open(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the editor left no copy of the settings file")
	}
	if err != nil {
		return nil, fmt.Errorf("read the copy of the settings file: %w", err)
	}
	defer f.Close()
	changed, err := io.ReadAll(io.LimitReader(f, maxDraft+1))
	if err == nil && len(changed) > maxDraft {
		err = fmt.Errorf("it is larger than %d KiB", maxDraft>>10)
	}
	if err != nil {
		return nil, fmt.Errorf("read the copy of the settings file: %w", err)
	}
	return changed, nil
}

// remove removes the draft, and what editors leave beside it.
func (d *draft) remove() error {
	_ = os.Remove(d.path + "~") // of an editor that keeps one
	return os.Remove(d.path)
}

// leave keeps a draft that holds changes, and tells where it is.
func (d *draft) leave(a *app) error {
	changed, err := d.read()
	if err == nil && bytes.Equal(changed, d.start) {
		return d.remove()
	}
	if err == nil {
		a.warn("your changes are kept in %s", filepath.Clean(d.path))
	}
	return nil
}
