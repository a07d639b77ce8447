// Package term knows a terminal: its streams and size, colours, the live line,
// tables that fit, questions, and views that are drawn in place. What they say is
// for package cmd to decide.
package term
