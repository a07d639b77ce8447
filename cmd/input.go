package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"xship/cmd/term"
	"xship/sources/text"
)

// stdinName is how commands are told to read standard input in place of a file, and to
// write standard output.
const stdinName = "-"

// inputName is what an input is called in a sentence.
func inputName(file string) string {
	if file == stdinName {
		return "standard input"
	}
	return text.Clean(file)
}

// readInput reads a file, or standard input where it is called "-", of limit bytes at most.
// typing tells somebody at a terminal what to type.
func (a *app) readInput(ctx context.Context, file string, limit int64, typing string) ([]byte, error) {
	if file == stdinName && term.IsTerminal(a.Stdin) {
		a.note("%s", typing)
	}
	return awaitInput(ctx, func() ([]byte, error) {
		read, err := a.readAll(file, limit)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", inputName(file), err)
		}
		return read, nil
	})
}

// awaitInput is what read gives, unless ctx ends before: nothing breaks off a pipe that
// nobody writes, and read is left to itself then.
func awaitInput[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		got T
		err error
	}
	done := make(chan result, 1)
	go func() {
		got, err := read()
		done <- result{got, err}
	}()
	select {
	case r := <-done:
		return r.got, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (a *app) readAll(file string, limit int64) ([]byte, error) {
	in := a.Stdin
	if file != stdinName {
		f, err := os.Open(file)
		if err != nil {
			return nil, bareFile(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, errors.New("it is a directory")
		}
		in = f
	}
	read, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return nil, bareFile(err)
	case int64(len(read)) > limit:
		return nil, fmt.Errorf("it is larger than %d MiB", limit>>20)
	}
	return read, nil
}
