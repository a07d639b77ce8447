// Package debridfake has fakes of the debrid services' APIs, one http.Handler each,
// made from the documented shapes. They have settable failures, count what they
// are asked, and never log. It imports nothing of testing: programs that show
// xship at work use it too.
package debridfake
