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

// replay serves recorded payloads from a folder. The names of the files say which request
// each of them answers,
//
//	<type>[-<word>]….json
//
// where words name a coin, a dex, nSigFigs3, an interval or a part of a wallet's address;
// dates and other words do not count. Of several files the last one by name answers. A
// wallet that no file names is answered by one of those that name none: by the last byte
// of its address, so that every recorded account can be reached.
//
// Books, accounts and exchangeStatus are stamped now; candles and funding rows are moved by
// whole hours so that they end now. What was not recorded is answered as the venue answers
// the unknown: null for a book, an empty list for a history, zeros for a wallet, else
// HTTP 500 null.
type replay struct {
	files []recording
	now   func() int64 // ms
}

// recording is one file and what its name says.
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
	// variantPart is a word of files that are not a whole answer of mainnet.
	variantPart = regexp.MustCompile(`^(testnet|selection|nomargintable)$`)
)

// openReplay reads a folder.
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

// parseName reads a file name; false when its type is not a request's.
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
	coin, interval, figures := q.Coin, rec.interval, 0
	if q.NSigFigs != nil {
		figures = *q.NSigFigs
	}
	if q.Req != nil {
		coin, interval = q.Req.Coin, q.Req.Interval
	}
	return rec.kind == q.Type && rec.coin == coin && rec.dex == q.Dex && rec.figures == figures &&
		(rec.interval == "" || rec.interval == interval) && strings.Contains(q.User, rec.user)
}

// find returns the recording that answers a request, nil when none does.
func (r *replay) find(q *hyperliquid.InfoRequest) (best *recording) {
	var anyone []*recording // of no wallet in particular
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
	case "candleSnapshot", "fundingHistory", "predictedFundings", "perpsAtOpenInterestCap", "recentTrades":
		return ok([]string{})
	case "exchangeStatus":
		return ok(exchangeStatus(now))
	case "clearinghouseState":
		return ok((*account)(nil).clearinghouse("", 0, now))
	case "spotClearinghouseState":
		return ok((*market)(nil).spotState(nil))
	case "userAbstraction":
		return ok("default")
	case "userFees":
		return ok((*account)(nil).fees(now))
	case "perpDexs":
		return ok([]any{nil})
	}
	return failed
}

// restamp moves a payload's times to now, those of rows by the whole number of hours that brings
// the last row to the hour of now. A payload that is not what its type promises is served as
// recorded.
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

// takes takes any subscription but those to books that were not recorded.
func (r *replay) takes(s *hyperliquid.Subscription) verdict {
	if s.Type == "l2Book" && r.find(&s.InfoRequest) == nil {
		return fatal
	}
	return taken
}

// push makes the data of a stream from the recording of the request it corresponds
// to: the same state each time, stamped anew.
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
		return st.data(query{InfoRequest: &s.InfoRequest}, t)
	}
	return nil
}

// pushContexts makes a context stream from the recorded metaAndAssetCtxs, so that the
// positions of its universe and its contexts agree.
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
