// Package api is how programs see xship: the JSON documents, the same for "-o json"
// and for HTTP, and the one table that gives each error its code, exit code and HTTP
// status.
package api
