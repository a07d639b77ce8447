package engine

// TellOthers is tellOthers.
func (e *Engine) TellOthers(lock *PrecacherLock) { e.tellOthers(lock) }
