package marketcache

import "context"

// Caller identifies on whose behalf a wallet is read. Callers share the venue's request weight fairly.
type Caller struct {
	ID    string // of the API key; empty: the service itself
	Ahead bool   // the cached copy is still fresh: read again only with weight that no other caller needs
}

type callerKey struct{}

// WithCaller returns a context that charges wallet reads to a caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a context; the service itself if it has none.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
