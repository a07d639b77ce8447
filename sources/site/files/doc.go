// Package files is what the sites have in common that find films and episodes by the
// names of files: folders of this machine, WebDAV servers and HTTP indexes.
package files
