package sim

import (
	"bytes"
	"encoding/json" // recordings may hold anything and are read once: no need of the fast decoder
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"ballast/marketcache/venue/hyperliquid"
)

// replay serves recorded payloads from a folder. Which file answers which request is
// said by manifest.json, when there is one,
//
//	[{"request":{"type":"l2Book","coin":"BTC"},"file":"btc.json"}, …]
//
// and otherwise by the file names,
//
//	<type>[-<word>]….json
//
// where the words narrow the request: a coin, a dex, nSigFigs3, an interval, a part
// of a wallet address. Dates, "full" and words that fit nothing do not count. The
// file with the most fitting words wins, then the last one by name. A word that names
// another coin, dex or precision excludes a file, with one exception: wallets. An
// account request that no file fits is answered by the file whose number is the
// address's last byte, modulo their count, so that every recorded account can be
// reached by some address. Files whose type is unknown (accounts-, ws-, http-) are
// left out.
//
// Times: books, accounts and exchangeStatus are stamped now, candles and funding rows
// are moved by whole hours so that they end now; raw leaves all as recorded.
//
// What was not recorded is answered as the venue answers the unknown: null for a book,
// an empty list for a history, zeros for a wallet, else HTTP 500 null.
type replay struct {
	files []recording
	raw   bool
	now   func() int64 // ms
}

// recording is one file and what its name says.
type recording struct {
	kind, coin, dex, interval string
	figures                   int
	user                      string         // part of an address, lower case
	request                   map[string]any // from the manifest, nil without
	body                      []byte
}

var (
	datePart    = regexp.MustCompile(`^\d{4}(-?\d{2})*(t\d+)?$|^\d{2}(t\d+)?$`)
	figuresPart = regexp.MustCompile(`^nsigfigs([2-5])$`)
	hexPart     = regexp.MustCompile(`^(0x)?[0-9a-f]{4,40}$`)
)

// openReplay reads a folder.
func openReplay(dir string, raw bool, now func() int64) (*replay, error) {
	r := &replay{raw: raw, now: now}
	if b, err := os.ReadFile(filepath.Join(dir, "manifest.json")); err == nil {
		return r, r.readManifest(dir, b)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
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

func (r *replay) readManifest(dir string, b []byte) error {
	var rows []struct {
		Request map[string]any `json:"request"`
		File    string         `json:"file"`
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		return fmt.Errorf("manifest.json: %w", err)
	}
	for _, row := range rows {
		body, err := os.ReadFile(filepath.Join(dir, filepath.Base(row.File)))
		if err != nil {
			return err
		}
		kind, _ := row.Request["type"].(string)
		r.files = append(r.files, recording{kind: kind, request: row.Request, body: body})
	}
	return nil
}

// parseName reads a file name; false when its type is not a request's.
func parseName(name string) (rec recording, known bool) {
	parts := strings.Split(name, "-")
	rec.kind = parts[0]
	if sharedTypes[rec.kind] == nil && userTypes[rec.kind] == nil {
		return rec, false
	}
	for _, part := range parts[1:] {
		lower := strings.ToLower(part)
		_, isInterval := intervals[part]
		isCoin := part != "" && (part[0] >= 'A' && part[0] <= 'Z' || part[0] == 'k' && len(part) > 1 && part[1] >= 'A' && part[1] <= 'Z')
		switch m := figuresPart.FindStringSubmatch(lower); {
		case m != nil:
			rec.figures, _ = strconv.Atoi(m[1])
		case datePart.MatchString(lower), lower == "full":
		case isInterval:
			rec.interval = part
		case isCoin:
			rec.coin = part
		case userTypes[rec.kind] != nil && hexPart.MatchString(lower):
			rec.user = strings.TrimPrefix(lower, "0x")
		case part == "testnet", part == "selection", part == "nomargintable", part == "hlp", part == "trimmed":
			return rec, part == "hlp" || part == "trimmed" // others would stand in for the whole
		case userTypes[rec.kind] == nil && rec.coin == "":
			rec.dex = part
		}
	}
	return rec, true
}

// fit says how well a recording answers a request: below zero not at all.
func (rec *recording) fit(q *hyperliquid.InfoRequest) int {
	if rec.kind != q.Type {
		return -1
	}
	if rec.request != nil {
		return manifestFit(rec.request, q)
	}
	coin, figures := q.Coin, 0
	if q.NSigFigs != nil {
		figures = *q.NSigFigs
	}
	score := 0
	if q.Req != nil {
		coin = q.Req.Coin
		if rec.interval != "" && rec.interval != q.Req.Interval {
			return -1
		}
	}
	if rec.coin != coin && (coin != "" || rec.coin != "") || rec.dex != q.Dex || rec.figures != figures {
		return -1
	}
	if rec.user != "" {
		if !strings.Contains(q.User, rec.user) {
			return -1
		}
		score += len(rec.user)
	}
	return score
}

// manifestFit counts the fields of a manifest's request, all of which must be equal.
func manifestFit(want map[string]any, q *hyperliquid.InfoRequest) int {
	var have map[string]any
	if err := json.Unmarshal(encode(q), &have); err != nil {
		return -1
	}
	score := 0
	for k, v := range want {
		if s, isText := v.(string); isText && k == "user" {
			v = strings.ToLower(s)
		}
		if fmt.Sprint(have[k]) != fmt.Sprint(v) {
			return -1
		}
		score++
	}
	return score
}

// find returns the recording that answers a request, nil when none does.
func (r *replay) find(q *hyperliquid.InfoRequest) *recording {
	var best *recording
	var accounts []*recording
	top := -1
	for i := range r.files {
		rec := &r.files[i]
		if s := rec.fit(q); s >= 0 && s >= top {
			best, top = rec, s
		}
		if rec.kind == q.Type && rec.user == "" && rec.request == nil {
			accounts = append(accounts, rec)
		}
	}
	if userTypes[q.Type] != nil && top <= 0 && len(accounts) > 0 && len(q.User) == 42 && q.Coin == "" {
		n, _ := strconv.ParseUint(q.User[40:], 16, 8)
		return accounts[int(n)%len(accounts)]
	}
	return best
}

// info answers one request from the recordings.
func (r *replay) info(q *hyperliquid.InfoRequest, f *faults) answer {
	if sharedTypes[q.Type] == nil && userTypes[q.Type] == nil {
		return refused
	}
	rec := r.find(q)
	if rec == nil {
		return r.missing(q)
	}
	body := rec.body
	if !r.raw {
		body = r.restamp(q.Type, body, f)
	}
	return ok(body)
}

// missing answers what was not recorded.
func (r *replay) missing(q *hyperliquid.InfoRequest) answer {
	switch q.Type {
	case "l2Book":
		return ok(null)
	case "candleSnapshot", "fundingHistory", "predictedFundings", "perpsAtOpenInterestCap", "recentTrades":
		return ok([]byte("[]"))
	case "exchangeStatus":
		return okJSON(hyperliquid.ExchangeStatus{Time: r.now()})
	case "clearinghouseState":
		return okJSON((*account)(nil).clearinghouse("", 0, r.now()))
	case "spotClearinghouseState":
		return ok([]byte(`{"balances":[]}`))
	case "userAbstraction":
		return ok([]byte(`"default"`))
	case "userFees":
		return okJSON((*account)(nil).fees(r.now()))
	case "perpDexs":
		return ok([]byte("[null]"))
	}
	return failed
}

// restamp moves a payload's times to now. A payload that is not what its type
// promises is served as recorded.
func (r *replay) restamp(kind string, body []byte, f *faults) []byte {
	now := r.now() + f.skewMs()
	switch kind {
	case "l2Book", "clearinghouseState", "exchangeStatus":
		var m map[string]json.RawMessage
		if json.Unmarshal(body, &m) != nil || m == nil || m["time"] == nil {
			return body
		}
		m["time"] = json.RawMessage(strconv.FormatInt(now, 10))
		return encodeRaw(m, body)
	case "candleSnapshot":
		return shiftRows(body, now, "t", "T")
	case "fundingHistory":
		return shiftRows(body, now, "time")
	}
	return body
}

// shiftRows moves the times of a list of rows by the whole number of hours that
// brings the last row's first field to the hour of now.
func shiftRows(body []byte, now int64, fields ...string) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var rows []map[string]any
	if d.Decode(&rows) != nil || len(rows) == 0 {
		return body
	}
	at := func(row map[string]any, field string) int64 {
		n, _ := row[field].(json.Number)
		ms, _ := n.Int64()
		return ms
	}
	by := (floorDiv(now, hourMs) - floorDiv(at(rows[len(rows)-1], fields[0]), hourMs)) * hourMs
	for _, row := range rows {
		for _, field := range fields {
			row[field] = at(row, field) + by
		}
	}
	return encodeRaw(rows, body)
}

// encodeRaw encodes what was decoded, or returns the original.
func encodeRaw(v any, original []byte) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return original
	}
	return b
}

// takes takes any subscription of a type that has recordings to show.
func (r *replay) takes(s *hyperliquid.Subscription) verdict {
	if s.Type == "l2Book" && r.find(bookRequest(s)) == nil {
		return fatal
	}
	return taken
}

func bookRequest(s *hyperliquid.Subscription) *hyperliquid.InfoRequest {
	return &hyperliquid.InfoRequest{Type: "l2Book", Coin: s.Coin, NSigFigs: s.NSigFigs, Mantissa: s.Mantissa}
}

// push makes the data of a stream from the recording of the request it corresponds
// to: the same state each time, stamped anew.
func (r *replay) push(dst []byte, t *topic, f *faults) []byte {
	s := &t.sub
	wrap := func(q *hyperliquid.InfoRequest, before, after string) []byte {
		a := r.info(q, f)
		if a.status != 200 || bytes.Equal(a.body, null) {
			return nil
		}
		return append(append(append(dst, before...), a.body...), after...)
	}
	switch s.Type {
	case "l2Book":
		return wrap(bookRequest(s), "", "")
	case "allMids":
		return wrap(&hyperliquid.InfoRequest{Type: "allMids", Dex: s.Dex}, `{"mids":`, "}")
	case "activeAssetData":
		return wrap(&hyperliquid.InfoRequest{Type: s.Type, User: s.User, Coin: s.Coin}, "", "")
	case "clearinghouseState":
		return wrap(&hyperliquid.InfoRequest{Type: s.Type, User: s.User, Dex: s.Dex},
			`{"dex":"`+s.Dex+`","user":"`+s.User+`","clearinghouseState":`, "}")
	case "spotState":
		return wrap(&hyperliquid.InfoRequest{Type: "spotClearinghouseState", User: s.User}, `{"user":"`+s.User+`","spotState":`, "}")
	case "allDexsAssetCtxs", "assetCtxs", "activeAssetCtx":
		return r.pushContexts(dst, s, f)
	}
	if t.stream.classic > 0 {
		return nil
	}
	return append(dst, emptySnapshot(s)...)
}

// pushContexts makes a context stream from the recorded metaAndAssetCtxs, so that the
// positions of its universe and its contexts agree.
func (r *replay) pushContexts(dst []byte, s *hyperliquid.Subscription, f *faults) []byte {
	a := r.info(&hyperliquid.InfoRequest{Type: "metaAndAssetCtxs", Dex: s.Dex}, f)
	var both []json.RawMessage
	if a.status != 200 || json.Unmarshal(a.body, &both) != nil || len(both) != 2 {
		return nil
	}
	switch s.Type {
	case "allDexsAssetCtxs":
		return append(append(append(dst, `{"ctxs":[["",`...), both[1]...), "]]}"...)
	case "assetCtxs":
		return append(append(append(dst, `{"dex":"`+s.Dex+`","ctxs":`...), both[1]...), '}')
	}
	var meta hyperliquid.Meta
	var contexts []json.RawMessage
	if json.Unmarshal(both[0], &meta) != nil || json.Unmarshal(both[1], &contexts) != nil {
		return nil
	}
	for i, u := range meta.Universe {
		if u.Name == s.Coin && i < len(contexts) {
			return append(append(append(dst, `{"coin":"`+s.Coin+`","ctx":`...), contexts[i]...), '}')
		}
	}
	return nil
}
