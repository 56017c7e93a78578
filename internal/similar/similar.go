// Package similar finds the names that a misspelt word may have meant.
package similar

import (
	"slices"
	"strings"
)

// maxCompared is the number of bytes of a word that Names compares.
const maxCompared = 32

// Names returns up to n names that are similar to a word, the most similar first, ignoring case. One edit apart
// (see Distance), or up to a third of the letters of the longer word.
func Names(word string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	fold := func(s string) string { return strings.ToLower(s[:min(len(s), maxCompared)]) }
	var near []candidate
	for _, name := range names {
		longest := min(max(len(word), len(name)), maxCompared)
		if d := Distance(fold(word), fold(name)); d <= max(1, longest/3) && d < longest {
			near = append(near, candidate{name, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var best []string
	for _, c := range near[:min(n, len(near))] {
		best = append(best, c.name)
	}
	return best
}

// Name returns the name most similar to a word, "" if none is similar.
func Name(word string, names []string) string { return strings.Join(Names(word, names, 1), "") }

// Distance counts the edits from one word to the other in bytes: insertions, deletions, changes and swaps of two
// neighbours (optimal string alignment).
func Distance(a, b string) int {
	// The distances of a[:i-1], a[:i] and a[:i+1] to each b[:j].
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
