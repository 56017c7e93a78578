package server

import (
	"encoding/json"
	"strconv"
	"time"

	"ballast/internal/store"
	"ballast/server/api"
	"ballast/server/journal"
)

// Audit has who changed which key, policy or kill switch, and when: *store.Main.
type Audit interface {
	// AuditPage returns the newest events of the times from (included) to to (not included, zero: no end) before an
	// event, by its number (0: all). next is the number to go on from, 0 when there are no more.
	AuditPage(before int64, from, to time.Time, limit int) (page []store.Event, next int64, err error)
}

// auditParameters are the parameters of GET /v1/audit.
var auditParameters = []string{"from", "to", "cursor", "limit"}

// audit answers GET /v1/audit.
func (s *Server) audit(x *exchange) {
	q := journal.Query{Limit: defaultDecisions}
	if !x.readQuery(&q, func(text string) bool { _, ok := eventNumber(text); return ok }) {
		return
	}
	if s.cfg.Audit == nil {
		x.fail(api.CodeNotFound, "this service keeps no audit")
		return
	}
	before, _ := eventNumber(q.Cursor)
	events, next, err := s.cfg.Audit.AuditPage(before, q.From, q.To, q.Limit)
	if err != nil {
		x.fail(api.CodeInternal, "the audit cannot be read: "+ourFault)
		s.warn("audit not read", "error", err)
		return
	}
	w := api.NewWriter(nil)
	for i := range w.Each(`{"events":`, len(events)) {
		text, err := json.Marshal(&events[i])
		if err != nil {
			panic("BUG: an event that is no JSON: " + err.Error())
		}
		w.Append(text)
	}
	cursor := ""
	if next > 0 {
		cursor = strconv.FormatInt(next, 10)
	}
	w.TextOrNull(`,"next_cursor":`, cursor)
	w.Raw("}")
	x.replyOwn(w.Bytes())
}

// eventNumber reads a cursor of the audit.
func eventNumber(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}
