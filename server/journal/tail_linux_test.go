package journal

import (
	"os"
	"syscall"
	"testing"
)

// TestTailOnAFullDisk: a line of which the disk took a part does not spoil the one after it.
func TestTailOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	tail, _, err := openTail(dir)
	if err != nil {
		t.Fatal(err)
	}
	put := func(line string) error { return tail.put([]byte(line), func() {}) }
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		t.Fatal(err)
	}
	full := syscall.Rlimit{Cur: 10, Max: free.Max}
	first := put("first\n")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	cut := put("cut off\n")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		t.Fatal(err)
	}
	last := put("last\n")
	text, err := os.ReadFile(tailName(dir, 0))
	if first != nil || cut == nil || last != nil || err != nil || string(text) != "first\nlast\n" {
		t.Errorf("%v, %v, %v: %q %v", first, cut, last, text, err)
	}
}
