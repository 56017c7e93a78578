package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ballast/server/api"
	"ballast/server/spec/types"
)

// maxText is the maximum length of a result's text, characters.
const maxText = 1200

// brief returns the lines that sum up an answer.
type brief func(body []byte) []string

// briefOf returns a brief that parses the part of an answer that its lines mention.
func briefOf[T any](lines func(*T) []string) brief {
	return func(body []byte) []string {
		var part T
		if err := json.Unmarshal(body, &part); err != nil {
			return []string{unreadable(err).Detail}
		}
		return lines(&part)
	}
}

// result has a JSON object as structured content. Its text is the same object, but for the receipt, if it is short
// enough, otherwise the lines of brief.
func result(body []byte, brief brief) *sdk.CallToolResult {
	text := string(body)
	if utf8.RuneCount(body) > maxText {
		text = withoutReceipt(body)
	}
	if utf8.RuneCountInString(text) > maxText {
		text = fit(brief(body))
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}},
		StructuredContent: json.RawMessage(body)}
}

// withoutReceipt leaves out what only programs read.
func withoutReceipt(body []byte) string {
	members, bad := readMembers(body)
	if bad != nil {
		return string(body)
	}
	members = slices.DeleteFunc(members, func(m member) bool { return m.name == "receipt" })
	return string(appendMembers(nil, members))
}

const (
	moreLines = "More in structuredContent."
	noLicence = "An error is no permission to trade."
)

// fit joins the lines that fit into a text, and says when some do not.
func fit(lines []string) string {
	var b strings.Builder
	room := maxText - len(moreLines)
	for _, line := range lines {
		n := utf8.RuneCountInString(line) + 1
		if n > room {
			b.WriteString(moreLines)
			break
		}
		room -= n
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// failure is an error of a tool, with the members of HTTP errors.
type failure struct {
	Code   string `json:"error"`
	Detail string `json:"detail,omitempty"`
	api.Mending
	RetryAfter int    `json:"retry_after_s,omitempty"`
	RequestID  string `json:"request_id,omitempty"`
}

// failureOf parses a route's error.
func failureOf(a *Answer) *failure {
	f := &failure{}
	d := json.NewDecoder(strings.NewReader(toolNames.Replace(string(a.Body))))
	d.UseNumber() // keeps got as it is
	if err := d.Decode(f); err != nil || f.Code == "" {
		f = &failure{Code: "http_" + strconv.Itoa(a.Status), Detail: "the service answered " + strconv.Itoa(a.Status) +
			" " + http.StatusText(a.Status)}
	}
	f.RetryAfter, _ = strconv.Atoi(a.RetryAfter)
	f.RequestID = a.RequestID
	return f
}

func unreadable(err error) *failure {
	return &failure{Code: api.CodeInternal, Detail: "the service's answer cannot be read: " + err.Error()}
}

// result has all members as structured content and as text.
func (f *failure) result() *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: f.text()}},
		StructuredContent: f}
}

func (f *failure) text() string {
	lines := []string{strings.TrimSuffix(f.Code+": "+f.Detail, ": ")}
	add := func(known bool, name string, value any) {
		if known {
			lines = append(lines, fmt.Sprintf("%s: %v", name, value))
		}
	}
	add(f.Field != "", "field", f.Field)
	add(f.Got != nil, "got", f.Got)
	add(f.Suggestion != nil, "suggestion", f.Suggestion)
	add(f.RetryAfter > 0, "retry after, s", f.RetryAfter)
	if f.Allowed != nil {
		allowed, err := json.Marshal(f.Allowed)
		if err != nil {
			panic("BUG: what is allowed does not encode: " + err.Error())
		}
		add(true, "allowed", string(allowed))
	}
	for _, p := range f.Problems {
		line := p.Field + ": " + p.Detail
		if p.Suggestion != nil {
			line += fmt.Sprintf("; suggestion: %v", p.Suggestion)
		}
		add(true, "problem", line)
	}
	add(f.RequestID != "", "request_id", f.RequestID)
	return fit(append(lines, noLicence))
}

// assessment is the part of an answer, in either view, that a text mentions.
type assessment struct {
	Asset          string
	Score          float64 `json:"risk_score"`
	Recommendation string
	Summary        string
	Flags          []json.RawMessage
	Liquidation    types.Liquidation
	VaR            types.ValueAtRisk
	Sizing         types.Sizing
	Admissibility  types.Admissibility
	Pools          []types.Pool
	Meta           answerMeta
}

// UnmarshalJSON reads the figures of either view.
func (a *assessment) UnmarshalJSON(text []byte) error {
	type full assessment
	compact := struct {
		*full
		Price       float64  `json:"liquidation_price"`
		Distance    float64  `json:"liquidation_distance_pct"`
		Probability *float64 `json:"probability_24h"`
		VaR99       *float64 `json:"var_99_24h_usd"`
		Suggested   float64  `json:"suggested_size_usd"`
		Max         float64  `json:"max_safe_size_usd"`
	}{full: (*full)(a)}
	if err := json.Unmarshal(text, &compact); err != nil || compact.VaR99 == nil {
		return err
	}
	a.Liquidation.Price, a.Liquidation.DistancePct = compact.Price, compact.Distance
	a.Liquidation.Probability24h, a.VaR.Dollar99_24h = compact.Probability, *compact.VaR99
	a.Sizing.SuggestedSizeUSD, a.Sizing.MaxSafeSizeUSD = compact.Suggested, compact.Max
	return nil
}

type answerMeta struct {
	Venue     string
	AsOf      string `json:"as_of"`
	RequestID string `json:"request_id"`
	Error     string
}

func (m *answerMeta) String() string {
	return "venue " + m.Venue + ", as of " + m.AsOf + ", request_id " + m.RequestID
}

// flagNames lists the flags, in either view.
func (a *assessment) flagNames() string {
	var names []string
	for _, flag := range a.Flags {
		var name string
		var long struct{ Name string }
		if json.Unmarshal(flag, &name) != nil && json.Unmarshal(flag, &long) == nil {
			name = long.Name
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "no flags"
	}
	return "flags " + strings.Join(names, ", ")
}

// reason says in a few words why the verdict is what it is.
func (a *assessment) reason() string {
	switch {
	case a.Meta.Error != "":
		return a.Meta.Error
	case a.Summary != "":
		return a.Summary
	}
	return a.flagNames()
}

func (a *assessment) dyingPools() (n int) {
	for _, p := range a.Pools {
		if !p.Survives {
			n++
		}
	}
	return n
}

func (a *assessment) verdict() string {
	return a.Recommendation + ", risk score " + number(a.Score)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// sizes says which size to send. Max is within the four size limits, but its risk score was not checked.
func (a *assessment) sizes() string {
	operators := ""
	if a.Sizing.PolicyRule != "" {
		operators = "; the operator's " + a.Sizing.PolicyRule + " allows no more"
	}
	if a.Sizing.SuggestedSizeUSD == 0 {
		return "no size can be suggested" + operators
	}
	return "suggested size " + number(a.Sizing.SuggestedSizeUSD) + " USD: send this one; up to " +
		number(a.Sizing.MaxSafeSizeUSD) + " USD is within the limits of size, but may be abort" + operators
}

func briefTrade(a *assessment) []string { return a.brief(a.sizes()) }

// brief is what a text says of an assessment, sizes among it.
func (a *assessment) brief(sizes ...string) []string {
	lines := []string{a.verdict() + " of 100", a.reason()}
	if l := &a.Liquidation; l.Probability24h != nil {
		lines = append(lines, fmt.Sprintf("chance of liquidation within 24 h %s (fraction), price %s USD, %s %% away",
			number(*l.Probability24h), number(l.Price), number(l.DistancePct)))
	}
	lines = append(lines, "VaR 99 % over 24 h "+number(a.VaR.Dollar99_24h)+" USD")
	lines = append(append(lines, sizes...), "admissibility "+string(a.Admissibility.Verdict))
	for _, issue := range a.Admissibility.Issues {
		line := fmt.Sprintf("- %s: %s", issue.Code, issue.Field)
		if issue.Fix != nil {
			line += ", fix " + number(*issue.Fix)
		}
		if issue.FixDepositUSD != nil {
			line += ", or deposit " + number(*issue.FixDepositUSD) + " USD"
		}
		lines = append(lines, line)
	}
	if dying := a.dyingPools(); dying > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d pools die in a stress scenario", dying, len(a.Pools)))
	}
	return append(lines, a.Meta.String(), "Every figure is in structuredContent.")
}

type sized struct {
	types.SizeAnswer
	Assessment assessment `json:"assessment"` // in either view
}

func briefSize(s *sized) []string {
	if s.SizeUSD == 0 {
		line := "no size meets the target; bound by " + s.Binding
		if n := s.Nearest; n != nil {
			line += "; the smallest order, " + number(n.SizeUSD) + " USD, has risk score " + number(n.RiskScore)
		}
		return []string{line}
	}
	lines := append([]string{fmt.Sprintf("largest size %s USD (%s coins) at %sx; one lot more is stopped by %s",
		number(s.SizeUSD), number(s.SizeCoin), number(s.Leverage), s.Binding)}, s.Assessment.brief()...)
	for _, rung := range s.Ladder {
		lines = append(lines, fmt.Sprintf("- %sx: up to %s USD (%s)", number(rung.Leverage), number(rung.SizeUSD),
			rung.Binding))
	}
	return lines
}

type plan struct{ Results []assessment }

func briefPlan(plan *plan) []string {
	if len(plan.Results) == 0 {
		return []string{"the service's answer cannot be read"}
	}
	count := map[string]int{}
	var verdicts, reasons []string
	for i := range plan.Results {
		a := &plan.Results[i]
		count[a.Recommendation]++
		verdicts = append(verdicts, strconv.Itoa(i+1)+" "+a.Recommendation)
		reasons = append(reasons, strconv.Itoa(i+1)+": risk score "+number(a.Score)+", "+a.reason())
	}
	first := fmt.Sprintf("%d trades: %d proceed, %d proceed_with_caution, %d abort", len(plan.Results),
		count["proceed"], count["proceed_with_caution"], count["abort"])
	if len(plan.Results) <= 20 {
		first += ": " + strings.Join(verdicts, ", ")
	}
	return append([]string{first, plan.Results[0].Meta.String()}, reasons...)
}

type wallet struct {
	Wallet, Summary string
	Margin          types.CompactMargin
	Positions       []assessment
	Meta            answerMeta
}

func briefWallet(w *wallet) []string {
	lines := []string{
		strings.TrimSpace("wallet " + w.Wallet + ". " + w.Summary), w.Meta.String(),
		fmt.Sprintf("account value %s USD, free margin %s USD, maintenance ratio %s %%; the venue liquidates at 100 %%",
			number(w.Margin.AccountValue), number(w.Margin.Free), number(w.Margin.MaintenanceRatioPct)),
	}
	for i := range w.Positions {
		p := &w.Positions[i]
		lines = append(lines, p.Asset+": "+p.verdict()+", "+p.flagNames())
	}
	return lines
}

type markets struct {
	Matching int
	Venue    string
	Assets   []types.Asset
}

func briefMarkets(markets *markets) []string {
	lines := []string{fmt.Sprintf("%d of %d matching markets, by volume. Venue: %s", len(markets.Assets),
		markets.Matching, markets.Venue)}
	for _, a := range markets.Assets {
		line := a.Name + ": up to " + number(a.MaxLeverage) + "x"
		if a.MarkPrice != nil {
			line += ", mark " + number(*a.MarkPrice) + " USD"
		}
		if a.Volume24h != nil {
			line += ", 24 h volume " + strconv.FormatFloat(*a.Volume24h, 'f', 0, 64) + " USD"
		}
		lines = append(lines, line)
	}
	return lines
}

// briefMarket leaves out the last mids, briefDecision what names the model.
func briefMarket(members *map[string]json.RawMessage) []string {
	return linesOf(*members, "asset", "venue", "mark_price", "oracle_price", "mid_price", "spread_bps", "funding_rate",
		"open_interest_usd", "volume_24h_usd", "depth", "imbalance", "ages", "regime", "volatility_forecast")
}

func briefDecision(members *map[string]json.RawMessage) []string {
	return linesOf(*members, "request_id", "at", "kind", "wallet", "asset", "action", "size_usd", "leverage",
		"recommendation", "risk_score", "probability_24h", "liquidation_price", "outcome", "gate", "policy",
		"flags", "request")
}

// linesOf returns members as lines, in the order of the names.
func linesOf(members map[string]json.RawMessage, names ...string) (lines []string) {
	for _, name := range names {
		if value := members[name]; value != nil {
			lines = append(lines, name+": "+string(value))
		}
	}
	return lines
}
