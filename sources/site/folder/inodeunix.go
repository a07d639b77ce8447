//go:build unix

package folder

import (
	"io/fs"
	"strconv"
	"syscall"
)

// inode tells a folder from another one that came into its place.
func inode(info fs.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(stat.Ino, 10)
	}
	return ""
}
