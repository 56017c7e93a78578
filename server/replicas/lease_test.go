package replicas

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func runLease(t testing.TB, l *Lease) (stop func()) {
	return running(t, func(ctx context.Context) { l.Run(ctx) })
}

func held(l *Lease) bool {
	_, ok := l.Held()
	return ok
}

func knows(l *Lease, epoch uint64) bool {
	e, _ := l.Held()
	return e == epoch
}

const shortLease = 900 * time.Millisecond

// A holder that is cut off gives up the lease before another replica acquires it.
func TestCutOffHolderLosesLeaseFirst(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	var wires []*link
	var leases []*Lease
	for range 2 {
		wire := newLink(t, s.addr())
		wires = append(wires, wire)
		leases = append(leases, openNode(t, Config{URL: wire.url()}).NewLease("feed", shortLease))
		runLease(t, leases[len(leases)-1])
		eventually(t, "the first holds", func() bool { return held(leases[0]) })
	}
	for round := range 3 {
		wire, old, new := wires[round%2], leases[round%2], leases[(round+1)%2]
		wire.dark.Store(true)
		eventually(t, "the lease changes hands", func() bool {
			// The new holder is asked first: both answering yes is an error.
			now, before := held(new), held(old)
			if now && before {
				t.Fatal("two replicas hold the lease")
			}
			return now
		})
		if epoch, _ := new.Held(); epoch != uint64(round+2) {
			t.Fatalf("epoch %d in round %d", epoch, round)
		}
		wire.cut() // forces a new connection, because bytes of the old one are lost
		wire.dark.Store(false)
		wire.cut()
		eventually(t, "the old holder learns of it", func() bool { return knows(old, uint64(round+2)) })
		if held(old) || !held(new) {
			t.Fatal("a replica holds a lease that another has taken")
		}
	}
}

// TestForgedLease: a value that nobody can have written, the end of all epochs among them, leaves the lease free.
func TestForgedLease(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	for i, forged := range []string{
		"x", `{"holder":"","epoch":18446744073709551615}`, `{"holder":"nobody","epoch":18446744073709551615}`,
	} {
		l := openNode(t, Config{URL: s.url()}).NewLease(fmt.Sprint("feed", i), shortLease)
		kv, err := l.bucket.open(t.Context())
		if err == nil {
			_, err = kv.Put(t.Context(), l.name, []byte(forged))
		}
		if err != nil {
			t.Fatal(err)
		}
		stop := runLease(t, l)
		eventually(t, "it is held after "+forged, func() bool { return held(l) && knows(l, 1) })
		stop()
	}
}

func TestLeaseOfManyHasOneHolder(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	var leases []*Lease
	var stops []func()
	for range 4 {
		l := openNode(t, Config{URL: s.url()}).NewLease("feed", shortLease)
		leases, stops = append(leases, l), append(stops, runLease(t, l))
	}
	seen := uint64(0)
	for len(leases) > 0 {
		var holder int
		eventually(t, "one holds", func() bool {
			count := 0
			for i, l := range leases {
				if epoch, ok := l.Held(); ok {
					holder, count = i, count+1
					if epoch < seen {
						t.Fatalf("epoch %d after %d", epoch, seen)
					}
				}
			}
			if count > 1 {
				t.Fatalf("%d hold it", count)
			}
			return count == 1
		})
		if !knows(leases[holder], seen+1) {
			t.Fatalf("the epoch has not grown from %d", seen)
		}
		seen++
		for end := time.Now().Add(2 * shortLease); seen == 1 && time.Now().Before(end); {
			if !held(leases[holder]) {
				t.Fatal("a renewed lease was lost")
			}
			time.Sleep(5 * time.Millisecond)
		}
		stops[holder]()
		if held(leases[holder]) {
			t.Fatal("held after Run")
		}
		leases, stops = append(leases[:holder:holder], leases[holder+1:]...),
			append(stops[:holder:holder], stops[holder+1:]...)
	}
}

// The bucket that stores the epoch is lost: the epoch must still grow.
func TestLeaseEpochOutlivesTheBucket(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	n := openNode(t, Config{URL: s.url()})
	l := n.NewLease("feed", shortLease)
	l.epoch = 41
	runLease(t, l)
	eventually(t, "held", func() bool { e, ok := l.Held(); return ok && e == 42 })
	deleteBucket(t, n, leaseBucket)
	eventually(t, "held anew", func() bool { e, ok := l.Held(); return ok && e == 43 })
}

const leaseChildURL = "REPLICAS_TEST_LEASE_URL"

// monotonic returns the time of a clock that two processes share, in ns.
func monotonic(t testing.TB) int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	return ts.Nano()
}

// TestLeaseChild is the process that TestFrozenHolder freezes. Every millisecond it prints the time
// and the epoch that it holds after that; 0: it holds none.
func TestLeaseChild(t *testing.T) {
	url := os.Getenv(leaseChildURL)
	if url == "" {
		t.Skip("runs in a process of its own")
	}
	l := openNode(t, Config{URL: url}).NewLease("feed", shortLease)
	runLease(t, l)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		at := monotonic(t)
		epoch, ok := l.Held()
		if !ok {
			epoch = 0
		}
		if _, err := fmt.Printf("lease %d %d\n", at, epoch); err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestFrozenHolder(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestLeaseChild$")
	cmd.Env = append(os.Environ(), leaseChildURL+"="+s.url())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(out)
	next := func() (at int64, epoch int) {
		t.Helper()
		for lines.Scan() {
			if k, _ := fmt.Sscanf(lines.Text(), "lease %d %d", &at, &epoch); k == 2 {
				return at, epoch
			}
		}
		t.Fatal("the child ended")
		return 0, 0
	}
	for {
		if _, epoch := next(); epoch == 1 {
			break
		}
	}
	l := openNode(t, Config{URL: s.url()}).NewLease("feed", shortLease)
	runLease(t, l)
	eventually(t, "we know the holder", func() bool { return knows(l, 1) })
	if err := cmd.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the lease is taken from the frozen holder", func() bool { return held(l) })
	taken := monotonic(t)
	if err := cmd.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for after := 0; after < 500; { // lines written before the freeze come first
		at, epoch := next()
		if at > taken {
			after++
			if epoch != 0 {
				t.Fatalf("%v after the lease was taken, the former holder still reports epoch %d",
					time.Duration(at-taken), epoch)
			}
		}
	}
	if epoch, ok := l.Held(); !ok || epoch != 2 {
		t.Fatalf("epoch %d, held %v", epoch, ok)
	}
}
