package server

import (
	"fmt"
	"testing"
	"time"

	"ballast/internal/store"
)

// audited makes a server that keeps an audit, with changes that were made an hour ago and a second apart.
func audited(t testing.TB, changes int) (change func(*Config), first time.Time) {
	t.Helper()
	db := newStore(t)
	first = time.Now().Add(-time.Hour).Truncate(time.Second).UTC()
	for i := range changes {
		k := store.Key{ID: fmt.Sprint("key_", i), Email: "a@example.org", SHA256: [32]byte{byte(i), 1}, Created: first}
		at := first.Add(time.Duration(i) * time.Second)
		if err := db.Apply(store.Change{Key: k, At: at, Who: "alice"}); err != nil {
			t.Fatal(err)
		}
	}
	return func(c *Config) { c.Audit = db }, first
}

// answersOfTheAudit makes every answer about the audit.
func (f *fixture) answersOfTheAudit() {
	f.get("/v1/audit").want(403, "forbidden", "operator")
	f.operator()("GET", "/v1/audit?limit=1", "").ok(`"who":"alice"`)
}

// subjects returns what the events of a page were about.
func (r *reply) subjects() (list []string) {
	r.t.Helper()
	for _, e := range r.ok().tree["events"].([]any) {
		list = append(list, e.(map[string]any)["subject"].(string))
	}
	return list
}

// TestAudit: an operator reads who changed what, newest first, page by page and by time; an agent does not.
func TestAudit(t *testing.T) {
	change, first := audited(t, 5)
	f := warmFixture(t, change)
	f.get("/v1/audit").want(403, "forbidden", "operator")
	ask := f.operator()
	read := func(query string) []string { return ask("GET", "/v1/audit"+query, "").subjects() }
	at := func(i float64) string {
		return first.Add(time.Duration(i * float64(time.Second))).Format(time.RFC3339Nano)
	}
	for query, want := range map[string]string{
		"":                                   "[key_4 key_3 key_2 key_1 key_0]",
		"?from=" + at(3):                     "[key_4 key_3]",
		"?from=" + at(3.0001):                "[key_4]",
		"?to=" + at(1):                       "[key_0]",
		"?to=" + at(1.0001):                  "[key_1 key_0]",
		"?from=" + at(1) + "&to=" + at(3):    "[key_2 key_1]",
		"?to=9999-12-31T23:59:59.9999-05:00": "[key_4 key_3 key_2 key_1 key_0]",
		"?from=2200-01-01":                   "[]",
		"?limit=1":                           "[key_4]",
	} {
		if got := fmt.Sprint(read(query)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	var all []string
	for cursor, pages := "", 0; pages < 5; pages++ {
		r := ask("GET", "/v1/audit?limit=2&from="+at(1)+cursor, "")
		all = append(all, r.subjects()...)
		next, more := r.tree["next_cursor"].(string)
		if !more {
			break
		}
		cursor = "&cursor=" + next
	}
	if fmt.Sprint(all) != "[key_4 key_3 key_2 key_1]" {
		t.Errorf("pages: %v", all)
	}
	ask("GET", "/v1/audit?limit=1", "").ok(`{"events":[{"time":"` + at(4) +
		`","who":"alice","event":"key_issued","subject":"key_4","detail":"a@example.org"}],"next_cursor":"5"}`)
	for query, says := range map[string]string{
		"?cursor=1.2": "next_cursor", "?cursor=0": "next_cursor", "?limit=501": "from 1 to 500", "?from=x": "RFC 3339",
		"?wallet=" + wallet: "unknown query parameter", "?from=2026-01-02&to=2026-01-01": "before",
	} {
		ask("GET", "/v1/audit"+query, "").want(400, "validation_error", says)
	}
	bare := warmFixture(t, nil)
	bare.operator()("GET", "/v1/audit", "").want(404, "not_found", "audit")
}
