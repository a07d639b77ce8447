package cooldown_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/cooldown/state"
)

// scriptLimits are the limits of the scripts, in milliseconds.
var scriptLimits = state.Limits{
	Longest: sources.MaxCooldown.Milliseconds(), Memory: sources.CooldownMemory.Milliseconds(),
	Lease: sources.CooldownLeaseOf.Milliseconds(), Slack: 1000,
}

// scriptModel plays operations with the scripts and with the pure machine, which have
// to agree. Times are milliseconds by the clock of the machine, which starts at an odd
// moment.
type scriptModel struct {
	testing.TB
	rand    *rand.Rand
	scripts cooldown.Scripts
	move    func(ms int64) // of the server's clock
	// blur is how much of the server's time may pass by itself in all, 0 where none
	// does. No decision may hang on so little.
	blur  int64
	start time.Time

	now    int64
	state  state.State
	ends   int64 // of the memory that the server has of a cooldown, also of one that was ended before its time
	tokens []string
	played []string
}

func newScriptModel(tb testing.TB, seed uint64, scripts cooldown.Scripts, blur int64, move func(int64)) *scriptModel {
	tb.Helper()
	return &scriptModel{
		TB: tb, rand: rand.New(rand.NewPCG(seed, 0)), scripts: scripts, move: move, blur: blur, start: time.Now(),
		now: 1_700_000_000_123,
	}
}

// step plays one operation and tells whether more can be played: too much time may
// have passed at the server.
func (m *scriptModel) step() bool {
	m.Helper()
	switch m.rand.IntN(10) {
	case 0, 1:
		m.mark()
	case 2, 3, 4:
		m.begin()
	case 5:
		m.end()
	case 6:
		if m.rand.IntN(4) == 0 {
			m.clear()
		}
	default:
		m.advance()
	}
	m.check()
	return m.blur == 0 || time.Since(m.start).Milliseconds() < m.blur/2
}

// fail tells what disagrees, and how it came to that.
func (m *scriptModel) fail(got, want any) {
	m.Helper()
	m.Fatalf("the script says %v, the machine %v, after\n%q\nwhich leaves %+v at %d", got, want, m.played, m.state, m.now)
}

func (m *scriptModel) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// same compares what the script gives with what the machine does; times may be less
// by what passed at the server.
func (m *scriptModel) same(got, want []any) {
	m.Helper()
	passed := int64(0)
	if m.blur > 0 {
		passed = time.Since(m.start).Milliseconds() + 2
	}
	same := len(got) == len(want)
	for i := 0; same && i < len(want); i++ {
		g, isTime := got[i].(int64)
		w, _ := want[i].(int64)
		same = got[i] == want[i] || isTime && w > 0 && g <= w && g >= w-passed
	}
	if !same {
		m.fail(got, want)
	}
}

func (m *scriptModel) note(format string, args ...any) {
	m.played = append(m.played, fmt.Sprintf(format, args...))
}

// remembered is what remains of the last cooldown with its memory.
func (m *scriptModel) remembered() int64 { return max(0, m.ends-m.now) }

// cooldown is what remains, and why, as Check has it.
func (m *scriptModel) cooldown() []any {
	s := m.state.Effective(m.now, scriptLimits)
	if !s.Running(m.now) {
		return []any{int64(0), "", m.remembered(), int64(0)}
	}
	return []any{s.Until - m.now, s.Reason, m.remembered(), int64(0)}
}

func (m *scriptModel) check() {
	m.Helper()
	got, err := m.scripts.Check(m.Context())
	m.must(err)
	m.same(got, m.cooldown())
}

func (m *scriptModel) mark() {
	m.Helper()
	length := 1 + m.rand.Int64N(scriptLimits.Longest)
	left := m.state.Until - m.now
	switch m.rand.IntN(4) {
	case 0:
		length = scriptLimits.Longest
	case 1:
		length = min(max(left+m.rand.Int64N(3)-1, 1), scriptLimits.Longest) // as long as what remains, or nearly
	}
	if m.blur > 0 && (length <= m.blur || left-m.blur < length && length < left+m.blur) {
		return
	}
	mark := state.Mark{For: length, Grow: m.rand.IntN(3) > 0, Reason: []string{"", "limited", "two words 12", "429: slow\ndown"}[m.rand.IntN(4)]}
	m.note("mark %d, grow %t, %q", mark.For, mark.Grow, mark.Reason)
	m.state = m.state.Effective(m.now, scriptLimits)
	m.state.Mark(mark, m.now, scriptLimits)
	m.ends = m.state.Until + scriptLimits.Memory
	got, err := m.scripts.Mark(m.Context(), sources.CooldownMark{For: time.Duration(mark.For) * time.Millisecond, Grow: mark.Grow, Reason: mark.Reason})
	m.must(err)
	m.same(got, m.cooldown())
}

func (m *scriptModel) begin() {
	m.Helper()
	const free, cooling, wait, first = int64(0), int64(1), int64(2), int64(3)
	token := "t" + strconv.Itoa(len(m.tokens))
	m.tokens = append(m.tokens, token)
	m.note("begin %s", token)
	m.state = m.state.Effective(m.now, scriptLimits)
	var want []any
	switch s := &m.state; {
	case *s == state.State{}:
		want = []any{free, int64(0), "", m.remembered(), int64(0)}
	case s.Running(m.now):
		want = append([]any{cooling}, m.cooldown()...)
	case s.Lease(token, m.now, scriptLimits):
		want = []any{first, int64(0), "", m.remembered(), int64(0)}
	default:
		want = []any{wait, s.LeaseUntil - m.now, s.Reason, m.remembered(), int64(0)}
	}
	got, err := m.scripts.Begin(m.Context(), token)
	m.must(err)
	m.same(got, want)
}

// end ends a call, the last one or one of those before.
func (m *scriptModel) end() {
	m.Helper()
	if len(m.tokens) == 0 {
		return
	}
	token, answered := m.tokens[len(m.tokens)-1-m.rand.IntN(min(3, len(m.tokens)))], m.rand.IntN(2) == 0
	if m.rand.IntN(2) == 0 && m.state.LeaseToken != "" {
		token = m.state.LeaseToken
	}
	m.note("end %s, answered %t", token, answered)
	m.state = m.state.Effective(m.now, scriptLimits)
	m.state.End(token, answered)
	m.must(m.scripts.End(m.Context(), token, answered))
}

func (m *scriptModel) clear() {
	m.Helper()
	m.note("clear")
	want := int64(0)
	if m.state.Running(m.now) {
		want = 1
	}
	m.state = state.State{}
	got, err := m.scripts.Clear(m.Context())
	m.must(err)
	if got != want {
		m.fail(got, want)
	}
}

// advance moves the clocks on, often to just where something ends.
func (m *scriptModel) advance() {
	m.Helper()
	ends := []int64{m.state.Until, m.state.LeaseUntil, m.ends}
	by := m.rand.Int64N(scriptLimits.Longest)
	if end := ends[m.rand.IntN(len(ends))]; m.rand.IntN(2) == 0 && end > m.now {
		by = max(0, end-m.now+m.rand.Int64N(3)-1)
	}
	if m.rand.IntN(8) == 0 {
		by = scriptLimits.Memory
	}
	for again := m.blur > 0; again; {
		again = false
		for _, end := range ends {
			if left := end - m.now - by; left > 0 && left <= m.blur {
				by, again = by+left, true
			}
		}
	}
	m.note("move %d", by)
	m.now += by
	m.move(by)
}

// TestScripts holds the scripts to the pure machine by random operations.
func TestScripts(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = client.Close() })
	for seed := range uint64(40) {
		key := sources.CooldownKey{User: int64(seed) + 1, Provider: "real_debrid"}
		m := newScriptModel(t, seed, cooldown.NewScripts(client, "t:", key), 0, func(ms int64) {
			server.FastForward(time.Duration(ms) * time.Millisecond)
		})
		for range 60 {
			m.step()
		}
	}
}
