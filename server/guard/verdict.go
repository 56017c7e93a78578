package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ballast/server/spec/types"
)

// Ask sends a request to the service, POST if there is a body, otherwise GET.
type Ask func(ctx context.Context, target string, body []byte) (status int, answer []byte, err error)

// Block says which verdicts stop a call.
type Block string

const (
	BlockAbort   Block = "abort"
	BlockCaution Block = "caution" // proceed_with_caution too
	BlockPolicy  Block = "policy"  // policy and kill switch alone
)

// unjudged is an error of a service that cannot be reached or cannot answer now.
type unjudged struct{ error }

// assessment is a compact assessment.
type assessment struct {
	types.CompactAssessment
	Error string `json:"error"` // of a plan's trade that breaks a rule
}

// ask asks the service and decodes its answer.
func (g *Guard) ask(ctx context.Context, target string, request, into any) error {
	var body []byte
	if request != nil {
		var err error
		if body, err = json.Marshal(request); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, g.cfg.Timeout)
	defer cancel()
	status, text, err := g.cfg.Ask(ctx, target, body)
	if err != nil {
		return unjudged{fmt.Errorf("the service cannot be asked: %w", err)}
	}
	if status == http.StatusOK {
		if err = json.Unmarshal(text, into); err != nil {
			err = unjudged{fmt.Errorf("the service's answer: %w", err)}
		}
		return err
	}
	var refusal struct {
		Error, Detail string
		Suggestion    any
	}
	json.Unmarshal(text, &refusal)
	words := strings.TrimSuffix(refusal.Error+": "+refusal.Detail, ": ")
	if refusal.Suggestion != nil {
		words += fmt.Sprintf("; suggestion: %v", refusal.Suggestion)
	}
	err = fmt.Errorf("the service answered %d %s", status, words)
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return unjudged{err}
	}
	return err
}

// judge asks about the trades of one wallet, after those before them, and returns why they are refused, "" if they may
// pass.
func (g *Guard) judge(ctx context.Context, wallet string, before, trades []trade) (why string, err error) {
	var all []map[string]any
	for _, t := range append(before[:len(before):len(before)], trades...) {
		if t.number >= 0 {
			name, err := g.assetName(ctx, t.number)
			if err != nil {
				return "", err
			}
			t.body["asset"] = name
		}
		all = append(all, t.body)
	}
	var plan struct{ Results []assessment }
	if len(all) == 1 {
		all[0]["wallet"] = wallet
		plan.Results = make([]assessment, 1)
		err = g.ask(ctx, "/v1/validate?view=compact", all[0], &plan.Results[0])
		delete(all[0], "wallet")
	} else {
		err = g.ask(ctx, "/v1/validate/batch?view=compact", map[string]any{"wallet": wallet, "trades": all}, &plan)
	}
	if err != nil {
		return "", err
	}
	if len(plan.Results) != len(all) {
		return "", unjudged{fmt.Errorf("the service assessed %d of %d trades", len(plan.Results), len(all))}
	}
	for i := range trades {
		if why, err := g.cfg.Block.stops(&plan.Results[len(before)+i]); why != "" || err != nil {
			return why, err
		}
	}
	return "", nil
}

// stops returns why an assessment stops its trade, "" if it does not.
func (b Block) stops(a *assessment) (why string, err error) {
	denied := a.Policy != nil && a.Policy.Verdict != "pass"
	switch {
	case a.Error != "":
		return a.Summary, nil
	case a.Recommendation == "":
		return "", unjudged{errors.New("the service's answer has no recommendation")}
	case denied, b != BlockPolicy && a.Recommendation == "abort",
		b == BlockCaution && a.Recommendation == "proceed_with_caution":
		return a.words(denied), nil
	}
	for _, f := range a.Flags {
		if f.Name == "stale_market_data" {
			return "", unjudged{errors.New(a.Summary)}
		}
	}
	return "", nil
}

// words gives reason, figures and remedy.
func (a *assessment) words(denied bool) string {
	text := a.Summary + fmt.Sprintf("\nFigures: risk score %.0f of 100, loss on 1 of 100 days %.0f USD", a.RiskScore,
		a.VaR99_24hUSD)
	if a.Probability24h != nil {
		text += fmt.Sprintf(", chance of liquidation within 24 h %s %%",
			strconv.FormatFloat(100**a.Probability24h, 'g', 3, 64))
	}
	text += ".\nRemedy: "
	switch {
	case denied:
		text += "an order that keeps the operator's limits; only the operator can change them. "
		if a.SuggestedSizeUSD > 0 {
			text += fmt.Sprintf("This one with %.0f USD does, and its verdict is proceed now. ", a.SuggestedSizeUSD)
		}
	case a.SuggestedSizeUSD > 0:
		text += fmt.Sprintf("send at most %.0f USD: at this size the verdict is proceed now. ", a.SuggestedSizeUSD)
	default:
		text += "no size of this trade gets proceed now; reduce a position or add margin first. "
	}
	return text + "Closing and reducing always pass. Decision " + a.Meta.RequestID + "."
}

// judgeLeverage returns why a new leverage is refused, "" if it is not.
func (g *Guard) judgeLeverage(ctx context.Context, wallet string, leverage float64) (why string, err error) {
	var turned struct {
		On     bool
		Reason string
	}
	if err := g.ask(ctx, "/v1/kill-switch", nil, &turned); err != nil {
		return "", err
	}
	if turned.On {
		return "leverage is not changed while the kill switch is on: " + turned.Reason, nil
	}
	var p struct {
		Effective *struct {
			MaxLeverage *float64 `json:"max_leverage"`
		}
	}
	if err := g.ask(ctx, "/v1/policy/"+url.PathEscape(wallet), nil, &p); err != nil {
		return "", err
	}
	if p.Effective != nil && p.Effective.MaxLeverage != nil && leverage > *p.Effective.MaxLeverage {
		return fmt.Sprintf("the operator's max_leverage is %g, this would be %g: set at most %[1]g",
			*p.Effective.MaxLeverage, leverage), nil
	}
	return "", nil
}

// assetName returns the ticker of an asset by its number in the venue's orders.
func (g *Guard) assetName(ctx context.Context, number int64) (string, error) {
	if name := g.assets[number]; name != "" {
		return name, nil
	}
	var list types.Assets
	if err := g.ask(ctx, "/v1/assets", nil, &list); err != nil {
		return "", err
	}
	clear(g.assets)
	for _, a := range list.Assets {
		if a.Number != nil {
			g.assets[*a.Number] = a.Name
		}
	}
	if name := g.assets[number]; name != "" {
		return name, nil
	}
	return "", fmt.Errorf("the venue has no asset with number %d", number)
}
