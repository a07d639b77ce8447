package engine

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/release"
	"xship/sources/text"
)

// opensItself is the advice for what needs no xship.
const opensItself = "a player opens it by itself: mpv "

// playerSchemes are those beside http and https that players open.
var playerSchemes = []string{
	"ftp", "ftps", "sftp", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtp", "rtsp", "rtsps", "mms", "mmsh", "srt", "udp", "tcp", "smb", "nfs", "dav", "davs", "webdav", "webdavs",
}

// schemeHint is what a user can do about an address of another scheme.
func schemeHint(scheme string) string {
	switch {
	case slices.Contains(playerSchemes, scheme):
		return opensItself + scheme + "://..."
	case scheme == "blob":
		return "it means something to the browser alone that shows it; give the address of the page: xship play https://..."
	default:
		return "a link begins with http:// or https://, as browsers copy it: xship play https://example.org/film.mkv"
	}
}

// ParseLink reads a link that somebody typed, with the headers that it may have behind a
// "|". The error is a *RequestError that does not repeat the link: it may hold secrets.
func ParseLink(typed string) (string, error) {
	switch t := link.ReadTyped(typed); t.Kind {
	case link.TypedLink:
		return t.URL, nil
	case link.TypedName:
		return "", &RequestError{
			Text: text.Quote(text.Shorten(link.RedactInterfaceText(text.Clean(typed)), maxTyped)) + " is no link",
			Hint: "a link begins with http:// or https://; a title stands alone: xship play TITLE",
		}
	case link.TypedTorrent:
		return "", &RequestError{
			Text: "this is a torrent, or a link of a network of peers, and xship fetches none",
			Hint: "a debrid service makes links of it on its own site: xship play URL plays those",
		}
	case link.TypedScheme:
		return "", &RequestError{Text: "this is an address of " + t.Scheme + ", and xship plays links of http and https", Hint: schemeHint(t.Scheme)}
	case link.TypedFile:
		return "", &RequestError{
			Text: "this is a file, and no link",
			Hint: opensItself + "FILE; the links that stand in it one a line: xship play - < FILE",
		}
	case link.TypedMixed:
		return "", &RequestError{
			Text: "this is a link among other words, or several links",
			Hint: "give each link by itself: xship play URL URL, or one a line to xship play -",
		}
	default:
		return "", &RequestError{
			Text: "this looks like a link, and is not written as one",
			Hint: "a link begins with http:// or https:// and its host, as browsers copy it: xship play https://example.org/film.mkv",
		}
	}
}

// maxTyped is how much of what was typed an error repeats, in characters.
const maxTyped = 60

// LinksRequest says which links are played, and for whom.
type LinksRequest struct {
	Links []string // as ParseLink gives them
	User  int64    // whose accounts serve links
	// Unlocking is told each provider that is called meanwhile, see
	// sources.ResolveOptions; for several links at once.
	Unlocking func(provider string) (ended func())
	// Ended is told what became of each link, in the order of Links and as soon as that is
	// known. Its error ends it all.
	Ended func(PlayedLink) error
}

// PlayedLink is what became of a link.
type PlayedLink struct {
	Played
	Err error // a *NothingPlayableError, nil where it plays
}

// linksAtOnce is how many links are resolved at once. Of one hoster there are as many as
// the precacher asks for, see Settings.Precache.
const linksAtOnce = 4

// PlayLinks resolves links as what a user clicks: through the user's accounts, by yt-dlp,
// or as they are. Each is a source without a title: it touches the health of its hoster,
// and what it leads to is kept for as long as that of any source. Where several links in a
// row fail for a hoster's fault, the others at that hoster are not tried. The error is that
// of ctx, or of Ended.
func (e *Engine) PlayLinks(ctx context.Context, req LinksRequest) error {
	if err := e.prepare(); err != nil {
		return err
	}
	resolving, err := e.resolving.get()
	if err != nil {
		return err
	}
	health, err := e.cfg.Store.HosterSnapshot(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	all := make([]sources.Source, len(req.Links))
	for i, address := range req.Links {
		all[i] = e.linkSource(address)
	}
	run, end := e.holdFails(ctx, resolving.streams.Attempts, min(linksAtOnce, len(all)))
	silent := newSilentHosters()
	played := e.startLinks(run, all, func(ctx context.Context, src sources.Source) PlayedLink {
		if silent.has(src.Hoster) {
			return PlayedLink{Played: Played{Source: listedAs(src, sources.Stream{}, health), Tried: []Tried{}}, Err: notTried(src)}
		}
		p := e.playLink(ctx, resolving, src, health, req)
		silent.note(p)
		return p
	})
	defer end()
	defer played.wait()
	defer cancel()
	for i := range all {
		select {
		case p := <-played.ended[i]:
			if ctx.Err() != nil { // which may be why it failed
				return ctx.Err()
			}
			if err := req.Ended(p); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// silentAfter is how many links in a row fail for a hoster's fault before the others there
// are not tried: each would take as long, and somebody waits for them.
const silentAfter = 3

// silentHosters are those of a run of links that do not answer.
type silentHosters struct {
	mu    sync.Mutex
	inRow map[string]int // fails of each, since one of its links worked
}

func newSilentHosters() *silentHosters { return &silentHosters{inRow: make(map[string]int)} }

func (s *silentHosters) has(hoster string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inRow[hoster] >= silentAfter
}

// note takes in what became of a link.
func (s *silentHosters) note(p PlayedLink) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch hoster := p.Source.Hoster; {
	case p.Err == nil:
		s.inRow[hoster] = 0
	case len(p.Tried) > 0 && p.Tried[len(p.Tried)-1].Class == sources.ClassHosterFault:
		s.inRow[hoster]++
	}
}

// notTried is the error of a link at a hoster that does not answer.
func notTried(src sources.Source) error {
	address, _ := link.SplitHeaders(src.URL)
	return &NothingPlayableError{
		Text: fmt.Sprintf("%s was not tried: %d links in a row of %s failed", link.Redact(address), silentAfter, HosterTitle(src.Hoster)),
		Hint: "xship play URL tries one link by itself; xship hosters log " + HosterTitle(src.Hoster) + " tells how its hoster fares",
	}
}

// linkSource is a link as a source of no title.
func (e *Engine) linkSource(address string) sources.Source {
	src := sources.Source{
		ID: sources.LinkID(address), Hoster: link.Hoster(address), Name: linkName(address), URL: address,
		Priority: sources.PriorityDefault, State: sources.StateFound, Own: e.logins.has(address),
	}
	release.Describe(&src)
	src.Trailer = false
	return src
}

// linkName is what a link is called: its file, or else its host.
func linkName(address string) string {
	address, _ = link.SplitHeaders(address)
	u, err := link.Parse(link.Redact(address)) // parts of a path may be secret
	if err != nil {
		return link.Hoster(address)
	}
	if name := text.Clean(path.Base(u.Path)); name != "" && name != "." && name != "/" && name != link.Redacted {
		return name
	}
	return text.Clean(u.Host)
}

// playLink resolves one link.
func (e *Engine) playLink(ctx context.Context, r *resolving, src sources.Source, health sources.HosterSnapshot, req LinksRequest) PlayedLink {
	o := sources.ResolveOptions{User: req.User, Unlocking: req.Unlocking}
	stream, _, tried, err := sources.Resolve(ctx, r.streams, []sources.Source{src}, 0, o)
	if page, ok := asPage(src, tried); ok && r.pages {
		stream, _, tried, err = sources.Resolve(ctx, r.streams, []sources.Source{page}, 0, sources.ResolveOptions{})
	}
	p := PlayedLink{Played: Played{Source: listedAs(src, stream, health), Tried: []Tried{}}}
	if err == nil {
		p.Stream, p.Login = e.logins.forPlayer(src, stream)
		p.Source.State = sources.StateResolved
		return p
	}
	p.Err = err
	for _, t := range tried { // one, unless ctx has ended
		t.Source = src
		p.Tried = append(p.Tried, Tried{Tried: t})
		p.Err = linkVerdict(t)
		if t.Class == sources.ClassDeadLink {
			p.Source.State = sources.StateDead
		}
	}
	return p
}

// asPage is a link that turned out to be a web page, as one that yt-dlp is asked for: its
// address alone did not tell. What comes of that is another finding than that of the link.
func asPage(src sources.Source, tried []sources.Tried) (page sources.Source, ok bool) {
	if len(tried) != 1 || !tried[0].Page || src.Own {
		return src, false
	}
	src.ID = sources.LinkID("page " + src.URL)
	src.Unplayable = "a web page"
	return src, true
}

// linkVerdict is the error of a link that does not play.
func linkVerdict(t sources.Tried) error {
	address, _ := link.SplitHeaders(t.Source.URL)
	shown := link.Redact(address)
	reason := strings.TrimPrefix(t.Error, "GET "+shown+": ")
	reason = strings.ReplaceAll(reason, "yt-dlp "+shown+": ", "yt-dlp: ")
	return &NothingPlayableError{Text: shown + " does not play: " + reason, Hint: linkHint(t)}
}

// linkHint is what a user can do about a link that does not play.
func linkHint(t sources.Tried) string {
	switch t.Class {
	case sources.ClassProviderCooling, sources.ClassProviderQuota, sources.ClassProviderHoster:
		again := "try again later"
		if t.RetryIn > 0 {
			again = fmt.Sprintf("try again in %d s", text.WholeSeconds(t.RetryIn))
		}
		return again + "; xship cooldowns list tells why, xship cooldowns clear ends it"
	case sources.ClassProviderAuth, sources.ClassProviderItem:
		return "xship accounts list tells how the accounts are"
	case sources.ClassDeadLink:
		return "its hoster has it no more; xship scan TITLE looks for others"
	case sources.ClassHosterFault:
		return "xship hosters log " + HosterTitle(t.Source.Hoster) + " tells how its hoster fares"
	case sources.ClassUnsupported:
		if at := strings.LastIndex(t.Error, "; "); t.Page && at >= 0 { // which says what would play it
			return t.Error[at+len("; "):]
		}
		return ""
	default:
		return ""
	}
}

// linkRun is a run of links, some of them at once.
type linkRun struct {
	ended []chan PlayedLink // one for each link, with room for its outcome
	wait  func()            // for the end of all that was begun
}

// startLinks has play called for all sources, in their order, at most linksAtOnce at a time
// and of one hoster as many as the precacher asks for. What has not begun when ctx ends
// never does.
func (e *Engine) startLinks(ctx context.Context, all []sources.Source, play func(context.Context, sources.Source) PlayedLink) *linkRun {
	run := &linkRun{ended: make([]chan PlayedLink, len(all))}
	for i := range run.ended {
		run.ended[i] = make(chan PlayedLink, 1)
	}
	turns := newTurns(all, max(e.cfg.Settings.Precache.PerHoster, 1))
	stop := context.AfterFunc(ctx, turns.stop)
	var workers sync.WaitGroup
	for range min(linksAtOnce, len(all)) {
		workers.Go(func() {
			for i, ok := turns.next(); ok; i, ok = turns.next() {
				run.ended[i] <- play(ctx, all[i])
				turns.done(i)
			}
		})
	}
	run.wait = func() {
		workers.Wait()
		stop()
	}
	return run
}

// turns say which link is next: the first one of those that wait whose hoster is not busy.
type turns struct {
	hosters []string // of each link
	most    int      // of one hoster at once

	mu      sync.Mutex
	changed *sync.Cond
	waiting []int // links, in order
	busy    map[string]int
	stopped bool
}

func newTurns(all []sources.Source, most int) *turns {
	t := &turns{most: most, busy: make(map[string]int)}
	t.changed = sync.NewCond(&t.mu)
	for i := range all {
		t.hosters = append(t.hosters, all[i].Hoster)
		t.waiting = append(t.waiting, i)
	}
	return t
}

// next gives the next link when its hoster has room; ok is false where none is left.
func (t *turns) next() (i int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if t.stopped || len(t.waiting) == 0 {
			return 0, false
		}
		for at, i := range t.waiting {
			if t.busy[t.hosters[i]] < t.most {
				t.waiting = append(t.waiting[:at], t.waiting[at+1:]...)
				t.busy[t.hosters[i]]++
				return i, true
			}
		}
		t.changed.Wait()
	}
}

// done says that a link has ended.
func (t *turns) done(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy[t.hosters[i]]--
	t.changed.Broadcast()
}

// stop has next give nothing more.
func (t *turns) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	t.changed.Broadcast()
}
