package sim

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// replay serves recorded payloads from a directory. File names say which request they answer,
//
//	<type>[-<word>]….json
//
// where a word is a coin, a dex, nSigFigs3, an interval or a part of a wallet's address; dates and
// other words are ignored. If several files match, the last by name is used. A wallet named by no file
// gets one of the files without a wallet, selected by the last byte of its address, so that every
// recorded account can be reached.
//
// Books, accounts and exchangeStatus get the current time; candles and funding rows are shifted by whole
// hours so that they end now. Requests without a recording get the venue's answer for unknown things:
// null for a book, an empty list for a history, zeros for a wallet, otherwise HTTP 500 null.
type replay struct {
	files []recording
	now   func() int64 // ms
}

// recording is one file and the meaning of its name.
type recording struct {
	kind, coin, dex, interval string
	figures                   int
	user                      string // part of an address, lower case
	body                      []byte
}

var (
	datePart = regexp.MustCompile(`^(\d{4}|\d{2})(t\d+)?$`)
	coinPart = regexp.MustCompile(`^k?[A-Z]`)
	userPart = regexp.MustCompile(`^[0-9a-f]{4,40}$`)
	// variantPart is a word in the names of files that are not complete mainnet answers.
	variantPart = regexp.MustCompile(`^(testnet|selection|nomargintable)$`)
)

// openReplay reads a directory.
func openReplay(dir string, now func() int64) (*replay, error) {
	r := &replay{now: now}
	names, err := filepath.Glob(filepath.Join(dir, "*.json")) // sorted
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		rec, known := parseName(strings.TrimSuffix(filepath.Base(name), ".json"))
		if !known {
			continue
		}
		if rec.body, err = os.ReadFile(name); err != nil {
			return nil, err
		}
		r.files = append(r.files, rec)
	}
	if len(r.files) == 0 {
		return nil, fmt.Errorf("replay %s: no recording found", dir)
	}
	return r, nil
}

// parseName parses a file name; known is false when it does not start with a request type.
func parseName(name string) (rec recording, known bool) {
	parts := strings.Split(name, "-")
	rec.kind = parts[0]
	t, known := infoTypes[rec.kind]
	for _, part := range parts[1:] {
		_, isInterval := intervals[part]
		switch figures, has := strings.CutPrefix(part, "nSigFigs"); {
		case has:
			rec.figures, _ = strconv.Atoi(figures)
		case datePart.MatchString(part), part == "full":
		case isInterval:
			rec.interval = part
		case coinPart.MatchString(part):
			rec.coin = part
		case t.user && userPart.MatchString(part):
			rec.user = part
		case variantPart.MatchString(part):
			return rec, false
		case !t.user && rec.coin == "":
			rec.dex = part
		}
	}
	return rec, known
}

// answers reports whether a recording answers a request.
func (rec *recording) answers(q *hyperliquid.InfoRequest) bool {
	coin, interval, figures := q.Coin, rec.interval, or(q.NSigFigs, 0)
	if q.Req != nil {
		coin, interval = q.Req.Coin, q.Req.Interval
	}
	return rec.kind == q.Type && rec.coin == coin && rec.dex == q.Dex && rec.figures == figures &&
		(rec.interval == "" || rec.interval == interval) && strings.Contains(q.User, rec.user)
}

// find returns the recording that answers a request, nil if there is none.
func (r *replay) find(q *hyperliquid.InfoRequest) (best *recording) {
	var anyone []*recording // recordings without a wallet
	for i := range r.files {
		switch rec := &r.files[i]; {
		case !rec.answers(q):
		case rec.user == "" && len(q.User) == 42:
			anyone = append(anyone, rec)
		default:
			best = rec
		}
	}
	if best == nil && len(anyone) > 0 {
		n, _ := strconv.ParseUint(q.User[40:], 16, 8)
		best = anyone[int(n)%len(anyone)]
	}
	return best
}

// info answers one request from the recordings.
func (r *replay) info(q *hyperliquid.InfoRequest, f *faults) answer {
	if _, known := infoTypes[q.Type]; !known {
		return refused
	}
	now := r.now() + f.skewMs()
	if rec := r.find(q); rec != nil {
		return ok(restamp(q.Type, rec.body, now))
	}
	switch q.Type {
	case "l2Book":
		return ok(nil)
	case "candleSnapshot", "fundingHistory", "recentTrades":
		return ok([]string{})
	case "clearinghouseState", "exchangeStatus", "perpDexs", "perpsAtOpenInterestCap", "predictedFundings", "spotClearinghouseState",
		"userAbstraction", "userFees":
		empty := &market{dexes: []dex{{}}, nowMs: now, clock: func() int64 { return now }}
		return ok(infoTypes[q.Type].answer(empty.query(&hyperliquid.InfoRequest{}, nil, &faults{})))
	}
	return failed
}

// restamp sets a payload's time to now, or shifts its rows by the number of whole hours that brings the
// last row to the current hour. A payload of another shape is served as recorded.
func restamp(kind string, body []byte, now int64) any {
	switch kind {
	case "l2Book", "clearinghouseState", "exchangeStatus":
		var m object
		if json.Unmarshal(body, &m) == nil && m["time"] != nil {
			m["time"] = now
			return m
		}
	case "candleSnapshot", "fundingHistory":
		var rows []object
		if json.Unmarshal(body, &rows) != nil || len(rows) == 0 {
			break
		}
		newest, _ := cmp.Or(rows[len(rows)-1]["t"], rows[len(rows)-1]["time"]).(float64)
		by := (floorDiv(now, hourMs) - floorDiv(int64(newest), hourMs)) * hourMs
		for _, row := range rows {
			for _, field := range []string{"t", "T", "time"} {
				if ms, has := row[field].(float64); has {
					row[field] = int64(ms) + by
				}
			}
		}
		return rows
	}
	return json.RawMessage(body)
}

// checkSubscription accepts all subscriptions except books that were not recorded.
func (r *replay) checkSubscription(s *hyperliquid.Subscription) verdict {
	if s.Type == "l2Book" && r.find(&s.InfoRequest) == nil {
		return fatal
	}
	return accepted
}

// push returns the data of a stream's frame, from the recording of the corresponding request with the
// current time.
func (r *replay) push(t *topic, f *faults) any {
	s := &t.sub
	ask := func(kind string) any {
		q := s.InfoRequest
		q.Type = kind
		return r.info(&q, f).data
	}
	switch s.Type {
	case "l2Book", "activeAssetData":
		return ask(s.Type)
	case "allMids":
		return object{"mids": ask(s.Type)}
	case "clearinghouseState":
		return object{"dex": s.Dex, "user": s.User, s.Type: ask(s.Type)}
	case "spotState":
		return object{"user": s.User, s.Type: ask("spotClearinghouseState")}
	case "allDexsAssetCtxs", "assetCtxs", "activeAssetCtx":
		return r.pushContexts(s)
	}
	if st := streams[s.Type]; st.everyMs == 0 {
		return st.data(query{InfoRequest: &s.InfoRequest})
	}
	return nil
}

// pushContexts returns the frame of a context stream from the recorded metaAndAssetCtxs, so that the
// positions of universe and contexts agree.
func (r *replay) pushContexts(s *hyperliquid.Subscription) any {
	rec := r.find(&hyperliquid.InfoRequest{Type: "metaAndAssetCtxs", Dex: s.Dex})
	var both, contexts []json.RawMessage
	var meta struct{ Universe []struct{ Name string } }
	if rec == nil || json.Unmarshal(rec.body, &both) != nil || len(both) != 2 ||
		json.Unmarshal(both[0], &meta) != nil || json.Unmarshal(both[1], &contexts) != nil {
		return nil
	}
	switch s.Type {
	case "allDexsAssetCtxs":
		return object{"ctxs": [][2]any{{"", contexts}}}
	case "assetCtxs":
		return object{"dex": s.Dex, "ctxs": contexts}
	}
	for i, u := range meta.Universe {
		if u.Name == s.Coin && i < len(contexts) {
			return object{"coin": s.Coin, "ctx": contexts[i]}
		}
	}
	return nil
}
