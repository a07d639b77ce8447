package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xship/cmd"
)

// mistake is a command line that somebody types by mistake, how it ends, and what is told:
// a part of what is wrong with it, and the line to type instead, or the words for it.
type mistake struct {
	line    string // words apart by spaces; ~ stands for a space in a word
	code    int
	says    string
	instead string
}

// mistakes are the likeliest ones of each command, beside those that all commands share.
// A new command is a line here.
var mistakes = map[string][]mistake{
	"": { // no command at all
		{"Big~Buck~Bunny", 2, "unknown command Big Buck Bunny", `xship scan "Big Buck Bunny"`},
		{"Big Buck Bunny", 2, "unknown command Big", `xship scan "Big Buck Bunny"`},
		{"scna x", 2, "unknown command scna", "xship scan"},
		{"list", 2, "unknown command list", "xship watch list"},
		{"ls", 2, "unknown command ls", "xship interfaces list"},
		{"add x", 2, "unknown command add", "xship watch add"},
		{"stats", 2, "unknown command stats", "xship hosters stats"},
		{"login real_debrid", 2, "unknown command login", "xship accounts"},
		{"settings", 2, "unknown command settings", "xship config"},
		{"daemon", 2, "unknown command daemon", "xship precache"},
		{"https://a.example/vod.json?token=s3cr3t", 2, "a link or a path is no command", "xship interfaces add URL"},
		{"/srv/films", 2, "a link or a path is no command", "xship interfaces add URL"},
		{"watch~list", 2, "unknown command watch list", "xship scan"},
		{"--season 1", 2, "unknown flag: --season", "--"},
		{"-o jsno scan x", 2, `--output "jsno"`, "json"},
	},
	"scan": {
		{"scan", 2, "scan needs a title", "xship scan TITLE"},
		{"scan Big Buck Bunny", 2, "takes one title", `xship scan "Big Buck Bunny"`},
		{"scan Paper~Lanterns~(2014)~tt0083658", 2, "holds an IMDb id", `"Paper Lanterns (2014)" --imdb tt0083658`},
		{"scan tt0083658", 2, "is an IMDb id", "--imdb tt0083658"},
		{"scan https://host.example/d/s3cr3t", 2, "this is a link or a path", "--imdb tt0083658"},
		{"scan x --year 12", 2, "year 12 is not between", "1870"},
		{"scan x --year last", 2, `invalid argument "last"`, "--year"},
		{"scan x --episode 1", 2, "--episode needs --season", "--season"},
		{"scan x --imdb 1234567", 2, "is not an IMDb id", "tt"},
		{"scan x --quality 8K", 2, "8K", "4K, 1440p, 1080p, 720p, SD"},
		{"scan x --limit 0", 2, "scan.limit", "a whole number from 1"},
		{"scan x --timeout soon", 2, "not a duration", "30s"},
		{"scan x --probe --no-probe", 2, "not both", "--probe or --no-probe"},
		{"scan x --interface nowhere", 4, "no interface of this name", "xship interfaces list"},
		{"scan x --qualty 720p", 2, "unknown flag: --qualty", "--"},
		{"scan None", 2, "what a script writes", "--year"},
		{"scan x --user me", 2, `--user "me" is no user`, "numbers from 1"},
	},
	"play": {
		{"play", 2, "play needs a title", "xship play"},
		{"play Big Buck Bunny", 2, "takes one title", `xship play "Big Buck Bunny"`},
		{"play x --pick 0", 2, "--pick 0 is no row", "from 1"},
		{"play x --pick first", 2, `invalid argument "first"`, "--pick"},
		{"play x --source ~", 2, "--source needs the id", "xship scan"},
		{"play x --pick 1 --source abc", 2, "--pick", "--source"},
		{"play x --exec ~", 2, "--exec needs the command of a player", "--exec"},
		{"play x --exec nosuchplayer", 1, `"nosuchplayer" was not found`, "--exec /path/to/mpv"},
		{"play x --exec mpv -o json", 2, "not both", "--exec or --output"},
		{"play x -o table", 2, `--output "table"`, "url, kodi, json"},
		{"play tt0083658", 2, "is an IMDb id", "--imdb tt0083658"},
		{"play a https://host.example/v.mp4", 2, "one title or links, not both", "xship play URL"},
		{"play x --choose", 2, "--choose needs a terminal", "--pick N"},
		{"play --watch-id first", 2, "is no id of the watchlist", "xship watch list"},
		{"play --watch-id 99", 3, "the watchlist has no number 99", "xship watch list"},
		{"play x --user 0", 2, `--user "0" is no user`, "numbers from 1"},
	},
	"precache": {
		{"precache start", 2, "takes no arguments, got start", "xship precache"},
		{"precache Some~Film", 2, "takes no arguments", "xship watch add TITLE"},
		{"precache --schedule */5", 2, "5 fields", "*/15 * * * *"},
		{"precache --schedule now", 2, "precache.schedule", "@hourly"},
		{"precache --schedule ~", 2, "precache.schedule", ""},
		{"precache --once --schedule @hourly", 2, "not both", "--once or --schedule"},
		{"precache --onse", 2, "unknown flag: --onse", "--"},
		{"precache --interval 5m", 2, "unknown flag: --interval", "--"},
		{"precach", 2, "unknown command precach", "xship precache"},
	},
	"search": {
		{"search", 2, "search needs a title", "xship search TITLE"},
		{"search Big Buck Bunny", 2, "takes one title", `xship search "Big Buck Bunny"`},
		{"search tt0083658", 2, "is an IMDb id", "--imdb tt0083658"},
		{"search https://host.example/s3cr3t", 2, "this is a link or a path", "xship play URL"},
		{"search x --season 1", 2, "unknown flag: --season", "--"},
		{"search x --interface nowhere", 4, "no interface of this name", "xship interfaces list"},
		{"serach x", 2, "unknown command serach", "xship search"},
	},
	"status": {
		{"status daemon", 2, "takes no arguments, got daemon", "xship status"},
		{"status -o tsv", 2, `--output "tsv"`, "table, json"},
		{"stauts", 2, "unknown command stauts", "xship status"},
	},
	"watch add": {
		{"watch add", 2, "watch add needs a title", "xship watch add TITLE"},
		{"watch add Big Buck Bunny", 2, "takes one title", `xship watch add "Big Buck Bunny"`},
		{"watch Some~Film", 2, "unknown command Some Film for xship watch", `xship watch add "Some Film"`},
		{"watch new x", 2, "unknown command new", "xship watch add"},
		{"watch add https://host.example/s3cr3t", 2, "this is a link or a path", ""},
		{"watch add x --season -1 --episode 1", 2, "negative", ""},
		{"watch add Lanterns~[tt0083658]", 2, "holds an IMDb id", "Lanterns --imdb tt0083658"},
		{"watch add x --year 2016-2018", 2, `invalid argument "2016-2018"`, "--year"},
		{"watch add tt0083658", 2, "is an IMDb id", "--imdb tt0083658"},
		{"watch", 2, "watch needs a command", "xship watch add|"},
		{"watch add !?", 2, "at least one letter or digit", ""},
	},
	"watch list": {
		{"watch list films", 2, "takes no arguments, got films", "xship watch add TITLE"},
		{"watch ls", 2, "unknown command ls", "xship watch list"},
		{"watch lst", 2, "unknown command lst", "xship watch list"},
	},
	"watch import": {
		{"watch import", 2, "needs a file, or - for standard input", "xship watch import FILE|-"},
		{"watch import FOLDER/none.txt", 1, "no such file or directory", "xship watch add TITLE"},
		{"watch import FOLDER", 1, "it is a directory", "xship watch import FILE"},
		{"watch import Some~Film", 1, "no such file or directory", "xship watch add TITLE"},
		{"watch import a.txt b.txt", 2, "takes one argument, got 2", "xship watch import"},
		{"watch load films.txt", 2, "unknown command load", "xship watch import"},
	},
	"watch remove": {
		{"watch remove", 2, "watch remove needs", "xship watch list"},
		{"watch remove 99", 1, "the watchlist has no", "xship watch list"},
		{"watch remove Some~Film", 1, "is not on the watchlist", "xship watch list"},
		{"watch rm 1", 2, "unknown command rm", "xship watch remove"},
		{"watch delete 1", 2, "unknown command delete", "xship watch remove"},
	},
	"watch next": {
		{"watch next", 2, "watch next needs the id of an entry", "xship watch next ID"},
		{"watch next Some~Series", 2, "is no id of the watchlist", "xship watch list"},
		{"watch next 0", 2, `"0" is no id`, "xship watch list"},
		{"watch next 99", 1, "the watchlist has no number 99", "xship watch list"},
		{"watch next 1 2", 2, "takes one argument, got 2", "xship watch next"},
	},
	"hosters stats": {
		{"hosters stats filehost.example", 2, "takes no arguments, got filehost.example", "xship hosters log NAME"},
		{"hosters list", 2, "unknown command list", "xship hosters stats"},
		{"hosters", 2, "hosters needs a command", "xship hosters log|"},
		{"hosters stats --failed", 2, "unknown flag: --failed", "--"},
		{"hosters stats --watch", 2, "needs a terminal", "leave out --watch"},
	},
	"hosters log": {
		{"hosters log", 2, "needs the name of one hoster", "xship hosters stats"},
		{"hosters log a.example b.example", 2, "needs the name of one hoster", "xship hosters stats"},
		{"hosters log nowhere.example", 1, "the hoster table has no nowhere.example", "xship hosters stats"},
		{"hosters filehost.example", 2, "unknown command filehost.example", "xship hosters log filehost.example"},
		{"hosters history x", 2, "unknown command history", "xship hosters log"},
	},
	"hosters reset": {
		{"hosters reset", 2, "needs the name of a hoster, or --all", "xship hosters reset NAME"},
		{"hosters reset a.example --all", 2, "names or --all, not both", "xship hosters reset NAME"},
		{"hosters reset nowhere.example", 1, "the hoster table has no nowhere.example", "xship hosters stats"},
		{"hosters clear --all", 2, "unknown", "--"},
		{"hosters rset x", 2, "unknown command rset", "xship hosters reset"},
	},
	"interfaces list": {
		{"interfaces list home", 2, "takes no arguments, got home", "xship interfaces check NAME"},
		{"interfaces", 2, "interfaces needs a command", "xship interfaces add|"},
		{"interface list", 2, "unknown command interface", "xship interfaces"},
	},
	"interfaces add": {
		{"interfaces add", 2, "needs the URL or path", "xship interfaces add URL|PATH"},
		{"interfaces add https://a.example/?token=s3cr3t home", 2, "takes one argument, got 2", "--name"},
		{"interfaces https://a.example/?token=s3cr3t", 2, "a link or a path is no command", "xship interfaces add URL"},
		{"interfaces add smb://nas/films", 2, "an address with smb://", "mount the server"},
		{"interfaces add http://127.0.0.1:1 --password-stdin", 2, "needs the name of a user", "--login NAME"},
		{"interfaces add http://127.0.0.1:1 --login me", 2, "--login needs a password", "--password-stdin"},
		{"interfaces add http://127.0.0.1:1 --login me:pw --password-stdin", 2, "without a colon", "--password-stdin"},
		{"interfaces add http://127.0.0.1:1 --key-stdin --login me", 2, "--key-stdin is in place of --login", "--login"},
		{"interfaces add builtin:open", 2, "cannot be added", "while no other is in the list"},
		{"interfaces new http://127.0.0.1:1", 2, "unknown command new", "xship interfaces add"},
	},
	"interfaces use": {
		{"interfaces use", 2, "needs an interface", "xship interfaces use URL|PATH|NAME"},
		{"interfaces use nowhere", 1, "no interface of the list", "xship interfaces list"},
		{"interfaces use living room", 2, "takes one argument, got 2", `xship interfaces use "living room"`},
		{"interfaces kitchen", 2, "unknown command kitchen", "xship interfaces use kitchen"},
		{"interfaces switch home", 2, "unknown command switch", "xship interfaces use"},
	},
	"interfaces remove": {
		{"interfaces remove", 2, "needs an interface", "xship interfaces remove URL|PATH|NAME"},
		{"interfaces remove nowhere", 1, "no interface of the list", "xship interfaces list"},
		{"interfaces remove living room", 2, "takes one argument, got 2", `xship interfaces remove "living room"`},
		{"interfaces rm home", 2, "unknown command rm", "xship interfaces remove"},
	},
	"interfaces order": {
		{"interfaces order", 2, "needs the interfaces in their order", "--interactive"},
		{"interfaces order nowhere", 1, "no interface of the list", "xship interfaces list"},
		{"interfaces order --interactive", 2, "--interactive needs a terminal", "name the interfaces"},
		{"interfaces order home --interactive", 2, "not both", "--interactive"},
	},
	"interfaces mode": {
		{"interfaces mode on", 2, "there is no mode on", "off, auto, manual"},
		{"interfaces mode auto off", 2, "takes one argument, got 2", "xship interfaces mode"},
		{"interfaces mode --auto", 2, "unknown flag: --auto", "--"},
	},
	"interfaces check": {
		{"interfaces check nowhere", 1, "could not be loaded", ""},
		{"interfaces test", 2, "unknown command test", "xship interfaces check"},
		{"interfaces chek", 2, "unknown command chek", "xship interfaces check"},
	},
	"interfaces group": {
		{"interfaces group", 2, "needs a name and its members", "xship interfaces group NAME URL|PATH|NAME"},
		{"interfaces group home", 2, "needs a name and its members", "xship interfaces group NAME URL|PATH|NAME"},
		{"interfaces group home nowhere", 4, "no interface of this name", "xship interfaces list"},
		{"interfaces group a/b nowhere", 2, "the name of a group", ""},
	},
	"accounts list": {
		{"accounts list real_debrid", 2, "takes no arguments, got real_debrid", "xship accounts check PROVIDER"},
		{"accounts", 2, "accounts needs a command", "xship accounts add|"},
		{"accounts ls", 2, "unknown command ls", "xship accounts list"},
	},
	"accounts check": {
		{"accounts check realdebrit", 2, `there is no provider "realdebrit"`, "real_debrid"},
		{"accounts check real_debrid torbox", 2, "takes one argument, a provider", "xship accounts check [PROVIDER]"},
		{"accounts check --user 0", 2, "--user 0 is no user", "numbers from 1"},
		{"accounts check --user me", 2, `invalid argument "me"`, "--user"},
		{"accounts test", 2, "unknown command test", "xship accounts check"},
	},
	"accounts add": {
		{"accounts add", 2, "needs a provider", "xship accounts add PROVIDER"},
		{"accounts add real_debrid s3cr3tkey", 2, "takes one argument, a provider", "xship accounts add PROVIDER"},
		{"accounts real_debrid s3cr3tkey", 2, "unknown command real_debrid", "xship accounts add real_debrid"},
		{"accounts add rd", 2, `there is no provider "rd"`, "real_debrid"},
		{"accounts add premiumize --key-stdin", 2, "there is no key on standard input", "xship accounts add PROVIDER --key-stdin < FILE"},
		{"accounts add premiumize --key s3cr3tkey", 2, "unknown flag: --key", "--"},
		{"accounts add premiumize --base-url premiumize", 2, "--base-url is no address of an API", "http or https URL"},
		{"accounts add premiumize --user me", 2, `--user "me" is no user`, "numbers from 1"},
		{"accounts create premiumize", 2, "unknown command create", "xship accounts add"},
	},
	"accounts remove": {
		{"accounts remove", 2, "needs a provider", "xship accounts remove PROVIDER"},
		{"accounts remove premiumize", 1, "there is no account of user 1 at Premiumize", "xship accounts list"},
		{"accounts remove nowhere", 2, `there is no provider "nowhere"`, "real_debrid"},
		{"accounts remove premiumize --user 0", 2, `--user "0" is no user`, "numbers from 1"},
		{"accounts delete premiumize", 2, "unknown command delete", "xship accounts remove"},
	},
	"cooldowns list": {
		{"cooldowns list real_debrid", 2, "takes no arguments, got real_debrid", "xship cooldowns clear --provider NAME"},
		{"cooldowns", 2, "cooldowns needs a command", "xship cooldowns clear|list"},
		{"cooldown list", 2, "unknown command cooldown", "xship cooldowns"},
	},
	"cooldowns clear": {
		{"cooldowns clear real_debrid", 2, "takes no arguments, got real_debrid", "xship cooldowns clear --provider NAME"},
		{"cooldowns clear --provider rd", 2, `there is no provider "rd"`, "real_debrid"},
		{"cooldowns clear --user 0", 2, "--user 0 is no user", "numbers from 1"},
		{"cooldowns clear --all", 2, "unknown flag: --all", "--"},
		{"cooldowns reset", 2, "unknown command reset", "xship cooldowns clear"},
	},
	"doctor": {
		{"doctor network", 2, "takes no arguments, got network", "xship doctor"},
		{"doctor --fix", 2, "unknown flag: --fix", "--"},
		{"docter", 2, "unknown command docter", "xship doctor"},
		{"diagnose", 2, "unknown command diagnose", "xship doctor"},
	},
	"backup export": {
		{"backup export", 2, "needs a file", "xship backup export FILE"},
		{"backup export FOLDER", 1, "is no regular file", "xship backup export xship-backup.json"},
		{"backup export FOLDER/none/backup.json", 1, "no such file or directory", "xship backup export xship-backup.json"},
		{"backup export a b", 2, "takes one argument, got 2", "xship backup export"},
		{"backup FOLDER/backup.json", 2, "a link or a path is no command of xship backup", "xship backup export"},
		{"backup", 2, "backup needs a command", "xship backup export|import"},
		{"backup save", 2, "unknown command save", "xship backup export"},
	},
	"backup import": {
		{"backup import", 2, "needs a file", "xship backup import FILE"},
		{"backup import FOLDER/none.json", 1, "no such file or directory", "xship backup import FILE"},
		{"backup import FOLDER", 1, "is a directory", "xship backup import FILE"},
		{"backup import FOLDER/words.txt", 1, "is no backup of xship", "xship backup export"},
		{"backup restore x", 2, "unknown command restore", "xship backup import"},
	},
	"config show": {
		{"config show scan.timeout", 2, "takes no arguments", "xship config show"},
		{"config scan.timeout", 2, "unknown command scan.timeout", "xship config show"},
		{"config get scan.timeout", 2, "unknown command get", "xship config show"},
		{"config", 2, "config needs a command", "xship config "},
	},
	"config init": {
		{"config init x", 2, "takes no arguments, got x", "xship config init"},
		{"config init", 1, "is there already", "xship config edit"},
		{"config create", 2, "unknown command create", "xship config"},
		{"config init --force", 2, "unknown flag: --force", "--"},
	},
	"config set": {
		{"config set", 2, "needs the name of a setting and a value", "xship config set KEY VALUE"},
		{"config set scan.timeout", 2, "needs a value", "--unset"},
		{"config set scan.timout 20s", 2, `there is no setting "scan.timout"`, "scan.timeout"},
		{"config set scan.timeout soon", 2, "not a duration", "30s"},
		{"config set scan.timeout=20s", 2, "", "xship config set"},
		{"config set scan.quality 8K", 2, "8K", "4K"},
		{"config set debrid.accounts s3cr3tkey", 2, "the keys of accounts", "xship accounts add PROVIDER"},
		{"config set scan.timeout 20s --unset", 2, "not both", "--unset"},
		{"config scan.timeout 20s", 2, "unknown command scan.timeout", "xship config set scan.timeout 20s"},
	},
	"config edit": {
		{"config edit", 2, "needs a terminal", "xship config set KEY VALUE"},
		{"config edit scan.timeout", 2, "takes no arguments", "xship config edit"},
		{"config edti", 2, "unknown command edti", "xship config"},
	},
	"config path": {
		{"config path x", 2, "takes no arguments, got x", "xship config path"},
		{"config pth", 2, "unknown command pth", "xship config path"},
	},
	"version": {
		{"version 1", 2, "takes no arguments, got 1", "xship version"},
		{"verson", 2, "unknown command verson", "xship version"},
	},
	"demo": {
		{"demo scan", 2, "takes no arguments, got scan", "xship demo"},
		{"demo --fast", 2, "unknown flag: --fast", "--"},
	},
	"man": {
		{"man", 2, "man needs a folder", "xship man DIR"},
		{"man scan", 1, "there is no folder scan", "mkdir -p"},
		{"man FOLDER/words.txt", 1, "is a file", "xship man"},
		{"man a b", 2, "takes one argument, got 2", "xship man"},
	},
	"help": {
		{"help nothing", 2, "there is no help for nothing", "xship --help"},
		{"help scan play", 2, "there is no help for scan play", "xship scan --help"},
		{"help watch nothing", 2, "there is no help for watch nothing", "xship watch --help"},
		{"hlep scan", 2, "unknown command hlep", "xship"},
	},
	"completion bash": {
		{"completion", 2, "completion needs a command", "xship completion bash|fish|powershell|zsh"},
		{"completion sh", 2, "unknown command sh", "xship completion zsh"},
	},
	"completion zsh":        {{"completion zsh ~/.zshrc", 2, "takes no arguments", "xship completion zsh"}, {"completion zhs", 2, "unknown command zhs", "did you mean xship completion zsh?"}},
	"completion fish":       {{"completion fsh", 2, "unknown command fsh", "xship completion fish"}},
	"completion powershell": {{"completion pwershell", 2, "unknown command pwershell", "xship completion powershell"}},
}

// sharedMistakes are those that are made with each command alike.
func sharedMistakes(name string) []mistake {
	path := "xship " + name
	all := []mistake{
		{name + " --nonsense", 2, "unknown flag: --nonsense", path},
		{name + " --config", 2, "flag needs an argument: --config", path},
		{name + " -o", 2, "flag needs an argument: 'o' in -o", path},
		{name + " --data-dir", 2, "flag needs an argument: --data-dir", path},
		{name + " --quite", 2, "unknown flag: --quite", "--"},
		{name + " -Z", 2, "Z", "--"},
		{name + " -q=perhaps", 2, `invalid argument "perhaps" for "-q, --quiet" flag`, path},
	}
	if name == "help" {
		return all
	}
	more := " x" // where an argument is wanted
	switch {
	case strings.HasPrefix(name, "completion "), takesNone(name):
		more = ""
	case strings.HasPrefix(name, "accounts "):
		more = " premiumize"
	case name == "config set":
		more = " scan.timeout 20s"
	case name == "interfaces mode":
		more = " auto"
	case name == "interfaces group":
		more = " x y"
	}
	return append(all,
		mistake{name + more + " -o xml", 2, `--output "xml"`, "json"},
		mistake{name + more + " --log-level loud", 2, `--log-level "loud"`, "debug, info, warn, error"},
		mistake{name + more + " --log-format xml", 2, `--log-format "xml"`, "json"},
	)
}

// takesNone tells whether a command takes no arguments, as its mistakes have it.
func takesNone(name string) bool {
	return slices.ContainsFunc(mistakes[name], func(m mistake) bool { return strings.Contains(m.says, "takes no arguments") })
}

// TestMistakes makes the likeliest mistakes with each command. Each is told in a few
// lines, without the help, with the line to type instead, and without what is secret.
func TestMistakes(t *testing.T) {
	m := newMachine(t)
	folder := t.TempDir()
	t.Chdir(folder)
	writeText(t, filepath.Join(folder, "words.txt"), "words\n")
	writeText(t, filepath.Join(m.env["XDG_CONFIG_HOME"], "xship", "config.yaml"), "scan:\n  workers: 10\n")
	for _, name := range append(cmd.CommandNames(), "") {
		own, ok := mistakes[name]
		if !ok {
			t.Errorf("xship %s has no mistakes in the table", name)
		}
		all := own
		if name != "" {
			all = append(sharedMistakes(name), own...)
		}
		if len(all) < 10 {
			t.Errorf("xship %s has %d mistakes in the table", name, len(all))
		}
		for _, c := range all {
			args := strings.Fields(strings.ReplaceAll(c.line, "FOLDER", folder))
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "~", " ")
			}
			m.out.Reset()
			m.err.Reset()
			m.Stdin = strings.NewReader("")
			if code := cmd.Main(args, m.System); code != c.code {
				t.Errorf("xship %s: exit code %d, want %d: %s", c.line, code, c.code, m.err)
				continue
			}
			told := m.err.String()
			if !strings.Contains(told, c.says) || !strings.Contains(told, c.instead) {
				t.Errorf("xship %s: %q, want %q and %q", c.line, told, c.says, c.instead)
			}
			if strings.Contains(told, "s3cr3t") || strings.Contains(told, "Usage:") || strings.Count(told, "\n") > 4 {
				t.Errorf("xship %s tells\n%s", c.line, told)
			}
			if c.code == 2 && m.out.String() != "" {
				t.Errorf("xship %s writes %s", c.line, m.out)
			}
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("files were made: %v, %v", entries, err)
	}
}
