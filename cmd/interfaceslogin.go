package cmd

import (
	"context"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"xship/cmd/engine"
	"xship/sources"
)

// loginOptions are what the flags for the login of a server mean.
type loginOptions struct {
	name     string
	password bool // read from standard input
	key      bool // likewise
}

func (o *loginOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.name, "login", "", "log in at the server as the user `NAME`")
	flags.BoolVar(&o.password, "password-stdin", false, "read the password of --login from standard input")
	flags.BoolVar(&o.key, "key-stdin", false, "read an API key of Jellyfin or Emby from standard input")
}

// check refuses combinations that mean nothing. Its error is a *usageError.
func (o *loginOptions) check(flags *pflag.FlagSet, interactive bool) error {
	named := flags.Changed("login")
	switch {
	case o.key && (named || o.password):
		return usagef("--key-stdin is in place of --login and --password-stdin, not beside them")
	case o.password && !named:
		return &usageError{msg: "--password-stdin needs the name of a user", hint: "give it with --login NAME"}
	case named && strings.TrimSpace(o.name) == "":
		return usagef("--login needs the name of a user")
	case named && (strings.Contains(o.name, ":") || strings.ContainsFunc(o.name, unicode.IsControl)):
		return &usageError{msg: "--login takes the name of a user, without a colon", hint: "the password is read from standard input: --password-stdin"}
	case named && !o.password && !interactive:
		return &usageError{msg: "--login needs a password, and there is no terminal to ask for it", hint: "give it with --password-stdin < FILE"}
	}
	return nil
}

// read reads the secret of a login, nil where no flag wants one.
func (o *loginOptions) read(ctx context.Context, a *app) (*engine.NewLogin, error) {
	const again = "xship interfaces add URL "
	var secret string
	var err error
	switch {
	case o.key:
		secret, err = a.readSecret(ctx, secretQuestion{
			noun: "key", prompt: "API key of the server, which is not shown: ", command: again + "--key-stdin",
		})
	case o.name != "":
		secret, err = a.readSecret(ctx, secretQuestion{
			noun: "password", prompt: "password of " + o.name + ", which is not shown: ", command: again + "--login NAME --password-stdin", verbatim: true,
		})
	default:
		return nil, nil //nolint:nilnil // there is none
	}
	return &engine.NewLogin{Name: o.name, Secret: sources.Secret(secret)}, err
}

// prepareLogin prepares the login for an interface, nil where there is none, and tells
// that it waits for the server meanwhile.
func (a *app) prepareLogin(ctx context.Context, e *engine.Engine, ref string, given *engine.NewLogin) (*engine.PreparedLogin, error) {
	asking := []string{"asking the server what it is"}
	defer a.live(ctx, func() []string { return asking })()
	return e.PrepareLogin(ctx, ref, given)
}

// storeLogin stores a login, and tells where.
func (a *app) storeLogin(login *engine.PreparedLogin) error {
	if err := login.Store(); err != nil {
		return err
	}
	what := "the login for "
	if login.Server != "" {
		what = "the login of " + login.Server + " for "
	}
	from := ""
	if login.Taken {
		from = ", taken out of the address,"
	}
	done := "is stored"
	if login.Replace {
		done = "is replaced"
	}
	a.note("%s%s%s %s in %s, for you only", what, login.ServerName(), from, done, engine.LoginsFileName)
	if login.Plain {
		a.warn("warning: %s is no private address, and http is not encrypted: others on the way can read the login; use https", login.ServerName())
	}
	return nil
}
