package store

import (
	"database/sql"
	"time"
)

// outcomeSchema is the part of mainSchema about outcomes: the reports of clients, the sums of all outcomes, what the
// alarm needs of each hour of decisions, the hours that are not closed, and how far the closing came.
const outcomeSchema = `
CREATE TABLE IF NOT EXISTS outcomes (
	key_id TEXT NOT NULL, trade_id TEXT NOT NULL, day INTEGER NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL,
	answer TEXT NOT NULL, PRIMARY KEY (key_id, trade_id)
) STRICT;
CREATE INDEX IF NOT EXISTS outcomes_by_day ON outcomes (day);
CREATE INDEX IF NOT EXISTS outcomes_by_request ON outcomes (json_extract(body, '$.request_id'), key_id);
CREATE TABLE IF NOT EXISTS outcome_sums (
	key_id TEXT NOT NULL, day INTEGER NOT NULL, source TEXT NOT NULL, horizon INTEGER NOT NULL, sums TEXT NOT NULL,
	PRIMARY KEY (key_id, day, source, horizon)
) STRICT;
CREATE TABLE IF NOT EXISTS outcome_hours (hour INTEGER PRIMARY KEY, units TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS outcome_open (
	horizon INTEGER NOT NULL, hour INTEGER NOT NULL, cases TEXT NOT NULL, PRIMARY KEY (horizon, hour)
) STRICT;
CREATE TABLE IF NOT EXISTS outcome_marks (horizon INTEGER PRIMARY KEY, hour INTEGER NOT NULL) STRICT;`

// SumName names a sum of outcomes.
type SumName struct {
	Key     string // id of the key whose decisions or reports they are, "": without a key
	Day     int64  // UTC days since 1970 on which they were closed
	Source  string
	Horizon int64 // hours
}

// OpenName names outcomes that are still open: those of the decisions of an hour.
type OpenName struct{ Horizon, Hour int64 }

// Closed is what the closing of outcomes changes, all of it or nothing. Texts are the caller's; MergeSums adds one to
// the one that is kept, "" for none.
type Closed struct {
	Marks map[int64]int64 // by horizon: hours of decisions before this one are closed or open by name
	Sums  map[SumName]string
	Hours map[int64]string    // by hour of decisions, for the alarm; replaces what is kept
	Open  map[OpenName]string // replaces what is kept; "": nothing is open any more

	MergeSums func(kept, more string) (string, error)
	// ForgetDays and ForgetHours are the first ones to keep.
	ForgetDays, ForgetHours int64
}

// CloseOutcomes keeps outcomes.
func (m *Main) CloseOutcomes(c *Closed) error {
	return m.write(func(tx *sql.Tx) error {
		for horizon, hour := range c.Marks {
			if _, err := tx.Exec("INSERT OR REPLACE INTO outcome_marks VALUES (?, ?)", horizon, hour); err != nil {
				return err
			}
		}
		for name, more := range c.Sums {
			if err := addSums(tx, name, more, c.MergeSums); err != nil {
				return err
			}
		}
		for hour, units := range c.Hours {
			if _, err := tx.Exec("INSERT OR REPLACE INTO outcome_hours VALUES (?, ?)", hour, units); err != nil {
				return err
			}
		}
		for name, cases := range c.Open {
			_, err := tx.Exec("DELETE FROM outcome_open WHERE horizon = ? AND hour = ?", name.Horizon, name.Hour)
			if err == nil && cases != "" {
				_, err = tx.Exec("INSERT INTO outcome_open VALUES (?, ?, ?)", name.Horizon, name.Hour, cases)
			}
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec("DELETE FROM outcome_sums WHERE day < ?", c.ForgetDays)
		if err == nil {
			_, err = tx.Exec("DELETE FROM outcome_hours WHERE hour < ?", c.ForgetHours)
		}
		if err == nil {
			_, err = tx.Exec("DELETE FROM outcomes WHERE day < ?", c.ForgetDays)
		}
		return err
	})
}

// addSums adds to a sum that is kept.
func addSums(tx *sql.Tx, n SumName, more string, merge func(kept, more string) (string, error)) error {
	const where = " WHERE key_id = ? AND day = ? AND source = ? AND horizon = ?"
	var kept string
	_, err := found(tx.QueryRow("SELECT sums FROM outcome_sums"+where, n.Key, n.Day, n.Source, n.Horizon).Scan(&kept))
	if err == nil {
		kept, err = merge(kept, more)
	}
	if err == nil {
		_, err = tx.Exec("INSERT OR REPLACE INTO outcome_sums VALUES (?, ?, ?, ?, ?)", n.Key, n.Day, n.Source,
			n.Horizon, kept)
	}
	return err
}

// OutcomeMarks returns the marks by horizon.
func (m *Main) OutcomeMarks() (map[int64]int64, error) {
	marks, err := pairs[int64, int64](m.opened.Load().db, "SELECT horizon, hour FROM outcome_marks")
	return marks, m.unsound(err)
}

// OutcomeHours returns what the alarm needs, by hour of decisions.
func (m *Main) OutcomeHours() (map[int64]string, error) {
	hours, err := pairs[int64, string](m.opened.Load().db, "SELECT hour, units FROM outcome_hours")
	return hours, m.unsound(err)
}

// OpenOutcomes returns the outcomes that are open.
func (m *Main) OpenOutcomes() (map[OpenName]string, error) {
	open := map[OpenName]string{}
	err := m.eachRow("SELECT horizon, hour, cases FROM outcome_open", nil, func(scan scanner) error {
		var n OpenName
		var cases string
		err := scan(&n.Horizon, &n.Hour, &cases)
		open[n] = cases
		return err
	})
	return open, err
}

// OutcomeSums calls each for the sums of a key, of all keys for nil.
func (m *Main) OutcomeSums(key *string, each func(n SumName, sums string) error) error {
	query, args := "SELECT key_id, day, source, horizon, sums FROM outcome_sums", []any(nil)
	if key != nil {
		query, args = query+" WHERE key_id = ?", []any{*key}
	}
	return m.eachRow(query+" ORDER BY day, key_id, source, horizon", args, func(scan scanner) error {
		var n SumName
		var sums string
		if err := scan(&n.Key, &n.Day, &n.Source, &n.Horizon, &sums); err != nil {
			return err
		}
		return each(n, sums)
	})
}

// Report is an outcome that a client reported.
type Report struct {
	Key, TradeID string
	At           time.Time
	Body         string // what was reported, in one form
	Answer       string
}

// ReportOutcome keeps a report and adds it to a sum, in which merge joins it with what is kept. If the key has
// reported the trade before, it changes nothing and returns that report.
func (m *Main) ReportOutcome(r *Report, sum SumName, more string, merge func(kept, more string) (string, error)) (
	earlier *Report, err error) {
	err = m.write(func(tx *sql.Tx) error {
		held, err := readReport(tx, r.Key, r.TradeID)
		if earlier = held; err != nil || held != nil {
			return err
		}
		_, err = tx.Exec("INSERT INTO outcomes (key_id, trade_id, day, at, body, answer) VALUES (?, ?, ?, ?, ?, ?)",
			r.Key, r.TradeID, sum.Day, textOf(r.At), r.Body, r.Answer)
		if err != nil {
			return err
		}
		return addSums(tx, sum, more, merge)
	})
	return earlier, m.unsound(err)
}

func readReport(tx *sql.Tx, key, tradeID string) (*Report, error) {
	r := &Report{Key: key, TradeID: tradeID}
	var at string
	err := tx.QueryRow("SELECT at, body, answer FROM outcomes WHERE key_id = ? AND trade_id = ?", key, tradeID).
		Scan(&at, &r.Body, &r.Answer)
	if is, err := found(err); !is {
		return nil, err
	}
	r.At, err = time.Parse(timeForm, at)
	return r, err
}

// ReportsOf calls each with the reports that a key has made about a request, oldest first, at most limit.
func (m *Main) ReportsOf(key, requestID string, limit int, each func(Report) error) error {
	const query = `SELECT trade_id, at, body, answer FROM outcomes
		WHERE json_extract(body, '$.request_id') = ? AND key_id = ? ORDER BY at, trade_id LIMIT ?`
	return m.eachRow(query, []any{requestID, key, limit}, func(scan scanner) error {
		r := Report{Key: key}
		var at string
		err := scan(&r.TradeID, &at, &r.Body, &r.Answer)
		if err == nil {
			r.At, err = time.Parse(timeForm, at)
		}
		if err != nil {
			return err
		}
		return each(r)
	})
}
