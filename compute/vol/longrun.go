package vol

const (
	// blockReturns divides longRunWindow and is a multiple of the four lanes, so
	// that a window starts as deep in its first block as it ends in its last.
	blockReturns = 120
	blockCount   = longRunWindow / blockReturns
)

// longRun is the sum of squared returns over the newest longRunWindow of them,
// without adding them all up each hour and without ever subtracting: a return
// that has left the window leaves no rounding error behind.
//
//	| oldest block, its end | full block | ... | full block | current block |
//	      re-added                 kept sums                    kept sums
//
// Lanes are those of package stats, by the return's own number.
type longRun struct {
	n     int                        // returns absorbed
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

// mean returns the mean square of the newest longRunWindow returns (all when
// fewer); 0 without any. returns must hold them.
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
