package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/muesli/cancelreader"
)

// keyboard is a terminal for a program that reads keys from it, until end. Without
// it the reader of that program would outlive the program, and take the next key
// from who reads then: bubbletea 2.0 closes what a goroutine of it still waits on.
type keyboard struct {
	file   *os.File
	keys   cancelreader.CancelReader
	moment sync.Mutex // held while keys is read
	ended  func()     // called when there will be no more keys, in a goroutine of its own
}

// openKeyboard makes a keyboard of stdin where that is a file, and calls ended when the
// terminal has ended; else it is stdin as it is. Windows has readers of its own.
func openKeyboard(stdin io.Reader, ended func()) (input io.Reader, end func(), err error) {
	file, ok := stdin.(*os.File)
	if !ok || runtime.GOOS == "windows" {
		return stdin, func() {}, nil
	}
	keys, err := cancelreader.NewReader(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read the terminal: %w", err)
	}
	k := &keyboard{file: file, keys: keys, ended: ended}
	return k, k.end, nil
}

// Read implements io.Reader.
func (k *keyboard) Read(p []byte) (int, error) {
	k.moment.Lock()
	defer k.moment.Unlock()
	n, err := k.keys.Read(p)
	if err != nil && !errors.Is(err, cancelreader.ErrCanceled) {
		go k.ended()
	}
	return n, err
}

// Write and Fd make it a terminal that can be set up.
func (k *keyboard) Write(p []byte) (int, error) { return k.file.Write(p) }

// Fd is the terminal's.
func (k *keyboard) Fd() uintptr { return k.file.Fd() }

// Close implements io.Closer; the terminal stays open.
func (k *keyboard) Close() error { return nil }

// end makes a Read that waits return, and every later one fail.
func (k *keyboard) end() {
	k.keys.Cancel()
	k.moment.Lock()
	defer k.moment.Unlock()
	_ = k.keys.Close() // of pipes that nobody reads any more
}
