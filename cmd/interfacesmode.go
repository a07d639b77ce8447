package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/config/failover"
	"xship/sources"
	"xship/sources/text"
)

func newInterfacesModeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mode [off|auto|manual]",
		Short: "What happens when an interface cannot be loaded",
		Long: `Set what happens when the interface in use cannot be loaded, or show it:

  off     the error is reported, and nothing else is tried
  auto    the interfaces after it in the order are tried, three in all (the default)
  manual  you are asked, once, on a terminal`,
		Args: optionalMode,
		RunE: func(_ *cobra.Command, args []string) error { return runInterfacesMode(a, args) },
	}
}

// runInterfacesMode sets the mode that args name, if any, and shows it. It needs no
// database.
func runInterfacesMode(a *app, args []string) error {
	if err := a.makeDataDir(); err != nil {
		return err
	}
	e, err := engine.Open(a.engineConfig(nil, nil))
	if err != nil {
		return err
	}
	defer e.Close()
	if len(args) == 1 {
		mode, _ := failover.ModeNamed(args[0])
		if err := e.SetFailoverMode(mode); err != nil {
			return err
		}
	}
	mode, err := e.FailoverMode()
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.writeJSON(api.InterfacesMode{Mode: mode.String()})
	}
	return a.writeLine(mode.String())
}

// failoverModes are the names of the failover modes.
var failoverModes = []string{failover.Off.String(), failover.Auto.String(), failover.Manual.String()}

func optionalMode(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := oneArg("a mode")(cmd, args); err != nil {
		return err
	}
	if _, ok := failover.ModeNamed(args[0]); !ok {
		return &usageError{msg: "there is no mode " + text.Clean(args[0]), hint: oneOf(args[0], failoverModes)}
	}
	return nil
}

func newInterfacesOrderCmd(a *app) *cobra.Command {
	var interactive bool
	cmd := &cobra.Command{
		Use:   "order URL|PATH|NAME...",
		Short: "Set the order in which interfaces are listed and tried",
		Long: `Set the order of the interfaces. Those named come first, the others stay behind
them as they are. The one in use takes part like any other.`,
		Example: `  xship interfaces order home backup
  xship interfaces order --interactive`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case interactive && len(args) > 0:
				return usagef("interfaces order takes interfaces or --interactive, not both")
			case interactive && !a.prompts():
				return &usageError{msg: "--interactive needs a terminal", hint: "name the interfaces in their order instead"}
			case !interactive && len(args) == 0:
				return &usageError{msg: "interfaces order needs the interfaces in their order", hint: "see xship interfaces list, or use --interactive"}
			}
			return runInterfacesOrder(cmd.Context(), a, args)
		},
	}
	cmd.Flags().BoolVar(&interactive, "interactive", false, "move the interfaces up and down on the terminal")
	return cmd
}

// runInterfacesOrder stores the order that refs begin, or that the user makes
// where there are none, and lists the interfaces.
func runInterfacesOrder(ctx context.Context, a *app, refs []string) error {
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	if len(refs) > 0 {
		err = e.OrderInterfaces(ctx, refs)
	} else {
		err = e.OrderInterfacesBy(ctx, func(all []sources.Interface, current sources.Interface) ([]sources.Interface, error) {
			return a.orderByHand(ctx, all, current)
		})
	}
	if err != nil {
		return err
	}
	return a.listInterfaces(ctx, e, false)
}

// orderByHand lets the user move interfaces up and down on the terminal.
func (a *app) orderByHand(ctx context.Context, all []sources.Interface, current sources.Interface) ([]sources.Interface, error) {
	rows := make([]string, 0, len(all))
	for _, i := range all {
		row := engine.InterfaceTitle(i)
		if i.URL == current.URL {
			row = "(in use) " + row
		}
		rows = append(rows, row)
	}
	order, err := a.dialog().Order(ctx, "Order of the interfaces", rows)
	switch {
	case errors.Is(err, term.ErrUnchanged):
		return nil, text.WithHint(err, "Enter saves it")
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("order the interfaces on the terminal: %w", err)
	case err != nil:
		return nil, err
	}
	ordered := make([]sources.Interface, 0, len(all))
	for _, i := range order {
		ordered = append(ordered, all[i])
	}
	return ordered, nil
}
