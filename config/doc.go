// Package config reads the settings of xship (a YAML file, the environment, flags)
// into one typed value, and keeps the preferences that the program itself changes.
package config
