//go:build linux

package cmd

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// toJournal tells whether w is the stream that systemd connected with its journal and
// named in JOURNAL_STREAM, by device and inode: the journal adds the times itself. What a
// shell sent elsewhere is another stream.
func toJournal(w io.Writer, stream string) bool {
	f, ok := w.(*os.File)
	if !ok || stream == "" {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stream == fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}
