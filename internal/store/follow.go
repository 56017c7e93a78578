package store

import (
	"context"
	"time"
)

const (
	// followEvery is how often Follow asks whether another process has changed the database.
	followEvery = 250 * time.Millisecond
	// reopenEvery is how often Follow tries to open a database again that could be opened for reading only.
	reopenEvery = time.Second
)

// Follow calls every reader when another process may have changed the database, until ctx ends. A reader that fails
// is called again at the next look. failed is told every error.
func (m *Main) Follow(ctx context.Context, failed func(error), readers ...func() error) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	due := make([]bool, len(readers))
	tell := func(err error) {
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
	for tried := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if m.Trouble() != nil && time.Since(tried) >= reopenEvery {
			tried = time.Now()
			tell(m.Reopen())
		}
		changed, err := m.Changed(ctx)
		tell(err)
		for i, read := range readers {
			if due[i] = due[i] || changed; due[i] {
				err := read()
				due[i] = err != nil
				tell(err)
			}
		}
	}
}
