package world

import (
	"fmt"
	"strings"
)

// BestFile is the path of the best file of the story's film, which lies on the
// second and the third hoster.
const BestFile = "Paper.Submarines.2016.2160p.BluRay.HEVC.HDR10.m3u8"

// english is the catalogue of a site with Latin names. Its links lie on two
// hosters, and on the first one alone where a film has one link.
func english(a, b *Hoster) []Film {
	return []Film{
		{
			Name: "Paper Submarines", Year: 2016, Type: "Film", Remarks: "HD", Lang: "English",
			Groups: []Group{
				{From: "mp4", Items: []Item{
					{Label: "1080P", URL: a.URL("Paper.Submarines.2016.1080p.WEB-DL.H264.AAC.mp4")},
					{Label: "720P", URL: a.URL("Paper.Submarines.2016.720p.WEB-DL.H264.AAC.mp4")},
					{Label: "Trailer", URL: a.URL("Paper.Submarines.2016.Trailer.720p.mp4")},
				}},
				{From: "m3u8", Items: []Item{{Label: "4K", URL: b.URL(BestFile)}}},
			},
		},
		film("Paper Submarines", 1974, a),
		film("Paper Submarines 2", 2019, a),
		film("Cogwheel Summer", 2022, b),
		film("The Lantern Keeper of Port Quillon", 2019, a),
		film("Seventeen Umbrellas", 2020, b),
		series("Harbour Nine", 2018, append(episodes(a, "harbour-nine", 1, 6), Item{Label: "S00E01", URL: a.URL("harbour-nine-s00e01.mp4"), Episode: 1})),
		series("Harbour Nine Season 2", 2020, episodes(b, "harbour-nine", 2, 4)),
		series("Paper Lanterns", 2014, append(episodes(a, "paper-lanterns", 1, 4), episodes(b, "paper-lanterns", 2, 3)...)),
	}
}

// chinese is the catalogue of a site with Chinese names and labels.
func chinese(a, b *Hoster) []Film {
	var items []Item
	for n := 1; n <= 4; n++ {
		items = append(items, Item{Label: fmt.Sprintf("第%02d集", n), URL: a.URL(fmt.Sprintf("jiuhao-haigang-s02e%02d.m3u8", n)), Season: 2, Episode: n})
	}
	return []Film{
		{
			Name: "钟表匠的风筝", Year: 2021, Type: "电影", Remarks: "正片", Lang: "国语",
			Groups: []Group{
				{From: "m3u8", Items: []Item{{Label: "正片", URL: a.URL("zhongbiaojiang-1080p.m3u8")}}},
				{From: "mp4", Items: []Item{{Label: "国语版", URL: b.URL("zhongbiaojiang-720p.mp4")}}},
				{From: "share", Items: []Item{{Label: "正片", URL: a.URL("share/zhongbiaojiang.html")}}},
			},
		},
		film("Paper Submarines", 2016, b),
		{
			Name: "九号海港 第二季", Year: 2020, Type: "电视剧", Remarks: "更新至04集", Lang: "国语",
			Groups: []Group{{From: "m3u8", Items: items}},
		},
	}
}

// film is a film with one link.
func film(name string, year int, h *Hoster) Film {
	file := fmt.Sprintf("%s.%d.720p.mp4", strings.ReplaceAll(name, " ", "."), year)
	return Film{
		Name: name, Year: year, Type: "Film", Remarks: "HD", Lang: "English",
		Groups: []Group{{From: "mp4", Items: []Item{{Label: "HD", URL: h.URL(file)}}}},
	}
}

func series(name string, year int, items []Item) Film {
	return Film{
		Name: name, Year: year, Type: "Series", Remarks: fmt.Sprintf("%d episodes", len(items)), Lang: "English",
		Groups: []Group{{From: "mp4", Items: items}},
	}
}

// episodes are the first count episodes of a season.
func episodes(h *Hoster, name string, season, count int) []Item {
	items := make([]Item, count)
	for i := range items {
		id := fmt.Sprintf("S%02dE%02d", season, i+1)
		items[i] = Item{Label: id, URL: h.URL(name + "-" + strings.ToLower(id) + ".mp4"), Season: season, Episode: i + 1}
	}
	return items
}
