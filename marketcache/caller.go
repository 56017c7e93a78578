package marketcache

import "context"

// Caller is for whom a wallet is read. The request weight that the venue allows is shared
// fairly between callers.
type Caller struct {
	ID     string // of the key; empty: the service itself
	Closes bool   // the wallet is needed to judge a close
}

type callerKey struct{}

// WithCaller returns a context whose wallet reads are charged to a caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a context, the service itself when it names none.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
