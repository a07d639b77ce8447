// Package failover decides which interface is loaded next when one cannot be
// loaded: the modes (section 2 of the interface failover document), the user's
// order (section 3), and a round, the state machine that every entry point shares
// (sections 5, 6 and 11). It is pure: what loads, asks the user, keeps the
// preferences and tells the time is passed in or lives elsewhere.
//
// Where the document is open or contradicts itself: the default mode is auto, and
// so is any stored value that is no mode, while a stored off stays off. A round
// tries MaxAttempts interfaces, the origin included; candidates come strictly
// after the origin, without wrapping around, and from the top where the order does
// not have the origin. Manual mode offers all that remain and takes one choice.
package failover
