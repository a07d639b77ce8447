package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/config"
	"xship/sources/link"
	"xship/sources/text"
)

var (
	interfaceNames = looked(findInterfaces)
	groupNames     = looked(findGroups)
	hosterNames    = looked(findHosters)
	watchIDs       = looked(findWatchIDs)
	watchEntries   = looked(findWatchEntries)
	watchedTitles  = looked(findWatchedTitles)
)

// findInterfaces gives the interfaces by their names, and by their addresses where they
// have none or one is being typed; what of these is secret is not shown.
func findInterfaces(ctx context.Context, w place, e *engine.Engine) ([]offer, error) {
	all, current, err := e.Interfaces(ctx)
	var found []offer
	for _, row := range all {
		if loader.IsBuiltin(row.URL) {
			continue
		}
		address := link.RedactInterface(row.URL)
		meaning := address
		if row.URL == current.URL {
			meaning = "in use, " + address
		}
		switch name := row.ShownName(); {
		case name == "" && row.URL == current.URL:
			found = append(found, offer{address, "in use"})
		case name == "":
			found = append(found, offer{word: address})
		case w.typed != "" && !w.begins(name) && w.begins(address):
			found = append(found, offer{address, name})
		default:
			found = append(found, offer{name, meaning})
		}
	}
	return found, err
}

// findGroups gives the names of the groups, which may be given other members.
func findGroups(ctx context.Context, w place, e *engine.Engine) ([]offer, error) {
	all, _, err := e.Interfaces(ctx)
	var found []offer
	for _, row := range all {
		if name, ok := config.GroupOf(w.app.dataDir(), row.URL); ok {
			found = append(found, offer{name, "gets other members"})
		}
	}
	return found, err
}

// findHosters gives the hosters, those in most trouble first, and how they do.
func findHosters(ctx context.Context, w place, e *engine.Engine) ([]offer, error) {
	all, guard, err := e.Hosters(ctx, false)
	var found []offer
	for _, h := range api.NewHosters(all, guard, w.app.Now()).Hosters {
		meaning := h.State
		if h.ConsecutiveFails > 0 {
			meaning = fmt.Sprintf("%s, %s", h.State, text.Plural(h.ConsecutiveFails, "fail"))
		}
		found = append(found, offer{h.Name, meaning})
	}
	return found, err
}

// findWatchIDs gives the numbers of the watchlist, and the titles that they mean.
func findWatchIDs(ctx context.Context, _ place, e *engine.Engine) ([]offer, error) {
	entries, err := e.Watchlist(ctx)
	var found []offer
	for _, entry := range entries {
		found = append(found, offer{strconv.FormatInt(entry.ID, 10), entry.Title.String()})
	}
	return found, err
}

// findWatchEntries gives the numbers of the watchlist, and its titles where a word is being
// typed that is none.
func findWatchEntries(ctx context.Context, w place, e *engine.Engine) ([]offer, error) {
	if strings.Trim(w.typed, "0123456789") == "" {
		return findWatchIDs(ctx, w, e)
	}
	return findWatchedTitles(ctx, w, e)
}

// findWatchedTitles gives the titles of the watchlist, as commands take them.
func findWatchedTitles(ctx context.Context, _ place, e *engine.Engine) ([]offer, error) {
	entries, err := e.Watchlist(ctx)
	var found []offer
	seen := make(map[string]bool, len(entries))
	for _, entry := range entries {
		if title := entry.Title.String(); !seen[title] {
			found = append(found, offer{title, fmt.Sprintf("number %d of the watchlist", entry.ID)})
			seen[title] = true
		}
	}
	return found, err
}
