package config

import (
	"path/filepath"
	"strings"
)

// DefaultFile is the settings file where the user names none:
// $XDG_CONFIG_HOME/xship/config.yaml, or ~/.config/xship/config.yaml. It is "" if
// there is no home directory.
func DefaultFile(getenv func(string) string) string {
	return under(getenv, "XDG_CONFIG_HOME", ".config", "config.yaml")
}

// DefaultDataDir is the data directory where the user names none:
// $XDG_DATA_HOME/xship, or ~/.local/share/xship. It is "" if there is no home
// directory.
func DefaultDataDir(getenv func(string) string) string {
	return under(getenv, "XDG_DATA_HOME", filepath.Join(".local", "share"), "")
}

// under follows the XDG base directory specification: a relative path in a
// variable is ignored.
func under(getenv func(string) string, variable, fallback, file string) string {
	base := getenv(variable)
	if !filepath.IsAbs(base) {
		home := getenv("HOME")
		if home == "" {
			home = getenv("USERPROFILE")
		}
		if home == "" {
			return ""
		}
		base = filepath.Join(home, fallback)
	}
	return filepath.Join(base, "xship", file)
}

// Unquoted is the value of a variable without white space and a pair of quotes around
// it. Files of variables keep them, and the line ends of Windows too.
func Unquoted(value string) string {
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return strings.TrimSpace(value[1 : n-1])
	}
	return value
}

// DatabasePath is the database in a data directory.
func DatabasePath(dataDir string) string { return filepath.Join(dataDir, "xship.db") }

// PreferencesPath is the preferences file in a data directory.
func PreferencesPath(dataDir string) string { return filepath.Join(dataDir, "preferences.json") }

// AccountsPath is the file in a data directory that holds the accounts which the
// program added.
func AccountsPath(dataDir string) string { return filepath.Join(dataDir, "accounts.json") }

// LoginsPath is the file in a data directory that holds the logins of servers.
func LoginsPath(dataDir string) string { return filepath.Join(dataDir, "logins.json") }

// PrecacherLockPath is the lock file of the precacher of a data directory.
func PrecacherLockPath(dataDir string) string { return filepath.Join(dataDir, "precache.lock") }
