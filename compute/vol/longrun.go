package vol

const (
	// blockReturns divides longRunWindow, so the window ends at the same offset in its last block at
	// which it starts in its first block. It is a multiple of 4, the number of lanes.
	blockReturns = 120
	blockCount   = longRunWindow / blockReturns
)

// longRun is the sum of the newest longRunWindow squared returns. It keeps sums of blocks, so that it need
// not add up the whole window each hour. It never subtracts a return that leaves the window, which would
// leave rounding errors.
//
//	| oldest block, its end | full block | ... | full block | current block |
//	      re-added                 kept sums                    kept sums
//
// Return number i is in lane i mod 4, as in package stats.
type longRun struct {
	n     int                        // returns added
	block [blockCount + 1][4]float64 // block number b at b mod (blockCount+1)
}

func (l *longRun) add(r float64) {
	b := &l.block[l.n/blockReturns%len(l.block)]
	if l.n%blockReturns == 0 {
		*b = [4]float64{}
	}
	b[l.n&3] += float64(r * r)
	l.n++
}

// mean returns the mean square of the newest longRunWindow returns, or of all when there are
// fewer; 0 without any. returns must hold them.
func (l *longRun) mean(returns *tape) float64 {
	if l.n == 0 {
		return 0
	}
	first := max(0, l.n-longRunWindow)
	var s [4]float64
	from := first / blockReturns
	if first%blockReturns != 0 {
		from++
		for i, r := range returns.from(first, from*blockReturns) {
			s[(first+i)&3] += float64(r * r)
		}
	}
	for b := from; b*blockReturns < l.n; b++ {
		for lane, v := range l.block[b%len(l.block)] {
			s[lane] += v
		}
	}
	return ((s[0] + s[1]) + (s[2] + s[3])) / float64(l.n-first)
}
