package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"ballast/server/spec/types"
)

func (c *planCmd) Validate() error { return c.check(c.Wallet) }

// Run assesses the trades of a file.
func (c *planCmd) Run() error {
	request, err := c.request()
	if err != nil {
		return err
	}
	path := "/v1/validate/batch"
	if !c.JSON {
		path += "?view=compact"
	}
	var answer struct{ Results []plannedTrade }
	asked := tradesOf(request["trades"])
	if err := c.show(path, request, &answer, func(w sheet) { printPlan(w, answer.Results, asked) }); err != nil {
		return err
	}
	var worst exitStatus
	stale := false
	for i := range answer.Results {
		r := &answer.Results[i]
		worst = max(worst, exitOf[r.Recommendation])
		stale = stale || r.stale() && (i >= len(asked) || asked[i].Action != "close")
	}
	return unlessStale(worst, stale)
}

// request returns the body of the request: the file, which is an object or the list of trades, with the wallet.
func (c *planCmd) request() (map[string]json.RawMessage, error) {
	text, err := readInput(c.File)
	if err != nil {
		return nil, err
	}
	request := map[string]json.RawMessage{}
	if text = bytes.TrimSpace(text); bytes.HasPrefix(text, []byte("[")) {
		request["trades"] = text
	} else if err := json.Unmarshal(text, &request); err != nil {
		return nil, fmt.Errorf("%s: want a JSON object with wallet and trades, or a list of trades: %w", c.File, err)
	}
	if c.Wallet != "" {
		request["wallet"], _ = json.Marshal(walletOf(c.Wallet)) // never fails
	}
	if request["wallet"] == nil {
		return nil, fmt.Errorf("%s: no wallet: name it in the file or by --wallet", c.File)
	}
	var wallet string
	if json.Unmarshal(request["wallet"], &wallet) == nil {
		return request, c.check(wallet)
	}
	return request, nil
}

// askedTrade is what the terminal shows of a trade of the file.
type askedTrade struct {
	Asset, Action string
	Size          *float64
	SizeCoin      *float64 `json:"size_coin"`
}

func tradesOf(text json.RawMessage) (trades []askedTrade) {
	json.Unmarshal(text, &trades) // the service has read them
	return trades
}

// plannedTrade is what the terminal shows of a trade's answer.
type plannedTrade struct {
	Flags          json.RawMessage // names, or in a compact answer objects
	Score          float64         `json:"risk_score"`
	Recommendation types.Recommendation
	Summary        string
	Meta           struct{ Venue types.Venue }
}

func (r *plannedTrade) stale() bool { return bytes.Contains(r.Flags, []byte(`"`+staleFlag+`"`)) }

func printPlan(w sheet, results []plannedTrade, asked []askedTrade) {
	if len(results) > 0 {
		w.venue(results[0].Meta.Venue)
	}
	count := map[types.Recommendation]int{}
	for i := range results {
		count[results[i].Recommendation]++
	}
	verdict := fmt.Sprintf("%d trades: %d proceed, %d proceed with caution, %d abort", len(results), count["proceed"],
		count["proceed_with_caution"], count["abort"])
	fmt.Fprintf(w, "%s\n\n", w.paint(bold, verdict))
	for i := range results {
		r := &results[i]
		what := ""
		if i < len(asked) {
			t := &asked[i]
			what = t.Action
			switch {
			case t.SizeCoin != nil:
				what += " " + amount(*t.SizeCoin)
			case t.Size != nil:
				what += " " + usd(*t.Size) + " USD of"
			}
			what += " " + t.Asset
		}
		fmt.Fprintf(w, "%2d  %-33s %s  %s\n", i+1, what, w.level(r.Score), w.verdict(r.Recommendation))
		wrapped(w, "    ", r.Summary)
	}
	fmt.Fprintf(w, "\n%s\n", w.paint(bold, verdict))
}
