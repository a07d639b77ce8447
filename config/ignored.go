package config

import (
	"regexp"
	"slices"
	"strings"
)

// envPrefix begins the names of all our variables.
const envPrefix = "XSHIP_"

// Variable is an environment variable.
type Variable struct {
	Name        string
	Description string
}

// OtherVariables are those of ours that are no settings.
func OtherVariables() []Variable {
	return []Variable{
		{envPrefix + "CONFIG", "the settings file, as --config names it"},
		{envPrefix + "DATA_DIR", "the directory of the database and the preferences, as --data-dir names it"},
		{envPrefix + "USER", "the number of the user whose debrid accounts are used, as --user gives it; 1 without it"},
		{envPrefix + "COMPLETION_DESCRIPTIONS", "0 completes words without their descriptions"},
		{envPrefix + "ACTIVE_HELP", "0 has completion show no help of its own"},
	}
}

// serviceVariable is a name that Kubernetes and Docker links give each container where
// a service is called xship. Nobody wrote it.
var serviceVariable = regexp.MustCompile(`^XSHIP_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$`)

// ignored names the variables that have our prefix, in whatever case, and mean
// nothing. What they hold may be a secret and is not shown.
func (l *loader) ignored() []string {
	var names []string
	for _, v := range OtherVariables() {
		names = append(names, v.Name)
	}
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
