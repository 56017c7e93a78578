package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onPty runs a command with its standard output, standard error or both connected to a terminal. It
// returns what was written to the terminal and the rest of the output.
func onPty(t *testing.T, stdout, stderr bool, env []string, args ...string) (terminal, rest string, status int) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var other strings.Builder
	cmd := exec.Command(binary(t, "ballast"), args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR="), env...)
	cmd.Stdout, cmd.Stderr = &other, &other
	if stdout {
		cmd.Stdout = slave
	}
	if stderr {
		cmd.Stderr = slave
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	text, _ := io.ReadAll(master) // the read fails when the command ends
	cmd.Wait()
	return string(text), other.String(), cmd.ProcessState.ExitCode()
}

// TestE2ETerminal: colours and progress are written to terminals only, and not to terminals that
// cannot show them.
func TestE2ETerminal(t *testing.T) {
	validate := []string{"validate", "--asset", "BTC", "--action", "long", "--size", "500000", "--leverage", "20"}
	const esc, progressed = "\x1b[", "the simulated venue warms up: "
	s := sharedSim(t)
	elsewhere := append(validate[:len(validate):len(validate)], "--server", s.url, "--key", s.key,
		"--wallet", crossWallet)
	text, rest, _ := onPty(t, true, false, nil, elsewhere...)
	if !strings.Contains(text, esc+"1;33mSIMULATED VENUE"+esc+"0m") ||
		!strings.Contains(text, esc+"1mNumbers"+esc+"0m") || rest != "" {
		t.Errorf("no colours on a terminal:\n%s%s", text, rest)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		if text, _, _ = onPty(t, true, false, []string{env}, elsewhere...); strings.Contains(text, esc) ||
			!strings.Contains(text, "SIMULATED VENUE") {
			t.Errorf("%s: %s", env, text)
		}
	}
	text, rest, _ = onPty(t, false, true, nil, validate...)
	if !strings.Contains(text, progressed) || !strings.HasSuffix(text, clearLine) || strings.Contains(rest, esc) ||
		!strings.Contains(rest, "SIMULATED VENUE") {
		t.Errorf("progress %q, report:\n%s", text, rest)
	}
	file := writeCandles(t, strings.Repeat("long", 30)+"-1h.csv", madeUp(4, 2000))
	text, rest, code := onPty(t, false, true, nil, "calibrate", "--candles", file)
	if code != 0 || !strings.Contains(text, "reading file 1 of 1: long") ||
		!strings.Contains(text, "fitting file 1 of 1: long") || !strings.HasSuffix(text, clearLine) ||
		strings.Contains(rest, esc) {
		t.Errorf("%d %q\n%s", code, text, rest)
	}
	for line := range strings.SplitSeq(text, clearLine) {
		if len(line) >= width {
			t.Errorf("progress of %d columns: %q", len(line), line)
		}
	}
	if text, _, code = onPty(t, false, true, nil, "backtest", "--candles", file); code != 1 ||
		!strings.Contains(text, "file 1 of 1: long") || !strings.Contains(text, clearLine+"ballast: ") {
		t.Errorf("%d %q", code, text)
	}
}
