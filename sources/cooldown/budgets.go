package cooldown

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"xship/sources"
	"xship/sources/cooldown/state"
)

// MemoryBudgets are the budgets of calls of one process. They keep to the monotonic
// clock where their times have one.
type MemoryBudgets struct {
	now   func() time.Time
	start time.Time

	mu      sync.Mutex
	budgets map[string]*state.Budget
	sweepAt int // budgets at which those are removed of which nothing is spent
}

var _ sources.CallBudgets = (*MemoryBudgets)(nil)

// NewMemoryBudgets makes budgets of which nothing is spent. A nil clock is time.Now.
func NewMemoryBudgets(now func() time.Time) *MemoryBudgets {
	now = sources.OrNow(now)
	return &MemoryBudgets{now: now, start: now(), budgets: make(map[string]*state.Budget), sweepAt: minSweep}
}

// Spend implements sources.CallBudgets. It never fails.
func (m *MemoryBudgets) Spend(_ context.Context, name string, l sources.CallLimit, most time.Duration) (wait time.Duration, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := int64(m.now().Sub(m.start))
	b := m.budgets[name]
	if b == nil {
		m.sweep(now)
		b = &state.Budget{}
		m.budgets[name] = b
	}
	n, ok := b.Spend(state.Rate{Calls: int64(l.Calls), Per: int64(l.Per)}, now, int64(most))
	return time.Duration(n), ok, nil
}

// sweep removes what says nothing when the table has doubled since the last time.
func (m *MemoryBudgets) sweep(now int64) {
	if len(m.budgets) < m.sweepAt {
		return
	}
	for name, b := range m.budgets {
		if b.Full <= now {
			delete(m.budgets, name)
		}
	}
	m.sweepAt = max(minSweep, 2*len(m.budgets))
}

// SharedBudgets are the budgets of calls of all who share a Redis server. While that is
// lost, those of this machine count.
type SharedBudgets struct {
	shared *Redis
	own    sources.CallBudgets
}

var _ sources.CallBudgets = (*SharedBudgets)(nil)

// NewSharedBudgets joins the budgets in Redis with those of the machine.
func NewSharedBudgets(shared *Redis, own sources.CallBudgets) *SharedBudgets {
	return &SharedBudgets{shared: shared, own: own}
}

// Spend implements sources.CallBudgets.
func (s *SharedBudgets) Spend(ctx context.Context, name string, l sources.CallLimit, most time.Duration) (wait time.Duration, ok bool, err error) {
	wait, ok, err = s.shared.spend(ctx, name, l, most)
	if err != nil {
		return s.own.Spend(ctx, name, l, most)
	}
	return wait, ok, nil
}

// spendScript: KEYS budget; ARGV calls that may come at once, the time in which one
// flows in, the span, the longest wait. It keeps to state.Budget: the key lives until
// nothing is spent any more. Gives whether a call was taken, and its wait.
var spendScript = redis.NewScript(`
local burst, step, per, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local spent = math.max(redis.call('PTTL', KEYS[1]), 0)
if spent > 2 * per + step then spent = 0 end
local wait = math.max(spent - (burst - 1) * step, 0)
if wait > most then return {0, wait} end
redis.call('SET', KEYS[1], '1', 'PX', string.format('%.0f', spent + step))
return {1, wait}
`)

// familyBudget begins the names of budgets.
const familyBudget = "budget"

func (r *Redis) spend(ctx context.Context, name string, l sources.CallLimit, most time.Duration) (wait time.Duration, ok bool, err error) {
	rate := state.Rate{Calls: int64(l.Calls), Per: l.Per.Milliseconds()}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = escapeName(part)
	}
	key := r.keys.prefix + familyBudget + ":" + strings.Join(parts, ":")
	err = r.ask(ctx, r.timeout, func(ctx context.Context) error {
		reply, err := spendScript.Run(ctx, r.client, []string{key}, rate.Burst(), rate.Step(), rate.Per, most.Milliseconds()).Int64Slice()
		if err == nil && len(reply) != 2 {
			err = errReply
		}
		if err == nil {
			ok, wait = reply[0] == 1, fromMilliseconds(reply[1])
		}
		return err
	})
	return wait, ok, err
}
