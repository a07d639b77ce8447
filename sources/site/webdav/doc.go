// Package webdav finds films and episodes on WebDAV servers (RFC 4918), by the names of
// their files. It asks folder by folder, with Depth 1.
package webdav
