package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"xship/config"
)

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (d *doctor) checkSettings(context.Context) []finding {
	const name = "settings"
	if d.settingsErr != nil {
		f := failed(name, d.settingsErr)
		f.Detail += "; the other checks use the defaults"
		if f.Hint == "" {
			f.Hint = "xship config path tells the file; correct what is named, or take it out"
		}
		return []finding{f}
	}
	set := 0
	for _, v := range d.settings.Values() {
		if v.Origin != config.OriginDefault {
			set++
		}
	}
	path, _ := d.app.settingsFile()
	from := path
	if _, err := os.Stat(path); err != nil {
		from = "there is no file"
		if path != "" {
			from += " " + path
		}
	}
	found := []finding{good(name, "%s, %s set", from, plural(set, "value"))}
	for _, w := range d.settings.Warnings {
		found = append(found, splitAdvice(name, w))
	}
	return found
}

// splitAdvice is a warning whose text ends with the advice.
func splitAdvice(check, text string) finding {
	what, hint, _ := strings.Cut(text, "; ")
	return warn(check, hint, "%s", what)
}

// othersMay tells whether others than the owner have permissions.
func othersMay(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

func (d *doctor) checkDataDir(context.Context) []finding {
	const name = "data directory"
	dir := d.app.dataDir()
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return []finding{problem(name, "name a directory with --data-dir", "there is no home directory to keep data in")}
	case err != nil:
		return []finding{problem(name, "name another directory with --data-dir", "%v", err)}
	case !info.IsDir():
		return []finding{problem(name, "name another directory with --data-dir", "%s is a file", dir)}
	case othersMay(info):
		return []finding{warn(name, "chmod 700 "+dir, "%s: others than its owner can look into it (mode %04o)", dir, info.Mode().Perm())}
	case !d.dirExisted:
		return []finding{good(name, "%s, made just now", dir)}
	default:
		return []finding{good(name, "%s", dir)}
	}
}

func (d *doctor) checkDatabase(ctx context.Context) []finding {
	const name = "database"
	if d.storeErr != nil {
		return []finding{failed(name, d.storeErr)}
	}
	in, err := d.store.Inspect(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return []finding{warn(name, "try again when less is going on", "%s could not be checked in time", d.app.databasePath())}
	case err != nil:
		return []finding{failed(name, err)}
	case len(in.Flaws) > 0:
		return []finding{problem(name, "move it away, with the files beside it that begin with its name: xship then starts with an empty one",
			"%s is damaged: %s", d.app.databasePath(), strings.Join(in.Flaws, "; "))}
	}
	return []finding{good(name, "%s, sound and writable, version %d, %s", d.app.databasePath(), in.Version, sizeText(in.Size))}
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func (d *doctor) checkPreferences(context.Context) []finding {
	const name = "preferences"
	path := d.app.preferencesPath()
	prefs, err := config.OpenPreferences(path)
	if err != nil {
		return []finding{failed(name, err)}
	}
	if damage := prefs.Warning(); damage != nil {
		return []finding{warn(name, "mend the JSON, or move the file away: the failover mode and the order of the interfaces are then to be set again", "%v", damage)}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{good(name, "none set")}
	case err != nil:
		return []finding{failed(name, err)}
	case othersMay(info):
		return []finding{warn(name, "chmod 600 "+path, "%s: others than its owner can read it (mode %04o)", path, info.Mode().Perm())}
	}
	return []finding{good(name, "%s", path)}
}

// toolTimeout bounds the question for the version of a program.
const toolTimeout = 8 * time.Second

func (d *doctor) checkFFprobe(ctx context.Context) []finding {
	const name, hint = "ffprobe", "install ffmpeg, which brings it along"
	path := onPath(name)
	if path == "" {
		return []finding{warn(name, hint, "not installed: what rarer kinds of streams hold is not read")}
	}
	return []finding{checkTool(ctx, name, path, hint, "-version")}
}

func (d *doctor) checkYTDLP(ctx context.Context) []finding {
	const name = "yt-dlp"
	wanted := d.settings.Resolve.YTDLP
	path := ytdlpPath(d.settings.Resolve)
	switch {
	case wanted == "off":
		return []finding{good(name, "not used, as setting resolve.ytdlp wants it")}
	case path == "" && wanted != "":
		return []finding{problem(name, "correct setting resolve.ytdlp", "%s is no program that can be run", wanted)}
	case path == "":
		return []finding{warn(name, "install yt-dlp, or set resolve.ytdlp to off", "not installed: links to web pages are resolved through debrid accounts only")}
	}
	return []finding{checkTool(ctx, name, path, "install it anew", "--version")}
}

// checkTool runs a program for its version.
func checkTool(ctx context.Context, name, path, hint string, args ...string) finding {
	ctx, cancel := context.WithTimeout(ctx, toolTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return problem(name, hint, "%s does not run: %v", path, err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	version = strings.TrimPrefix(version, name+" version ")
	version, _, _ = strings.Cut(version, " ")
	return good(name, "%s, version %s", path, version)
}
