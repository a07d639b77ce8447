package sourcecache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"xship/sourcecache"
)

func TestInspect(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	in, err := db.Inspect(t.Context())
	must(t, err)
	if in.Version < 4 || in.Size < 4096 || len(in.Flaws) != 0 {
		t.Errorf("a new database is %+v", in)
	}
	for i := range 2000 {
		must(t, db.HosterTouch(t.Context(), fmt.Sprintf("hoster%04d.example", i), true))
	}
	must(t, db.Close())

	// Damage in the middle, which opening does not see.
	text, err := os.ReadFile(path)
	must(t, err)
	const pageSize, tableLeaf, indexLeaf = 4096, 0x0d, 0x0a
	for page := pageSize; page < len(text); page += pageSize {
		leaf := text[page] == tableLeaf || text[page] == indexLeaf
		if leaf && bytes.Contains(text[page:page+pageSize], []byte("hoster1000.example")) {
			copy(text[page:], bytes.Repeat([]byte{0xa5}, 64))
		}
	}
	must(t, os.WriteFile(path, text, 0o600))
	db, err = sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	defer db.Close()
	in, err = db.Inspect(t.Context())
	damaged, isOpenError := errors.AsType[*sourcecache.OpenError](err)
	if len(in.Flaws) == 0 && (!isOpenError || damaged.Kind != sourcecache.KindDamaged) {
		t.Errorf("a damaged database is %+v, %v", in, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Inspect(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
