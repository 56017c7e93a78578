package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"time"

	"ballast/internal/printable"
	"ballast/internal/promtext"
	"ballast/internal/similar"
	"ballast/marketcache"
	"ballast/server/api"
	"ballast/server/journal"
)

const (
	defaultDecisions = 50
	maxDecisions     = 500
	// searchTime is how long a search for decisions may take; then the answer has a cursor to go on from.
	searchTime = time.Second
	// searchers is how many searches run at a time.
	searchers = 2
)

// decisionParameters are the parameters of GET /v1/decisions.
var decisionParameters = []string{"wallet", "asset", "verdict", "request_id", "from", "to", "cursor", "limit"}

// listDecisions answers GET /v1/decisions.
func (s *Server) listDecisions(x *exchange) {
	q := journal.Query{Limit: defaultDecisions, KeyID: x.ownKey()}
	if !x.readQuery(&q, journal.ValidCursor) {
		return
	}
	page := search(x, func(ctx context.Context) (*journal.Page, error) {
		page, err := s.cfg.Journal.Page(ctx, &q)
		if err != nil {
			return nil, err
		}
		return page, s.enterNow(page.Decisions)
	})
	if page == nil {
		return
	}
	w := api.NewWriter(nil)
	for i := range w.Each(`{"decisions":`, len(page.Decisions)) {
		w.Append(page.Decisions[i].JSON())
	}
	w.TextOrNull(`,"next_cursor":`, page.Next)
	w.Integer(`,"unreadable_blocks":`, page.Unreadable)
	w.Raw("}")
	x.replyOwn(w.Bytes())
}

// getDecision answers GET /v1/decisions/{request_id}.
func (s *Server) getDecision(x *exchange) {
	id, err := url.PathUnescape(string(x.tail()))
	if err != nil || !usableID([]byte(id)) {
		x.refuse(api.CodeValidation,
			"invalid request id: "+printable.Text(x.tail())+" (want 1 to 64 visible characters)",
			api.Mending{Field: "request_id", Got: printable.Text(x.tail()),
				Suggestion: "meta.request_id of an answer, or its header X-Request-Id"})
		return
	}
	all := search(x, func(ctx context.Context) (*[]*journal.Decision, error) {
		found, err := s.cfg.Journal.Find(ctx, id, x.ownKey())
		if err != nil {
			return nil, err
		}
		return &found, s.enterNow(found)
	})
	switch {
	case all == nil:
	case len(*all) == 0:
		x.refuse(api.CodeNotFound, "no decision with the request id "+printable.Text([]byte(id))+s.whyNone(x),
			api.Mending{Field: "request_id", Got: printable.Text([]byte(id)),
				Suggestion: "GET /v1/decisions lists those that are kept"})
	default:
		body := (*all)[0].JSON()
		if (*all)[0].Kind == journal.Batch {
			w := api.NewWriter(body[:len(body)-1])
			for i := range w.Each(`,"batch":`, len(*all)) {
				w.Append((*all)[i].JSON())
			}
			w.Raw("}")
			body = w.Bytes()
		}
		x.replyOwn(body)
	}
}

// enterNow enters what is not kept with decisions: whom the key is for, and what became of them.
func (s *Server) enterNow(decisions []*journal.Decision) error {
	for _, d := range decisions {
		if r, found := s.cfg.Keys.Record(d.KeyID); found {
			d.KeyEmail = r.Email
		}
	}
	if s.cfg.Outcomes != nil {
		return s.cfg.Outcomes.Enter(decisions)
	}
	for _, d := range decisions {
		d.Outcome = json.RawMessage("null")
	}
	return nil
}

// whyNone is the end of the detail of a 404, which begins with the request id that was asked for.
func (s *Server) whyNone(x *exchange) string {
	switch {
	case s.cfg.Journal.Mode() == journal.Off:
		return " is kept: this service records none (--journal off)"
	case x.ownKey() != "":
		return " is kept for this key: errors are not recorded, old ones are removed, and others' are for a key of " +
			"the role operator"
	}
	return " is kept here: errors are not recorded, old ones are removed, and each replica has its own"
}

// ownKey returns the key whose decisions and watches the request may read, "" for an operator's, who may read all.
func (x *exchange) ownKey() string {
	if x.mayChange() {
		return ""
	}
	return x.keyID
}

// search makes a search that finds what was recorded before the request; it answers and returns nil when it cannot be
// made.
func search[T any](x *exchange, find func(context.Context) (*T, error)) *T {
	s := x.s
	ctx, cancel := context.WithTimeout(s.life, searchTime)
	defer cancel()
	select {
	case s.searching <- struct{}{}:
		defer func() { <-s.searching }()
	case <-ctx.Done():
		x.fail(api.CodeOverloaded, "too many searches for decisions are running")
		return nil
	}
	if s.cfg.Journal == nil {
		return new(T)
	}
	s.cfg.Journal.Flush(ctx)
	found, err := find(ctx)
	switch {
	case errors.Is(err, journal.ErrSearch):
		x.fail(api.CodeOverloaded, err.Error())
		return nil
	case err != nil:
		s.warn("decisions cannot be read", "error", err.Error())
		x.fail(api.CodeInternal, "decisions cannot be read: "+ourFault)
		return nil
	}
	return found
}

// readQuery reads the parameters of a list, whose cursors are valid or not, and answers when one is wrong.
func (x *exchange) readQuery(q *journal.Query, validCursor func(string) bool) bool {
	for item := range bytes.SplitSeq(x.query, []byte("&")) {
		name, raw, _ := bytes.Cut(item, []byte("="))
		if len(item) > 0 && !x.readParameter(q, string(name), raw, validCursor) {
			return false
		}
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return x.refuse(api.CodeValidation, "from must be before to, which is not included",
			api.Mending{Field: "from"})
	}
	return true
}

// readParameter reads a parameter of a list, and answers when it is wrong.
func (x *exchange) readParameter(q *journal.Query, name string, raw []byte, validCursor func(string) bool) bool {
	value, err := url.QueryUnescape(string(raw))
	got := printable.Text([]byte(value))
	how := api.Mending{Field: name, Got: got}
	wrong := func(want string) bool {
		return x.refuse(api.CodeValidation, "query parameter "+name+" must be "+want+", got "+got, how)
	}
	if err != nil {
		return wrong("percent-encoded")
	}
	switch name {
	case "wallet":
		wallet, ok := marketcache.ParseWallet([]byte(value))
		if !ok {
			how = api.MendWallet([]byte(value))
			return wrong("0x and 40 hexadecimal digits")
		}
		q.Wallet = wallet.String()
	case "asset":
		if q.Asset = value; !x.knows(value, &how) {
			return wrong("the venue's ticker, as in GET /v1/assets")
		}
	case "verdict":
		q.Verdict = value
		return x.oneOf(journal.VerdictWords, value, name)
	case "request_id":
		if q.RequestID = value; !usableID([]byte(value)) {
			return wrong("1 to 64 visible characters")
		}
	case "from", "to":
		at, err := time.Parse(time.RFC3339, value)
		if err != nil {
			at, err = time.Parse(time.DateOnly, value)
		}
		if err != nil {
			how.Suggestion = time.Now().UTC().Format(time.RFC3339)
			return wrong("a time of RFC 3339 or a date")
		}
		if name == "from" {
			q.From = at
		} else {
			q.To = at
		}
	case "cursor":
		if q.Cursor = value; !validCursor(value) {
			how.Suggestion = "next_cursor of the page before, or left out"
			return wrong("next_cursor of the page before")
		}
	case "limit":
		q.Limit, err = strconv.Atoi(value)
		if err != nil || q.Limit < 1 || q.Limit > maxDecisions {
			how.Allowed = &api.Allowed{Type: "integer", Min: 1, Max: maxDecisions}
			return wrong("from 1 to " + strconv.Itoa(maxDecisions))
		}
	}
	return true
}

// oneOf answers when a parameter is none of its values.
func (x *exchange) oneOf(values []string, value, name string) bool {
	for _, v := range values {
		if v == value {
			return true
		}
	}
	return x.refuseQuery("query parameter "+name+" has no such value: ", name, []byte(value), values)
}

// knows reports whether a ticker is one of the venue's, and otherwise suggests one.
func (x *exchange) knows(asset string, how *api.Mending) bool {
	var names []string
	for _, a := range x.s.cfg.Cache.Universe().Assets {
		if a.Name == asset {
			return true
		}
		names = append(names, a.Name)
	}
	how.Suggestion = api.Suggestion(similar.Name(asset, names))
	return len(names) == 0
}

// writeJournal writes the state of the journal.
func (s *Server) writeJournal(w *api.Writer) {
	j := s.cfg.Journal.Stats()
	w.Text(`,"journal":{"mode":`, string(j.Mode))
	w.Boolean(`,"strict":`, s.cfg.Journal.Strict())
	w.Integer(`,"recorded":`, int(j.Recorded))
	w.Integer(`,"dropped":`, int(j.Dropped))
	w.Integer(`,"unreadable_blocks":`, int(j.Unreadable))
	w.TextOrNull(`,"oldest":`, timeText(j.Oldest))
	w.Integer(`,"bytes":`, int(j.Bytes))
	if e := j.LastError; e != nil {
		w.Text(`,"last_error":{"text":`, e.Text)
		w.Text(`,"at":`, timeText(e.At))
		w.Raw(`}}`)
	} else {
		w.Raw(`,"last_error":null}`)
	}
}

// writeJournalMetrics writes the metrics of the journal.
func (s *Server) writeJournalMetrics(p *promtext.Page) {
	j := s.cfg.Journal.Stats()
	p.Counter("ballast_journal_recorded_total", "Decisions that were recorded.", float64(j.Recorded))
	p.Counter("ballast_journal_dropped_total", "Decisions that could not be recorded.", float64(j.Dropped))
	p.Counter("ballast_journal_unreadable_total", "Times that a block of decisions could not be read.",
		float64(j.Unreadable))
	p.Gauge("ballast_journal_bytes", "Size of the decisions that are kept.", float64(j.Bytes))
}
