// Package vod fetches and decodes interface configs: the JSON documents of the
// TVBox world that list sites. Such documents are written by hand, so they are
// read leniently: what can be understood without guessing is accepted, also out of
// base64, an encrypted body or the end of an image, and one bad site is left out
// with a warning. Depots, which list interfaces instead of sites, are opened. What
// is no config at all (a web page, a live list) is recognised and named. Nothing
// that a config names is run, and a remote one never leads to a local file.
package vod
