package cooldown

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
)

func TestMemorySweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(nil)
		most := 0
		for user := range int64(100_000) {
			if _, err := m.MarkCooldown(t.Context(), sources.CooldownKey{User: user, Provider: "p"}, sources.CooldownMark{For: time.Second}); err != nil {
				t.Fatal(err)
			}
			most = max(most, len(m.entries))
			time.Sleep(time.Second)
		}
		// 601 s from its mark on an entry matters.
		if most > 2*601 {
			t.Errorf("%d entries at most, want 1202", most)
		}
		for key := range m.entries { // what is asked for is removed as well
			time.Sleep(time.Hour)
			if _, _, err := m.Begin(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			if _, ok := m.entries[key]; ok {
				t.Error("a dead entry stays")
			}
			break
		}
	})
}

// TestMemoryMonotonic wants times to be counted by the clock that nobody sets.
func TestMemoryMonotonic(t *testing.T) {
	if start := NewMemory(nil).start.String(); !strings.Contains(start, " m=") {
		t.Errorf("the start %s has no monotonic reading", start)
	}
}

// TestMemoryShadow has the news of the server cross marks of this process.
func TestMemoryShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := sources.CooldownKey{User: 1, Provider: "p"}
		for name, news := range map[string]func(m *Memory, since time.Time){
			"stop":   func(m *Memory, since time.Time) { m.stop(key, since) },
			"forget": func(m *Memory, since time.Time) { m.forget(key, since) },
		} {
			m := NewMemory(nil)
			asked := time.Now()
			time.Sleep(time.Millisecond)
			m.extend(key, sources.Cooldown{Remaining: time.Minute, Reason: "limited"})
			news(m, asked)
			if c, _ := m.IsCoolingDown(t.Context(), key); c.Remaining != time.Minute {
				t.Errorf("%s: older news leave %+v", name, c)
			}
			if late := m.running(5, asked); len(late) != 1 || late[0].length != time.Minute {
				t.Errorf("%s: since then running: %+v", name, late)
			}
			time.Sleep(time.Millisecond)
			news(m, time.Now())
			if c, _ := m.IsCoolingDown(t.Context(), key); c.Remaining != 0 {
				t.Errorf("%s: the news leave %+v", name, c)
			}
			m.extend(sources.CooldownKey{User: 2}, sources.Cooldown{Remaining: time.Second})
			m.extend(sources.CooldownKey{User: 3}, sources.Cooldown{Remaining: time.Minute})
			if all := m.running(1, time.Time{}); len(all) != 1 || all[0].User != 3 {
				t.Errorf("%s: the longest running: %+v", name, all)
			}
		}
	})
}

func TestMillisecondsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		d    time.Duration
		want string
	}{{1, "1"}, {time.Millisecond, "1"}, {time.Millisecond + 1, "2"}, {1<<63 - 1, "9223372036855"}} {
		if got := toMilliseconds(tt.d); got != tt.want {
			t.Errorf("toMilliseconds(%d) = %s, want %s", tt.d, got, tt.want)
		}
	}
	if got := fromMilliseconds(1<<63 - 1); got <= 0 {
		t.Errorf("the longest time becomes %v", got)
	}
}
