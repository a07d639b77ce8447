package precacher_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
)

func TestSpread(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name     string
		hosters  string
		interval time.Duration
		want     []precacher.Place
	}{
		{"nothing", "", 10 * s, nil},
		{"seven hosters", "aabcdefg", 10 * s, []precacher.Place{{Job: 0}, {Job: 1}, {Job: 2}, {Job: 3}, {Job: 4}, {Job: 5}, {Job: 6}, {Job: 7}}},
		{"no pace", "aabcdefgh", 0, []precacher.Place{{Job: 0}, {Job: 1}, {Job: 2}, {Job: 3}, {Job: 4}, {Job: 5}, {Job: 6}, {Job: 7}, {Job: 8}}},
		{"the next cycle is overdue", "aabcdefgh", -s, []precacher.Place{{Job: 0}, {Job: 1}, {Job: 2}, {Job: 3}, {Job: 4}, {Job: 5}, {Job: 6}, {Job: 7}, {Job: 8}}},
		{"eight hosters, one job each", "abcdefgh", 10 * s, []precacher.Place{
			{0, 0}, {1, s}, {2, 2 * s}, {3, 3 * s}, {4, 4 * s}, {5, 5 * s}, {6, 6 * s}, {7, 7 * s},
		}},
		{"hosters come in turn, the most useful jobs first", "aaabbcdefghh", 15 * s, []precacher.Place{
			{0, 0},
			{3, s},
			{5, 2 * s},
			{6, 3 * s},
			{7, 4 * s},
			{8, 5 * s},
			{9, 6 * s},
			{10, 7 * s}, // one of each
			{1, 8 * s},
			{4, 9 * s},
			{11, 10 * s},
			{2, 11 * s},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := precacher.Spread(nil, []rune(tt.hosters), tt.interval)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever is due has one place each, none after 80 % of the interval, also where that
// is long, and the k-th job of a hoster comes before the next one of any.
func TestSpread_places(t *testing.T) {
	var places []precacher.Place
	for _, n := range []int{8, 200, 5000} {
		for _, interval := range []time.Duration{time.Second, 15 * time.Minute, 1000 * time.Hour} {
			hosters := make([]string, n)
			for i := range hosters {
				hosters[i] = fmt.Sprintf("h%d", i*i%23)
			}
			places = precacher.Spread(places, hosters, interval)
			seen, turns := make(map[int]bool), make(map[string]int)
			turn, last := 0, time.Duration(-1)
			for _, p := range places {
				seen[p.Job] = true
				h := hosters[p.Job]
				if p.After < last || p.After >= interval*4/5 || turns[h] < turn {
					t.Fatalf("%d jobs in %s: job %d of %s, its %dth, after %s, behind one of turn %d after %s", n, interval, p.Job, h, turns[h], p.After, turn, last)
				}
				turn, last = turns[h], p.After
				turns[h]++
			}
			if distinct := len(turns); distinct < 8 || len(seen) != n || len(places) != n {
				t.Errorf("%d places for %d jobs of %d hosters, %d of them different", len(places), n, distinct, len(seen))
			}
		}
	}
}

// BenchmarkSpread gives the 200 jobs of a cycle their places.
func BenchmarkSpread(b *testing.B) {
	var places []precacher.Place
	hosters := make([]int, 200)
	for i := range hosters {
		hosters[i] = i * 7 % 40
	}
	b.ReportAllocs()
	for b.Loop() {
		places = precacher.Spread(places, hosters, 15*time.Minute)
	}
}
