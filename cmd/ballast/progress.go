package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// progress shows the progress of long work on one line of a terminal. It prints nothing when the
// stream is not a terminal, so that logs and pipes stay clean.
type progress struct {
	to   *os.File // nil: not a terminal
	last time.Time
}

func newProgress(f *os.File) *progress {
	if !onTerminal(f) {
		return &progress{}
	}
	return &progress{to: f}
}

const (
	clearLine     = "\r\x1b[K"
	progressEvery = 100 * time.Millisecond
)

// say replaces the line, truncated to the terminal's width.
func (p *progress) say(format string, args ...any) {
	if p.to != nil {
		p.last = time.Now()
		fmt.Fprintf(p.to, "%s%.*s", clearLine, width-1, fmt.Sprintf(format, args...))
	}
}

// sayOften is say with a limited rate, for frequent calls.
func (p *progress) sayOften(format string, args ...any) {
	if p.to != nil && time.Since(p.last) >= progressEvery {
		p.say(format, args...)
	}
}

// clear removes the line, before anything else is printed.
func (p *progress) clear() {
	if p.to != nil {
		fmt.Fprint(p.to, clearLine)
	}
}

// grouped prints a whole number with a comma between groups of three digits.
func grouped(n int) string { return thousands(strconv.Itoa(n)) }

// thousands puts a comma between groups of three digits of a number, which may have decimals.
func thousands(number string) string {
	for i := strings.IndexByte(number+".", '.') - 3; i > 0 && number[i-1] != '-'; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}
