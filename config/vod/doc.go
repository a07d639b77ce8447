// Package vod fetches and decodes interface configs: the JSON documents of the
// TVBox world that list sites. Such documents are written by hand, so they are
// read leniently: what can be understood without guessing is accepted, and one
// bad site is left out with a warning. What is no config at all (a web page, a
// live list, an encrypted body) is recognised and named.
package vod
