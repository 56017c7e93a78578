package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// progress is one line on a terminal that says how far long work has come. Where the
// stream is no terminal it says nothing, so that logs and pipes stay clean.
type progress struct {
	to   *os.File // nil: no terminal
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

// say replaces the line, cut where it would not fit.
func (p *progress) say(format string, args ...any) {
	if p.to != nil {
		p.last = time.Now()
		fmt.Fprintf(p.to, "%s%.*s", clearLine, width-1, fmt.Sprintf(format, args...))
	}
}

// sayOften is say for what is called very often: it shows some of it.
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
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
