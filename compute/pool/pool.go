package pool

import (
	"sync"
	"sync/atomic"
)

// Task is a job in chunks that do not depend on each other. M is the memory of a worker.
type Task[M any] interface {
	// Chunk does chunk i with a memory that nobody else has meanwhile.
	Chunk(memory *M, i int)
}

// Pool is a fixed set of workers. Create it with New.
type Pool[M any] struct {
	queue chan *job[M]
	wg    sync.WaitGroup
	size  int
}

// job is one task under way.
type job[M any] struct {
	task   Task[M]
	chunks int64
	next   atomic.Int64
	done   sync.WaitGroup
	broken atomic.Pointer[broken]
}

// broken is a panic on its way to the caller.
type broken struct{ value any }

// New starts workers, each with a memory from its zero value.
func New[M any](workers int) *Pool[M] {
	p := &Pool[M]{queue: make(chan *job[M], workers), size: workers}
	for i := range workers {
		p.wg.Go(func() { p.work(i) })
	}
	return p
}

// Workers is how many workers a machine of n processors should have: all but one, which is
// left to connections, and at least one.
func Workers(n int) int { return max(1, n-1) }

// Size returns the number of workers.
func (p *Pool[M]) Size() int { return p.size }

// Do does all chunks of a task and returns when they are done. A panic of a chunk is one
// of the caller. Safe for concurrent use; jobs are taken up in order.
func (p *Pool[M]) Do(task Task[M], chunks int) {
	j := &job[M]{task: task, chunks: int64(chunks)}
	j.done.Add(chunks)
	for range min(chunks, p.size) {
		p.queue <- j
	}
	j.done.Wait()
	if b := j.broken.Load(); b != nil {
		panic(b.value)
	}
}

// Close ends the workers. No job may be under way.
func (p *Pool[M]) Close() {
	close(p.queue)
	p.wg.Wait()
}

func (p *Pool[M]) work(i int) {
	settle(i) // the thread ends with the goroutine
	memory := new(M)
	for j := range p.queue {
		Busy()
		for c := j.next.Add(1) - 1; c < j.chunks; c = j.next.Add(1) - 1 {
			if !j.run(memory, int(c)) {
				memory = new(M) // a panic may have left anything in it
			}
		}
		Idle()
	}
}

func (j *job[M]) run(memory *M, chunk int) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			j.broken.CompareAndSwap(nil, &broken{r})
		}
		j.done.Done()
	}()
	j.task.Chunk(memory, chunk)
	return true
}
