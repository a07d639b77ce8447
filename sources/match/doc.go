// Package match tells which title and which episode a name means: the names of
// titles and the labels of links as sites, release groups and people write them.
package match
