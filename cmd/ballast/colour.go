package main

import (
	"io"
	"os"
	"regexp"
	"unicode/utf8"
)

// sheet is the output of a report. Colours only repeat what the words say.
type sheet struct {
	io.Writer
	colours bool
}

// standardOutput is standard output, in colours on a terminal unless NO_COLOR is set.
func standardOutput() sheet {
	return sheet{os.Stdout, onTerminal(os.Stdout) && os.Getenv("NO_COLOR") == ""}
}

// onTerminal reports whether f is a terminal that understands escape sequences.
func onTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// colour is the parameter of an SGR escape sequence.
type colour string

const (
	bold   colour = "1"
	red    colour = "1;31"
	green  colour = "1;32"
	yellow colour = "1;33"
	blue   colour = "34"
)

// paint returns the text in a colour, or unchanged without colours.
func (s sheet) paint(c colour, text string) string {
	if !s.colours || c == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// cells returns the number of columns that a text takes on a terminal.
func cells(text string) int { return utf8.RuneCountInString(escapes.ReplaceAllString(text, "")) }
