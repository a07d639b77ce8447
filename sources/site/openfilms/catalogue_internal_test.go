package openfilms

import (
	"crypto/md5" //nolint:gosec // Wikimedia's rule for paths
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/link"
)

func TestCatalogue(t *testing.T) {
	all, err := films()
	if err != nil {
		t.Fatal(err)
	}
	hosters, shared := map[string]bool{}, 0
	seen := map[string]bool{}
	for _, f := range all {
		t.Run(f.Name, func(t *testing.T) {
			checkFilm(t, f)
			own := map[string]bool{}
			for _, l := range f.Links {
				checkLink(t, l)
				if key := link.Canonical(l.URL); seen[key] {
					t.Errorf("%s is listed twice", l.URL)
				} else {
					seen[key] = true
				}
				if l.Kind == kindMain {
					own[link.Hoster(l.URL)] = true
					hosters[link.Hoster(l.URL)] = true
				}
			}
			if len(own) >= 2 {
				shared++
			}
		})
	}
	t.Logf("%d films, %d links, %d hosters, %d films on two or more", len(all), len(seen), len(hosters), shared)
	if len(all) < 15 || shared < 12 {
		t.Errorf("%d films, %d of them on two hosters, want at least 15 and 12", len(all), shared)
	}
}

func checkFilm(t *testing.T, f film) {
	t.Helper()
	title := sources.Title{Kind: sources.KindMovie, Name: f.Name, Year: f.Year, IMDb: f.IMDb}
	if err := title.Validate(); err != nil {
		t.Error(err)
	}
	if f.Year == 0 || f.Credit == "" || f.Runtime < 0 || len(f.Links) == 0 {
		t.Errorf("incomplete: %+v", f)
	}
	if !slices.Contains([]string{"CC BY 2.5", "CC BY 3.0", "CC BY 4.0", "CC BY-SA 3.0", "CC0 1.0", "Public domain"}, f.Licence) {
		t.Errorf("unknown licence %q", f.Licence)
	}
	if !strings.HasPrefix(f.LicenceURL, "https://creativecommons.org/") {
		t.Errorf("licence URL %q", f.LicenceURL)
	}
	if f.Language != "" && !regexp.MustCompile(`^[a-z]{2}$`).MatchString(f.Language) {
		t.Errorf("language %q", f.Language)
	}
	if !slices.ContainsFunc(f.Links, func(l filmLink) bool { return l.Kind == kindMain }) {
		t.Error("no link to the film itself")
	}
}

func checkLink(t *testing.T, l filmLink) {
	t.Helper()
	u, err := url.Parse(l.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.String() != l.URL {
		t.Errorf("%s: not a plain https URL: %v", l.URL, err)
		return
	}
	if link.Hoster(l.URL) == "" || l.Seen == "" {
		t.Errorf("%s: no hoster or no provenance", l.URL)
	}
	if l.Kind != kindMain && l.Kind != kindTrailer {
		t.Errorf("%s: kind %q", l.URL, l.Kind)
	}
	if !slices.Contains(sources.Qualities(), l.Quality) {
		t.Errorf("%s: quality %q", l.URL, l.Quality)
	}
	if !slices.Contains([]string{"MP4", "WebM", "MKV", "MOV", "Ogg", "HLS", "DASH"}, l.Container) {
		t.Errorf("%s: container %q", l.URL, l.Container)
	}
	if u.Host == "upload.wikimedia.org" {
		checkCommons(t, u.Path)
	}
}

// checkCommons checks that the folders of a file are the start of the MD5 of
// its name, and that a transcode is one of the file.
func checkCommons(t *testing.T, path string) {
	t.Helper()
	rest, ok := strings.CutPrefix(path, "/wikipedia/commons/")
	rest, transcoded := strings.CutPrefix(rest, "transcoded/")
	parts := strings.Split(rest, "/")
	if want := 3; !ok || !transcoded && len(parts) != want || transcoded && len(parts) != want+1 {
		t.Errorf("%s: not a path of Wikimedia Commons", path)
		return
	}
	sum := md5.Sum([]byte(parts[2])) //nolint:gosec // as above
	if hash := hex.EncodeToString(sum[:]); parts[0] != hash[:1] || parts[1] != hash[:2] {
		t.Errorf("%s: the folders must be %s/%s", path, hash[:1], hash[:2])
	}
	if transcoded && !regexp.MustCompile(`^`+regexp.QuoteMeta(parts[2])+`\.(480p|720p|1080p)\.vp9\.webm$`).MatchString(parts[3]) {
		t.Errorf("%s: not a transcode of its file", path)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, data := range []string{"", "{}", `[{"nam":"a"}]`} {
		if _, err := decode([]byte(data)); sources.ClassOf(err) != sources.ClassBug || err == nil {
			t.Errorf("%q: got %v", data, err)
		}
	}
}
