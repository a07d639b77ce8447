package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/config"
	"xship/sources"
	"xship/sources/text"
)

// maxKey bounds a key that is read, in bytes.
const maxKey = 4096

// accountsAddOptions are what the flags of xship accounts add mean.
type accountsAddOptions struct {
	user     int64
	provider string
	keyStdin bool
	noCheck  bool
	baseURL  string
}

// newAccountsAddCmd is xship accounts add; run gets what its flags mean.
func newAccountsAddCmd(a *app, run func(context.Context, *app, accountsAddOptions) error) *cobra.Command {
	var o accountsAddOptions
	var user *string
	cmd := &cobra.Command{
		Use:   "add PROVIDER",
		Short: "Add an account, by a login in a browser or by its key",
		Long: `Add an account at a provider, or replace it. Where the provider has a login by
code, xship shows the code and where to enter it, and waits. Otherwise, and with
--key-stdin, the API key is read from standard input; on a terminal it is asked
for and not shown. It is never an argument, which other users of the machine could
see.

The provider is asked whether the account works before it is stored, in
accounts.json in the data directory, for you only. What the user's account at that
provider unlocked before is forgotten.`,
		Example: `  xship accounts add real_debrid
  xship accounts add premiumize --key-stdin < key.txt`,
		Args: oneProvider,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.user, err = a.user(*user); err != nil {
				return err
			}
			if o.provider, err = providerNamed(args[0]); err != nil {
				return err
			}
			if cmd.Flags().Changed("base-url") && !config.PlainURL(o.baseURL) {
				return &usageError{msg: "--base-url is no address of an API", hint: "give an http or https URL without user, query and fragment"}
			}
			return run(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	user = a.userFlag(flags)
	flags.BoolVar(&o.keyStdin, "key-stdin", false, "read the key from standard input, also where there is a login by code")
	flags.BoolVar(&o.noCheck, "no-check", false, "do not ask the provider whether the account works")
	flags.StringVar(&o.baseURL, "base-url", "", "`URL` of the API where it is not the provider's own")
	return cmd
}

func runAccountsAdd(ctx context.Context, a *app, o accountsAddOptions) error {
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	account, err := e.NewAccount(o.user, o.provider, o.baseURL)
	if err != nil {
		return err
	}
	if err := a.giveKey(ctx, account, o); err != nil {
		return err
	}
	doc := api.AccountAdded{
		AccountCheck: api.NewAccountCheck(account.Unchecked()), Origin: string(engine.OriginFile), Replaced: account.Replaces, Checked: !o.noCheck,
	}
	doc.OK = false
	if doc.Checked {
		check, err := a.checkNew(ctx, account, o.provider)
		if err != nil {
			return err
		}
		doc.AccountCheck = api.NewAccountCheck(check)
	}
	if err := account.Store(ctx); err != nil {
		return err
	}
	what := "added"
	if doc.Replaced {
		what = "replaced"
	}
	if summary := doc.Summary(); summary != "" {
		a.note("%s %s: %s", what, engine.AccountTitle(o.user, o.provider), summary)
	} else {
		a.note("%s %s", what, engine.AccountTitle(o.user, o.provider))
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// giveKey gives an account its key: by a login where there is one, else by what the
// user enters.
func (a *app) giveKey(ctx context.Context, account *engine.NewAccount, o accountsAddOptions) error {
	if !o.keyStdin {
		err := a.login(ctx, account, o.provider)
		if !engine.NoLogin(err) {
			return err
		}
	}
	key, err := a.readKey(ctx, sources.ProviderTitle(o.provider))
	account.UseKey(key)
	return err
}

// checkNew asks whether a new account works.
func (a *app) checkNew(ctx context.Context, account *engine.NewAccount, provider string) (engine.AccountCheck, error) {
	asking := []string{"asking " + sources.ProviderTitle(provider)}
	defer a.live(ctx, func() []string { return asking })()
	return account.Check(ctx)
}

// login shows the code of a login, and waits until the user has entered it.
func (a *app) login(ctx context.Context, account *engine.NewAccount, provider string) error {
	device, err := account.StartLogin(ctx)
	if err != nil {
		return err
	}
	title := sources.ProviderTitle(provider)
	a.warn("to log in at %s, open %s and enter the code %s before %s", title, device.VerificationURL, device.UserCode, until(device.ExpiresAt, a.Now()))
	defer a.live(ctx, func() []string {
		left := fmt.Sprintf("%d s left", text.WholeSeconds(device.ExpiresAt.Sub(a.Now())))
		return []string{"waiting for " + title, "code " + device.UserCode, left, "Ctrl-C ends it"}
	})()
	return account.AwaitLogin(ctx, device)
}

// readKey reads the key of an account at the provider with this title.
func (a *app) readKey(ctx context.Context, title string) (string, error) {
	return a.readSecret(ctx, secretQuestion{
		noun: "key", prompt: fmt.Sprintf("API key of %s, which is not shown: ", title), command: "xship accounts add PROVIDER", stdin: " --key-stdin",
	})
}

// secretQuestion is how a secret is asked for.
type secretQuestion struct {
	noun     string // it is called
	prompt   string // on a terminal
	command  string // that asks for it again
	stdin    string // what has the command read it from standard input, "" = it does
	verbatim bool   // spaces around it are part of it, and it may be empty

	read func() (string, error) // reads it where stdin is no terminal; nil = its first line
}

// readSecret reads a secret: a line of stdin, or what is typed unseen where that is a
// terminal. It does not wait when ctx has ended.
func (a *app) readSecret(ctx context.Context, q secretQuestion) (string, error) {
	if q.read == nil {
		q.read = a.readLine
	}
	line, err := a.dialog().ReadSecret(ctx, q.prompt, q.read)
	secret := strings.TrimSpace(line)
	if q.verbatim {
		secret = strings.TrimRight(line, "\r\n")
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, term.ErrNoAnswer):
		return "", text.WithHint(fmt.Errorf("no %s was entered; nothing was stored", q.noun),
			q.command+" asks for it again, and with"+q.stdin+" < FILE reads it from a file")
	case err != nil && !errors.Is(err, io.EOF):
		return "", fmt.Errorf("read the %s: %w", q.noun, err)
	case secret == "" && (!q.verbatim || line == ""):
		return "", &usageError{msg: "there is no " + q.noun + " on standard input", hint: "give it with " + q.command + q.stdin + " < FILE"}
	}
	return secret, nil
}

// readLine reads the first line of stdin.
func (a *app) readLine() (string, error) {
	return bufio.NewReader(io.LimitReader(a.Stdin, maxKey)).ReadString('\n')
}
