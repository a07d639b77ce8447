package config

import (
	"fmt"
	"regexp"
	"strings"
)

// The slips that people make in YAML, by the line that holds them. A value that begins
// with a character which means something else, such as the @ of @hourly or the * of
// */15, is by far the most common.
var (
	yamlIndicator = regexp.MustCompile("(?:^|[\\s{,])([A-Za-z_][\\w.-]*)\\s*:\\s+([@`%*][^\\n]*)")
	yamlListed    = regexp.MustCompile("(?:^\\s*-\\s+|\\[\\s*|,\\s*)([@`%*])")
	yamlTab       = regexp.MustCompile(`^\x20*\t`)
	yamlColon     = regexp.MustCompile(`^\s*(?:-\s+)?([A-Za-z_][\w.-]*)\s*:\s+[^"'\s{\[][^\n]*:(?:\s|$)`)
	yamlEscape    = regexp.MustCompile(`([A-Za-z_][\w.-]*)\s*:\s+"[^"]*\\[^0abtnvfre"/\\N_LPxuU \t]`)
	// yamlSchedule is the start of a cron expression or descriptor, which is no secret.
	yamlSchedule = regexp.MustCompile(`^[@*](?:[\w*/\x20-]|,[\d*])*`)
)

// yamlHint finds the slip that a defect of a settings file comes from, near the line
// that the parser names, 0 where it names none. The values of other keys than the
// schedule may be secrets and are not quoted.
func yamlHint(text []byte, near int) (line int, hint string) {
	lines := strings.Split(string(text), "\n")
	look := []int{near, near - 1, near - 2} // the parser may have gone on to the next ones
	if near == 0 {
		look = look[:0]
		for i := range lines {
			look = append(look, i+1)
		}
	}
	for _, n := range look {
		if n < 1 || n > len(lines) {
			continue
		}
		if hint := slipOf(lines[n-1]); hint != "" {
			return n, hint
		}
	}
	return near, ""
}

func slipOf(line string) string {
	if m := yamlIndicator.FindStringSubmatch(line); m != nil {
		return quoteHint(m[1], m[2])
	}
	if m := yamlListed.FindStringSubmatch(line); m != nil {
		return fmt.Sprintf("put what begins with %s in quotes", m[1])
	}
	if yamlTab.MatchString(line) {
		return "indent it with spaces: YAML takes no tabs"
	}
	if m := yamlEscape.FindStringSubmatch(line); m != nil {
		return fmt.Sprintf("write the value of %s in single quotes, in which a backslash stays one", m[1])
	}
	if m := yamlColon.FindStringSubmatch(line); m != nil {
		return quoteHint(m[1], "")
	}
	return ""
}

// quoteHint says to quote the value of a key.
func quoteHint(key, value string) string {
	shown := "…"
	if strings.HasSuffix(strings.ToLower(key), "schedule") {
		shown = strings.TrimSpace(yamlSchedule.FindString(value))
	}
	return fmt.Sprintf(`put the value of %s in quotes: %s: "%s"`, key, key, shown)
}
