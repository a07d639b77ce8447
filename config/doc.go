// Package config reads the settings of xship (a YAML file, the environment, flags)
// into one typed value, and keeps the files that the program itself changes: the
// preferences, the debrid accounts, and backups.
package config
