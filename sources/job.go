package sources

// Job is one source of a watched title that waits to be resolved or probed.
type Job struct {
	Source Source
}
