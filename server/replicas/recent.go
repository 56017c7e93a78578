package replicas

// recent is a map that forgets old entries. It keeps at least the newest limit keys, and at most twice as
// many.
type recent[V any] struct {
	limit      int
	young, old map[string]V // when young is full it becomes old
}

func (r *recent[V]) get(key string) (V, bool) {
	v, ok := r.young[key]
	if !ok {
		v, ok = r.old[key]
	}
	return v, ok
}

func (r *recent[V]) put(key string, v V) {
	if _, ok := r.young[key]; r.young == nil || !ok && len(r.young) >= r.limit {
		r.young, r.old = map[string]V{}, r.young
	}
	r.young[key] = v
}
