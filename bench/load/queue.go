package load

// queue is a ring buffer with the numbers of the free connections; each number occurs at most once.
type queue struct {
	ring []int32
	head int
	n    int
}

func (q *queue) push(v int32) {
	q.ring[(q.head+q.n)%len(q.ring)] = v
	q.n++
}

func (q *queue) pop() int32 {
	v := q.ring[q.head]
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return v
}

// remove removes a number from any position and keeps the order of the others.
func (q *queue) remove(v int32) {
	for range q.n {
		if w := q.pop(); w != v {
			q.push(w)
		}
	}
}
