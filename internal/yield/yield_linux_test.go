package yield

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const budget = 40 * time.Microsecond

// work uses the processor for longer than the budget.
func work() {
	for start := time.Now(); time.Since(start) <= budget; {
	}
}

// A goroutine that waits for its socket can run while another works without pause on the same
// single processor.
func TestYieldLetsTheNetworkGoFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	peer := os.NewFile(uintptr(fds[1]), "peer")
	var heard atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for b := make([]byte, 1); ; heard.Add(1) {
			if _, err := peer.Read(b); err != nil {
				return
			}
		}
	}()
	time.Sleep(10 * time.Millisecond) // now the reader waits

	p := NewPoint(budget)
	defer p.Close()
	// The runtime's monitor also polls the network when it finds that nothing has for 10 ms, and then
	// the order may differ. On a loaded machine that can happen in most of a round.
	const rounds = 10
	late, sent := 0, int64(0)
	for range rounds {
		late = 0
		for range 50 {
			sent++
			if _, err := unix.Write(fds[0], []byte{1}); err != nil {
				t.Fatal(err)
			}
			// The first call finds the event and makes the reader runnable. The reader runs before the
			// second call returns.
			for range 2 {
				work()
				p.Yield()
			}
			if heard.Load() != sent {
				late++
			}
		}
		if late <= 5 {
			break
		}
	}
	if late > 5 {
		t.Errorf("in each of %d rounds more than 5 of 50 bytes were not read after a yield, in the last %d", rounds,
			late)
	}
	peer.Close()
	<-ended
}

// Within the budget Yield makes no system call.
func TestYieldIsFreeWithinTheBudget(t *testing.T) {
	p := NewPoint(budget)
	defer p.Close()
	p.last = time.Now().Add(time.Hour)
	before := p.last
	p.Yield()
	if p.last != before {
		t.Error("the network was asked within the budget")
	}
}

func TestYieldAfterClose(t *testing.T) {
	p := NewPoint(budget)
	p.Close()
	p.Close()
	work()
	p.Yield() // must return
}
