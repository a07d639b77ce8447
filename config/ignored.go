package config

import (
	"regexp"
	"slices"
	"strings"
)

// envPrefix begins the names of all our variables.
const envPrefix = "XSHIP_"

// otherVariables are those of ours that are no settings.
var otherVariables = []string{envPrefix + "CONFIG", envPrefix + "DATA_DIR", envPrefix + "USER"}

// serviceVariable is a name that Kubernetes and Docker links give each container where
// a service is called xship. Nobody wrote it.
var serviceVariable = regexp.MustCompile(`^XSHIP_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$`)

// ignored names the variables that have our prefix, in whatever case, and mean
// nothing. What they hold may be a secret and is not shown.
func (l *loader) ignored() []string {
	names := slices.Clone(otherVariables)
	for _, k := range l.keys {
		names = append(names, k.Env)
	}
	var warnings []string
	for _, variable := range l.options.Environ {
		name, value, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name)
		switch {
		case !strings.HasPrefix(upper, envPrefix), value == "", slices.Contains(names, name), serviceVariable.MatchString(name):
			continue
		case slices.Contains(names, upper):
			warnings = append(warnings, "the variable "+name+" is ignored; its name is "+upper)
			continue
		}
		warnings = append(warnings, "the variable "+name+" is none of xship and is ignored"+didYouMean(upper, names, "xship config show -o json lists all variables"))
	}
	slices.Sort(warnings)
	return warnings
}
