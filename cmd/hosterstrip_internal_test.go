package cmd

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/cmd/term"
)

// hoursAgo are hours of a hoster: ok and fail by how long ago they were.
func hoursAgo(now time.Time, all map[int][2]int64) []api.HosterHour {
	var hours []api.HosterHour
	for ago, n := range all {
		hours = append(hours, api.HosterHour{At: now.Truncate(time.Hour).Add(-time.Duration(ago) * time.Hour).Unix(), OK: n[0], Fail: n[1]})
	}
	return hours
}

func TestStrip(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	hours := hoursAgo(now, map[int][2]int64{
		0: {5, 0}, 1: {0, 5}, 2: {1, 99}, 3: {99, 1}, 4: {1, 1}, 23: {2, 0}, 24: {7, 7}, 47: {7, 7}, -1: {7, 7},
	})
	for _, c := range []struct {
		each    int
		unicode bool
		want    string
	}{
		{1, true, "█" + strings.Repeat("·", 18) + "▄▆▂▁█"},
		{1, false, "#" + strings.Repeat(".", 18) + "=+-!#"},
		{3, true, "█·····▆▂"},
	} {
		if got := strip(stripCells(hours, now, c.each), c.unicode); got != c.want {
			t.Errorf("%d hours each: %s, want %s", c.each, got, c.want)
		}
	}
	painted := paintStrip(stripCells(hours, now, 1), true)
	if plain := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(painted, ""); plain != strip(stripCells(hours, now, 1), true) {
		t.Errorf("painted %q", painted)
	}
	for colour, marks := range map[string]string{term.ColourGood: "█", term.ColourDim: strings.Repeat("·", 18), term.ColourWarn: "▄▆", term.ColourBad: "▂▁"} {
		if want := term.Paint(colour, marks); !strings.Contains(painted, want) {
			t.Errorf("no %q in %q", want, painted)
		}
	}
}

// The strip stands where there is room for it, shorter where there is little, and takes
// nothing from the other columns.
func TestStrip_room(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	doc := api.Hosters{Hosters: []api.Hoster{
		{Name: "a-hoster.example", State: "healthy", Healthy: true, OKCount: 5, Hours: hoursAgo(now, map[int][2]int64{0: {5, 0}})},
		{Name: "b.example", State: "hidden", FailCount: 5, LastError: strings.Repeat("a long error ", 9), Hours: []api.HosterHour{}},
	}}
	for _, c := range []struct {
		columns, cells int
	}{{50, 0}, {79, 0}, {100, 8}, {120, 24}, {500, 24}} {
		a := &app{System: System{
			Now: func() time.Time { return now }, LookupEnv: func(name string) (string, bool) { return "C.UTF-8", name == "LANG" },
			Stdout: term.Stream{Width: func() int { return c.columns }},
		}}
		var table strings.Builder
		if err := a.writeHostersTable(&table, doc); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(table.String(), "·"); c.cells > 0 && got != 2*c.cells-1 || c.cells == 0 && got > 0 {
			t.Errorf("%d columns: %d hours without an attempt are drawn, want %d\n%s", c.columns, got, 2*c.cells-1, table.String())
		}
		for line := range strings.Lines(table.String()) {
			if n := term.CellWidth(strings.TrimSuffix(line, "\n")); n > max(c.columns, 60) {
				t.Errorf("%d columns: %d in %s", c.columns, n, line)
			}
		}
	}
	none := api.Hosters{Hosters: []api.Hoster{{Name: "b.example", Hours: []api.HosterHour{}}}}
	l := hostersList(none.Hosters)
	if addStrip(&l, none.Hosters, now, 500, func() bool { return true }); l.Columns[len(l.Columns)-1].Name == stripColumn {
		t.Error("a strip of nothing")
	}
}

func TestApp_showsUnicode(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "de_DE.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.utf8"}, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "C.UTF-8"}, true},
		{map[string]string{"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, false},
		{map[string]string{"LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, true},
		{map[string]string{"LANG": "de_DE.ISO-8859-1"}, false},
	} {
		a := &app{System: System{LookupEnv: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }}}
		if got := a.showsUnicode(); got != c.want {
			t.Errorf("%v: %t", c.env, got)
		}
	}
}
