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

// flagVariables are flags that people give as variables, which they are not.
var flagVariables = []string{"log_level", "log_format", "log_file", "color", "no_color", "output", "quiet", "interface"}

// IgnoredVariables names the variables of an environment that have our prefix, in
// whatever case, and mean nothing. What they hold may be a secret and is not shown.
func IgnoredVariables(environ []string) []string {
	var names []string
	for _, v := range OtherVariables() {
		names = append(names, v.Name)
	}
	for _, k := range Keys() {
		names = append(names, k.Env)
	}
	var warnings []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name)
		switch {
		case !strings.HasPrefix(upper, envPrefix), value == "", slices.Contains(names, name), serviceVariable.MatchString(name):
			continue
		case slices.Contains(names, upper):
			warnings = append(warnings, "the variable "+name+" is ignored; its name is "+upper)
			continue
		}
		warnings = append(warnings, "the variable "+name+" is none of xship and is ignored"+variableMeant(upper, names))
	}
	slices.Sort(warnings)
	return warnings
}

// variableMeant continues a warning of a variable that is none of names: with the one
// whose last part it is, the nearest one, or the flag of its name.
func variableMeant(name string, names []string) string {
	part := strings.TrimPrefix(name, strings.TrimSuffix(envPrefix, "_"))
	ending := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return part == "_" || !strings.HasSuffix(n, part) })
	if len(ending) == 1 {
		return "; did you mean " + ending[0] + "?"
	}
	if flag := strings.ToLower(strings.TrimPrefix(part, "_")); slices.Contains(flagVariables, flag) {
		return "; it is the flag --" + strings.ReplaceAll(flag, "_", "-")
	}
	return didYouMean(name, names, "xship config show -o json lists all variables")
}
