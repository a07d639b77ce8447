// Package files is what the sites have in common that find films and episodes by the
// names of files: folders of this machine, WebDAV servers and HTTP indexes.
//
// A site of these is a Site over a Tree, which is all that differs between them:
//
//	files.NewSite(info, tree, files.Options{Index: index, Own: spec.Trusted, …})
//
// What lies in a tree is kept in an index, which a Walker brings up to date and Search
// asks.
package files
