// Package direct resolves links that lead to media themselves: files, HLS and
// DASH manifests, files of this machine, and .strm files that name one of
// these. It believes nothing but the first bytes.
package direct
