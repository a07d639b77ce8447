// Package httpindex finds films and episodes on web servers that list their folders, by
// the names of their files: nginx, Apache, Caddy, lighttpd, Python's http.server and
// whatever else writes a page of links, or a list in JSON as nginx and Caddy do.
package httpindex
