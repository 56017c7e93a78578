package pool

import (
	"sync"
	"sync/atomic"
)

// Task is a job of independent chunks. M is the memory of a worker.
type Task[M any] interface {
	// Chunk computes chunk i. No other goroutine uses memory meanwhile.
	Chunk(memory *M, i int)
}

// Pool is a fixed set of workers. Create it with New.
type Pool[M any] struct {
	queue chan *job[M]
	wg    sync.WaitGroup
	size  int
}

// job is one task in progress.
type job[M any] struct {
	task   Task[M]
	chunks int64
	next   atomic.Int64
	done   sync.WaitGroup
	broken atomic.Pointer[broken]
}

// broken is a panic to be raised in the caller.
type broken struct{ value any }

// New starts workers, each with a zero M as memory.
func New[M any](workers int) *Pool[M] {
	p := &Pool[M]{queue: make(chan *job[M], workers), size: workers}
	for i := range workers {
		p.wg.Go(func() { p.work(i) })
	}
	return p
}

// Workers returns the recommended number of workers for n CPUs: all but one, which is left to
// connections, and at least one.
func Workers(n int) int { return max(1, n-1) }

// Size returns the number of workers.
func (p *Pool[M]) Size() int { return p.size }

// Do computes all chunks of a task and returns when they are done. A panic in a chunk is raised again in
// the caller. Safe for concurrent use; jobs run in order.
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

// Close ends the workers. No job may be in progress.
func (p *Pool[M]) Close() {
	close(p.queue)
	p.wg.Wait()
}

func (p *Pool[M]) work(i int) {
	pinThread(i) // the thread ends with the goroutine
	memory := new(M)
	for j := range p.queue {
		Busy()
		for c := j.next.Add(1) - 1; c < j.chunks; c = j.next.Add(1) - 1 {
			if !j.run(memory, int(c)) {
				memory = new(M) // the panic may have left it in any state
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
