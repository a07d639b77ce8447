package cooldown

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

const (
	// defaultTimeout keeps an operation with a server that hangs below 100 ms.
	defaultTimeout = 75 * time.Millisecond
	// dialTimeout bounds the making of a connection. An operation does not wait
	// so long; the connection is there for a later one, also from far away.
	dialTimeout = 2 * time.Second
	// maxReason bounds a reason, in bytes.
	maxReason = 300
)

// RedisOptions tells a Redis where its server is.
type RedisOptions struct {
	URL     string           // redis://[user:password@]host:port[/database], rediss:// or unix://
	Prefix  string           // before every key
	Timeout time.Duration    // of an operation that waits for the server, 0 = 75 ms
	Now     func() time.Time // nil = time.Now
	Logger  *slog.Logger     // nil = silent
}

// Redis is the cooldowns of all processes that share a Redis server. While the
// server is down, hangs or answers nonsense, a Redis keeps to what this process
// knows, asks the server again every second or so, and brings its marks when it
// is back. No operation waits for the server longer than its timeout; cancelling
// one does not cut that short, since a mark is made and a lease given back also
// when the caller leaves.
type Redis struct {
	client   *redis.Client
	password string
	keys     redisKeys
	timeout  time.Duration
	local    *Memory // what this process marked or saw
	foreign  *Memory // what it saw of other programs, which is never brought to the server
	server   *redisServer
}

var _ sources.ProviderCooldown = (*Redis)(nil)

// NewRedis makes a Redis without asking the server anything. Its error holds no
// part of the URL. The logger of the client library, which is one for the whole
// process and writes to standard error, is disabled: nothing else in the program
// uses that library, and what matters a Redis logs itself.
func NewRedis(o RedisOptions) (*Redis, error) {
	o.Timeout = sources.OrDefault(o.Timeout, defaultTimeout)
	opts, err := clientOptions(o.URL, o.Timeout)
	if err != nil {
		return nil, err
	}
	o.Now = sources.OrNow(o.Now)
	o.Logger = sources.OrSilent(o.Logger)
	logging.Disable()
	return &Redis{
		client:   redis.NewClient(opts),
		password: opts.Password,
		keys:     redisKeys{prefix: o.Prefix},
		timeout:  o.Timeout,
		local:    NewMemory(o.Now),
		foreign:  NewMemory(o.Now),
		server:   &redisServer{now: o.Now, logger: o.Logger, name: text.Clean(opts.Addr)},
	}, nil
}

var errRedisURL = errors.New("redis.url cannot be used: want redis://[user:password@]host:port[/database], rediss://... or unix://[user:password@]/path?db=number, odd characters of the password as %XX")

// clientOptions reads the URL. What is wrong with it is not told, since that
// could tell a part of the password.
func clientOptions(rawURL string, timeout time.Duration) (*redis.Options, error) {
	if u, err := url.Parse(rawURL); err != nil || u.Opaque != "" {
		return nil, errRedisURL
	}
	opts, err := redis.ParseURL(rawURL)
	if err != nil {
		return nil, errRedisURL
	}
	// Without these the client waits 5 to 10 s for a server that hangs.
	opts.ContextTimeoutEnabled = true
	opts.ReadTimeout, opts.WriteTimeout = timeout, timeout
	opts.DialTimeout, opts.DialerRetries = dialTimeout, 1
	opts.MaxRetries = -1
	// Nothing but what we ask for.
	opts.Protocol = 2
	opts.DisableIdentity = true
	opts.PipelinePoolSize = -1
	opts.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	dial := redis.NewDialer(opts)
	opts.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return guard(conn), nil
	}
	return opts, nil
}

// Close ends the connections. Afterwards a Redis keeps to itself.
func (r *Redis) Close() error {
	r.server.close()
	if err := r.client.Close(); err != nil {
		return fmt.Errorf("close the connections to redis at %s: %w", r.server.name, err)
	}
	return nil
}

// Ping asks the server whether it is there, whatever was known of it.
func (r *Redis) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	if err := r.client.Ping(ctx).Err(); err != nil {
		return r.failure("ask", err)
	}
	return nil
}

// said is what a Redis tells of one key.
type said struct {
	sources.Cooldown
	lost    bool          // the server did not answer: it is what this process knows
	known   bool          // the server knows of a last cooldown
	ends    time.Duration // when known: until the end that it had when it was marked
	foreign bool          // what runs was set by another program, which ends it as it likes: a copy would outlive that
}

// IsCoolingDown implements sources.ProviderCooldown.
func (r *Redis) IsCoolingDown(ctx context.Context, key sources.CooldownKey) (sources.Cooldown, error) {
	s, err := r.check(ctx, key)
	return s.Cooldown, err
}

func (r *Redis) check(ctx context.Context, key sources.CooldownKey) (said, error) {
	var s said
	start := r.local.now()
	err := r.ask(ctx, r.timeout, func(ctx context.Context) (err error) {
		s, err = cooldownReply(checkScript.Run(ctx, r.client, r.keys.all(key)[:2]))
		return err
	})
	if err != nil {
		c, err := r.local.IsCoolingDown(ctx, key)
		return said{Cooldown: longer(c, r.foreignly(ctx, key)), lost: true}, err
	}
	r.saw(key, s, start)
	return s, nil
}

// foreignly is what this process last saw of another program's cooldown.
func (r *Redis) foreignly(ctx context.Context, key sources.CooldownKey) sources.Cooldown {
	c, _ := r.foreign.IsCoolingDown(ctx, key) // never fails
	return c
}

// here lists what this process knows to run, of other programs too.
func (r *Redis) here(ctx context.Context) ([]sources.CooldownEntry, error) {
	all, err := r.local.Cooldowns(ctx)
	if err != nil {
		return nil, err
	}
	theirs, err := r.foreign.Cooldowns(ctx)
	for _, e := range theirs {
		i := slices.IndexFunc(all, func(known sources.CooldownEntry) bool { return known.CooldownKey == e.CooldownKey })
		if i < 0 {
			all = append(all, e)
		} else {
			all[i].Cooldown = longer(all[i].Cooldown, e.Cooldown)
		}
	}
	sortEntries(all)
	return all, err
}

// MarkCooldown implements sources.ProviderCooldown.
func (r *Redis) MarkCooldown(ctx context.Context, key sources.CooldownKey, m sources.CooldownMark) (sources.Cooldown, error) {
	s, err := r.mark(ctx, key, m)
	return s.Cooldown, err
}

func (r *Redis) mark(ctx context.Context, key sources.CooldownKey, m sources.CooldownMark) (said, error) {
	if m.For <= 0 {
		return r.check(ctx, key)
	}
	m.For, m.Reason = min(m.For, sources.MaxCooldown), cleanReason(m.Reason)
	here, err := r.local.MarkCooldown(ctx, key, m)
	if err != nil {
		return said{}, err
	}
	var s said
	start := r.local.now()
	err = r.ask(ctx, r.timeout, func(ctx context.Context) (err error) {
		s, err = cooldownReply(markScript.Run(ctx, r.client, r.keys.all(key), markArgs(m.For, m.For, m.Grow, m.Reason)...))
		return err
	})
	if err != nil {
		return said{Cooldown: longer(here, r.foreignly(ctx, key)), lost: true}, nil //nolint:nilerr // fail-open: the mark holds here
	}
	r.saw(key, s, start)
	return s, nil
}

// Begin implements sources.ProviderCooldown.
func (r *Redis) Begin(ctx context.Context, key sources.CooldownKey) (sources.CooldownLease, sources.Cooldown, error) {
	b, err := r.begin(ctx, key)
	return b.lease, longer(b.Cooldown, b.wait), err
}

// begun is how a call begins.
type begun struct {
	said
	lease sources.CooldownLease
	wait  sources.Cooldown // for the call that goes first
}

// begin is Begin. Of the calls of this process at most one asks the server for
// the lease, so that a server that is lost just then does not make them two.
func (r *Redis) begin(ctx context.Context, key sources.CooldownKey) (begun, error) {
	start := r.local.now()
	how, lease, here := r.local.begin(key)
	if how == beginWait {
		return begun{said: said{lost: true}, wait: here}, nil
	}
	token := lease.Token
	if token == "" {
		token = rand.Text()
	}
	var s said
	err := r.ask(ctx, r.timeout, func(ctx context.Context) error {
		reply, err := beginScript.Run(ctx, r.client, r.keys.all(key), token).Slice()
		if err != nil {
			return err
		}
		how, s, err = beginReply(reply)
		return err
	})
	if err != nil { // fail-open: what this process knows counts
		if theirs := r.foreignly(ctx, key); theirs.Remaining > here.Remaining {
			return begun{said: said{Cooldown: theirs, lost: true}}, r.local.End(ctx, lease, false)
		}
		return begun{said: said{Cooldown: here, lost: true}, lease: lease}, nil
	}
	b := begun{said: s}
	switch how {
	case beginFree:
		r.local.forget(key, start)
		r.foreign.forget(key, start)
	case beginCooling:
		r.saw(key, s, start)
	case beginWait:
		b.Cooldown, b.wait = sources.Cooldown{}, s.Cooldown
		r.saw(key, b.said, start)
		err = r.local.End(ctx, lease, false)
	case beginFirst:
		r.saw(key, s, start)
		b.lease = sources.CooldownLease{Key: key, Token: token}
	}
	return b, err
}

// End implements sources.ProviderCooldown.
func (r *Redis) End(ctx context.Context, l sources.CooldownLease, answered bool) error {
	if l.Token == "" {
		return nil
	}
	_ = r.ask(ctx, r.timeout, func(ctx context.Context) error {
		keys := r.keys.all(l.Key)
		return endScript.Run(ctx, r.client, keys[1:], l.Token, flag(answered)).Err()
	})
	return r.local.End(ctx, l, answered)
}

// Refused implements sources.ProviderCooldown.
func (r *Redis) Refused(ctx context.Context, key sources.CooldownKey, refusal sources.Refusal) (again bool, err error) {
	again, lost := r.refused(ctx, key, refusal)
	if lost {
		return r.local.Refused(ctx, key, refusal)
	}
	return again, nil
}

// refused asks the server alone, and tells where that is lost.
func (r *Redis) refused(ctx context.Context, key sources.CooldownKey, refusal sources.Refusal) (again, lost bool) {
	err := r.ask(ctx, r.timeout, func(ctx context.Context) (err error) {
		again, err = refusedScript.Run(ctx, r.client, []string{r.keys.refused(key)}, refusal.Link, refusal.Answer, toMilliseconds(sources.RefusalMemory)).Bool()
		return err
	})
	return again, err != nil
}

// Answered implements sources.ProviderCooldown.
func (r *Redis) Answered(ctx context.Context, key sources.CooldownKey) error {
	_ = r.ask(ctx, r.timeout, func(ctx context.Context) error { return r.client.Del(ctx, r.keys.refused(key)).Err() })
	return r.local.Answered(ctx, key)
}

// saw keeps what the server said about key to an operation that began at start.
func (r *Redis) saw(key sources.CooldownKey, s said, start time.Time) {
	r.foreign.forget(key, start)
	switch {
	case s.foreign:
		r.foreign.extend(key, s.Cooldown)
	case s.Remaining > 0:
		r.local.extend(key, s.Cooldown)
	default:
		r.local.stop(key, start)
	}
}

// ask runs fn with the server, within budget, and says whether that worked.
func (r *Redis) ask(ctx context.Context, budget time.Duration, fn func(context.Context) error) error {
	ok, retry := r.server.admit()
	if !ok {
		return errLost
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), budget)
	defer cancel()
	if retry {
		return r.regain(ctx, fn)
	}
	err := fn(ctx)
	r.server.report(false, r.cause(err))
	return err
}

// regain is ask for a server that was lost: the marks go first, and at the end
// those that were made in the meantime.
func (r *Redis) regain(ctx context.Context, fn func(context.Context) error) error {
	start := r.local.now()
	err := r.push(ctx, time.Time{})
	if err == nil {
		err = fn(ctx)
	}
	r.server.report(true, r.cause(err))
	if err != nil {
		return err
	}
	if late := r.push(ctx, start); late != nil {
		r.server.report(false, r.cause(late))
	}
	return nil
}

// errLost is the failure of an operation that did not ask the server.
var errLost = errors.New("the server did not answer a moment ago")

// maxPush bounds how many marks are brought to a server that is back.
const maxPush = 1000

// push brings the server the marks since then, which it may have missed or lost.
// A mark that it knows changes nothing, and one that it knows to last longer
// neither.
func (r *Redis) push(ctx context.Context, since time.Time) error {
	running := r.local.running(maxPush, since)
	if len(running) == 0 {
		return nil
	}
	if err := markScript.Load(ctx, r.client).Err(); err != nil {
		return err
	}
	_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, m := range running {
			p.EvalSha(ctx, markScript.Hash(), r.keys.all(m.CooldownKey), markArgs(m.Remaining, m.length, false, m.Reason)...)
		}
		return nil
	})
	return err
}

// cause is why an operation failed, for people, and "" where it did not.
func (r *Redis) cause(err error) string {
	if err == nil {
		return ""
	}
	s := text.Clean(err.Error())
	if r.password != "" { // old servers repeat what they did not understand
		s = strings.ReplaceAll(s, r.password, link.Redacted)
	}
	return cmp.Or(clip(s), "no cause given")
}

func (r *Redis) failure(what string, err error) error {
	return &RedisError{Server: r.server.name, What: what, Cause: r.cause(err), Err: err}
}

// RedisError tells that an operation did not reach all processes.
type RedisError struct {
	Server string
	What   string // was tried
	Cause  string // without secrets
	Err    error  // may hold secrets
}

func (e *RedisError) Error() string {
	return fmt.Sprintf("%s redis at %s: %s; %s", e.What, e.Server, e.Cause, e.ErrorHint())
}

// ErrorCode implements text.Coded.
func (*RedisError) ErrorCode() string { return "redis" }

// ErrorHint implements text.Hinted.
func (*RedisError) ErrorHint() string { return "check that the server runs and redis.url is right" }

func (e *RedisError) Unwrap() error { return e.Err }

// cooldownReply reads what checkScript and markScript give.
func cooldownReply(cmd *redis.Cmd) (said, error) {
	reply, err := cmd.Slice()
	if err != nil {
		return said{}, err
	}
	if len(reply) != 4 {
		return said{}, errReply
	}
	return readSaid(reply)
}

func beginReply(reply []any) (beginning, said, error) {
	if len(reply) != 5 {
		return 0, said{}, errReply
	}
	n, ok := reply[0].(int64)
	how := beginning(n)
	if !ok || how < beginFree || how > beginFirst {
		return 0, said{}, errReply
	}
	s, err := readSaid(reply[1:])
	return how, s, err
}

var errReply = errors.New("the server gives an answer of another shape")

// readSaid reads milliseconds, reason, what remains of the last cooldown with its memory,
// and whether the cooldown is another program's, which may last longer than any of ours.
func readSaid(reply []any) (said, error) {
	ms, okMS := reply[0].(int64)
	reason, okReason := reply[1].(string)
	memory, okMemory := reply[2].(int64)
	theirs, okTheirs := reply[3].(int64)
	if !okMS || !okReason || !okMemory || !okTheirs {
		return said{}, errReply
	}
	s := said{foreign: theirs == 1, known: memory > 0, ends: min(fromMilliseconds(memory)-sources.CooldownMemory, sources.MaxCooldown)}
	if ms > 0 {
		s.Cooldown = sources.Cooldown{Remaining: fromMilliseconds(ms), Reason: cleanReason(reason)}
	}
	return s, nil
}

// longer is the cooldown that lasts longer.
func longer(a, b sources.Cooldown) sources.Cooldown {
	if b.Remaining > a.Remaining {
		return b
	}
	return a
}

func markArgs(rest, length time.Duration, grow bool, reason string) []any {
	return []any{toMilliseconds(rest), toMilliseconds(length), flag(grow), reason}
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// toMilliseconds rounds up: a cooldown never ends early.
func toMilliseconds(d time.Duration) string {
	ms := d.Milliseconds()
	if d%time.Millisecond > 0 {
		ms++
	}
	return strconv.FormatInt(ms, 10)
}

func fromMilliseconds(ms int64) time.Duration {
	const longest = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(max(ms, 0), longest)) * time.Millisecond
}

// cleanReason is a reason that a terminal, a log and the guard bear.
func cleanReason(s string) string { return clip(text.Clean(s)) }

func clip(s string) string {
	if len(s) <= maxReason {
		return s
	}
	return strings.ToValidUTF8(s[:maxReason], "")
}
