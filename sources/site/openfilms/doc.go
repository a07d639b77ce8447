// Package openfilms is a site without a network: an embedded catalogue of films
// that anyone may watch and share, with direct links on several hosters each.
// It is what the built-in interface consists of.
package openfilms
