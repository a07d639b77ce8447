package sourcecache

import (
	"fmt"
	"strconv"
	"strings"

	"xship/sources"
)

// What a site came across is stored as text, a line for each title: name, original name,
// year, kind, IMDb id and episodes, parted by tabs. The episodes are runs a season:
// "1:1-12,14;2:1-8". It is read with each list, so it is short and takes little to read.

// maxStoredEpisodes bounds what a run may stand for.
const maxStoredEpisodes = 10_000

// oneLine has nothing in a name part lines or fields.
var oneLine = strings.NewReplacer("\t", " ", "\n", " ")

func encodeSeen(all []sources.Sighting) string {
	var b strings.Builder
	for _, s := range all {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		year := ""
		if s.Year != 0 {
			year = strconv.Itoa(s.Year)
		}
		for _, field := range [...]string{oneLine.Replace(s.Name), oneLine.Replace(s.OriginalName), year, string(s.Kind), oneLine.Replace(s.IMDb)} {
			b.WriteString(field)
			b.WriteByte('\t')
		}
		encodeEpisodes(&b, s.Episodes)
	}
	return b.String()
}

// encodeEpisodes writes episodes, which are sorted, as runs.
func encodeEpisodes(b *strings.Builder, all []sources.EpisodeNumber) {
	for i := 0; i < len(all); {
		first := all[i]
		last := i
		for last+1 < len(all) && all[last+1].Season == first.Season && all[last+1].Episode == all[last].Episode+1 {
			last++
		}
		switch {
		case i == 0:
			fmt.Fprintf(b, "%d:", first.Season)
		case all[i-1].Season != first.Season:
			fmt.Fprintf(b, ";%d:", first.Season)
		default:
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(first.Episode))
		if last > i {
			fmt.Fprintf(b, "-%d", all[last].Episode)
		}
		i = last + 1
	}
}

// decodeSeen reads what encodeSeen wrote. A line that cannot be read is left out.
func decodeSeen(stored string) []sources.Sighting {
	if stored == "" {
		return nil
	}
	all := make([]sources.Sighting, 0, strings.Count(stored, "\n")+1)
	for line := range strings.SplitSeq(stored, "\n") {
		var fields [6]string
		rest, ok := line, true
		for i := 0; ok && i < len(fields)-1; i++ {
			fields[i], rest, ok = strings.Cut(rest, "\t")
		}
		if !ok {
			continue
		}
		s := sources.Sighting{Name: fields[0], OriginalName: fields[1], Kind: sources.Kind(fields[3]), IMDb: fields[4]}
		s.Year, _ = strconv.Atoi(fields[2]) // 0 where there is none
		if s.Episodes, ok = decodeEpisodes(rest); ok {
			all = append(all, s)
		}
	}
	return all
}

func decodeEpisodes(stored string) (all []sources.EpisodeNumber, ok bool) {
	if stored == "" {
		return nil, true
	}
	for seasons := range strings.SplitSeq(stored, ";") {
		number, runs, ok := strings.Cut(seasons, ":")
		season, err := strconv.Atoi(number)
		if !ok || err != nil {
			return nil, false
		}
		for run := range strings.SplitSeq(runs, ",") {
			start, end, several := strings.Cut(run, "-")
			first, err := strconv.Atoi(start)
			last := first
			if several && err == nil {
				last, err = strconv.Atoi(end)
			}
			if err != nil || first < 0 || last < first || last-first >= maxStoredEpisodes-len(all) {
				return nil, false
			}
			for n := first; n <= last; n++ {
				all = append(all, sources.EpisodeNumber{Season: season, Episode: n})
			}
		}
	}
	return all, true
}
