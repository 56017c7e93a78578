package gate

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// LastSlice is how long after its time a TWAP may still fill.
const LastSlice = time.Minute

// Endless is how long a TWAP counts that may begin at any time.
const Endless = 365 * 24 * time.Hour

// twapRow is one row of the venue's answer to twapHistory: a TWAP when it began, or when it ended.
type twapRow struct {
	State struct {
		Coin, Side, Sz     string
		Minutes, Timestamp int64
		ReduceOnly         bool
	}
	Status struct{ Status string }
	ID     uint64 `json:"twapId"`
}

// twapKey tells TWAPs apart: old rows have no number.
type twapKey struct {
	coin, side, size string
	startMs          int64
}

func (r *twapRow) key() twapKey {
	return twapKey{r.State.Coin, r.State.Side, r.State.Sz, r.State.Timestamp}
}

func (r *twapRow) ended() bool {
	s := r.Status.Status
	return s == "finished" || s == "terminated" || s == "error"
}

// KnowsTWAPs reports whether the TWAPs count that the account had when its ledger was made.
func (l *Ledger) KnowsTWAPs() bool { return l.knowsTWAPs }

// LearnTWAPs asks the venue for the account's running TWAPs, which a gate before this one may have passed on, and
// reserves their sizes. The caller must have locked the ledger. find returns an asset by its name.
func (g *Gate) LearnTWAPs(l *Ledger, find func(coin string) marketcache.AssetID, nowMs int64) error {
	var rows []twapRow
	err := g.ask(`{"type":"twapHistory","user":"`+l.account.String()+`"}`, true, &rows)
	if err != nil {
		return err
	}
	if more := exchange.InfoWeight("twapHistory", len(rows)) - exchange.InfoWeight("twapHistory", 0); more > 0 {
		g.owed.Add(int64(more))
	}
	orders, err := running(rows, find, nowMs)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.knowsTWAPs = true; len(orders) > 0 {
		l.held = append(l.held, &Reservation{ledger: l, orders: orders})
	}
	return nil
}

// running returns the TWAPs of perpetuals that have not ended and are not reduce-only, with their whole size: the
// position may not show yet what has filled. One in an asset that is not known has NoAsset.
func running(rows []twapRow, find func(coin string) marketcache.AssetID, nowMs int64) (to []Pending, err error) {
	ended := map[twapKey]bool{}
	for i := range rows {
		if rows[i].ended() {
			ended[rows[i].key()] = true
		}
	}
	for i := range rows {
		r := &rows[i]
		lasts := time.Duration(r.State.Timestamp+r.State.Minutes*60_000-nowMs)*time.Millisecond + LastSlice
		if r.Status.Status != "activated" {
			lasts = Endless
		}
		spot := strings.ContainsAny(r.State.Coin, "@#/")
		if ended[r.key()] || lasts <= 0 || r.State.ReduceOnly || spot {
			continue
		}
		units, err := strconv.ParseFloat(r.State.Sz, 64)
		switch side := r.State.Side; {
		case err != nil || side != "A" && side != "B":
			return nil, fmt.Errorf("twapHistory: a TWAP of side %q and size %q", side, r.State.Sz)
		case side == "A":
			units = -units
		}
		to = append(to, Pending{Asset: find(r.State.Coin), Units: units, Lasts: lasts, number: r.ID,
			answered: marketcache.Now()})
	}
	return to, nil
}
