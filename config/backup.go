package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
)

const backupVersion = 1

// MaxBackup is how long a backup is at most, in bytes.
const MaxBackup = 16 << 20

// Backup is what a user takes along to another machine (section 10.4 of the
// interface failover document). It holds no account, and logins of servers and the
// URLs of interfaces that hold secrets only where WithSecrets says so; whoever fills it
// sees to that.
type Backup struct {
	Version     int                        `json:"xship_backup"` // of the format; it marks the file as a backup of xship
	CreatedAt   int64                      `json:"created_at"`   // Unix seconds
	WithSecrets bool                       `json:"with_secrets"`
	Preferences map[string]json.RawMessage `json:"preferences"` // failover mode and interface order, where they are set
	Interfaces  []BackupInterface          `json:"interfaces"`
	Logins      []StoredLogin              `json:"logins,omitempty"`
	Groups      []BackupGroup              `json:"groups,omitempty"` // those of Interfaces that are groups
	Watchlist   []BackupTitle              `json:"watchlist"`
}

// BackupInterface is an interface in a backup.
type BackupInterface struct {
	URL     string `json:"url"`
	Name    string `json:"name"`
	Current bool   `json:"current"` // the one in use
}

// BackupGroup is a group of interfaces in a backup. Its file has another place on another
// machine.
type BackupGroup struct {
	URL     string        `json:"url"` // as in Interfaces
	Members []GroupMember `json:"members"`

	LeftOut []string `json:"-"` // keys of members that are not exported
}

// BackupTitle is a title of the watchlist in a backup.
type BackupTitle struct {
	Kind         string   `json:"kind"`
	Name         string   `json:"name"`
	OriginalName string   `json:"original_name"`
	Year         int      `json:"year"`
	IMDb         string   `json:"imdb"`
	Season       *int     `json:"season"` // of an episode, 0 is a value
	Episode      *int     `json:"episode"`
	Aliases      []string `json:"aliases"`
	Origin       string   `json:"origin"` // who put it on the list
}

// BackupError says why a file is no backup that this program can read.
type BackupError struct {
	Path    string
	Version int // of a backup that a newer program made, else 0
	Err     error
}

func (e *BackupError) Error() string {
	if e.Version > 0 {
		return fmt.Sprintf("backup %s is of version %d, this program reads up to %d; use a newer xship", e.Path, e.Version, backupVersion)
	}
	return fmt.Sprintf("%s is no backup of xship: %v; use a file that xship backup export wrote", e.Path, e.Err)
}

func (e *BackupError) Unwrap() error { return e.Err }

// WriteBackup writes a backup, for its owner only and in one step. It sets the
// version; of the preferences only those of a backup are written.
func WriteBackup(path string, b Backup) error {
	if _, err := writePrivate(path, written(b)); err != nil {
		return fmt.Errorf("write backup %s: %w", path, bare(err))
	}
	return nil
}

// WriteBackupTo is WriteBackup for a stream.
func WriteBackupTo(w io.Writer, b Backup) error {
	text, err := encode(written(b))
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return nil
}

// written is a backup as it is written.
func written(b Backup) Backup {
	b.Version = backupVersion
	b.Preferences = ofBackup(b.Preferences)
	if b.Interfaces == nil {
		b.Interfaces = []BackupInterface{}
	}
	if b.Watchlist == nil {
		b.Watchlist = []BackupTitle{}
	}
	return b
}

// ReadBackup reads a backup, all or nothing. A file that is none, or one of a newer
// program, is a *BackupError. Unknown keys are ignored, preferences too.
func ReadBackup(path string) (Backup, error) {
	text, _, err := readLimited(path, MaxBackup)
	if err != nil {
		return Backup{}, fmt.Errorf("read backup %s: %w", path, bare(err))
	}
	return ParseBackup(path, text)
}

// ParseBackup is ReadBackup for text that came from the place.
func ParseBackup(path string, text []byte) (Backup, error) {
	text = plain(text)
	var marker struct {
		Version *int `json:"xship_backup"`
	}
	err := json.Unmarshal(text, &marker)
	switch {
	case err != nil:
	case marker.Version == nil || *marker.Version < 1:
		err = errors.New("it has no version of xship_backup")
	case *marker.Version > backupVersion:
		return Backup{}, &BackupError{Path: path, Version: *marker.Version, Err: errors.New("newer version")}
	}
	var b Backup
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return Backup{}, &BackupError{Path: path, Err: jsonProblem(err)}
	}
	b.Preferences = ofBackup(b.Preferences)
	return b, nil
}

// ofBackup gives the preferences that are part of a backup.
func ofBackup(preferences map[string]json.RawMessage) map[string]json.RawMessage {
	kept := map[string]json.RawMessage{}
	maps.Copy(kept, preferences)
	maps.DeleteFunc(kept, func(key string, value json.RawMessage) bool {
		ours := key == "interface_failover_mode" || key == "interface_order_vod"
		return !ours || value == nil || string(value) == "null"
	})
	return kept
}
