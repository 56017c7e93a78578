package feed

import (
	"cmp"
	"math"
	"slices"
	"time"

	"ballast/marketcache"
)

// isLight reports whether a row belongs to the light lane.
func (w *row) isLight() bool {
	return w.Class == ForDepth || w.Class == ForKnown && !w.Spare
}

// isDue reports whether a row comes before others of its lane.
func (w *row) isDue(now marketcache.Instant) bool { return w.due != 0 && w.due <= now }

// Turns: all rows of one come before those of the next.
const (
	startTurn = iota
	lightTurn
	dueTurn
	lastTurn
)

func (w *row) turn(now marketcache.Instant) int {
	switch {
	case w.Class == ForStart:
		return startTurn
	case w.isLight():
		return lightTurn
	case w.isDue(now):
		return dueTurn
	}
	return lastTurn
}

// before compares rows by what comes first. Classes with due rows take turns, the row first that is due for longest.
// Otherwise the key comes first that was served longest ago, and of its rows the wallet that was read longest ago.
func (q *Queue) before(a, b *row, now marketcache.Instant) int {
	turn := a.turn(now)
	if order := turn - b.turn(now); order != 0 {
		return order
	}
	if turn == dueTurn {
		return cmp.Or(cmp.Compare(q.dueServed[a.Class], q.dueServed[b.Class]), cmp.Compare(a.due, b.due))
	}
	return cmp.Or(cmp.Compare(a.key.served, b.key.served), cmp.Compare(a.Last, b.Last))
}

// purse is the weight that the light lane leaves to the heavy one. Half of what comes free flows into it, and what the
// heavy lane spends is taken out. Its bound is what the heavy lane's first row needs; it falls to a wallet's first read
// when no heavy row waits, and each time a light row is served.
type purse struct {
	level, most float64
	at          marketcache.Instant // when level was true
}

// fill brings a purse up to date; pace is the weight that comes free in a nanosecond.
func (p *purse) fill(pace float64, now marketcache.Instant) {
	p.level = min(p.level+pace/2*float64(now.Sub(p.at)), p.most)
	p.at = now
}

// has returns the time until a purse has a weight.
func (p *purse) has(weight, pace float64) time.Duration {
	return time.Duration(math.Ceil(max(0, weight-p.level) / (pace / 2)))
}

// pace returns the weight that comes free in a nanosecond.
func (q *Queue) pace(now marketcache.Instant) float64 {
	limit, burst := q.meter.bounds(now)
	return float64(max(1, limit-burst)) / float64(budgetWindow)
}

// leave returns the weight that must stay free in the burst when a row of the heavy lane is served: it is for rows that
// leave less. fits does not ask it of a key that is alone.
func (q *Queue) leave(w *row, now marketcache.Instant) int {
	_, burst := q.meter.bounds(now)
	first := min(int(q.First.Load()), burst)
	switch {
	case w.Class == ForHistory, w.Spare:
		return max(burst-q.meter.counts[ForWallet]-q.meter.counts[ForKnown], first)
	case w.Class == ForWallet && !w.key.isNew(now) && !w.isDue(now):
		return first
	}
	return 0
}

// alone reports whether a row's key is the only API key that has read wallets within a minute.
func (q *Queue) alone(w *row) bool {
	for id := range q.keys {
		if id.class.ofCallers() && id.key != w.Key {
			return false
		}
	}
	return w.Class.ofCallers()
}

// isNew reports whether a key was not served in the last minute.
func (k *keyState) isNew(now marketcache.Instant) bool {
	return k.served == 0 || now.Sub(k.served) > budgetWindow
}

// ofCallers reports whether reads of a class count for API keys.
func (c Class) ofCallers() bool { return c == ForWallet || c == ForKnown }

// fits returns the time until a row's weight may be spent, after that of the rows ahead of it in its lane.
func (q *Queue) fits(w *row, ahead int, now marketcache.Instant) time.Duration {
	if w.isLight() {
		p := &q.purse
		wait := q.meter.wait(ahead, w.Weight, int(p.level), false, now)
		flows := min(float64(wait)*q.pace(now), p.most-p.level) // into the purse until then
		return q.meter.wait(ahead, w.Weight, int(p.level+flows), false, now)
	}
	leave := q.leave(w, now)
	if q.alone(w) {
		leave = 0
	}
	return q.meter.wait(ahead, w.Weight, leave, w.Class == ForStart, now)
}

// next returns the row to be served now, or nil and the time until one may be. A row that does not fit holds up the
// rows behind it in its lane, except those that may use weight which it must leave to them.
func (q *Queue) next(now marketcache.Instant) (w *row, soonest time.Duration) {
	slices.SortStableFunc(q.rows, func(a, b *row) int { return q.before(a, b, now) })
	if soonest = budgetWindow; now < q.meter.halved {
		soonest = q.meter.halved.Sub(now)
	}
	q.purse.most = float64(q.First.Load())
	light, heavy := false, 1<<30 // light rows are held up; heavy rows that leave as much are
	for _, w := range q.rows {
		if pause := q.paused(w.Class, now); pause > 0 {
			soonest = min(soonest, pause)
			continue
		}
		if w.due > now && w.due != 0 {
			soonest = min(soonest, w.due.Sub(now))
			continue
		}
		leave := q.leave(w, now)
		if w.isLight() && light || !w.isLight() && leave >= heavy {
			continue
		}
		wait := q.fits(w, 0, now)
		if light && w.Class != ForStart {
			wait = max(wait, q.purse.has(float64(w.Weight), q.pace(now)))
		}
		if wait == 0 {
			return w, 0
		}
		soonest = min(soonest, wait)
		if w.isLight() {
			light = true
			continue
		}
		if heavy == 1<<30 && !w.Spare {
			q.purse.most = float64(w.Weight)
			if !q.alone(w) {
				q.purse.most += float64(leave)
			}
		}
		heavy = leave
		if w.Class == ForStart {
			break
		}
	}
	return nil, soonest
}

// wait estimates the time until a row is served, if no further rows come: neither of other keys nor of its own.
func (q *Queue) wait(w *row, now marketcache.Instant) time.Duration {
	if pause := q.paused(w.Class, now); pause > 0 {
		return pause
	}
	leave, turn, own := q.leave(w, now), w.turn(now), 0
	inLane := func(o *row) bool {
		return o != w && o.isLight() == w.isLight() && q.leave(o, now) <= leave && q.paused(o.Class, now) == 0
	}
	for _, o := range q.rows {
		if inLane(o) && o.key == w.key && q.before(o, w, now) <= 0 {
			own++
		}
	}
	ahead, rows := 0, map[*keyState]int{}
	for _, o := range q.rows {
		if !inLane(o) {
			continue
		}
		turns := own // of another key before this row
		if o.key != w.key && o.key.served <= w.key.served {
			turns++
		}
		if rows[o.key]++; o.turn(now) < turn || rows[o.key] <= turns {
			ahead += o.Weight
		}
	}
	return max(q.fits(w, ahead, now), time.Millisecond)
}

// gathered returns the time in which the heavy lane's half of what comes free makes up a weight. Others take a pace of
// that half, at most half of it.
func (q *Queue) gathered(weight float64, others float64, now marketcache.Instant) time.Duration {
	pace := q.pace(now) / 2
	return time.Duration(max(0, weight) / max(pace-others, pace/2))
}

// promise estimates when a refused first read that stays in the queue is made, and returns from when on it is due. The
// read of a key that had none in the last minute is due at once. Any other leaves time for one such read, and is due in
// time for its own weight and as much of tables. Later rows that are due at once can make both too short.
func (q *Queue) promise(w *row, now marketcache.Instant) (wait time.Duration, due marketcache.Instant) {
	weight, soon := float64(w.Weight), w.key.isNew(now)
	for _, o := range q.rows {
		if o != w && (o.isDue(now) || o.due != 0 && !soon) {
			weight += float64(o.Weight)
		}
	}
	if soon {
		return q.gathered(weight-q.purse.level, 0, now), now
	}
	tables := float64(q.meter.counts[ForLive]) / float64(budgetWindow)
	wait = q.gathered(weight+float64(q.First.Load()), tables, now)
	return wait, now.Add(wait - q.gathered(float64(2*w.Weight), 0, now))
}
