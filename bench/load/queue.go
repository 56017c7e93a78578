package load

// queue is a ring of the numbers of free connections, each in it once at most.
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

// remove takes a number out wherever it stands; the order of the others stays.
func (q *queue) remove(v int32) {
	for range q.n {
		if w := q.pop(); w != v {
			q.push(w)
		}
	}
}
