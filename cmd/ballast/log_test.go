package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/internal/locked"
)

// gate is a log reader that blocks until it is opened.
type gate struct {
	open chan struct{}
	read locked.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.read.Write(p)
}

// A duration has its unit in either format.
func TestLogDurations(t *testing.T) {
	for format, want := range map[string]string{"json": `"after":"1.2s"`, "text": "after=1.2s"} {
		var out locked.Buffer
		newLogger(format, &out).Info("ready", "after", 1200*time.Millisecond)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", format, out.String())
		}
	}
}

func TestLogBufferDropsRatherThanWaits(t *testing.T) {
	g := &gate{open: make(chan struct{})}
	b := newLogBuffer(g, "text")
	line := []byte(strings.Repeat("x", 1023) + "\n")
	const lines = 2100 // more than the lines being written plus the lines that fit into the buffer
	for range lines {
		if n, err := b.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	dropped := b.dropped.Load()
	if kept := lines - int(dropped); kept < logBytes/len(line) || kept > 2*logBytes/len(line) {
		t.Errorf("dropped %d of %d", dropped, lines)
	}
	begun := time.Now()
	b.close(10 * time.Millisecond)
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the end took %v", took)
	}
	close(g.open)
	<-b.ended
	if got := strings.Count(g.read.String(), "x\n"); got != lines-int(dropped) {
		t.Errorf("%d lines were read, %d dropped, of %d", got, dropped, lines)
	}
	if want := fmt.Sprintf(`was too slow" lines=%d`, dropped); !strings.Contains(g.read.String(), want) {
		t.Errorf("the log does not tell of %d dropped lines", dropped)
	}
}

// The lines said to be dropped are all that were, though the buffer is full at each moment at which
// the log can be told of them.
func TestLogTellsEveryDroppedLine(t *testing.T) {
	read := &locked.Buffer{}
	b := newLogBuffer(nil, "text")
	line := []byte(strings.Repeat("x", 1023) + "\n")
	fill := func() {
		for range 2 * logBytes / len(line) {
			b.Write(line)
		}
	}
	rounds, done := 10, make(chan struct{})
	b.to = writerFunc(func(p []byte) (int, error) {
		if rounds--; rounds > 0 {
			fill()
		} else if rounds == 0 {
			close(done)
		}
		return read.Write(p)
	})
	fill()
	<-done
	b.close(10 * time.Second)
	told := uint64(0)
	for _, m := range regexp.MustCompile(`were dropped: .* lines=(\d+)`).FindAllStringSubmatch(read.String(), -1) {
		n, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		told += n
	}
	if dropped := b.dropped.Load(); told != dropped || dropped == 0 {
		t.Errorf("the log tells of %d dropped lines, %d were", told, dropped)
	}
}

// writerFunc is an io.Writer.
type writerFunc func(p []byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

// TestE2ELogReader: the service keeps working when the reader of its log, or of what it prints, blocks or exits.
// Injects the fault log-reader of docs/faults.md.
func TestE2ELogReader(t *testing.T) {
	for _, c := range []struct {
		name, venue string
		stdout      *os.File
		harm        func(t *testing.T, s *remote, log *os.File)
	}{
		{"stands still", nowhere, nil, func(*testing.T, *remote, *os.File) {}},
		{"dies", nowhere, nil, func(_ *testing.T, _ *remote, log *os.File) { log.Close() }},
		{"of the output", "sim", fullPipe(t), func(t *testing.T, s *remote, log *os.File) {
			go io.Copy(io.Discard, log)
			s.ready(t, 30*time.Second)
			time.Sleep(200 * time.Millisecond) // until it prints
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command(binary(t, "ballast"), "serve", "--listen", "127.0.0.1:0", "--venue", c.venue,
				"--data-dir", dir, "--access-log", "1")
			log, end, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			cmd.Stdout, cmd.Stderr = c.stdout, end
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			end.Close()
			over := make(chan error, 1)
			go func() { over <- cmd.Wait() }()
			defer cmd.Process.Kill()
			s := &remote{}
			for lines := bufio.NewScanner(io.LimitReader(log, 1<<20)); s.url == "" && lines.Scan(); {
				if m := regexp.MustCompile(`serving url=(http://\S+)`).FindStringSubmatch(lines.Text()); m != nil {
					s.url = m[1]
				}
			}
			c.harm(t, s, log)
			made := issue(t, "a@example.com", "--data-dir", dir)
			for range 1000 { // a line per request: more than a pipe holds
				status(t, s.url, made.Key)
			}
			made = issue(t, "a@example.com", "--data-dir", dir)
			time.Sleep(time.Second) // by then the service knows it
			if code := status(t, s.url, made.Key); code == 401 {
				t.Error("a new key is refused:", code)
			}
			cmd.Process.Signal(syscall.SIGTERM)
			select {
			case err := <-over:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(drainTime + 5*time.Second):
				t.Error("the service does not end after SIGTERM")
			}
		})
	}
}

// fullPipe returns the end of a pipe that takes no more bytes.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	reader, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); full.Close() })
	full.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	for err == nil {
		_, err = full.Write(make([]byte, 4096))
	}
	return full
}
