package alerts

import (
	"maps"
	"slices"
	"strings"
	"time"

	"ballast/server/api"
)

const (
	// keepStanding is how long the standing conditions of a wallet are kept after the last socket that was told their
	// details has left.
	keepStanding = 10 * time.Minute
	// maxKept bounds the sets of thresholds of one wallet that are kept without such a socket.
	maxKept = maxGroups
)

// standing holds the conditions of a wallet that stand beyond one set of thresholds, for the sockets that are told
// details. The shard's lock guards it.
type standing struct {
	thresholds Thresholds
	sockets    int
	left       *time.Timer // runs while there is no socket
	conditions map[conditionKey]*condition
	spare      map[conditionKey]*condition // scratch of update
}

type conditionKey struct {
	kind  Kind
	asset string
}

// condition is a breach that was found by each of count results in a row.
type condition struct {
	asset   string
	sinceMs int64 // ms since 1970 UTC
	count   int
}

// update takes over the alerts of a result: a condition that is not among them has ended, unless the result is about
// stops only. A shift of regime does not last: each is a condition of its own. So is the removal of a stop.
func (st *standing) update(alerts []Alert, aboutStops bool) {
	clear(st.spare)
	if aboutStops {
		maps.Copy(st.spare, st.conditions)
	}
	for i := range alerts {
		a := &alerts[i]
		c := st.conditions[conditionKey{a.Kind, a.Asset}]
		if c == nil || a.Kind == RegimeShift || a.Kind == StopRemoved {
			c = &condition{asset: strings.Clone(a.Asset), sinceMs: a.AtMs}
		}
		c.count++
		st.spare[conditionKey{a.Kind, c.asset}] = c
	}
	st.conditions, st.spare = st.spare, st.conditions
}

// appendDetails appends an alert as AppendJSON does, with since when its condition stands and how many results have
// found it.
func (st *standing) appendDetails(dst []byte, a *Alert) []byte {
	c := st.conditions[conditionKey{a.Kind, a.Asset}]
	dst = a.AppendJSON(dst)
	dst = append(dst[:len(dst)-1], `,"since":"`...)
	dst = api.AppendTime(dst, max(0, min(c.sinceMs, maxMs)))
	dst = append(dst, `","count":`...)
	dst = appendNumber(dst, float64(c.count))
	return append(dst, '}')
}

// standing returns what stands beyond the thresholds, nil if nobody wants to know.
func (a *audience) standing(th Thresholds) *standing {
	i := slices.IndexFunc(a.standings, func(st *standing) bool { return st.thresholds == th })
	if i < 0 {
		return nil
	}
	return a.standings[i]
}

// follow makes the audience keep what stands beyond a subscription's thresholds, if its socket is told details.
func (a *audience) follow(sub *subscription, th Thresholds) {
	if !sub.socket.details {
		return
	}
	st := a.standing(th)
	if st == nil {
		st = &standing{thresholds: th, conditions: map[conditionKey]*condition{}, spare: map[conditionKey]*condition{}}
		a.standings = append(a.standings, st)
	}
	if st.left != nil {
		st.left.Stop()
		st.left = nil
	}
	st.sockets++
	sub.standing = st
}

// unfollow ends what follow began. What stands is kept for keepStanding.
func (h *Hub) unfollow(sub *subscription) {
	a, st := sub.audience, sub.standing
	if sub.standing = nil; st == nil {
		return
	}
	if st.sockets--; st.sockets > 0 {
		return
	}
	kept := 0
	for _, o := range a.standings {
		if o.left != nil {
			kept++
		}
	}
	if len(st.conditions) == 0 || kept >= maxKept {
		a.forgetStanding(st)
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(keepStanding, func() {
		sh := h.shardOf(a.wallet)
		sh.mu.Lock()
		defer sh.mu.Unlock()
		if st.left == timer {
			a.forgetStanding(st)
			sh.dropEmpty(a)
		}
	})
	st.left = timer
}

func (a *audience) forgetStanding(st *standing) {
	a.standings = slices.DeleteFunc(a.standings, func(o *standing) bool { return o == st })
}

// dropEmpty removes an audience from the shard when nothing is left of it.
func (sh *shard) dropEmpty(a *audience) {
	if len(a.groups) == 0 && len(a.standings) == 0 && sh.audiences[a.wallet] == a {
		delete(sh.audiences, a.wallet)
	}
}

// updateUnwatched updates what stands beyond thresholds that no socket has now.
func (sh *shard) updateUnwatched(a *audience, r *Result) {
	for _, st := range a.standings {
		if !slices.ContainsFunc(a.groups, func(g *group) bool { return g.thresholds == st.thresholds }) {
			sh.alerts = Judge(sh.alerts[:0], r, &st.thresholds)
			st.update(sh.alerts, len(r.StopsRemoved) > 0)
		}
	}
}
