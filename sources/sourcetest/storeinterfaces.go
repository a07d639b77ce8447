package sourcetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sources"
)

// RunInterfaces checks that a store keeps the contract of sources.InterfaceStore.
func RunInterfaces(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"none", checkNoInterface},
		{"the first one is in use", checkFirstInterface},
		{"added again", checkInterfaceAgain},
		{"a list", checkInterfaceList},
		{"a list with the one in use", checkInterfaceListCurrent},
		{"removed", checkInterfaceRemove},
		{"removed while in use", checkInterfaceRemoveCurrent},
		{"switched", checkInterfaceSwitch},
		{"switched by many", checkInterfaceSwitchRace},
		{"order", checkInterfaceOrder},
		{"loads", checkInterfaceLoads},
		{"uses without a load", checkInterfaceUse},
		{"loads and uses of what is not listed", checkInterfaceLoadUnlisted},
		{"configs", checkConfigs},
		{"configs that are unchanged", checkConfigTouch},
		{"configs of what was removed", checkConfigRemoved},
		{"configs stored while their interface is removed", checkConfigRemoveRace},
	})
}

// interfaces writes the interfaces as "name url, ...".
func (s *storeSubject) interfaces() string {
	s.Helper()
	all, err := s.Interfaces(s.Context())
	s.must(err)
	texts := make([]string, len(all))
	for i, x := range all {
		texts[i] = strings.TrimSpace(fmt.Sprint(x.Name, " ", x.URL))
	}
	return strings.Join(texts, ", ")
}

func (s *storeSubject) inUse() string {
	s.Helper()
	url, err := s.CurrentInterface(s.Context())
	s.must(err)
	return url
}

func (s *storeSubject) addInterface(url, name string) bool {
	s.Helper()
	added, err := s.AddInterface(s.Context(), url, name)
	s.must(err)
	return added
}

func checkNoInterface(s *storeSubject) {
	s.want("interfaces", s.interfaces(), "")
	s.want("in use", s.inUse(), "")
	n, err := s.AddInterfaces(s.Context(), nil, "x")
	s.must(err)
	s.want("added of none", n, 0)
	s.want("in use", s.inUse(), "")
	if err := s.SetCurrentInterface(s.Context(), "a"); !errors.Is(err, sources.ErrNotListed) {
		s.Errorf("one that is not listed put in use: %v", err)
	}
	s.want("in use", s.inUse(), "")
}

func checkFirstInterface(s *storeSubject) {
	s.want("added", s.addInterface("a", "A"), true)
	s.want("in use", s.inUse(), "a")
	s.want("added", s.addInterface("b", ""), true)
	s.want("in use", s.inUse(), "a")
	s.want("interfaces", s.interfaces(), "A a, b")
}

func checkInterfaceAgain(s *storeSubject) {
	s.addInterface("a", "A")
	s.want("added", s.addInterface("a", ""), false)
	s.want("interfaces", s.interfaces(), "A a")
	s.want("added", s.addInterface("a", "new"), false)
	s.want("interfaces", s.interfaces(), "new a")
}

func checkInterfaceList(s *storeSubject) {
	list := []sources.Interface{{URL: "c", Name: "C", LastError: "ignored", UsedAt: s.now()}, {URL: "a"}, {URL: "b"}, {URL: "a", Name: "A"}}
	n, err := s.AddInterfaces(s.Context(), list, "")
	s.must(err)
	s.want("added", n, 3)
	s.want("interfaces", s.interfaces(), "C c, A a, b")
	s.want("in use", s.inUse(), "c")
	all, err := s.Interfaces(s.Context())
	s.must(err)
	s.want("only URL and name count", all[0], sources.Interface{URL: "c", Name: "C"})
	n, err = s.AddInterfaces(s.Context(), []sources.Interface{{URL: "a"}, {URL: "d"}}, "d")
	s.must(err)
	s.want("added", n, 1)
	s.want("in use", s.inUse(), "c")
}

func checkInterfaceListCurrent(s *storeSubject) {
	_, err := s.AddInterfaces(s.Context(), []sources.Interface{{URL: "a"}, {URL: "b"}}, "b")
	s.must(err)
	s.want("in use", s.inUse(), "b")
}

func checkInterfaceRemove(s *storeSubject) {
	s.addInterface("a", "")
	s.addInterface("b", "")
	for _, url := range []string{"a", "b"} {
		s.must(s.PutConfig(s.Context(), url, sources.StoredConfig{Body: []byte(url), FetchedAt: s.now()}, url))
	}
	for _, want := range []bool{true, false} {
		removed, err := s.RemoveInterface(s.Context(), "b", "b")
		s.must(err)
		s.want("removed", removed, want)
	}
	s.want("interfaces", s.interfaces(), "a")
	s.want("in use", s.inUse(), "a")
	for url, kept := range map[string]bool{"a": true, "b": false} {
		config, err := s.CachedConfig(s.Context(), url)
		s.must(err)
		s.want("config of "+url+" kept", config != nil, kept)
	}
}

func checkInterfaceRemoveCurrent(s *storeSubject) {
	for next, want := range map[string]string{"a": "a", "": "", "b": "", "gone": ""} {
		s.addInterface("a", "")
		s.addInterface("b", "")
		s.must(s.SetCurrentInterface(s.Context(), "b"))
		_, err := s.RemoveInterface(s.Context(), "b", next)
		s.must(err)
		s.want("in use, next is "+next, s.inUse(), want)
		s.addInterface("c", "")
		s.want("in use, one being there", s.inUse(), want)
	}
}

func checkInterfaceSwitch(s *storeSubject) {
	for _, url := range []string{"a", "b", "c"} {
		s.addInterface(url, "")
	}
	for _, step := range []struct {
		from, to string
		switched bool
		inUse    string
	}{
		{"b", "c", false, "a"},
		{"", "c", false, "a"},
		{"a", "gone", false, "a"},
		{"a", "", false, "a"},
		{"a", "b", true, "b"},
		{"a", "c", false, "b"},
		{"b", "b", true, "b"},
	} {
		switched, err := s.SwitchInterface(s.Context(), step.from, step.to)
		s.must(err)
		s.want(fmt.Sprintf("%+v", step), switched, step.switched)
		s.want("in use", s.inUse(), step.inUse)
	}
	_, err := s.RemoveInterface(s.Context(), "b", "")
	s.must(err)
	switched, err := s.SwitchInterface(s.Context(), "", "c")
	s.must(err)
	s.want("from none", switched, true)
	s.want("in use", s.inUse(), "c")
}

// checkInterfaceSwitchRace has many switch from one interface: one of them does, and
// what is in use is never what was removed.
func checkInterfaceSwitchRace(s *storeSubject) {
	for _, url := range []string{"a", "b", "c", "d"} {
		s.addInterface(url, "")
	}
	var switched atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			ok, err := s.SwitchInterface(s.Context(), "a", []string{"b", "c"}[i%2])
			if err != nil {
				s.Error(err)
			}
			if ok {
				switched.Add(1)
			}
		})
	}
	wg.Wait()
	s.want("switched", int(switched.Load()), 1)
	for _, url := range []string{"b", "c"} {
		wg.Go(func() {
			if _, err := s.RemoveInterface(s.Context(), url, "d"); err != nil {
				s.Error(err)
			}
		})
		wg.Go(func() {
			if err := s.SetCurrentInterface(s.Context(), url); err != nil && !errors.Is(err, sources.ErrNotListed) {
				s.Error(err)
			}
		})
	}
	wg.Wait()
	s.want("in use", s.inUse(), "d")
}

func checkInterfaceOrder(s *storeSubject) {
	for _, url := range []string{"a", "b", "c", "d"} {
		s.addInterface(url, "")
	}
	s.must(s.RecordInterfaceLoad(s.Context(), "c", s.now(), "", true))
	s.advance(time.Second)
	s.must(s.RecordInterfaceLoad(s.Context(), "b", s.now(), "", true))
	s.advance(time.Hour)
	s.must(s.RecordInterfaceLoad(s.Context(), "d", s.now(), "", false))
	s.must(s.RecordInterfaceLoad(s.Context(), "a", s.now(), "status 500", true))
	s.want("interfaces", s.interfaces(), "b, c, a, d")
	s.addInterface("e", "")
	s.want("with a new one", s.interfaces(), "b, c, a, d, e")
	s.must(s.RecordInterfaceUse(s.Context(), "d", s.now()))
	s.want("with one used without a load", s.interfaces(), "d, b, c, a, e")
	s.must(s.RecordInterfaceUse(s.Context(), "e", s.now().Add(25*time.Hour)))
	s.want("with one used under another clock", s.interfaces(), "d, b, c, a, e")
}

func checkInterfaceLoads(s *storeSubject) {
	s.addInterface("a", "A")
	want := sources.Interface{URL: "a", Name: "A", LastError: "status 500"}
	for _, step := range []struct {
		loadErr string
		used    bool
	}{{"status 500", true}, {"", false}, {"", true}, {"timeout", true}, {"", false}} {
		s.advance(time.Minute)
		s.must(s.RecordInterfaceLoad(s.Context(), "a", s.now(), step.loadErr, step.used))
		if want.LastError = step.loadErr; step.loadErr == "" {
			want.LastLoadedAt = s.now()
			if step.used {
				want.UsedAt = s.now()
			}
		}
		all, err := s.Interfaces(s.Context())
		s.must(err)
		if diff := cmp.Diff([]sources.Interface{want}, all); diff != "" {
			s.Errorf("after %+v (-want +got):\n%s", step, diff)
		}
	}
}

func checkInterfaceLoadUnlisted(s *storeSubject) {
	s.must(s.RecordInterfaceLoad(s.Context(), "a", s.now(), "", true))
	s.must(s.RecordInterfaceUse(s.Context(), "a", s.now()))
	s.want("interfaces", s.interfaces(), "")
}

// checkInterfaceUse checks that a use says nothing of loads.
func checkInterfaceUse(s *storeSubject) {
	s.addInterface("a", "A")
	s.must(s.RecordInterfaceLoad(s.Context(), "a", s.now(), "", true))
	want := sources.Interface{URL: "a", Name: "A", LastLoadedAt: s.now(), LastError: "timeout"}
	s.must(s.RecordInterfaceLoad(s.Context(), "a", s.now(), "timeout", true))
	s.advance(time.Minute)
	want.UsedAt = s.now()
	s.must(s.RecordInterfaceUse(s.Context(), "a", s.now()))
	all, err := s.Interfaces(s.Context())
	s.must(err)
	if diff := cmp.Diff([]sources.Interface{want}, all); diff != "" {
		s.Errorf("after a use (-want +got):\n%s", diff)
	}
}

func (s *storeSubject) config(url string) *sources.StoredConfig {
	s.Helper()
	c, err := s.CachedConfig(s.Context(), url)
	s.must(err)
	return c
}

func checkConfigs(s *storeSubject) {
	if c := s.config("a"); c != nil {
		s.Errorf("at first %+v", c)
	}
	full := sources.StoredConfig{
		Body: []byte("{\x00\xff}"), FinalURL: "https://cdn.example/a", ContentType: "application/json",
		ETag: `W/"1"`, LastModified: "Tue, 14 Nov 2023 22:13:20 GMT", FetchedAt: s.now(),
	}
	for _, c := range []sources.StoredConfig{full, {FetchedAt: s.now().Add(time.Hour)}} {
		s.must(s.PutConfig(s.Context(), "a", c, ""))
		if diff := cmp.Diff(&c, s.config("a"), cmpopts.EquateEmpty()); diff != "" {
			s.Errorf("config (-want +got):\n%s", diff)
		}
	}
	if c := s.config("A"); c != nil {
		s.Errorf("another address has %+v", c)
	}
}

func checkConfigTouch(s *storeSubject) {
	s.must(s.TouchConfig(s.Context(), "a", s.now()))
	if c := s.config("a"); c != nil {
		s.Errorf("a touch made %+v", c)
	}
	want := sources.StoredConfig{Body: []byte("{}"), ETag: "1", FetchedAt: s.now()}
	s.must(s.PutConfig(s.Context(), "a", want, ""))
	want.FetchedAt = s.now().Add(time.Hour)
	s.must(s.TouchConfig(s.Context(), "a", want.FetchedAt))
	if diff := cmp.Diff(&want, s.config("a")); diff != "" {
		s.Errorf("touched (-want +got):\n%s", diff)
	}
}

// checkConfigRemoved checks that a write that waited brings nothing back: neither the
// config of an interface nor that of a child of its depot.
func checkConfigRemoved(s *storeSubject) {
	s.addInterface("a", "")
	s.addInterface("b", "")
	put := func(url, of string) {
		s.must(s.PutConfig(s.Context(), url, sources.StoredConfig{Body: []byte(url), FetchedAt: s.now()}, of))
	}
	put("b", "b")
	_, err := s.RemoveInterface(s.Context(), "b", "")
	s.must(err)
	put("b", "b")
	put("child", "b")
	put("gone", "never")
	put("a", "a")
	put("child of a", "a")
	put("once", "")
	put("a child of b too", "a")
	for url, want := range map[string]bool{"a": true, "child of a": true, "once": true, "a child of b too": true, "b": false, "child": false, "gone": false} {
		s.want("config of "+url, s.config(url) != nil, want)
	}
	s.addInterface("b", "")
	put("b", "b")
	s.want("config of b, added again", s.config("b") != nil, true)
}

// checkConfigRemoveRace has configs stored while their interface is removed.
func checkConfigRemoveRace(s *storeSubject) {
	s.addInterface("a", "")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := s.PutConfig(s.Context(), "a", sources.StoredConfig{Body: []byte("{}"), FetchedAt: s.now()}, "a"); err != nil {
				s.Error(err)
			}
		})
	}
	wg.Go(func() {
		if _, err := s.RemoveInterface(s.Context(), "a", ""); err != nil {
			s.Error(err)
		}
	})
	wg.Wait()
	s.want("config", s.config("a") != nil, false)
}
