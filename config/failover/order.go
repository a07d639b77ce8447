package failover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The keys of the preferences (sections 3.2 and 10.1).
const (
	ModeKey  = "interface_failover_mode"
	OrderKey = "interface_order_vod"
)

// Preferences is where mode and order are stored, shared with other processes.
type Preferences interface {
	// Get gives what is stored now, nil where that is nothing.
	Get(key string) (json.RawMessage, error)
	// Update changes what is stored in one step.
	Update(change func(values map[string]json.RawMessage)) error
}

// InterfaceOrderStore is the port of InterfaceOrderStore (section 3): the user's
// order of the interfaces, and with it the failover mode. Each call sees what is
// stored at that moment.
type InterfaceOrderStore struct {
	preferences Preferences
}

// NewInterfaceOrderStore makes a store in preferences.
func NewInterfaceOrderStore(preferences Preferences) *InterfaceOrderStore {
	return &InterfaceOrderStore{preferences: preferences}
}

// Mode gives the failover mode.
func (s *InterfaceOrderStore) Mode() (Mode, error) {
	raw, err := s.preferences.Get(ModeKey)
	if err != nil {
		return Auto, fmt.Errorf("read failover mode: %w", err)
	}
	return ParseMode(raw), nil
}

// SetMode stores the failover mode.
func (s *InterfaceOrderStore) SetMode(m Mode) error {
	if m < Off || m > Manual {
		return fmt.Errorf("set failover mode %d: there is no such mode, use 0, 1 or 2", int(m))
	}
	err := s.preferences.Update(func(values map[string]json.RawMessage) {
		values[ModeKey] = json.RawMessage(strconv.Itoa(int(m)))
	})
	if err != nil {
		return fmt.Errorf("set failover mode %s: %w", m, err)
	}
	return nil
}

// Order gives the user's order of interface URLs, without blanks and duplicates,
// also with those of interfaces that are gone. It is empty where none is stored,
// or none that can be read.
func (s *InterfaceOrderStore) Order() ([]string, error) {
	raw, err := s.preferences.Get(OrderKey)
	if err != nil {
		return nil, fmt.Errorf("read interface order: %w", err)
	}
	return ParseOrder(raw), nil
}

// SetOrder stores the user's order. URLs that the stored order has and the new one
// lacks stay, behind it (section 3.3); an empty order removes the stored one. An
// order that is stored as text keeps that form.
func (s *InterfaceOrderStore) SetOrder(urls []string) error {
	urls = distinct(urls)
	err := s.preferences.Update(func(values map[string]json.RawMessage) {
		stored := values[OrderKey]
		if len(urls) == 0 {
			delete(values, OrderKey)
			return
		}
		order := encode(distinct(slices.Concat(urls, ParseOrder(stored))))
		if bytes.HasPrefix(stored, []byte(`"`)) {
			order = encode(string(order))
		}
		values[OrderKey] = order
	})
	if err != nil {
		return fmt.Errorf("set interface order: %w", err)
	}
	return nil
}

// SortConfigs is the port of InterfaceOrderStore.sortConfigs (section 3.3): the
// configs that order names, as it orders them, then the others as they were. It
// gives a new slice.
func SortConfigs[C any](configs []C, url func(C) string, order []string) []C {
	rank := make(map[string]int, len(order))
	for i, u := range distinct(order) {
		rank[u] = i
	}
	position := func(c C) int {
		if i, ok := rank[url(c)]; ok {
			return i
		}
		return len(rank)
	}
	sorted := slices.Clone(configs)
	slices.SortStableFunc(sorted, func(a, b C) int { return position(a) - position(b) })
	return sorted
}

// ParseOrder reads a stored order; what is no text in it is left out.
func ParseOrder(raw json.RawMessage) []string {
	var items []any
	if json.Unmarshal(unquoted(raw), &items) != nil {
		return nil
	}
	urls := make([]string, 0, len(items))
	for _, item := range items {
		if u, ok := item.(string); ok {
			urls = append(urls, u)
		}
	}
	return distinct(urls)
}

// distinct drops blanks and duplicates; the first of each stays.
func distinct(urls []string) []string {
	var out []string
	seen := make(map[string]bool, len(urls))
	for _, u := range urls {
		if u = strings.TrimSpace(u); u != "" && !seen[u] {
			seen[u] = true
			out = append(out, u)
		}
	}
	return out
}

// encode is v, text or a list of texts, as JSON with its addresses unescaped.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // text always encodes
	return bytes.TrimSpace(b.Bytes())
}
