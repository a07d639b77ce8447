// Package tvbox holds what the protocols of TVBox interfaces have in common.
//
// MacCMS (types 0 and 1) and T4 (type 4) servers answer in the same rows: a
// film, or one season of a series, whose links come as groups of "label$link"
// items, one group for each player. Servers match names loosely, and many send
// rows without links at first, so a Finder compares every row with the title
// again and asks for those that fit by id. Answers are decoded with patience:
// numbers may be strings, lists may be null, and a broken row costs only
// itself.
package tvbox
