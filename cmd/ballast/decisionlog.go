package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/server/journal"
)

type logCmd struct {
	Follow  bool   `short:"f" help:"Go on, and print decisions as they come, until interrupted."`
	Wallet  string `default:"" help:"Only of this address."`
	Asset   string `default:"" help:"Only of this ticker."`
	Verdict string `default:"" placeholder:"WORD" help:"${help_log_verdict}"`
	From    moment `placeholder:"TIME" help:"Only from this date or time on, RFC 3339, UTC."`
	To      moment `placeholder:"TIME" help:"Only before this date or time."`
	Limit   int    `short:"n" default:"20" help:"How many at most, the newest; 0 = all."`

	//lint:ignore SA5008 kong takes several
	serviceFlags `set:"help_json=Print JSON, a decision a line." set:"help_server=${help_log_server}"`
	dataFlag
}

const (
	// followDecisions is how often new decisions are asked for.
	followDecisions = time.Second
	// followOverlap is how far back each question goes: decisions are recorded in another order than they were made.
	followOverlap = 30 * time.Second
	// pageOfLog is how many decisions are asked for at a time.
	pageOfLog = 500
)

// Validate checks what the parser does not.
func (c *logCmd) Validate() error {
	wallet, err := parseWallet(c.Wallet)
	problems := []error{err}
	c.Wallet = wallet
	if c.Verdict != "" && !slices.Contains(journal.VerdictWords, c.Verdict) {
		problems = append(problems, fmt.Errorf("--verdict %.40q: want one of %s", c.Verdict,
			strings.Join(journal.VerdictWords, ", ")))
	}
	if c.Limit < 0 {
		problems = append(problems, errors.New("--limit: want 0, for all, or more"))
	}
	if c.Follow && c.To.given {
		problems = append(problems, errors.New("--follow and --to: leave one of the two out"))
	}
	if c.Server == "" { // a key may be in the environment
		problems = append(problems, c.dataFlag.Validate())
	} else {
		problems = append(problems, c.check(""))
	}
	return errors.Join(problems...)
}

// parseWallet returns the address of the flag --wallet as it is written everywhere, "" for none.
func parseWallet(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	wallet, ok := marketcache.ParseWallet([]byte(text))
	if !ok {
		return "", fmt.Errorf("--wallet %.64q: want 0x and 40 hexadecimal digits", text)
	}
	return wallet.String(), nil
}

// logPage is a page of decisions: as JSON, and read.
type logPage struct {
	Decisions  []json.RawMessage
	Next       *string `json:"next_cursor"`
	Unreadable int     `json:"unreadable_blocks"`
}

// decisionSource answers a query with a page.
type decisionSource func(ctx context.Context, q *journal.Query) (*logPage, error)

// Run prints recorded decisions, oldest first.
func (c *logCmd) Run() error {
	ctx, stop := untilInterrupted()
	defer stop()
	ask, done, err := c.source()
	if err != nil {
		return err
	}
	defer done()
	q := journal.Query{Wallet: c.Wallet, Asset: c.Asset, Verdict: c.Verdict, From: c.From.time(), To: c.To.time()}
	most := cmp.Or(c.Limit, math.MaxInt)
	p := decisionPrinter{w: os.Stdout, json: c.JSON, seen: map[string]time.Time{}}
	for {
		all, unreadable, err := newest(ctx, ask, q, most)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		p.print(all, unreadable)
		if !c.Follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followDecisions):
		}
		most = math.MaxInt
		if p.newest.IsZero() {
			continue
		}
		if from := p.newest.Add(-followOverlap); from.After(q.From) {
			q.From = from
		}
	}
}

// newest returns the newest decisions of a query, at most so many, oldest first.
func newest(ctx context.Context, ask decisionSource, q journal.Query, most int) (all []json.RawMessage, unreadable int,
	err error) {
	for len(all) < most {
		q.Limit = min(pageOfLog, most-len(all))
		page, err := ask(ctx, &q)
		if err != nil {
			return nil, 0, err
		}
		all, unreadable = append(all, page.Decisions...), unreadable+page.Unreadable
		if page.Next == nil {
			break
		}
		q.Cursor = *page.Next
	}
	slices.Reverse(all)
	return all, unreadable, nil
}

// source returns who answers: a service, or the data directory.
func (c *logCmd) source() (ask decisionSource, done func(), err error) {
	if c.Server != "" {
		client, stop, err := c.open()
		if err != nil {
			return nil, nil, err
		}
		return client.decisions, stop, nil
	}
	db, err := openExisting(c.DataDir)
	if err != nil {
		return nil, nil, err
	}
	return storedDecisions(db), func() { db.Close() }, nil
}

// decisions asks a service.
func (a *asker) decisions(_ context.Context, q *journal.Query) (*logPage, error) {
	values := url.Values{"limit": {strconv.Itoa(q.Limit)}}
	for name, value := range map[string]string{"wallet": q.Wallet, "asset": q.Asset, "verdict": q.Verdict,
		"cursor": q.Cursor} {
		if value != "" {
			values.Set(name, value)
		}
	}
	for name, at := range map[string]time.Time{"from": q.From, "to": q.To} {
		if !at.IsZero() {
			values.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	body, err := a.ask("/v1/decisions?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	var page logPage
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, fmt.Errorf("the service's answer: %w", err)
	}
	return &page, nil
}

// storedDecisions reads a database, whether a service runs on it or not.
func storedDecisions(db *store.Main) decisionSource {
	reader := journal.Reader{Store: db}
	return func(ctx context.Context, q *journal.Query) (*logPage, error) {
		found, err := reader.Page(ctx, q)
		if err != nil {
			return nil, err
		}
		page := logPage{Unreadable: found.Unreadable}
		for _, d := range found.Decisions {
			page.Decisions = append(page.Decisions, d.JSON())
		}
		if found.Next != "" {
			page.Next = &found.Next
		}
		return &page, nil
	}
}

// decisionPrinter prints decisions, each once.
type decisionPrinter struct {
	w      io.Writer
	json   bool
	newest time.Time
	seen   map[string]time.Time // those that may come again, with their time
	lost   int
}

// print prints the decisions that were not printed before.
func (p *decisionPrinter) print(all []json.RawMessage, unreadable int) {
	if unreadable > p.lost {
		p.lost = unreadable
		fmt.Fprintf(os.Stderr, "ballast: %d blocks of up to 256 decisions are damaged and left out\n", unreadable)
	}
	for _, text := range all {
		var d journal.Decision
		if err := json.Unmarshal(text, &d); err != nil {
			fmt.Fprintf(os.Stderr, "ballast: a decision cannot be read: %v\n", err)
			continue
		}
		id := d.RequestID + " " + strconv.Itoa(d.Index) + " " + string(d.Kind) + d.At.String()
		if _, printed := p.seen[id]; printed {
			continue
		}
		p.seen[id] = d.At
		if d.At.After(p.newest) {
			p.newest = d.At
		}
		if p.json {
			fmt.Fprintf(p.w, "%s\n", text)
		} else {
			fmt.Fprintln(p.w, decisionLine(&d))
		}
	}
	for id, at := range p.seen {
		if p.newest.Sub(at) > 2*followOverlap {
			delete(p.seen, id)
		}
	}
}

// decisionLine is a decision on one line.
func decisionLine(d *journal.Decision) string {
	words := []string{d.At.Format("2006-01-02 15:04:05.000"), string(d.Kind)}
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if g := d.Gate; g != nil {
		add("%s %s", strings.ToUpper(g.Did), g.Type)
	}
	if d.Recommendation != "" {
		add("%s %s %s USD at %sx: %s", d.Action, d.Asset, usd(d.SizeUSD), figure(d.Leverage),
			strings.ReplaceAll(d.Recommendation, "_", " "))
	}
	if d.RiskScore != nil {
		add("score %.0f", *d.RiskScore)
	}
	if d.Probability24h != nil {
		add("in 24 h %s", chance(*d.Probability24h))
	}
	if p := d.Policy; p != nil {
		broken := ""
		for _, v := range p.Broken {
			broken += " " + v.Rule
		}
		add("policy %s%s", p.Verdict, broken)
	}
	if g := d.Gate; g != nil && g.Reason != "" {
		add("(%s)", g.Reason)
	}
	add("wallet %s", d.Wallet)
	add("%s", d.RequestID)
	return strings.Join(words, "  ")
}
