// Package maccms searches sites that speak the JSON API of MacCMS, which
// interfaces list as type 1.
//
// A row is a film or one season of a series; its links come as groups of
// "label$url" items, one group for each player. Servers match the name loosely
// and some send rows without links at first, so every answer is compared with
// the title again, and rows that fit are asked for by id. Answers are decoded
// with patience: numbers may be strings, lists may be null, and a broken row
// costs only itself.
package maccms
