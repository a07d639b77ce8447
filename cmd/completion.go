package cmd

import (
	"cmp"
	"context"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/cmd/engine"
	"xship/config"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/text"
)

const (
	// completionTime is how long the words for a completion are looked for: somebody
	// holds a key.
	completionTime = time.Second
	// mostWords is how many words are offered. A shell shows no more at once.
	mostWords = 200
)

// wordsFor are the words that can stand at one place of a command line, as far as it is
// typed.
type wordsFor func(w place) ([]cobra.Completion, cobra.ShellCompDirective)

// place is a place in a command line that is completed.
type place struct {
	app   *app
	cmd   *cobra.Command
	given []string // the arguments before it
	typed string   // of the word that is there
}

// argumentWords says of each command what its arguments complete to; one that is not
// here takes none. A new command with arguments is a line here.
var argumentWords = map[string]wordsFor{
	"scan":      first(watchedTitles),
	"play":      first(watchedTitles),
	"search":    first(watchedTitles),
	"watch add": nothing,

	"watch import": first(files()),
	"watch remove": each(watchEntries),
	"watch next":   first(watchIDs),

	"hosters log":   first(hosterNames),
	"hosters reset": each(hosterNames),

	"interfaces add":    first(files()),
	"interfaces use":    first(interfaceNames),
	"interfaces remove": first(interfaceNames),
	"interfaces order":  each(interfaceNames),
	"interfaces check":  each(orFiles(interfaceNames)),
	"interfaces group":  then(groupNames, orFiles(interfaceNames)),
	"interfaces mode":   first(among(failoverModes...)),

	"accounts add":    first(among(config.DebridProviders()...)),
	"accounts check":  first(accountProviders),
	"accounts remove": first(accountProviders),

	"backup export": first(files()),
	"backup import": first(files()),

	"man": first(folders),

	"config set": then(settingKeys, settingValues),

	"help": helpTopics,
}

// flagWords says of each flag that has a value what that completes to, by its name, or by
// the command and its name where others have a flag of the same name that differs. A
// new flag with a value is a line here.
var flagWords = map[string]wordsFor{
	"config":     files("yaml", "yml"),
	"data-dir":   folders,
	"color":      among(colorWhens...),
	"log-level":  among(logLevels...),
	"log-format": among(logFormats...),
	"log-file":   files(),
	"output":     func(w place) ([]cobra.Completion, cobra.ShellCompDirective) { return among(outputs(w.cmd)...)(w) },

	"year":    nothing,
	"imdb":    nothing,
	"season":  nothing,
	"episode": nothing,
	"alias":   nothing,

	"interface": orFiles(interfaceNames),
	"limit":     nothing,
	"quality":   among(qualities()...),
	"timeout":   nothing,
	"user":      users,
	"pick":      nothing,
	"watch-id":  watchIDs,
	"source":    nothing,
	"exec":      players,
	"schedule":  schedules,

	"provider": among(config.DebridProviders()...),
	"base-url": nothing,
	"login":    nothing,
	"name":     nothing,
}

// completeWords has each argument and each flag of the commands complete to what the
// tables say, and to nothing where they are silent: never to the names of files where no
// file is meant.
func (a *app) completeWords(root *cobra.Command) {
	for _, cmd := range withSubcommands(root) {
		words, ok := argumentWords[commandName(cmd)]
		if !ok {
			words = nothing
		}
		cmd.ValidArgs, cmd.ValidArgsFunction = nil, a.completes(words)
		complete := func(f *pflag.Flag) {
			words, ok := flagWords[commandName(cmd)+" --"+f.Name]
			if !ok {
				words, ok = flagWords[f.Name]
			}
			if _, own := cmd.GetFlagCompletionFunc(f.Name); own {
				return
			}
			if !ok {
				words = nothing
			}
			// The only errors are a flag that does not exist and one that is complete.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, a.completes(words))
		}
		cmd.Flags().VisitAll(complete)
		cmd.PersistentFlags().VisitAll(complete)
	}
}

// withSubcommands lists a command and all below it.
func withSubcommands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, withSubcommands(sub)...)
	}
	return all
}

func (a *app) completes(words wordsFor) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words(place{app: a, cmd: cmd, given: given, typed: typed})
	}
}

// isCompletion tells whether a shell asks what a command line completes to.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// describePlainly takes the marks out of the words about flags, which help needs and a
// shell would show.
func describePlainly(root *cobra.Command) {
	for _, cmd := range withSubcommands(root) {
		plain := func(f *pflag.Flag) { _, f.Usage = pflag.UnquoteUsage(f) }
		cmd.Flags().VisitAll(plain)
		cmd.PersistentFlags().VisitAll(plain)
	}
}

// nothing is for places where only the user knows what stands there.
func nothing(place) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// files has the shell look for files, those with the endings where there are any.
func files(endings ...string) wordsFor {
	return func(place) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(endings) == 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

// folders has the shell look for folders.
func folders(place) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// among are the words given, in their order.
func among(words ...string) wordsFor {
	return func(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offered []offer
		for _, word := range words {
			offered = append(offered, offer{word: word})
		}
		return w.offer(offered)
	}
}

// first has the first argument complete to words, and no other.
func first(words wordsFor) wordsFor { return then(words, nothing) }

// then has the first argument complete to some words, and those after it to others.
func then(words, after wordsFor) wordsFor {
	return func(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(w.given) > 0 {
			return after(w)
		}
		return words(w)
	}
}

// each has each argument complete to words, but for those that were given.
func each(words wordsFor) wordsFor {
	return func(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
		all, directive := words(w)
		return slices.DeleteFunc(all, func(c cobra.Completion) bool {
			word, _, _ := strings.Cut(c, "\t")
			return slices.Contains(w.given, word)
		}), directive
	}
}

// orFiles are words, or files where none of them is meant.
func orFiles(words wordsFor) wordsFor {
	return func(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
		all, directive := words(w)
		return all, directive &^ cobra.ShellCompDirectiveNoFileComp
	}
}

// offer is a word that is offered, and what it means.
type offer struct{ word, meaning string }

// offer gives those words that begin with what is typed, and no more than a shell shows.
func (w place) offer(all []offer) ([]cobra.Completion, cobra.ShellCompDirective) {
	var words []cobra.Completion
	for _, o := range all {
		word := text.Clean(o.word)
		if word == "" || strings.HasPrefix(word, "-") || !w.begins(word) {
			continue
		}
		if meaning := text.Clean(o.meaning); meaning != "" {
			word = cobra.CompletionWithDesc(word, meaning)
		}
		if words = append(words, word); len(words) == mostWords {
			break
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// begins tells whether a word begins with what is typed, which some shells give as it
// stands there, with its quotes.
func (w place) begins(word string) bool {
	word = strings.ToLower(word)
	plain := strings.ReplaceAll(strings.TrimLeft(w.typed, `"'`), `\`, "")
	return strings.HasPrefix(word, strings.ToLower(w.typed)) || strings.HasPrefix(word, strings.ToLower(plain))
}

// looked gives the words that look finds in the user's data. Nothing is made, changed or
// told for them, and where the data cannot be read there are none.
func looked(look func(ctx context.Context, w place, e *engine.Engine) ([]offer, error)) wordsFor {
	return func(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(w.cmd.Context(), cmp.Or(w.app.CompletionTime, completionTime))
		defer cancel()
		silent := newApp(System{Now: w.app.Now, LookupEnv: w.app.LookupEnv})
		silent.flags = w.app.flags
		store, err := sourcecache.OpenExisting(ctx, sourcecache.Options{Path: config.DatabasePath(silent.dataDir()), Now: silent.Now})
		if err != nil {
			return nothing(w)
		}
		defer store.Close()
		c := silent.engineConfig(nil, store)
		c.Warn, c.Notice = func(string) {}, func(string) {}
		e, err := engine.Open(c)
		if err != nil {
			return nothing(w)
		}
		defer e.Close()
		found, err := look(ctx, w, e)
		if err != nil {
			return nothing(w)
		}
		return w.offer(found)
	}
}

// schedules are ways to say when the precacher works.
func schedules(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
	return w.offer([]offer{
		{"@hourly", "at the beginning of each hour"},
		{"@daily", "at midnight"},
		{"@every 15m", "a quarter of an hour after the last one began"},
		{"*/30 * * * *", "twice an hour"},
	})
}

// qualities are the words for a quality, the best first.
func qualities() (words []string) {
	for _, q := range sources.Qualities() {
		words = append(words, string(q))
	}
	return words
}

// players are the players of this machine.
func players(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []offer
	for _, name := range []string{"mpv", "vlc", "iina", "celluloid", "mplayer", "ffplay"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, offer{word: name})
		}
	}
	return w.offer(found)
}

// helpTopics are the commands below those given, and at first the other topics.
func helpTopics(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
	cmd, rest, err := w.cmd.Root().Find(w.given)
	if err != nil || len(rest) > 0 {
		return nothing(w)
	}
	var topics []offer
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			topics = append(topics, offer{sub.Name(), sub.Short})
		}
	}
	return w.offer(topics)
}

// settingKeys are the settings.
func settingKeys(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
	var keys []offer
	for _, k := range config.Keys() {
		keys = append(keys, offer{k.Name, k.Description})
	}
	return w.offer(keys)
}

// settingWords are the words of settings that know only some, or mean something special by
// one.
var settingWords = map[string]wordsFor{
	"scan.quality":          among(qualities()...),
	"scan.exclude":          among("cam", "hdr", "dv", "3d", "none"),
	"archive.rights_region": among("us", "de", "world", "any"),
	"cooldown.store":        among("sqlite", "memory", "redis"),
	"network.proxy":         among("off"),
	"resolve.ytdlp":         files(),
	"precache.schedule":     schedules,
}

// settingValues are the values of the setting that is named before them.
func settingValues(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
	key := w.given[0]
	words, ok := settingWords[key]
	isSwitch := slices.ContainsFunc(config.Keys(), func(k config.Key) bool {
		return k.Name == key && (k.Default == "true" || k.Default == "false")
	})
	switch {
	case len(w.given) > 1:
		return nothing(w)
	case isSwitch:
		return among("true", "false")(w)
	case !ok:
		return nothing(w)
	default:
		return words(w)
	}
}

// accountsOf are the accounts of the user of this machine, without a look at the database.
func (a *app) accountsOf() []config.DebridAccount {
	var inSettings []config.DebridAccount
	if settings, err := a.loadSettings(nil); err == nil {
		inSettings = settings.Debrid.Accounts
	}
	added, _, err := config.NewAccountsFile(config.AccountsPath(a.dataDir())).Read()
	if err != nil {
		added = nil
	}
	return config.MergeAccounts(inSettings, added)
}

// accountProviders are the providers that there are accounts for.
func accountProviders(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []offer
	for _, account := range w.app.accountsOf() {
		user := "user " + strconv.FormatInt(account.User, 10)
		if i := slices.IndexFunc(found, func(o offer) bool { return o.word == account.Provider }); i >= 0 {
			found[i].meaning += ", " + user
			continue
		}
		found = append(found, offer{account.Provider, user})
	}
	return w.offer(found)
}

// users are those who have accounts.
func users(w place) ([]cobra.Completion, cobra.ShellCompDirective) {
	var found []offer
	for _, account := range w.app.accountsOf() {
		number := strconv.FormatInt(account.User, 10)
		if i := slices.IndexFunc(found, func(o offer) bool { return o.word == number }); i >= 0 {
			found[i].meaning += ", " + account.Provider
			continue
		}
		found = append(found, offer{number, account.Provider})
	}
	return w.offer(found)
}
