package files

import (
	"encoding/json"
	"slices"
	"time"
)

// stampVersion is that of how names are read and what is kept of them. Another one has
// all folders listed again.
const stampVersion = 3

// stamp is what an index keeps as the stamp of a folder: that of the tree, and what is
// needed of a folder that is not listed again.
type stamp struct {
	Version int    `json:"v"`
	Tree    string `json:"s,omitempty"`
	Listed  int64  `json:"t"` // in Unix seconds
	Count   int    `json:"n,omitempty"`
	Left    left   `json:"l,omitzero"`
	In      show   `json:"i,omitzero"`   // of the folder that it lies in
	Out     show   `json:"o,omitzero"`   // for the folders in it
	ShowSig string `json:"os,omitempty"` // of the tvshow.nfo that Out is of
}

// show is what a tvshow.nfo tells of the folder in which it lies, and of those below.
type show struct {
	Names []string `json:"n,omitempty"`
	Year  int      `json:"y,omitempty"`
	IMDb  string   `json:"i,omitempty"`
}

func (s show) equal(o show) bool {
	return s.Year == o.Year && s.IMDb == o.IMDb && slices.Equal(s.Names, o.Names)
}

func (s stamp) String() string {
	data, _ := json.Marshal(s) // texts and numbers only
	return string(data)
}

func parseStamp(text string) (s stamp, ok bool) {
	if text == "" || json.Unmarshal([]byte(text), &s) != nil {
		return stamp{}, false
	}
	return s, s.Version == stampVersion
}

// isOf tells whether a folder whose stamp in its tree is tree now, within a folder of in,
// is as it was listed. Where the tree does not tell, or did not then, its age decides.
func (s stamp) isOf(tree string, in show, now time.Time, fresh time.Duration) bool {
	if !s.In.equal(in) {
		return false
	}
	if tree != "" && s.Tree != "" {
		return tree == s.Tree
	}
	age := now.Sub(time.Unix(s.Listed, 0))
	return age >= 0 && age < fresh
}
