package engine

// ShortWhy is shortWhy.
var ShortWhy = shortWhy

// TellOthers is tellOthers.
func (e *Engine) TellOthers(lock *PrecacherLock) { e.tellOthers(lock) }
