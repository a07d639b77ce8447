package cmd

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

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/config"
	"xship/sources"
	"xship/sources/text"
)

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (d *doctor) settingsFindings(context.Context) []api.Finding {
	const name = "settings"
	if d.settingsErr != nil {
		f := failed(name, d.settingsErr)
		f.Detail += "; the other checks use the defaults"
		if f.Hint == "" {
			f.Hint = "xship config path tells the file; correct what is named, or take it out"
		}
		return []api.Finding{f}
	}
	set := 0
	for _, v := range d.settings.Values() {
		if v.Origin != config.OriginDefault {
			set++
		}
	}
	path, _ := d.app.settingsFile()
	from := path
	if _, err := os.Stat(path); err != nil {
		from = "there is no file"
		if path != "" {
			from += " " + path
		}
	}
	found := []api.Finding{good(name, "%s, %s set", from, text.Plural(set, "value"))}
	for _, w := range slices.Concat(d.settings.Warnings, d.settings.Ignored) {
		found = append(found, splitAdvice(name, w))
	}
	return found
}

// splitAdvice is a warning whose text ends with the advice.
func splitAdvice(check, text string) api.Finding {
	what, hint, _ := strings.Cut(text, "; ")
	return warn(check, hint, "%s", what)
}

func (d *doctor) dataDirFindings(context.Context) []api.Finding {
	const name = "data directory"
	dir := d.app.dataDir()
	c := d.CheckDataDir()
	switch {
	case dir == "":
		return []api.Finding{problem(name, "name a directory with --data-dir", "there is no home directory to keep data in")}
	case c.Err != nil:
		return []api.Finding{problem(name, "name another directory with --data-dir", "%v", c.Err)}
	case !c.Mode.IsDir():
		return []api.Finding{problem(name, "name another directory with --data-dir", "%s is a file", dir)}
	case c.OthersMay:
		return []api.Finding{warn(name, "chmod 700 "+dir, "%s: others than its owner can look into it (mode %04o)", dir, c.Mode.Perm())}
	case !d.dirExisted:
		return []api.Finding{good(name, "%s, made just now", dir)}
	default:
		return []api.Finding{good(name, "%s", dir)}
	}
}

func (d *doctor) databaseFindings(ctx context.Context) []api.Finding {
	const name = "database"
	path := config.DatabasePath(d.app.dataDir())
	if d.storeErr != nil {
		return []api.Finding{failed(name, d.storeErr)}
	}
	in, err := d.store.Inspect(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return []api.Finding{warn(name, "try again when less is going on", "%s could not be checked in time", path)}
	case err != nil:
		return []api.Finding{failed(name, err)}
	case len(in.Flaws) > 0:
		return []api.Finding{problem(name, "move it away, with the files beside it that begin with its name: xship then starts with an empty one",
			"%s is damaged: %s", path, strings.Join(in.Flaws, "; "))}
	}
	if len(in.Damaged) > 0 {
		return []api.Finding{warn(name, "correct or delete them with sqlite3, or restore a copy", "%s has damaged rows, which are left out: %s", path, strings.Join(in.Damaged, "; "))}
	}
	return []api.Finding{good(name, "%s, sound and writable, version %d, %s", path, in.Version, sizeText(in.Size))}
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func (d *doctor) preferencesFindings(context.Context) []api.Finding {
	const name = "preferences"
	c, err := d.CheckPreferences()
	switch {
	case err != nil:
		return []api.Finding{failed(name, err)}
	case c.Damage != nil:
		return []api.Finding{warn(name, "mend the JSON, or move the file away: the failover mode and the order of the interfaces are then to be set again", "%v", c.Damage)}
	case errors.Is(c.Err, fs.ErrNotExist):
		return []api.Finding{good(name, "none set")}
	case c.Err != nil:
		return []api.Finding{failed(name, c.Err)}
	case c.OthersMay:
		return []api.Finding{warn(name, "chmod 600 "+c.Path, "%s: others than its owner can read it (mode %04o)", c.Path, c.Mode.Perm())}
	}
	return []api.Finding{good(name, "%s", c.Path)}
}

// proxyFindings names the proxy that requests go through, where there is one.
func (d *doctor) proxyFindings(ctx context.Context) []api.Finding {
	const name, hint = "proxy", "correct setting network.proxy or the variable, or set network.proxy to off"
	c := d.CheckProxies(ctx)
	var found []api.Finding
	var shown []string
	for _, use := range c.Uses {
		if use.Err != nil {
			found = append(found, problem(name, hint, "%s:// links: %v; nothing is asked", use.Scheme, use.Err))
			continue
		}
		shown = append(shown, fmt.Sprintf("%s:// links by %s of %s", use.Scheme, use.Address, cmp.Or(use.From, "network.proxy")))
	}
	if len(shown) == 0 {
		return found
	}
	detail := strings.Join(shown, ", ")
	if except := c.Uses[0].Except; except != "" {
		detail += "; but for " + except
	}
	switch {
	case c.Err != nil && len(found) == 0:
		return append(found, problem(name, hint, "%s: %v", detail, c.Err))
	case c.Guarded:
		return append(found, warn(name, "a proxy resolves names itself: have it refuse private addresses too", "%s; network.allow_private is off, and behind a proxy only addresses are checked, not names", detail))
	default:
		return append(found, good(name, "%s", detail))
	}
}

// precacherFindings tells of the daemon, which needs not run where nothing is watched.
func (d *doctor) precacherFindings(ctx context.Context) []api.Finding {
	const name = "precacher"
	if d.store == nil {
		return []api.Finding{warn(name, "", "not checked: the database tells of its cycles")}
	}
	c, err := d.CheckPrecacher(ctx)
	if err != nil {
		return []api.Finding{failed(name, err)}
	}
	return []api.Finding{precacherFinding(c, d.app.Now())}
}

func precacherFinding(c engine.PrecacherCheck, now time.Time) api.Finding {
	const name = "precacher"
	doc := api.NewStatus(&engine.Status{Daemon: c.DaemonState}).Daemon
	told := strings.Join(daemonTexts(doc, now), "; ")
	switch {
	case c.Watched == 0 && !c.Running:
		return good(name, "does not run, and no title is watched")
	case !c.Running && c.Late(now):
		return warn(name, "xship precache starts it; docs/daemon.md tells how to have it run always, by systemd, cron or Docker",
			"%s; nothing looks for %s of the watchlist", strings.Replace(told, startDaemon, "", 1), text.Plural(c.Watched, "title"))
	case c.Last != nil && c.Last.Error != "" && !c.Last.Interrupted:
		return warn(name, "its log tells more; the next cycle goes on from there", "%s", told)
	case c.Older:
		return warn(name, "end that process and start xship precache again", "%s", told)
	case c.Watched > 0 && c.Running && c.Late(now) && c.CycleSince.IsZero():
		return warn(name, "its log tells why no cycle came to its end", "%s", told)
	default:
		return good(name, "%s", told)
	}
}

func (d *doctor) ffprobeFindings(ctx context.Context) []api.Finding {
	const name, hint = "ffprobe", "install ffmpeg, which brings it along"
	c := d.CheckFFprobe(ctx)
	if c.Path == "" {
		return []api.Finding{warn(name, hint, "not installed: what rarer kinds of streams hold is not read")}
	}
	return []api.Finding{programFinding(name, hint, c)}
}

func (d *doctor) ytdlpFindings(ctx context.Context) []api.Finding {
	const name = "yt-dlp"
	wanted := d.settings.Resolve.YTDLP
	if wanted == "off" {
		return []api.Finding{good(name, "not used, as setting resolve.ytdlp wants it")}
	}
	switch c := d.CheckYTDLP(ctx); {
	case c.Path == "" && wanted != "":
		return []api.Finding{problem(name, "correct setting resolve.ytdlp", "%s is no program that can be run", wanted)}
	case c.Path == "":
		return []api.Finding{warn(name, "install yt-dlp, or set resolve.ytdlp to off", "not installed: links to web pages are resolved through debrid accounts only")}
	default:
		return []api.Finding{programFinding(name, "install it anew", c)}
	}
}

// notifyFindings looks at the program that is told of what the precacher does, and does not
// run it.
func (d *doctor) notifyFindings(context.Context) []api.Finding {
	const name = "notify"
	if len(d.settings.Notify.Command) == 0 {
		return nil
	}
	path, err := findNotifyCommand(d.settings.Notify)
	if err != nil {
		return []api.Finding{splitAdvice(name, err.Error())}
	}
	return []api.Finding{good(name, "the precacher tells %s what happens; setting notify.command", path)}
}

func programFinding(name, hint string, c engine.ProgramCheck) api.Finding {
	switch {
	case c.Err != nil:
		return problem(name, hint, "%s does not run: %v", c.Path, c.Err)
	case c.Age > 0:
		return warn(name, updateHint(name), "%s, version %s, is %s old", c.Path, c.Version, yearsText(c.Age))
	default:
		return good(name, "%s, version %s", c.Path, c.Version)
	}
}

// updateHint says how a program is brought up to date.
func updateHint(name string) string {
	if name == "yt-dlp" {
		return "sites change, and an old one fails at them: yt-dlp -U, pipx upgrade yt-dlp, or a newer package"
	}
	return "install a newer ffmpeg, which brings it along"
}

// yearsText is an age in years, for people.
func yearsText(age time.Duration) string {
	return text.Plural(int(age/(365*24*time.Hour)), "year")
}

// interfacesFindings loads each interface. What the one in use cannot do is a
// problem, what another one cannot do a warning.
func (d *doctor) interfacesFindings(ctx context.Context) []api.Finding {
	const name = "interfaces"
	if d.store == nil {
		return []api.Finding{warn(name, "", "not checked: the database lists them")}
	}
	checks, current, err := d.CheckInterfaces(ctx)
	if unchecked, ok := errors.AsType[*engine.UncheckedError](err); ok {
		return []api.Finding{warn(name, "", "not checked: %v", unchecked.Err)}
	}
	if err != nil {
		return []api.Finding{failed(name, err)}
	}
	found := make([]api.Finding, 0, len(checks))
	for _, c := range checks {
		found = append(found, interfaceFinding(c, c.Interface.URL == current.URL))
	}
	return found
}

func interfaceFinding(check engine.InterfaceCheck, inUse bool) api.Finding {
	const name = "interface"
	c := api.NewInterfaceCheck(check)
	title := engine.InterfaceTitle(check.Interface)
	bad := warn
	if inUse {
		title += ", in use"
		bad = problem
	}
	switch {
	case !c.OK:
		return bad(name, "xship interfaces use NAME chooses another one, xship interfaces check tells more", "%s: %s", title, c.Error)
	case c.Usable == 0:
		return bad(name, "xship interfaces use NAME chooses another one", "%s: xship can ask none of its %s", title, text.Plural(c.Sites, "site"))
	default:
		return good(name, "%s: %s, %d usable", title, text.Plural(c.Sites, "site"), c.Usable)
	}
}

func (d *doctor) redisFindings(ctx context.Context) []api.Finding {
	const name = "redis"
	s := d.settings
	switch {
	case s.Redis.URL == "":
		return nil
	case s.Cooldown.Store != "redis":
		return []api.Finding{warn(name, "set cooldown.store to redis, or take redis.url out", "setting redis.url names a server, and setting cooldown.store is %s: it is not used", s.Cooldown.Store)}
	}
	const alone = "until then each process keeps its own cooldowns, and nothing waits"
	took, err := d.PingRedis(ctx)
	switch {
	case err != nil:
		f := failed(name, err)
		f.Hint += "; " + alone
		return []api.Finding{f}
	case took > engine.RedisInUse:
		return []api.Finding{warn(name, "use a server nearby; "+alone, "it answers in %s, and is waited for %s", elapsed(took), elapsed(engine.RedisInUse))}
	default:
		return []api.Finding{good(name, "answers in %s; without it each process would keep its own cooldowns", took.Round(10*time.Microsecond))}
	}
}

// accountsFindings asks each provider, unless it is cooling down.
func (d *doctor) accountsFindings(ctx context.Context) []api.Finding {
	const name = "accounts"
	checks, warnings, err := d.CheckAccounts(ctx)
	var found []api.Finding
	for _, w := range warnings {
		found = append(found, splitAdvice(name, w))
	}
	switch {
	case err != nil:
		return append(found, failed(name, err))
	case len(checks) == 0:
		return append(found, good(name, "none; xship works without"))
	}
	for _, c := range checks {
		found = append(found, accountFinding(api.NewAccountCheck(c), d.app.Now()))
	}
	return found
}

func accountFinding(c api.AccountCheck, now time.Time) api.Finding {
	const name = "account"
	title := fmt.Sprintf("%s of user %d", sources.ProviderTitle(c.Provider), c.User)
	switch {
	case c.Class == string(sources.ClassProviderCooling) && strings.HasPrefix(c.Error, "skipped:"):
		return warn(name, "wait, or xship cooldowns clear", "%s: not asked, %s", title, c.Error)
	case c.Class == string(sources.ClassProviderAuth):
		return problem(name, "xship accounts add "+c.Provider+" gives it a new key; the provider's web site tells what else is wrong", "%s: %s", title, c.Error)
	case !c.OK && c.RemainingSeconds > 0:
		return problem(name, "try again then; until then it is skipped", "%s: %s; %d s more", title, c.Error, c.RemainingSeconds)
	case !c.OK:
		return problem(name, "try again later; until then it is skipped", "%s: %s", title, c.Error)
	case c.State == string(engine.RestRefused):
		return problem(name, "xship accounts add "+c.Provider+" gives it a new key", "%s: %s, and links were refused: %s", title, c.Summary(), c.Reason)
	case c.State == string(engine.RestQuota):
		return warn(name, "until then it is skipped", "%s: %s, and its quota is used up, %s: %s; %s has it asked again", title, c.Summary(), left(c.RemainingSeconds), c.Reason, c.Lift)
	case c.State == string(engine.RestCooling):
		return warn(name, "wait, or xship cooldowns clear", "%s: %s, and cooling down, %s: %s", title, c.Summary(), left(c.RemainingSeconds), c.Reason)
	case c.State == string(engine.RestExpired):
		return warn(name, "renew the plan on the provider's web site", "%s: %s", title, c.Summary())
	case c.PremiumUntil != 0 && engine.Ends(time.Unix(c.PremiumUntil, 0), now):
		return warn(name, "renew the plan on the provider's web site", "%s: %s, %s left", title, c.Summary(), text.ShortDuration(time.Unix(c.PremiumUntil, 0).Sub(now)))
	case !c.Premium:
		return warn(name, "most hosters need a paid plan", "%s: %s", title, c.Summary())
	default:
		return good(name, "%s: %s", title, c.Summary())
	}
}

// left is how long a rest lasts, for people.
func left(seconds int64) string {
	if seconds == 0 {
		return "nobody knows how long"
	}
	return fmt.Sprintf("%d s more", seconds)
}

// clockFindings compares the clock with what others say, and with what was recorded
// before.
func (d *doctor) clockFindings(ctx context.Context) []api.Finding {
	const name, hint = "clock", "set the clock of this machine, best by NTP"
	c := d.CheckClock(ctx)
	var apart []string
	for host, by := range c.Apart {
		way := "ahead of"
		if by < 0 {
			way = "behind"
		}
		apart = append(apart, fmt.Sprintf("that of %s is %s %s ours", host, text.ShortDuration(by.Abs()), way))
	}
	slices.Sort(apart)
	switch {
	case c.Future != "":
		return []api.Finding{problem(name, hint, "%s was written %s from now", c.Future, text.ShortDuration(c.FutureBy))}
	case c.WorkedLater:
		return []api.Finding{problem(name, hint, "a hoster last worked %s from now, says the database", text.ShortDuration(c.FutureBy))}
	case len(apart) > 0 && len(apart) == c.Asked:
		return []api.Finding{problem(name, hint, "%s", strings.Join(apart, "; "))}
	case len(apart) > 0:
		return []api.Finding{warn(name, "others agree with ours, so that is likely wrong", "%s", strings.Join(apart, "; "))}
	case c.Asked == 0:
		return []api.Finding{good(name, "%s; nobody was asked", c.Now.Format(time.RFC3339))}
	default:
		return []api.Finding{good(name, "%s, within %s of that of %s", c.Now.Format(time.RFC3339), text.ShortDuration(engine.ClockTolerance), text.Plural(c.Asked, "server"))}
	}
}
