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
)

// replay serves recorded payloads from a directory. File names say which request they answer:
//
//	<type>[-<dex>][-<coin>][-nSigFigs<n>][-<remark>].json
//
// A remark begins with a digit or is "full"; that of a wallet's answer may be any. If several files match, the last
// by name is used, and for a wallet the one selected by the last byte of its address, so that every recorded
// account can be reached.
//
// Books, accounts and exchangeStatus get the current time; candles and funding rows are shifted by whole
// hours so that they end now. Requests without a recording get the venue's answer for unknown things:
// null for a book, an empty list for a history, zeros for a wallet, otherwise HTTP 500 null.
type replay struct {
	files []recording
	now   func() int64 // ms
}

type recording struct {
	name string // of the file, without .json
	body []byte
}

// openReplay reads a directory.
func openReplay(dir string, now func() int64) (*replay, error) {
	r := &replay{now: now}
	names, err := filepath.Glob(filepath.Join(dir, "*.json")) // sorted
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r.files = append(r.files, recording{strings.TrimSuffix(filepath.Base(name), ".json"), body})
	}
	if len(r.files) == 0 {
		return nil, fmt.Errorf("replay %s: no recording found", dir)
	}
	return r, nil
}

var remark = regexp.MustCompile(`^-(\d.*|full.*)$`)

// find returns the recording that answers a request, nil if there is none.
func (r *replay) find(q *infoRequest) []byte {
	coin, precision := q.Coin, ""
	if q.Req != nil {
		coin = q.Req.Coin
	}
	if q.NSigFigs != nil {
		precision = "nSigFigs" + strconv.Itoa(*q.NSigFigs)
	}
	prefix := q.Type
	for _, word := range []string{q.Dex, coin, precision} {
		if word != "" {
			prefix += "-" + word
		}
	}
	var found [][]byte
	for _, f := range r.files {
		rest, is := strings.CutPrefix(f.name, prefix)
		if is && (rest == "" || remark.MatchString(rest) || q.User != "" && rest[0] == '-') {
			found = append(found, f.body)
		}
	}
	switch {
	case len(found) == 0:
		return nil
	case len(q.User) == 42:
		n, _ := strconv.ParseUint(q.User[40:], 16, 8)
		return found[int(n)%len(found)]
	}
	return found[len(found)-1]
}

// info answers one request from the recordings.
func (r *replay) info(q *infoRequest, f *faults) answer {
	t, known := infoTypes[q.Type]
	if !known {
		return refused
	}
	now := r.now() + f.skewMs()
	if body := r.find(q); body != nil {
		return ok(restamp(q.Type, body, now))
	}
	switch q.Type {
	case "l2Book":
		return ok(nil)
	case "candleSnapshot", "fundingHistory":
		return ok([]string{})
	case "meta", "metaAndAssetCtxs", "allMids", "activeAssetData":
		return failed
	}
	empty := &market{dexes: []dex{{}}, nowMs: now, clock: func() int64 { return now }}
	return ok(t.answer(empty.query(&infoRequest{}, nil, &faults{})))
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
func (r *replay) checkSubscription(s *subscription) verdict {
	if s.Type == "l2Book" && r.find(&s.infoRequest) == nil {
		return fatal
	}
	return accepted
}

// push returns the data of a stream's frame, from the recording of the corresponding request with the
// current time.
func (r *replay) push(t *topic, f *faults) any {
	q := t.sub.infoRequest
	switch q.Type {
	case "allDexsAssetCtxs": // with the universe of the same recording, so that positions agree
		var both []json.RawMessage
		if json.Unmarshal(r.find(&infoRequest{Type: "metaAndAssetCtxs"}), &both) != nil || len(both) != 2 {
			return nil
		}
		return object{"ctxs": [][2]any{{"", both[1]}}}
	case "allDexsClearinghouseState":
		q.Type = "clearinghouseState"
		return object{"user": q.User, "clearinghouseStates": [][2]any{{"", r.info(&q, f).data}}}
	case "spotState":
		q.Type = "spotClearinghouseState"
		return object{"user": q.User, "spotState": r.info(&q, f).data}
	case "fastAssetCtxs":
		return nil
	case "allMids":
		return object{"mids": r.info(&q, f).data}
	}
	return r.info(&q, f).data
}
