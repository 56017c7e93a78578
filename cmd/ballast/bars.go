package main

import (
	"math"
	"strings"
)

// Widths of bars, in columns.
const (
	barCells    = 20
	signedCells = 17 // eight on each side of the middle
	gaugeCells  = 50
)

// bar draws a share from 0 to 1 in eighths of a character cell.
func bar(share float64, cells int) string {
	eighths := int(math.Round(min(max(share, 0), 1) * float64(cells) * 8))
	full, rest := eighths/8, eighths%8
	b := strings.Repeat("█", full)
	if rest > 0 {
		b += string([]rune(" ▏▎▍▌▋▊▉")[rest])
		full++
	}
	return b + strings.Repeat("·", cells-full)
}

// levelColour is the colour of a score from 0 to 100, as that of the verdict.
func levelColour(score float64) colour {
	switch {
	case score > 70:
		return red
	case score > 40:
		return yellow
	}
	return green
}

// level draws a score from 0 to 100.
func (s sheet) level(score float64) string {
	return s.paint(levelColour(score), bar(score/100, barCells))
}

// gauge draws the risk score between the bounds of its verdicts.
func (s sheet) gauge(score float64) string {
	cells := []rune(bar(score/100, gaugeCells))
	for _, bound := range []int{40, 70} {
		if i := bound * gaugeCells / 100; cells[i] == '·' {
			cells[i] = '│'
		}
	}
	return s.paint(levelColour(score), string(cells)) + " 40 and 70 are the bounds"
}

// signed draws a share from -1 to 1: negative ones to the left of the middle and in their own colour.
func (s sheet) signed(share float64, negative, positive colour) string {
	const half = signedCells / 2
	halves := min(int(math.Round(math.Abs(share)*half*2)), half*2)
	if share != 0 {
		halves = max(halves, 1)
	}
	whole, rest := halves/2, halves%2
	dots := strings.Repeat("·", half-whole-rest)
	if share < 0 {
		return dots + s.paint(negative, strings.Repeat("▐", rest)+strings.Repeat("█", whole)) + "│" +
			strings.Repeat("·", half)
	}
	full := s.paint(positive, strings.Repeat("█", whole)+strings.Repeat("▌", rest))
	return strings.Repeat("·", half) + "│" + full + dots
}
