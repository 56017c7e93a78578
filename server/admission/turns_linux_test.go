package admission

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ballast/marketcache"
)

// A turn goes from request to request without the scheduler's ever having nothing to run, and still a socket with data
// is read after two turns at most, as a rule, not when the runtime's monitor polls after 10 ms.
func TestTurnsLetTheNetworkGoFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := newController(t, func(cfg *Config) { cfg.Capacity, cfg.MaxWait = 100, 0 })
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	peer := os.NewFile(uintptr(fds[1]), "peer")
	var turns, written atomic.Int64 // so far, and then
	var waits []int64
	var running sync.WaitGroup
	running.Go(func() {
		for b := make([]byte, 1); ; {
			if _, err := peer.Read(b); err != nil {
				return
			}
			waits = append(waits, turns.Load()-written.Load())
		}
	})
	const bytes, requests = 20, 8
	for range requests {
		running.Go(func() {
			for turns.Load() < bytes*40 {
				ticket, refusal := c.Admit(Batch, 1, marketcache.Now(), nil)
				if refusal == Admitted {
					_, refusal = ticket.Wait()
				}
				if refusal != Admitted {
					t.Error(refusal)
					return
				}
				for start := time.Now(); time.Since(start) < workBudget/2; {
				}
				if n := turns.Add(1); n%40 == 20 {
					written.Store(n)
					unix.Write(fds[0], []byte{1})
				}
				ticket.Done()
			}
			peer.Close()
		})
	}
	running.Wait()
	slices.Sort(waits)
	if len(waits) < bytes/2 || waits[len(waits)/2] > 2 {
		t.Errorf("turns until a byte was read: %d", waits)
	}
}
