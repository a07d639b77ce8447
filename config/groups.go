package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxGroup     = 4 << 20 // bytes of a file
	maxGroupName = 50      // characters
	groupEnd     = ".json"
)

// GroupMember is a member of a group, as the config that the group is lists it: one site
// of our own types.
type GroupMember struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Type string `json:"type"`
	API  string `json:"api"` // a URL, or the path of a folder
}

// groupFile is the file of a group: a TVBox config.
type groupFile struct {
	Sites []GroupMember `json:"sites"`
}

// groupsDir is the folder of the files of groups in a data directory.
func groupsDir(dataDir string) string { return filepath.Join(dataDir, "groups") }

// GroupPath is the file of the group of a name in a data directory. The error says why a
// group cannot be called so.
func GroupPath(dataDir, name string) (string, error) {
	switch {
	case name == "" || utf8.RuneCountInString(name) > maxGroupName:
		return "", fmt.Errorf("the name of a group has 1 to %d characters", maxGroupName)
	case strings.TrimSpace(name) != name || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "."):
		return "", errors.New("the name of a group neither begins nor ends with a space or a dot")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>|`, r) }):
		return "", errors.New(`the name of a group is that of a file: it holds none of / \ : * ? " < > |`)
	}
	dir, err := filepath.Abs(groupsDir(dataDir))
	return filepath.Join(dir, name+groupEnd), err
}

// GroupOf is the name of the group whose file in a data directory is at path; ok is false
// where path is no such file.
func GroupOf(dataDir, path string) (name string, ok bool) {
	name, ok = strings.CutSuffix(filepath.Base(path), groupEnd)
	if !ok || !filepath.IsAbs(path) {
		return "", false
	}
	own, err := GroupPath(dataDir, name)
	return name, err == nil && own == filepath.Clean(path)
}

// WriteGroup writes the file of a group, in the place of the one before, for its owner only
// and whole or not at all. Its folder is made where it is missing.
func WriteGroup(path string, members []GroupMember) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		_, err = writePrivate(path, groupFile{Sites: members})
	}
	if err != nil {
		return fmt.Errorf("write group %s: %w", path, bare(err))
	}
	return nil
}

// ReadGroup reads the file of a group. The error is fs.ErrNotExist where there is none.
func ReadGroup(path string) ([]GroupMember, error) {
	text, _, err := readLimited(path, maxGroup)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	var f groupFile
	if err == nil {
		if err = json.Unmarshal(plain(text), &f); err != nil {
			err = jsonProblem(err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read group %s: %w", path, bare(err))
	}
	return f.Sites, nil
}

// ChangeGroups runs change while no other process, and no other goroutine, runs one for
// the groups of a data directory, so that a group that is removed and one that is made
// do not meet half way.
func ChangeGroups(dataDir string, change func() error) error {
	dir, err := filepath.Abs(groupsDir(dataDir))
	if err != nil {
		return err
	}
	return exclusively(dir, lockWait, change)
}

// RemoveGroup removes the file of a group. One that is not there is no error.
func RemoveGroup(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove group %s: %w", path, bare(err))
	}
	return nil
}
