package sourcecache_test

import (
	"fmt"
	"testing"
	"time"
)

const benchRoot = "/home/user/films"

// BenchmarkPutFolders indexes 100,000 files in 10,000 folders, 1,000 files at a time: as
// new ones, as they are, and a tenth of them with other facts. longest-ms is how long
// others who write had to wait at most.
func BenchmarkPutFolders(b *testing.B) {
	s := newStore(b)
	all := filesIn(10_000, 10)
	put := func(b *testing.B) {
		var longest time.Duration
		for i := 0; i < len(all); i += 100 {
			start := time.Now()
			must(b, s.PutFolders(b.Context(), benchRoot, all[i:i+100]))
			longest = max(longest, time.Since(start))
		}
		b.ReportMetric(float64(longest)/float64(time.Millisecond), "longest-ms")
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s.exec(b, `DELETE FROM index_key; DELETE FROM index_file; DELETE FROM index_folder`)
			b.StartTimer()
			put(b)
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			put(b)
		}
	})
	b.Run("a tenth changed", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			for i := range all {
				all[i].Files[n%10].Facts = fmt.Append(nil, n)
			}
			put(b)
		}
	})
}

// BenchmarkFindFiles looks for six keys, of which two have ten files, in 100,000.
func BenchmarkFindFiles(b *testing.B) {
	s := indexedStore(b, 10_000, 10)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := i * 7919 % 10_000
		found, err := s.FindFiles(b.Context(), benchRoot, []string{"a", "b", "c", "d", fmt.Sprint("film ", n), fmt.Sprintf("film %d part 3", n)}, 100)
		must(b, err)
		if len(found) != 10 {
			b.Fatalf("%d files", len(found))
		}
	}
}

// BenchmarkIndexedFolders reads what is known of 10,000 and of 100,000 folders.
func BenchmarkIndexedFolders(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := indexedStore(b, n, 1)
			b.ReportAllocs()
			for b.Loop() {
				stamps, err := s.IndexedFolders(b.Context(), benchRoot)
				must(b, err)
				if len(stamps) != n {
					b.Fatalf("%d folders", len(stamps))
				}
			}
		})
	}
}

// BenchmarkForgetRoot removes 100,000 files.
func BenchmarkForgetRoot(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := indexedStore(b, 10_000, 10)
		b.StartTimer()
		must(b, s.ForgetRoot(b.Context(), benchRoot))
	}
}

// indexedStore has so many folders indexed, with so many files each.
func indexedStore(b *testing.B, folders, files int) *store {
	b.Helper()
	s := newStore(b)
	all := filesIn(folders, files)
	for i := 0; i < len(all); i += 1000 {
		must(b, s.PutFolders(b.Context(), benchRoot, all[i:i+1000]))
	}
	return s
}

// BenchmarkPutAnswer stores answers where there are as many as are kept.
func BenchmarkPutAnswer(b *testing.B) {
	s := newStore(b)
	s.exec(b, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 19900)
		INSERT INTO answer (key, body, size, at) SELECT 'k' || i, randomblob(4000), 4000, i FROM n`)
	body := make([]byte, 4000)
	for i := 0; b.Loop(); i++ {
		must(b, s.PutAnswer(b.Context(), fmt.Sprint("new", i), body))
		if _, _, err := s.Answer(b.Context(), fmt.Sprint("new", i/2)); err != nil {
			b.Fatal(err)
		}
	}
}
