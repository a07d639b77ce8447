package sources_test

import (
	"reflect"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

// setAll gives each exported field of what p points to a value that is not zero,
// but for those of an interface type.
func setAll(t *testing.T, p any) {
	t.Helper()
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.Interface:
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), nil))
		case reflect.Int64:
			f.SetInt(int64(i) + 1)
		default:
			t.Fatalf("field %s: teach the test what to put into a %s", v.Type().Field(i).Name, f.Kind())
		}
	}
}

// wantSame checks that all exported fields of got are those of want, but for the
// named ones.
func wantSame(t *testing.T, got, want any, replaced ...string) {
	t.Helper()
	g, w := reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()
fields:
	for i := range w.NumField() {
		field := w.Type().Field(i)
		for _, name := range replaced {
			if field.Name == name {
				continue fields
			}
		}
		switch {
		case !field.IsExported():
		case w.Field(i).IsZero():
			t.Errorf("%s.%s: nothing to compare", w.Type(), field.Name)
		case w.Field(i).Comparable() && !g.Field(i).Equal(w.Field(i)),
			!w.Field(i).Comparable() && g.Field(i).Pointer() != w.Field(i).Pointer():
			t.Errorf("%s.%s is lost", w.Type(), field.Name)
		}
	}
}

// TestStreamResolveWith checks every field there is, so that a new one is not
// forgotten.
func TestStreamResolveWith(t *testing.T) {
	hosters, streams := sourcetest.NewMemory(time.Now), sourcetest.NewMemory(time.Now)
	var r sources.StreamResolve
	setAll(t, &r)
	setAll(t, r.Attempts)
	r.Attempts.Observer = new(sourcetest.Observed)
	before := *r.Attempts
	got := r.With(hosters, streams)
	wantSame(t, got, &r, "Attempts", "Streams", "Books")
	wantSame(t, got.Attempts, r.Attempts, "Store", "Books")
	if got.Books != nil || got.Attempts.Books != nil {
		t.Error("other stores may be written behind an answer")
	}
	if got.Attempts.Store != hosters || got.Streams != streams {
		t.Error("the stores were not replaced")
	}
	if r.Attempts == got.Attempts || r.Attempts.Store != before.Store || r.Streams != nil {
		t.Error("the original has changed")
	}
}

// TestStreamResolveWithoutAttempts checks that a use case which had no hoster table
// reports to the one that it is given.
func TestStreamResolveWithoutAttempts(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	r := &sources.StreamResolve{Resolvers: []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: answers}}}
	if _, err := r.With(hosters, nil).Resolve(t.Context(), at("h.example", "ok"), sources.ResolveOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := hosters.Reports(); len(got) != 1 || got[0].Class != sources.ClassOK {
		t.Errorf("reported %v, want one success", got)
	}
}
