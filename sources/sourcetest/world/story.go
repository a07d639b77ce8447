package world

import (
	"context"
	"fmt"

	"xship/sources"
)

// Story is a ready-made world with all that a newcomer should see: hosters and
// sites that can be made to fail, an interface that works and one that does
// not. All films in it are invented.
type Story struct {
	*World

	Hosters []*Hoster  // three
	Sites   []*Site    // four, Hanging the last of them; the second searches the full text
	Hanging *Site      // starts in ModeHang, with the films of the others
	Good    *Interface // lists all sites
	Broken  *Interface // starts in Mode500, lists the same
	Film    sources.Title
	Foreign sources.Title // a film that some sites have under its original name
	Episode sources.Title // of the second season
	Special sources.Title // season 0
	Series  sources.Title // of two seasons, asked for without an episode
	Unknown sources.Title // that no site has
}

// StartStory starts the world of the story. It ends as one of Start does.
func StartStory(ctx context.Context, c Config) (*Story, error) {
	w, err := Start(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &Story{
		World:   w,
		Film:    sources.Title{Kind: sources.KindMovie, Name: "Paper Submarines", Year: 2016},
		Foreign: sources.Title{Kind: sources.KindMovie, Name: "The Clockmaker's Kite", OriginalName: "钟表匠的风筝", Year: 2021},
		Episode: sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", OriginalName: "九号海港", Season: 2, Episode: 1},
		Special: sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", OriginalName: "九号海港", Season: 0, Episode: 1},
		Series:  sources.Title{Kind: sources.KindMovie, Name: "Paper Lanterns"},
		Unknown: sources.Title{Kind: sources.KindMovie, Name: "The Film Nobody Made", Year: 2001},
	}
	if err := s.populate(); err != nil {
		w.Close()
		return nil, err
	}
	return s, nil
}

func (s *Story) populate() error {
	for _, name := range []string{"atlas", "birch", "cobalt"} {
		h, err := s.AddHoster(name)
		if err != nil {
			return fmt.Errorf("start hoster %s: %w", name, err)
		}
		s.Hosters = append(s.Hosters, h)
	}
	atlas, birch, cobalt := s.Hosters[0], s.Hosters[1], s.Hosters[2]
	casts := []struct {
		key, name string
		films     []Film
	}{
		{"meridian", "Meridian", english(atlas, birch)},
		{"nordlicht", "Nordlicht", english(birch, cobalt)},
		{"yuanhang", "远航影视", chinese(cobalt, atlas)},
		{"quicksand", "Quicksand", english(atlas, cobalt)},
	}
	for i, c := range casts {
		site, err := s.AddSite(c.key, SiteConfig{Name: c.name, Films: c.films, StringNumbers: i%2 == 1, FullText: c.key == "nordlicht"})
		if err != nil {
			return fmt.Errorf("start site %s: %w", c.key, err)
		}
		s.Sites = append(s.Sites, site)
	}
	s.Hanging = s.Sites[len(s.Sites)-1]
	s.Hanging.SetMode(ModeHang)
	return s.addInterfaces()
}

func (s *Story) addInterfaces() error {
	entries := make([]Entry, len(s.Sites))
	for i, site := range s.Sites {
		entries[i] = site.Entry()
	}
	var err error
	if s.Broken, err = s.AddInterface("broken", InterfaceConfig{Entries: entries}); err != nil {
		return fmt.Errorf("start the broken interface: %w", err)
	}
	s.Broken.SetMode(Mode500)
	if s.Good, err = s.AddInterface("good", InterfaceConfig{Entries: entries, BOM: true, Comments: true}); err != nil {
		return fmt.Errorf("start the good interface: %w", err)
	}
	return nil
}
