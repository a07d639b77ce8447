package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/sources"
	"xship/sources/text"
)

// StatusRequest says what was found out before an Engine could be asked.
type StatusRequest struct {
	// SettingsErr says why the settings cannot be used; then the Engine has the defaults.
	SettingsErr error
	// StoreErr says why the store cannot be used, or only be read. Where the Engine has
	// none and this is nil, nothing was stored yet.
	StoreErr error
}

// Status is how things stand. Nothing is asked of the network for it.
type Status struct {
	At        time.Time
	Daemon    DaemonState
	Titles    int          // watched
	Waiting   []TitleState // those of them that are not ready, those watched soonest first
	Hosters   int
	Failing   []sources.HosterHealth // those of them that are hidden, most fails first
	Network   sources.NetworkState
	Interface sources.Interface
	Use       sources.InterfaceUse // how it came into use
	LoadError string               // of its last load, "" where it went well
	Accounts  []AccountState
	Unread    bool     // what is stored could not be read, or not all of it
	Problems  []string // what the user has to do something about
}

// TitleState is a title of the watchlist, and how it stands.
type TitleState struct {
	sources.WatchState
	NextAt  time.Time // when it is looked for next, zero where nobody does
	AirDate string    // the day on which it is broadcast, "" where it was, or that is not known
}

// Builtin tells whether the interface in use is the built-in one, as there is no other.
func (s *Status) Builtin() bool { return loader.IsBuiltin(s.Interface.URL) }

// AccountState is what is known of an account without asking its provider.
type AccountState struct {
	User     int64
	Provider string
	Rest     Rest
	EndsAt   time.Time // of what is paid for, zero where that is not known, or it does not end
}

// problem notes what the user has to do something about.
func (s *Status) problem(hint, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if hint != "" {
		what += "; " + hint
	}
	s.Problems = append(s.Problems, what)
}

// failed notes an error as a problem, with its advice, which some errors end with.
func (s *Status) failed(what string, err error) {
	hint := text.HintOf(err)
	s.problem(hint, "%s%s", what, strings.TrimSuffix(err.Error(), "; "+hint))
}

// Status tells how things stand, as far as that can be found out: what cannot be is a
// problem, and no error.
func (e *Engine) Status(ctx context.Context, req StatusRequest) *Status {
	s := &Status{At: e.cfg.Now(), Network: sources.NetworkUnknown}
	if req.SettingsErr != nil {
		s.failed("the settings cannot be used, this is told by the defaults: ", req.SettingsErr)
	} else if err := CheckSchedule(e.cfg.Settings); err != nil {
		s.failed("the settings cannot be used: ", err)
	}
	if _, err := e.order.get(); err != nil {
		s.failed("", err)
	}
	storeErr := req.StoreErr
	s.Unread = e.cfg.Store == nil && storeErr != nil
	for _, read := range []func(context.Context, *Status) error{e.statusOfDaemon, e.statusOfInterfaces, e.statusOfTitles, e.statusOfHosters, e.statusOfAccounts} {
		err := read(ctx, s)
		storeErr = cmp.Or(storeErr, err)
		s.Unread = s.Unread || err != nil
	}
	if storeErr != nil {
		s.failed("the database cannot be used: ", storeErr)
	}
	if s.Titles > 0 && s.Daemon.Late(s.At) {
		s.problem(lateHint(s.Daemon), "%s", lateText(s.Daemon, s.At))
	}
	return s
}

func lateText(d DaemonState, now time.Time) string {
	what := "no cycle of the precacher has run to its end yet"
	if d.Finished != nil {
		what = fmt.Sprintf("the last cycle of the precacher ended %s ago, and three should have since", text.ShortDuration(now.Sub(d.Finished.EndedAt)))
	}
	if d.Last != nil && d.Last.Error != "" && !d.Last.Interrupted {
		what += " (the last one was broken off: " + d.Last.Error + ")"
	}
	return what
}

func lateHint(d DaemonState) string {
	switch {
	case !d.CycleSince.IsZero():
		return "one runs now"
	case d.Older:
		return "the one that runs is of an older xship, which tells of none; start it again"
	case d.Running:
		return "its log tells why"
	default:
		return "xship precache works through the watchlist, see docs/daemon.md"
	}
}

func (e *Engine) statusOfDaemon(ctx context.Context, s *Status) (err error) {
	s.Daemon, err = e.daemonState(ctx)
	return err
}

func (e *Engine) statusOfInterfaces(ctx context.Context, s *Status) error {
	s.Interface = loader.Builtin()
	if e.cfg.Store == nil {
		return nil
	}
	all, current, err := e.interfaceInUse(ctx)
	if err != nil {
		return err
	}
	s.Interface, s.LoadError = current, current.LastError
	if s.Use, err = e.cfg.Store.InterfaceUse(ctx); err != nil {
		return err
	}
	if s.Use.URL != current.URL {
		s.Use = sources.InterfaceUse{}
	}
	loads := func(i sources.Interface) bool { return i.LastError == "" || e.known(ctx, i.URL) }
	if len(all) > 0 && !slices.ContainsFunc(all, loads) {
		s.problem("xship interfaces check tries again, xship interfaces add URL adds another one", "no interface could be loaded the last time: %s: %s", InterfaceTitle(current), text.Clean(current.LastError))
	}
	return nil
}

// interfaceInUse gives the interfaces that the user added, and the one in use, which is
// the built-in one where there are none. Preferences that cannot be read are no error.
func (e *Engine) interfaceInUse(ctx context.Context) (all []sources.Interface, current sources.Interface, err error) {
	all, err = e.cfg.Store.Interfaces(ctx)
	if err != nil || len(all) == 0 {
		return nil, loader.Builtin(), err
	}
	chosen, err := e.cfg.Store.CurrentInterface(ctx)
	if err != nil {
		return nil, current, err
	}
	if i := slices.IndexFunc(all, func(i sources.Interface) bool { return i.URL == chosen }); i >= 0 {
		return all, all[i], nil
	}
	if interfaces, err := e.loader.get(); err == nil { // which knows their order
		if ordered, current, err := interfaces.Interfaces(ctx); err == nil {
			return ordered, current, nil
		}
	}
	return all, all[0], nil
}

// known tells whether an older copy of an interface can be used.
func (e *Engine) known(ctx context.Context, url string) bool {
	interfaces, err := e.loader.get()
	return err == nil && interfaces.Known(ctx, url).Kind != ""
}

func (e *Engine) statusOfTitles(ctx context.Context, s *Status) error {
	if e.cfg.Store == nil {
		return nil
	}
	total, waiting, err := e.cfg.Store.WatchWaiting(ctx, s.Interface.URL)
	if err != nil {
		return err
	}
	const most = 20 // of which more than the store is asked
	s.Titles, s.Waiting = total, e.titleStates(ctx, waiting, s.Daemon, most)
	return nil
}

// WatchStates gives the watchlist, and how each title stands, those watched soonest first.
// The state of the daemon is what that was told by.
func (e *Engine) WatchStates(ctx context.Context) ([]TitleState, DaemonState, error) {
	_, current, err := e.interfaceInUse(ctx)
	if err != nil {
		return nil, DaemonState{}, err
	}
	daemon, err := e.daemonState(ctx)
	if err != nil {
		return nil, daemon, err
	}
	states, err := e.cfg.Store.WatchStates(ctx, current.URL)
	if err != nil {
		return nil, daemon, err
	}
	return e.titleStates(ctx, states, daemon, len(states)), daemon, nil
}

// titleStates finds out when titles are looked for next. Of the first so many that have no
// source it looks up when they are broadcast.
func (e *Engine) titleStates(ctx context.Context, states []sources.WatchState, daemon DaemonState, most int) []TitleState {
	all := make([]TitleState, len(states))
	airs := airDates{engine: e, series: make(map[string]sources.TitleFacts)}
	looks := daemon.looks()
	for i, state := range states {
		t := TitleState{WatchState: state}
		var airsAt time.Time
		if !t.Ready() && t.Title.Kind == sources.KindEpisode && most > 0 {
			airsAt, t.AirDate = airs.of(ctx, t.Title)
			most--
		}
		t.NextAt = looks.next(e.dueAt(state, airsAt))
		all[i] = t
	}
	return all
}

// dueAt is from when on the precacher looks for a title, see sources.WatchStore.WatchDue.
func (e *Engine) dueAt(s sources.WatchState, airsAt time.Time) time.Time {
	due := airsAt
	if !s.ScannedAt.IsZero() {
		due = later(due, s.ScannedAt.Add(e.cfg.Settings.Scan.CacheTTL+time.Second))
	}
	return later(due, s.RestUntil)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// airDates looks up when episodes are broadcast, as far as that is known without asking.
type airDates struct {
	engine *Engine
	series map[string]sources.TitleFacts
}

// of gives the time and the day, both zero for an episode that was broadcast, or of which
// that is not known.
func (a airDates) of(ctx context.Context, t sources.Title) (at time.Time, day string) {
	series := t
	series.Season, series.Episode = 0, 0
	facts, looked := a.series[series.Key()]
	if !looked {
		facts, _ = a.engine.storedSeries(ctx, t)
		a.series[series.Key()] = facts
	}
	e, listed := facts.Episode(t.Season, t.Episode)
	if !listed || e.AiredAt.IsZero() || facts.Aired(e, a.engine.cfg.Now()) {
		return time.Time{}, ""
	}
	return e.AiredAt, e.AirDate()
}

func (e *Engine) statusOfHosters(ctx context.Context, s *Status) (err error) {
	if e.cfg.Store == nil {
		return nil
	}
	if s.Hosters, err = e.cfg.Store.CountHosters(ctx); err != nil {
		return err
	}
	failing, err := e.cfg.Store.HosterSnapshot(ctx)
	if err != nil {
		return err
	}
	for _, h := range failing {
		s.Failing = append(s.Failing, h)
	}
	slices.SortFunc(s.Failing, func(a, b sources.HosterHealth) int {
		return cmp.Or(cmp.Compare(b.ConsecutiveFails, a.ConsecutiveFails), cmp.Compare(a.Name, b.Name))
	})
	guard, err := e.cfg.Store.Guard(ctx)
	if err == nil {
		s.Network = guard.Network
	}
	return err
}

// statusOfAccounts reads what is stored of the accounts. Cooldowns that Redis keeps are
// those that the store has of them.
func (e *Engine) statusOfAccounts(ctx context.Context, s *Status) error {
	accounts, err := e.storedAccounts()
	if err != nil {
		s.failed("the accounts that were added cannot be read: ", err)
	}
	if len(accounts) == 0 || e.cfg.Store == nil {
		for _, a := range accounts {
			s.Accounts = append(s.Accounts, AccountState{User: a.User, Provider: a.Provider, Rest: Rest{State: RestNone}})
		}
		return nil
	}
	cooling, err := e.cfg.Store.Cooldowns().Cooldowns(ctx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		state, err := e.accountState(ctx, a, cooling)
		if err != nil {
			return err
		}
		s.Accounts = append(s.Accounts, state)
		s.judgeAccount(state)
	}
	return nil
}

func (e *Engine) accountState(ctx context.Context, a sources.Account, cooling []sources.CooldownEntry) (AccountState, error) {
	s := AccountState{User: a.User, Provider: a.Provider, Rest: Rest{State: RestNone}}
	now := e.cfg.Now()
	plan, err := e.cfg.Store.AccountPlan(ctx, planOf(a))
	if err != nil {
		return s, err
	}
	known, err := e.cfg.Store.AccountState(ctx, a)
	if err != nil {
		return s, err
	}
	s.EndsAt = plan.EndsAt
	switch {
	case known.Class != sources.ClassOK:
		s.Rest = Rest{State: RestStateOf(known.Class), Reason: known.Reason}
		if !known.Until.IsZero() {
			s.Rest.Remaining = max(0, known.Until.Sub(now))
		}
	case !plan.EndsAt.IsZero() && !plan.EndsAt.After(now):
		s.Rest.State = RestExpired
	case !plan.CheckedAt.IsZero() && !plan.Premium && plan.EndsAt.IsZero():
		s.Rest.State = RestFree
	}
	for _, c := range cooling {
		if s.Rest.State == RestNone && c.User == a.User && c.Provider == a.Provider {
			s.Rest = Rest{State: RestCooling, Reason: c.Reason, Remaining: c.Remaining}
		}
	}
	return s, nil
}

func (s *Status) judgeAccount(a AccountState) {
	title := AccountTitle(a.User, a.Provider)
	if a.Rest.State == RestRefused {
		s.problem("xship accounts add "+a.Provider+" gives it a new key", "%s is refused: %s", title, a.Rest.Reason)
	}
	if Ends(a.EndsAt, s.At) {
		s.problem("renew the plan on the provider's web site", "%s %s", title, EndText(a.EndsAt, s.At))
	}
}

// EndText says when what an account is paid for ends.
func EndText(endsAt, now time.Time) string {
	day := endsAt.In(now.Location()).Format(time.DateOnly)
	left := endsAt.Sub(now)
	switch days := int(left / (24 * time.Hour)); {
	case left <= 0:
		return "ended on " + day
	case days == 0:
		return "ends within a day, on " + day
	default:
		return fmt.Sprintf("ends in %s, on %s", text.Plural(days, "day"), day)
	}
}

// NothingStored tells whether there is no database in a data directory yet.
func NothingStored(dataDir string) bool {
	_, err := os.Stat(config.DatabasePath(dataDir))
	return errors.Is(err, fs.ErrNotExist)
}
