package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/server/api"
)

// Reader reads recorded decisions. A damaged block costs its decisions: readers count it and go on. Safe for
// concurrent use.
type Reader struct {
	Store   *store.Main
	damaged func(error) // is told of each damaged block; nil: nobody is
}

// headsAtOnce is how many blocks without their data a reader reads at a time.
const headsAtOnce = 256

// line is a line of a block.
type line struct {
	Decision
	Ms       int64 `json:"ms"`
	WalletMs int64 `json:"wallet_ms"`
	BookMs   int64 `json:"book_ms"`
	Reduces  bool  `json:"reduces"`
}

// decode returns the decision of a line of a block.
func decode(text []byte) (*Decision, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	d := &l.Decision
	d.At, d.Reduces = time.UnixMilli(l.Ms).UTC(), l.Reduces
	if d.Flags == nil {
		d.Flags = []string{}
	}
	if d.Facts == nil {
		d.Facts = map[string]float64{}
	}
	if d.Policy != nil {
		d.Policy.Facts = d.Facts
		if d.Policy.Broken == nil {
			d.Policy.Broken = []Violation{}
		}
	}
	if d.MarkPrice != nil && d.InputsDigest == "" {
		names := fmt.Appendf(bytes.Clone(d.Request), "\n%d %v %s %d %d", l.Ms, *d.MarkPrice, d.CalibrationHash,
			l.WalletMs, l.BookMs)
		sum := sha256.Sum256(names)
		d.InputsDigest = hex.EncodeToString(sum[:])
	}
	return d, nil
}

// JSON returns the decision as the API has it.
func (d *Decision) JSON() []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic("BUG: a decision that is no JSON: " + err.Error())
	}
	return text
}

// Query says which decisions are wanted. Empty fields do not restrict.
type Query struct {
	KeyID     string // of whoever asked
	RequestID string
	Wallet    string // with 0x, lower case
	Asset     string
	// Verdict is a recommendation, a verdict of the policy, or what the gate did: one of VerdictWords.
	Verdict  string
	From, To time.Time // To is not included
	// Cursor continues after a Page.
	Cursor string
	Limit  int
}

// VerdictWords are the values of Query.Verdict.
var VerdictWords = []string{"proceed", "proceed_with_caution", "abort", "pass", "deny", "unknown", "passed", "allowed",
	"refused"}

// Page is a part of an answer, newest first.
type Page struct {
	Decisions []*Decision
	Next      string // cursor; "": there is no more
	// Unreadable is how many blocks, of 256 decisions at most, could not be read.
	Unreadable int
}

// place is a decision's place: its block, and its number there.
type place struct {
	block int64
	at    int
}

func (p place) String() string { return strconv.FormatInt(p.block, 10) + "." + strconv.Itoa(p.at) }

// parseCursor reads a cursor; "" is the end of everything.
func parseCursor(text string) (p place, ok bool) {
	if text == "" {
		return place{math.MaxInt64, math.MaxInt}, true
	}
	block, at, _ := strings.Cut(text, ".")
	var bad, worse error
	p.block, bad = strconv.ParseInt(block, 10, 64)
	p.at, worse = strconv.Atoi(at)
	return p, bad == nil && worse == nil && p.String() == text && p.block > 0 && p.at >= 0
}

// ValidCursor reports whether a text is a cursor of a Page.
func ValidCursor(text string) bool { _, ok := parseCursor(text); return ok }

// Page returns the newest decisions of a query. It stops early when ctx ends: then Next continues, also after a page
// without decisions.
func (r *Reader) Page(ctx context.Context, q *Query) (*Page, error) {
	from, ok := parseCursor(q.Cursor)
	if !ok {
		return nil, fmt.Errorf("%.40q is no cursor", q.Cursor)
	}
	page := &Page{}
	fromMs, toMs := q.span()
	for {
		heads, err := r.Store.DecisionHeads(from.block, fromMs, toMs, false, headsAtOnce)
		if err != nil {
			return nil, err
		}
		for i := range heads {
			if ctx.Err() != nil {
				page.Next = from.String()
				return page, nil
			}
			h := &heads[i]
			if h.ID != from.block {
				from = place{h.ID, math.MaxInt}
			}
			if q.mayHave(h) && r.pageOf(page, q, &from) {
				return page, nil
			}
			from = place{h.ID - 1, math.MaxInt}
		}
		if len(heads) < headsAtOnce {
			return page, nil
		}
	}
}

// span returns the bounds of the times, ms since 1970.
func (q *Query) span() (fromMs, toMs int64) {
	fromMs, toMs = math.MinInt64, math.MaxInt64
	if !q.From.IsZero() {
		fromMs = q.From.UnixMilli()
	}
	if !q.To.IsZero() {
		toMs = q.To.UnixMilli()
	}
	return fromMs, toMs
}

// mayHave reports whether a block may have decisions of the query, by its marks.
func (q *Query) mayHave(h *store.DecisionBlock) bool {
	if q.RequestID != "" && !hasMark(h.Marks, mark([]byte(q.RequestID))) {
		return false
	}
	if q.Wallet == "" {
		return true
	}
	wallet, ok := marketcache.ParseWallet([]byte(q.Wallet))
	return ok && hasMark(h.Marks, mark(wallet[:]))
}

func hasMark(marks []byte, want uint32) bool {
	for ; len(marks) >= 4; marks = marks[4:] {
		if binary.LittleEndian.Uint32(marks) == want {
			return true
		}
	}
	return false
}

// pageOf adds the decisions of a block that are before a place, and reports whether the page is full.
func (r *Reader) pageOf(page *Page, q *Query, before *place) (full bool) {
	lines, err := r.block(before.block)
	if err != nil {
		page.Unreadable++
		return false
	}
	for i, text := range slices.Backward(lines[:min(len(lines), before.at)]) {
		if !q.mayBe(text) {
			continue
		}
		d, err := decode(text)
		if err != nil {
			page.Unreadable++
			return false
		}
		if q.wants(d) {
			if len(page.Decisions) == q.Limit {
				page.Next = place{before.block, i + 1}.String()
				return true
			}
			page.Decisions = append(page.Decisions, d)
		}
	}
	return false
}

// block returns the lines of a block; none of one that has been removed meanwhile.
func (r *Reader) block(id int64) ([][]byte, error) {
	data, found, err := r.Store.DecisionData(id)
	var text []byte
	if found {
		text, err = unpack(data)
	}
	if err != nil {
		if r.damaged != nil {
			r.damaged(fmt.Errorf("block %d: %w", id, err))
		}
		return nil, err
	}
	return slices.Collect(bytes.Lines(text)), nil
}

// mayBe reports whether a line may be of a decision of the query. It is quicker than decoding.
func (q *Query) mayBe(text []byte) bool {
	return (q.RequestID == "" || bytes.Contains(text, api.AppendString(nil, q.RequestID))) &&
		(q.Wallet == "" || bytes.Contains(text, []byte(q.Wallet))) &&
		(q.KeyID == "" || bytes.Contains(text, []byte(q.KeyID)))
}

// wants reports whether a decision is of the query.
func (q *Query) wants(d *Decision) bool {
	return (q.KeyID == "" || d.KeyID == q.KeyID) && (q.RequestID == "" || d.RequestID == q.RequestID) &&
		(q.Wallet == "" || d.Wallet == q.Wallet) && (q.Asset == "" || d.Asset == q.Asset) && q.verdict(d) &&
		(q.From.IsZero() || !d.At.Before(q.From)) && (q.To.IsZero() || d.At.Before(q.To))
}

func (q *Query) verdict(d *Decision) bool {
	return q.Verdict == "" || d.Recommendation == q.Verdict || d.Policy != nil && d.Policy.Verdict == q.Verdict ||
		d.Gate != nil && d.Gate.Did == q.Verdict
}

// Each calls yield with every decision of the times from (included) to to (not included), oldest first, until it
// returns false. It returns how many blocks could not be read.
func (r *Reader) Each(from, to time.Time, yield func(*Decision) bool) (unreadable int, err error) {
	q := Query{From: from, To: to}
	fromMs, toMs := q.span()
	for id := int64(0); ; {
		heads, err := r.Store.DecisionHeads(id, fromMs, toMs, true, headsAtOnce)
		if err != nil {
			return unreadable, err
		}
		for i := range heads {
			id = heads[i].ID + 1
			lines, bad := r.block(heads[i].ID)
			for _, text := range lines {
				var d *Decision
				if d, bad = decode(text); bad != nil {
					break
				}
				if q.wants(d) && !yield(d) {
					return unreadable, nil
				}
			}
			if bad != nil {
				unreadable++
			}
		}
		if len(heads) < headsAtOnce {
			return unreadable, nil
		}
	}
}

// ErrSearch: a search was given up.
var ErrSearch = errors.New("the search took too long")

// Find returns the decisions with a request id, in the order of their index, nil if there are none; of a key if that is
// not "". A client may have given the same id to several requests: the newest counts.
func (r *Reader) Find(ctx context.Context, requestID, keyID string) ([]*Decision, error) {
	page, err := r.Page(ctx, &Query{RequestID: requestID, KeyID: keyID, Limit: maxOfRequest})
	switch {
	case err != nil:
		return nil, err
	case len(page.Decisions) == 0 && page.Next != "":
		return nil, ErrSearch
	case len(page.Decisions) == 0:
		return nil, nil
	}
	all := page.Decisions[:1]
	for _, d := range page.Decisions[1:] { // of a batch, as those before it have a larger index
		if d.Kind != Batch || d.KeyID != all[0].KeyID || d.Index >= all[len(all)-1].Index {
			break
		}
		all = append(all, d)
	}
	slices.Reverse(all)
	return all, nil
}

// maxOfRequest is how many decisions one request has at most.
const maxOfRequest = 50
