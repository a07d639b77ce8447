package sources

// Every port of xship is in this file, with its whole contract, but for one:
// failover.Preferences stays in config/failover, which imports nothing but the
// standard library, so that the order of interfaces is a rule about any type.

import (
	"context"
	"time"
)

// Site is one searchable index of an interface.
//
// Search yields the sources that the site has for t and for no other title or
// episode: names and episodes are compared with match.Title and match.ParseEpisode,
// whatever the server thinks is a match. It yields each source as soon as it
// is known, from the calling goroutine, and may have yielded some when it
// fails. "Answered and had nothing" is nil with nothing yielded; anything that
// kept the site from answering is an error whose class (ClassOf) says why. A
// *NoteError is an answer like nil.
// A source needs URL and Name; Scan fills in ID, Site, Hoster and State, and
// what the name tells of quality, language and labels where those are empty.
// Search returns soon after ctx ends and is safe for concurrent use. It tells with Saw
// what else the site's answers hold, and asks nothing for it.
type Site interface {
	Info() SiteInfo
	Search(ctx context.Context, t Title, yield func(Source)) error
}

// Resolver turns sources of one kind into streams. Resolve proves that the
// stream is there, by its first bytes and never by a HEAD request alone. Its
// errors are classified; ErrNotResponsible means that nothing was tried.
type Resolver interface {
	Name() string
	Resolve(ctx context.Context, src Source) (Stream, error)
}

// Guesser is a Resolver that takes any link and sees by its first bytes what it
// is. It is not asked about a link that an account will take soon: a page is all
// that it would find there.
type Guesser interface {
	Resolver
	Guesses()
}

// Prober reads what a stream holds. Its errors are classified: a stream that
// is no media, is cut short or cannot be reached is the hoster's fault.
type Prober interface {
	Probe(ctx context.Context, s Stream) (MediaInfo, error)
}

// Provider is a debrid service: it turns links of hosters into streams, through
// an account of the user's.
type Provider interface {
	Name() string  // such as "real_debrid"
	Title() string // such as "Real-Debrid"
	// Serves is Supports by what is known without a request; known is false where
	// it would take one.
	Serves(ctx context.Context, a Account, hoster string) (serves, known bool)
	// Supports tells whether the provider serves links of hoster. An error is a
	// *ProviderStreamUnavailableError.
	Supports(ctx context.Context, a Account, hoster string) (bool, error)
	// Unlock gives the stream behind link. Background work leaves a share of
	// the account's request budget to the foreground. An error is a
	// *ProviderStreamUnavailableError, or that of ctx when it was cancelled.
	Unlock(ctx context.Context, a Account, link string, background bool) (Stream, error)
}

// Observer is told what happens, each event once, when it has happened. Observe is
// called by many goroutines at once, in the middle of their work: it must be quick and
// never panic. It may keep an event but change nothing in it. ctx is that of the work,
// and may have ended. Where an Observer is nil, nobody is told, and nothing is made to
// be told.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// ProviderCooldown is the port of ProviderCooldown: which providers are not
// called now, by user and provider, never for all users. Marks only extend: a
// later, shorter one never shortens a cooldown that runs. Every method is quick,
// and safe for concurrent use.
type ProviderCooldown interface {
	// IsCoolingDown tells what remains of the key's cooldown.
	IsCoolingDown(ctx context.Context, key CooldownKey) (Cooldown, error)
	// MarkCooldown marks the key as cooling down, and tells what remains then.
	MarkCooldown(ctx context.Context, key CooldownKey, m CooldownMark) (Cooldown, error)
	// Begin is IsCoolingDown for one call to the provider. After a cooldown one
	// call goes first: it has the lease, and until it ended, was marked, or
	// CooldownLeaseOf is over, the others are told to wait.
	Begin(ctx context.Context, key CooldownKey) (CooldownLease, Cooldown, error)
	// End ends a call. answered tells that the provider works: then all may call,
	// and the next cooldown starts small; otherwise another call may go first.
	// Without a lease it does nothing.
	End(ctx context.Context, l CooldownLease, answered bool) error
	// Refused notes that a link of the key was refused in words that nobody can judge,
	// and tells whether that was the provider's doing: another link got the same answer
	// just before, within RefusalMemory, and none of the key's was Answered since.
	Refused(ctx context.Context, key CooldownKey, r Refusal) (again bool, err error)
	// Answered tells that a link of the key was answered in words that can be judged.
	Answered(ctx context.Context, key CooldownKey) error
	// Cooldowns lists those that run, by user and provider.
	Cooldowns(ctx context.Context) ([]CooldownEntry, error)
	// Clear ends the cooldowns of a user, 0 = all, at a provider, "" = all, forgets
	// what was refused, and tells how many cooldowns ran.
	Clear(ctx context.Context, key CooldownKey) (int, error)
}

// CallBudgets keep to limits of calls a minute or an hour, for all who share them.
// Every method is quick, and safe for concurrent use.
type CallBudgets interface {
	// Spend takes a call from the budget of the given name, whose limit is always the
	// same, and tells after what wait it may be made; of those who spend at once each
	// has another wait. Where that would be longer than most, ok is false, nothing is
	// taken, and wait is what it would be. No span of the limit has more calls than it
	// allows, and half of them may come at once. Waits are rounded by a millisecond at
	// most. A name holds no secret; its parts stand between slashes. Where an error
	// tells that the budgets cannot be asked, nothing was taken.
	Spend(ctx context.Context, name string, l CallLimit, most time.Duration) (wait time.Duration, ok bool, err error)
}

// ScanStore keeps what scans found, and which sites rest. The store is shared
// with other processes.
type ScanStore interface {
	// LoadScan gives what is stored for t at the interface, and nil where that is
	// nothing. Answers come in the order of the sites in the last scan's report;
	// those of sites that it does not mention follow, by key.
	LoadScan(ctx context.Context, interfaceURL string, t Title) (*StoredScan, error)
	// SaveScan stores a scan. Each answer in it that holds sources replaces the rows of
	// its own site; all other sites keep theirs. Where several scans wait for the store
	// they may come in any order: an answer gives way to one that its site gave later,
	// by SeenAt in whole seconds, and a scan that is older than the last answer of the
	// title leaves the title's time and report alone, or says nothing where it has no
	// answer. What was given in the future was so under another clock, and does not
	// count. A source that its site names again keeps its state, except that a dead one
	// is found again 24 h after it died, as files do come back, and at once where the
	// scan is Refreshed. What became of a source that no site names any more is
	// forgotten. A scan without any source changes none of them: it says that nobody has
	// the title, and is remembered for WatchDue. A reader may see the answers of some
	// sites before those of others. An answer may be removed a month after it was given.
	SaveScan(ctx context.Context, interfaceURL string, t Title, scan StoredScan) error
	// RestingSites gives the sites of the interface that rest now, by key.
	RestingSites(ctx context.Context, interfaceURL string) (map[string]SiteRest, error)
	// SiteTouch records how sites of the interface fared. A success ends a site's
	// rest, a fail lengthens it, by the ladder of hosters up to 300 s. A fail counts
	// only if some site or hoster succeeded within 30 s; of one call the successes
	// are taken first. No site moves the guard of the hosters.
	SiteTouch(ctx context.Context, interfaceURL string, outcomes []SiteOutcome) error
}

// HosterStore is the hoster table as attempts see it. Every method is one short
// transaction; the table is shared with other processes. What attempts mean is
// decided by the rules of sourcecache/health. Of the hosters "" and "local"
// nothing is learnt: an attempt at them always begins, and its end changes
// nothing.
type HosterStore interface {
	// BeginAttempt starts a try at hoster. Where the hoster failed before, one
	// attempt at a time may go to it, and none while it is blocked: then ok is false
	// and nothing was begun. That attempt has the lease of the hoster until it ends,
	// for 30 s at most, so that one whose process was killed keeps nobody out for
	// longer. A forced attempt always begins, and takes the lease only where that is
	// free. An attempt is known by its Started, which no other one that is begun
	// through the same store has.
	BeginAttempt(ctx context.Context, hoster, link string, force bool) (a Attempt, ok bool, err error)
	// EndAttempt reports the outcome of a, which ends its lease. Only ClassOK and
	// ClassHosterFault touch the hoster's health, and detail says for people what
	// was wrong. A fail counts only if the attempt began after the hoster's block, if
	// it is not the fault of its link, which failed before while the hoster worked with
	// others, and if the network is up: some hoster succeeded within 30 s, or a canary
	// works.
	//
	// Sources whose link did not work are out of the queues until the next cycle,
	// see Queue, unless the class is ClassCancelled; those of ClassUnsupported rest
	// for 24 h, unless they are resolved after all or get another link.
	//
	// When nothing vouches for the network, or two hosters or more failed or lost a
	// link since the last success, the network is in doubt. Then the store gives a
	// canary to be tested, whose outcome EndCanary must be told: the link that worked
	// last, within a day, of the hosters that have not failed since. One is tested at a
	// time. Meanwhile fails of which a success vouches count, and others wait for it, or
	// for a success, which shows as much.
	// Where there is no such link, or a canary failed within 15 s, the network is taken
	// to be down, if several hosters failed: what happened since the last success is
	// taken back, links that were gone included, and none counts before the next one.
	EndAttempt(ctx context.Context, a Attempt, class Class, detail string) (*Canary, error)
	// EndCanary reports the outcome of testing c. A link that works shows that the
	// network is up: the fails since the last success stand, and those that waited
	// count. One that does not work, or is gone, decides nothing as long as there is
	// another one, which it gives; after three the network is down, as above. None
	// counts against its own hoster. A class that says nothing of the hoster ends the
	// canary, and what waited for it does not count.
	EndCanary(ctx context.Context, c Canary, class Class) (*Canary, error)
	// TestOutage gives a link to be tested in an outage, as a canary, and nil where
	// there is none, or no test is due: they come ever more rarely, up to one in 30 s.
	// Asked tells that somebody waits for it, so that it is due now. The hosters that
	// worked in the last two hours are tested once a minute each, and between them all,
	// those first that were tried longest ago. An outage in which nothing can be tested
	// ends.
	TestOutage(ctx context.Context, asked bool) (*Canary, error)
	// DueRetests gives the failing hosters that are to be tested now, at most so many:
	// those whose block has ended, and where the policy says so those blocked for long.
	// They come in the order in which they were last tried. The link is in turn the one
	// that worked last and another one: that of among, or where it has none one of those
	// that wait in a queue or were tried in this cycle and are not the user's own. Only
	// hosters of among are given, all where it is nil, none of except, and none of which
	// no link is known. It is the turn of the next link of each that is given: ask for
	// none that will not be tested.
	DueRetests(ctx context.Context, among []Retest, except []string, limit int) ([]Retest, error)
}

// HosterTable is the hoster table as a whole: what is listed, hidden and shown. A hoster
// that no source names but the user's own may be removed a day after it was last tried,
// unless a block or an attempt holds it.
type HosterTable interface {
	// HosterAvailable is the port of hoster_available: the hoster's block is over,
	// no attempt has its lease to find out whether it came back, and, where cooldown
	// > 0, its last fail is at least that old; a part of a second counts as a whole
	// one. It is for attempts in the background.
	HosterAvailable(ctx context.Context, hoster string, cooldown time.Duration) (bool, error)
	// Hosters gives the whole table, by name.
	Hosters(ctx context.Context) ([]HosterHealth, error)
	// HosterSnapshot gives the hosters that are not healthy; those that it lacks are.
	HosterSnapshot(ctx context.Context) (HosterSnapshot, error)
	// Guard gives the state of the network-outage guard.
	Guard(ctx context.Context) (GuardState, error)
	// HosterEvents gives what the last attempts at a hoster changed, 50 at most, newest
	// first; of all hosters 20,000 at most are kept. Those that were cancelled are not among
	// them, nor tests of an outage that failed. The error is ErrUnknownHoster where
	// nothing at all is known of the hoster.
	HosterEvents(ctx context.Context, hoster string) ([]HosterEvent, error)
	// HosterHours gives how the attempts at hosters ended, by the hour from the one of since
	// on, by hoster, the earliest first. Every attempt counts that ended with ClassOK or
	// ClassHosterFault, as in HosterHealth: what an outage takes back is not taken back
	// here. Two days are kept.
	HosterHours(ctx context.Context, since time.Time) (map[string][]HosterHour, error)
	// CountHosters counts the hosters of the table.
	CountHosters(ctx context.Context) (int, error)
	// ResetHosters takes back fails and blocks of the named hosters; what happened
	// to them stays on record. It gives the names that the table does not have.
	ResetHosters(ctx context.Context, names []string) (unknown []string, err error)
	// ResetAllHosters is ResetHosters for all hosters that have fails or a block,
	// and counts them.
	ResetAllHosters(ctx context.Context) (int, error)
}

// StreamStore keeps what became of sources, by SourceID, on all interfaces. A
// source that becomes resolved or probed is no longer held back, nor does it
// rest, see Queue.
type StreamStore interface {
	// CachedStream gives the stream of a source, and nil where none is stored.
	CachedStream(ctx context.Context, sourceID string) (*StoredStream, error)
	// PutStream stores a stream; the source's state becomes resolved. What was known
	// of the source's media stays known, but the new stream has yet to be probed.
	PutStream(ctx context.Context, sourceID string, s Stream) error
	// PutMediaInfo stores what a stream holds; the source's state becomes probed.
	// Where the stream was dropped meanwhile nothing is stored.
	PutMediaInfo(ctx context.Context, sourceID string, m MediaInfo) error
	// DropStream forgets a stream that no longer works; the source's state
	// becomes found.
	DropStream(ctx context.Context, sourceID string) error
	// MarkDead forgets the source's stream and makes its state dead. It stays so for
	// 24 h at least, see SaveScan. A source whose attempt found it to be gone while the
	// network was down is found instead, see HosterStore.
	MarkDead(ctx context.Context, sourceID string) error
	// MarkNeeds keeps with a source what else it needs to be played, see Source.Needs,
	// until it becomes resolved or probed, or gets another link.
	MarkNeeds(ctx context.Context, sourceID, needs string) error
	// SourceMediaInfo gives what is known of the media of sources, by SourceID.
	// Those that were never probed are not in it.
	SourceMediaInfo(ctx context.Context, ids []string) (map[string]MediaInfo, error)
}

// AccountStore keeps what is known of accounts, and what they unlocked. No key is
// stored, only what tells it from others. What was recorded in the future was so
// under another clock, and does not count.
type AccountStore interface {
	// AccountState gives the state of an account, ClassOK where nothing else is
	// known. That of another key does not count, nor one whose Until has passed.
	AccountState(ctx context.Context, a Account) (AccountState, error)
	// SetAccountState stores it; ClassOK forgets it. Without a Since the state
	// begins now. Parts of a second are dropped.
	SetAccountState(ctx context.Context, a Account, s AccountState) error
	// AccountPlan gives what the provider last told of the account, the zero value where
	// that is nothing. What it told of another key does not count, nor what it told in the
	// future.
	AccountPlan(ctx context.Context, a Account) (AccountPlan, error)
	// SetAccountPlan stores it, in the place of what was told before. Without a CheckedAt it
	// was told now. Parts of a second are dropped.
	SetAccountPlan(ctx context.Context, a Account, p AccountPlan) error
	// ProviderHosterRest tells how long the account's provider cannot serve hoster,
	// for this user or for all, the longer of both: whole seconds, and one at least
	// while the rest runs.
	ProviderHosterRest(ctx context.Context, key CooldownKey, hoster string) (Cooldown, error)
	// RestProviderHoster keeps links of hoster from the provider for a while, which
	// no part of a second cuts short. A key without user is for all users. It only
	// extends.
	RestProviderHoster(ctx context.Context, key CooldownKey, hoster string, c Cooldown) error
	// UnlockedStream gives what the user's account at the provider unlocked for a
	// source, and nil where that is nothing.
	UnlockedStream(ctx context.Context, key CooldownKey, sourceID string) (*StoredStream, error)
	// PutUnlockedStream stores it, in the place of the one before.
	PutUnlockedStream(ctx context.Context, key CooldownKey, sourceID string, s Stream) error
	// DropUnlockedStream forgets it.
	DropUnlockedStream(ctx context.Context, key CooldownKey, sourceID string) error
	// ForgetAccount forgets what belongs to the account of a user at a provider, so
	// that another one in its place starts afresh: what it unlocked, its state and plan, the
	// hosters that it serves and those that it cannot serve now. What is known of the
	// provider for all users stays, and so does its cooldown.
	ForgetAccount(ctx context.Context, key CooldownKey) error
	// ProviderHosterRests lists the hosters that providers cannot serve now, by user,
	// provider and hoster.
	ProviderHosterRests(ctx context.Context) ([]ProviderHosterRest, error)
	// ClearProviderHosterRests ends the rests of hosters of a user and those for all
	// users, which keep that user from them as well, 0 = all rests, at a provider,
	// "" = all, and tells how many ran.
	ClearProviderHosterRests(ctx context.Context, key CooldownKey) (int, error)
}

// ProviderHosterStore keeps the lists of hosters that providers serve to accounts.
type ProviderHosterStore interface {
	// ProviderHosters gives the list and when it was made; nil where that is not
	// known.
	ProviderHosters(ctx context.Context, key CooldownKey) (hosters []string, at time.Time, err error)
	// PutProviderHosters stores it, in the place of the one before.
	PutProviderHosters(ctx context.Context, key CooldownKey, hosters []string, at time.Time) error
}

// WatchStore keeps the watchlist.
type WatchStore interface {
	// AddWatch puts a title on the watchlist, and tells whether it is new there. One
	// that is there already becomes the one watched soonest if a user asks for it
	// again.
	AddWatch(ctx context.Context, t Title, origin WatchOrigin) (entry WatchEntry, added bool, err error)
	// AddWatchlist puts entries on the watchlist, all or none, as AddWatch does for
	// one: the first of them is the one watched soonest. Of an entry only title and
	// origin count.
	AddWatchlist(ctx context.Context, entries []WatchEntry) error
	// Watchlist gives the watchlist, the titles watched soonest first.
	Watchlist(ctx context.Context) ([]WatchEntry, error)
	// WatchDue gives the entries whose last scan at the interface that found
	// something is older than maxAge, those watched soonest first. A title for which
	// a scan found nothing rests for an hour, then for twice as long with each such
	// scan, a day at most; a scan within that rest does not lengthen it. A scan in
	// the future was recorded under another clock and does not count.
	WatchDue(ctx context.Context, interfaceURL string, maxAge time.Duration) ([]WatchEntry, error)
	// RemoveWatch takes an entry off the watchlist and tells whether it was there.
	RemoveWatch(ctx context.Context, id int64) (removed bool, err error)
	// RemoveWatchlist takes entries off the watchlist, all or none: where some of them
	// are not there it removes none, and gives those.
	RemoveWatchlist(ctx context.Context, ids []int64) (missing []int64, err error)
	// SetWatchTitle gives an entry another title, as when a series moves on to its
	// next episode. The error is ErrWatched where another entry has that title, and
	// ErrNotWatched where there is no such entry.
	SetWatchTitle(ctx context.Context, id int64, t Title) error
	// WatchStates is Watchlist, with how each title stands at the interface. A source is
	// proven from PutMediaInfo on until its stream is dropped or it is dead; PutStream
	// alone changes nothing. What two sites name is one source.
	WatchStates(ctx context.Context, interfaceURL string) ([]WatchState, error)
	// WatchWaiting counts the watchlist, and gives the states of those that are not ready.
	WatchWaiting(ctx context.Context, interfaceURL string) (total int, waiting []WatchState, err error)
	// NoteLooked notes that a title was looked for just now, whatever came of it: a scan
	// that found nothing while some site gave no answer leaves nothing else behind.
	NoteLooked(ctx context.Context, t Title) error
	// NoteReady gives the titles that became ready at the interface since they were
	// last noted, each once until nothing is proven of it any more, at any interface. Only
	// titles that have the source are looked at, all where sourceID is "".
	NoteReady(ctx context.Context, interfaceURL, sourceID string) ([]WatchState, error)
}

// CycleStore keeps what the last cycles of the precacher did.
type CycleStore interface {
	// PutCycle keeps what a cycle did that has ended. The last hundred are kept. Parts of
	// a second are dropped.
	PutCycle(ctx context.Context, c CycleRecord) error
	// Cycles gives the last cycles, at most so many, the latest first. One that ended in
	// the future was recorded under another clock, and is not among them.
	Cycles(ctx context.Context, limit int) ([]CycleRecord, error)
	// CycleBegun is when the last cycle began, see Queue.BeginCycle, zero where none did,
	// or it began in the future.
	CycleBegun(ctx context.Context) (time.Time, error)
}

// InterfaceStore keeps the user's interfaces, which one is in use, and what their
// configs answered.
type InterfaceStore interface {
	// Interfaces lists the interfaces: those that were used first, the latest of
	// them foremost, then the others as they were added (document "interface
	// failover", section 3.3: new ones are appended). A use in the future was recorded
	// under another clock, and is none.
	Interfaces(ctx context.Context) ([]Interface, error)
	// AddInterface adds an interface and tells whether it is new. The first one is
	// also put in use. One that is there already gets the name, unless that is "".
	AddInterface(ctx context.Context, url, name string) (added bool, err error)
	// AddInterfaces adds interfaces in their order, all or none, as AddInterface
	// does for one, and counts those that are new. Of each only URL and name count.
	// Where there was none before, the interface current is put in use, the first
	// one where that is "".
	AddInterfaces(ctx context.Context, all []Interface, current string) (added int, err error)
	// RemoveInterface removes an interface with its stored config, also from the From of
	// InterfaceUse, and tells whether it was there. Where it was in use, next is
	// afterwards, and none where that is not listed.
	RemoveInterface(ctx context.Context, url, next string) (removed bool, err error)
	// CurrentInterface gives the URL of the interface in use, "" where none was
	// chosen.
	CurrentInterface(ctx context.Context) (string, error)
	// InterfaceUse tells which interface is in use, as CurrentInterface does, and how it
	// came to be that. From grows with each SwitchInterface, to twenty, and a switch to one
	// that is in it takes that and all later ones out. A choice of the user's empties it.
	InterfaceUse(ctx context.Context) (InterfaceUse, error)
	// SetCurrentInterface puts the interface with the given URL in use. The error is
	// ErrNotListed where there is none.
	SetCurrentInterface(ctx context.Context, url string) error
	// SwitchInterface puts the interface to in use in the place of from, "" for none,
	// and tells whether it did: not where another one is in use by now, nor where to is
	// not listed.
	SwitchInterface(ctx context.Context, from, to string) (switched bool, err error)
	// RecordInterfaceLoad records how a load that ended at the given time went:
	// loadErr is "" where it went well. One that was made to use the interface, and
	// not only to look at it, moves that to the front. An interface that is not
	// listed has no record.
	RecordInterfaceLoad(ctx context.Context, url string, at time.Time, loadErr string, used bool) error
	// RecordInterfaceUse records that an interface was used at the given time without
	// a load, and moves it to the front. An interface that is not listed has no record.
	RecordInterfaceUse(ctx context.Context, url string, at time.Time) error
	// CachedConfig gives what an address last answered, and nil where that is not
	// known.
	CachedConfig(ctx context.Context, url string) (*StoredConfig, error)
	// PutConfig stores what an address answered. It was asked for the sake of the
	// interface of, which was listed then: where that is no longer, nothing is stored, so
	// that a write that waited does not bring back what RemoveInterface removed. of is ""
	// where it was asked for one that is not in the list.
	PutConfig(ctx context.Context, url string, c StoredConfig, of string) error
	// TouchConfig records that an address answered at the given time that its config
	// is the stored one. Where none is stored, nothing happens.
	TouchConfig(ctx context.Context, url string, at time.Time) error
}

// Index keeps which media files lie below the roots of the user's own folders and
// servers, folder by folder, so that a scan need not look. Paths are relative to their
// root, with slashes, "" being the root itself; a name that is not UTF-8 stays as it is.
// A root to which nobody has written for a month may be forgotten.
type Index interface {
	// IndexedRoot tells how root was last walked, the zero value where it never was. A
	// walk in the future was so under another clock: when it was is not known.
	IndexedRoot(ctx context.Context, root string) (IndexedRoot, error)
	// IndexedFolders gives the stamp of each folder below root that is known, by path.
	IndexedFolders(ctx context.Context, root string) (map[string]string, error)
	// PutFolders stores folders, each in the place of what was known of it, all or none;
	// others who write wait meanwhile, so many are better stored by the thousand files.
	// Of a folder, and of a file in it, that is named twice the last counts. What is kept
	// of a file is bounded, see IndexedFile.Kept.
	PutFolders(ctx context.Context, root string, folders []IndexedFolder) error
	// DropFolders forgets folders below root, and not what lies deeper in them.
	DropFolders(ctx context.Context, root string, paths []string) error
	// EndWalk records that root was walked.
	EndWalk(ctx context.Context, root string, r IndexedRoot) error
	// FindFiles gives the files below root that have one of keys, each once, by path, and
	// at most limit; 0 is none.
	FindFiles(ctx context.Context, root string, keys []string, limit int) ([]IndexedFile, error)
	// ForgetRoot forgets a root with all that lies below it. Nobody else does when an
	// interface is removed: several may name one root, and a root is no interface's URL.
	ForgetRoot(ctx context.Context, root string) error
}

// Answers keeps what services for everybody answered, and what the user was told once.
type Answers interface {
	// Answer gives what was last put under key, and when; nil where that is nothing, or
	// was put in the future, under another clock. One that is older than a month may be
	// gone, and so may the oldest of more than 19,000, or of more than 200 MB together.
	Answer(ctx context.Context, key string) (body []byte, at time.Time, err error)
	// PutAnswer keeps what was answered under key, in the place of what was there.
	PutAnswer(ctx context.Context, key string, body []byte) error
	// FirstTime tells whether it was never asked of what before.
	FirstTime(ctx context.Context, what string) (bool, error)
}

// Queue is the work that the store knows of: sources of watched titles that wait
// to be resolved or probed. Trailers, sources that cannot be played, dead ones
// and those of the hosters "" and "local" that are not the user's own do not wait for
// anything.
//
// Both queues hold only what may be tried now, checked by the store in one query:
// the hoster's block (backoff_until) is over, and no attempt has its lease. What is the
// user's own may always be tried: the hoster table knows nothing of it. They
// give at most limit jobs, and at most perHoster of one hoster, of what is the user's
// own there as many again; 0 of either is none.
//
// The most useful come first, by steps: each day by which a title was asked for
// later than another counts 16, each step of quality one, and eight that a source
// needs more than a player (beyond PriorityDefault). Sources are set back by their
// hoster's record: by two steps at most for its lifetime, one for each quarter of
// its attempts that failed, and by six at most for failing now, one for each fail
// in a row. Equals come as they were stored. What is the user's own has no record.
//
// A job may come again until its attempt has ended, or was held back; after that
// it is left to the next cycle, or it would stand before those that had no turn.
// What was cancelled comes again at once, what works waits for the next thing to
// do, and what cannot be resolved rests, see EndAttempt.
type Queue interface {
	// BeginCycle starts a cycle and gives its number, from 1 on: what was tried
	// before it may be tried again, except what rests.
	BeginCycle(ctx context.Context) (int64, error)
	// ResolveQueue gives sources without a stream, and those whose stream ends
	// within renewBefore, but none that was resolved in this cycle: streams may live
	// shorter than a cycle is long. A stream that does not tell its end lives for an
	// hour, unless the store was told otherwise.
	ResolveQueue(ctx context.Context, renewBefore time.Duration, limit, perHoster int) ([]Job, error)
	// ProbeQueue gives sources with a stream that runs and was never probed.
	ProbeQueue(ctx context.Context, limit, perHoster int) ([]Job, error)
	// HoldBack leaves a source that waits in a queue to the next cycle, where it was
	// tried in this one and no attempt at its hoster was made: through an account, or
	// as it is the user's own.
	HoldBack(ctx context.Context, sourceID string) error
}

// Store is everything that xship keeps. A store is shared by processes, and safe
// for concurrent use.
type Store interface {
	ScanStore
	HosterStore
	HosterTable
	StreamStore
	AccountStore
	ProviderHosterStore
	WatchStore
	CycleStore
	InterfaceStore
	Index
	Answers
	Queue
	// Cooldowns gives the provider cooldowns that the store keeps, each time the same.
	Cooldowns() ProviderCooldown
	// CallBudgets gives the budgets of calls that the store keeps, each time the same.
	CallBudgets() CallBudgets
	// Inspect reads everything once, which takes a while where that is much, and
	// writes where it is sound. Damage that can be listed is no error.
	Inspect(ctx context.Context) (Inspection, error)
	// Moved says that what the store is kept in was moved away, removed or replaced
	// since it was opened: others do not see what is written here. It is nil where
	// that is where it was.
	Moved() error
}
