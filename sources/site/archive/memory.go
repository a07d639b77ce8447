package archive

import (
	"context"
	"sync"
	"time"
)

// maxMemory is how many answers a memory has.
const maxMemory = 256

// memory is a sources.Answers that lives as long as the process, and no longer.
type memory struct {
	now func() time.Time

	mu      sync.Mutex
	answers map[string]answer
	told    map[string]bool
}

type answer struct {
	body []byte
	at   time.Time
}

// Answer implements sources.Answers.
func (m *memory) Answer(_ context.Context, key string) (body []byte, at time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.answers[key]
	return a.body, a.at, nil
}

// PutAnswer implements sources.Answers.
func (m *memory) PutAnswer(_ context.Context, key string, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answers == nil {
		m.answers = make(map[string]answer)
	}
	if _, known := m.answers[key]; !known && len(m.answers) >= maxMemory {
		m.forgetOldest()
	}
	m.answers[key] = answer{body: body, at: m.now()}
	return nil
}

func (m *memory) forgetOldest() {
	oldest := ""
	for key, a := range m.answers {
		if oldest == "" || a.at.Before(m.answers[oldest].at) {
			oldest = key
		}
	}
	delete(m.answers, oldest)
}

// FirstTime implements sources.Answers.
func (m *memory) FirstTime(_ context.Context, what string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.told == nil {
		m.told = make(map[string]bool)
	}
	first := !m.told[what]
	m.told[what] = true
	return first, nil
}
