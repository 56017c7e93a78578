package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/server/api"
)

const (
	defaultMarkets = 20
	maxMarkets     = 500
)

// Arguments that say what the actions of check_wallet bring a pool to, and the parameters of their route.
const (
	maxProbability = "max_probability_24h"
	survive        = "survive"
)

// call is a tool call in progress.
type call struct {
	s       *Server
	ctx     context.Context
	header  http.Header
	members []member // the arguments
}

// tool answers a call with a JSON object, or fails.
type tool func(c *call) (body []byte, bad *failure)

// addTools declares the tools. None of them changes anything or sends an order.
func (s *Server) addTools() {
	for _, t := range tools(contractSchemas()) {
		s.known["tools/call"] += " " + t.name
		s.sdk.AddTool(&sdk.Tool{
			Name: t.name, Title: t.title, Description: t.description, InputSchema: t.input, OutputSchema: t.output,
			Annotations: &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: true, DestructiveHint: new(bool),
				IdempotentHint: true},
		}, s.handler(t))
	}
}

// declaration is all that is told about a tool, and what it does.
type declaration struct {
	name, title, description string
	input, output            map[string]any
	answer                   tool
	brief                    brief
}

func tools(contract schemas) []declaration {
	detail := map[string]any{"detail": map[string]any{"type": "string", "enum": []string{"compact", "full"},
		"description": "`compact` (default): verdict, reasons and key figures. `full`: every figure, several KB."}}
	wallet := map[string]any{"wallet": contract["ValidationRequest"]["properties"].(map[string]any)["wallet"]}
	return []declaration{
		{"validate_trade", "Assess a trade",
			"Assess one trade before it is sent to the venue: risk score 0 to 100, recommendation, flags, chance of " +
				"liquidation, loss, costs, a size that gets `proceed`, and whether the venue would take the order. " +
				"Call it before every order. Sends nothing.",
			contract.input("ValidationRequest", detail),
			output("`CompactAssessment`" + ofContract + ", with detail full `Assessment`."),
			assess("/v1/validate"), briefOf(briefTrade)},
		{"validate_plan", "Assess a plan of trades",
			"Assess 1 to 50 trades of one wallet as a sequence, each as if those before it had filled. A trade " +
				"that breaks a rule has an error in its element and does not stop the rest. Sends nothing.",
			contract.planInput(detail),
			output("`CompactBatchAnswer`" + ofContract + ", with detail full `BatchAnswer`."),
			assess("/v1/validate/batch"), briefOf(briefPlan)},
		{"size_trade", "Find the size of a trade",
			"The largest size of a trade that meets a target, such as max_score 40, and that the venue takes: the " +
				"question of validate_trade turned round. Without leverage a ladder says it for each. Sends nothing.",
			contract.sizeInput(detail),
			output("`CompactSizeAnswer`" + ofContract + ", with detail full `SizeAnswer`."),
			sizeTrade, briefOf(briefSize)},
		{"check_wallet", "Assess a wallet as held",
			"Assess every open position of a wallet, its margin and the book as a whole. Who watches the wallet " +
				"over the alert socket hears of every breach.",
			closed("A wallet, and what its `action` is to bring it to.", []string{"wallet"}, wallet, target(), detail),
			output("`CompactWalletReport`" + ofContract + ", with detail full `WalletReport`."),
			checkWallet, briefOf(briefWallet)},
		{"list_markets", "List markets",
			"Tickers with mark price (USD), maximum leverage, funding rate (fraction an hour), open interest and " +
				"volume (USD), largest volume first.",
			closed("What to list.", nil, map[string]any{
				"search": textOf("Only tickers that contain this text, in upper or lower case. Left out: all."),
				"limit": map[string]any{"type": "integer", "minimum": 1, "maximum": maxMarkets,
					"description": "How many at most. Left out: 20."},
			}),
			output("`Assets`" + ofContract + ", with venue, and matching: how many tickers match."),
			listMarkets, briefOf(briefMarkets)},
		{"get_market", "Look up a market",
			"One market now: prices (USD), spread (bps), depth (USD within 10, 50 and 100 bps of mid), funding rate " +
				"(fraction an hour), open interest, volume, regime, forecast volatility, and how old each is (ms).",
			closed("A market.", []string{"asset"},
				map[string]any{"asset": textOf("The venue's ticker, case-sensitive, as in tool `list_markets`.")}),
			output("`MarketData`" + ofContract + ", with venue."),
			getMarket, briefOf(briefMarket)},
		{"get_decision", "Look up a decision",
			"An earlier answer or refusal: what was asked, verdict, figures, what the gate did and why, what became.",
			closed("An answer.", []string{"request_id"},
				map[string]any{"request_id": textOf("Its `meta.request_id`, or header X-Request-Id.")}),
			output("`Decision`" + ofContract + "."), getDecision, briefOf(briefDecision)},
		{"explain_flag", "Explain a flag",
			"What a flag of an answer means: severity, the rule that raises it, and the unit of its figures.",
			closed("A flag.", []string{"flag"}, map[string]any{
				"flag": contract.spelled(map[string]any(contract["Flag"]))}),
			output("An element of flags of `ModelInfo`" + ofContract + "."), explainFlag, nil},
	}
}

// target returns the properties of what the actions of check_wallet bring a pool to.
func target() map[string]any {
	return map[string]any{
		maxProbability: map[string]any{"type": "number", "minimum": 0, "maximum": 1,
			"description": "Highest chance of liquidation within 24 h, fraction. Left out: 0.05."},
		survive: map[string]any{"type": "boolean", "description": "Survive every stress scenario. Left out: true."},
	}
}

// closed returns the schema of an object with these properties and no others.
func closed(description string, required []string, properties ...map[string]any) map[string]any {
	schema := object(description, required, merged(properties))
	schema["additionalProperties"] = false
	return schema
}

func merged(list []map[string]any) map[string]any {
	all := map[string]any{}
	for _, properties := range list {
		maps.Copy(all, properties)
	}
	return all
}

func (s *Server) handler(t declaration) sdk.ToolHandler {
	known := slices.Sorted(maps.Keys(t.input["properties"].(map[string]any)))
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c := s.newCall(ctx, req.Extra)
		var body []byte
		var bad *failure
		if c.members, bad = readMembers(req.Params.Arguments); bad == nil {
			bad = c.wrapped(known)
		}
		if bad == nil {
			body, bad = t.answer(c)
		}
		if bad != nil {
			return bad.result(), nil
		}
		return result(body, t.brief), nil
	}
}

func (s *Server) newCall(ctx context.Context, extra *sdk.RequestExtra) *call {
	c := &call{s: s, ctx: ctx}
	if extra != nil {
		c.header = extra.Header
	}
	return c
}

// ask sends a request to a route and returns the body of its answer, or its error.
func (c *call) ask(target string, body []byte) ([]byte, *failure) {
	a, err := c.s.cfg.Ask(c.ctx, c.header, target, body)
	if err != nil {
		return nil, &failure{Code: "service_unreachable", Detail: err.Error()}
	}
	if a.Status != http.StatusOK {
		return nil, failureOf(&a)
	}
	return a.Body, nil
}

// assess returns a tool that sends the arguments, except detail, as a request body.
func assess(path string) tool {
	return func(c *call) ([]byte, *failure) {
		view, bad := c.view()
		if bad != nil {
			return nil, bad
		}
		answer, bad := c.ask(path+view, appendMembers(nil, c.members))
		if bad == nil && view != "" { // a rejected trade's summary may name a route: name the tool instead
			answer = []byte(toolNames.Replace(string(answer)))
		}
		if bad != nil && strings.HasPrefix(bad.Detail, "unknown field: ") && !strings.ContainsAny(bad.Field, ".[") {
			bad.Allowed.Values = append(bad.Allowed.Values, "detail") // the route does not know it
		}
		return answer, bad
	}
}

// sizeTrade is assess without the curve, which is long, unless it is asked for.
func sizeTrade(c *call) ([]byte, *failure) {
	if !slices.ContainsFunc(c.members, func(m member) bool { return m.name == "curve" }) {
		c.members = append(c.members, member{"curve", json.RawMessage("false")})
	}
	return assess("/v1/size")(c)
}

func checkWallet(c *call) ([]byte, *failure) {
	view, bad := c.view()
	if bad != nil {
		return nil, bad
	}
	target, bad := c.target()
	if bad != nil {
		return nil, bad
	}
	wallet, bad := c.only("wallet", maxProbability, survive, "detail")
	if bad != nil {
		return nil, bad
	}
	return c.ask("/v1/monitor/"+url.PathEscape(wallet)+cmp.Or(view, "?")+target, nil)
}

func getMarket(c *call) ([]byte, *failure) {
	asset, bad := c.only("asset")
	if bad != nil {
		return nil, bad
	}
	answer, bad := c.ask("/v1/market/"+url.PathEscape(asset), nil)
	if bad != nil {
		return nil, bad
	}
	return c.withVenue(answer), nil
}

func getDecision(c *call) ([]byte, *failure) {
	id, bad := c.only("request_id")
	if bad != nil {
		return nil, bad
	}
	return c.ask("/v1/decisions/"+url.PathEscape(id), nil)
}

func listMarkets(c *call) ([]byte, *failure) {
	search, limit := "", defaultMarkets
	for _, m := range c.members {
		switch m.name {
		case "search":
			if json.Unmarshal(m.value, &search) != nil {
				return nil, m.mistyped("a string")
			}
		case "limit":
			if json.Unmarshal(m.value, &limit) != nil {
				f := m.mistyped("an integer")
				f.Allowed.Min, f.Allowed.Max = 1, maxMarkets
				return nil, f
			}
			if limit < 1 || limit > maxMarkets {
				return nil, invalid("limit must be from 1 to 500, got "+string(m.value),
					api.Mending{Field: "limit", Got: limit, Allowed: &api.Allowed{Min: 1, Max: maxMarkets},
						Suggestion: min(max(limit, 1), maxMarkets)})
			}
		default:
			return nil, c.unknown(&m, "search", "limit")
		}
	}
	answer, bad := c.ask("/v1/assets", nil)
	if bad != nil {
		return nil, bad
	}
	var all struct{ Assets []json.RawMessage }
	if err := json.Unmarshal(answer, &all); err != nil {
		return nil, unreadable(err)
	}
	type listed struct {
		text   json.RawMessage
		volume float64
	}
	var found []listed
	for _, text := range all.Assets {
		var a struct {
			Name   string
			Volume float64 `json:"volume_24h"` // 0 for null
		}
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, unreadable(err)
		}
		if strings.Contains(strings.ToLower(a.Name), strings.ToLower(search)) {
			found = append(found, listed{text, a.Volume})
		}
	}
	slices.SortStableFunc(found, func(a, b listed) int { return cmp.Compare(b.volume, a.volume) })
	matching := len(found)
	chosen := make([]json.RawMessage, 0, limit)
	for _, a := range found[:min(limit, matching)] {
		chosen = append(chosen, a.text)
	}
	body, err := json.Marshal(struct {
		Matching int               `json:"matching"`
		Assets   []json.RawMessage `json:"assets"`
	}{matching, chosen})
	if err != nil {
		return nil, unreadable(err)
	}
	return c.withVenue(body), nil
}

func explainFlag(c *call) ([]byte, *failure) {
	name, bad := c.only("flag")
	if bad != nil {
		return nil, bad
	}
	flags, bad := c.flags()
	if bad != nil {
		return nil, bad
	}
	var names []string
	for _, flag := range flags {
		var f struct{ Name string }
		if err := json.Unmarshal(flag, &f); err != nil {
			return nil, unreadable(err)
		}
		if f.Name == name {
			return flag, nil
		}
		names = append(names, f.Name)
	}
	name = printable.Text([]byte(name))
	return nil, invalid("no such flag: "+name, api.Mending{
		Field: "flag", Got: name, Allowed: &api.Allowed{Values: names},
		Suggestion: api.Suggestion(flagNamed(name, names)),
	})
}

// flagNamed returns the flag that is most similar to a name, or has all its words; "" if there is none.
func flagNamed(name string, names []string) string {
	name = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
	if near := similar.Name(name, names); near != "" {
		return near
	}
	for _, flag := range names {
		lacks := func(word string) bool { return !strings.Contains(flag, word) }
		if !slices.ContainsFunc(strings.Split(name, "_"), lacks) {
			return flag
		}
	}
	return ""
}

// flags reads the table of flags.
func (c *call) flags() ([]json.RawMessage, *failure) {
	answer, bad := c.ask("/v1/model-info", nil)
	if bad != nil {
		return nil, bad
	}
	var model struct{ Flags []json.RawMessage }
	if err := json.Unmarshal(answer, &model); err != nil {
		return nil, unreadable(err)
	}
	return model.Flags, nil
}

// withVenue adds the venue's name from /health to an answer without one.
func (c *call) withVenue(body []byte) []byte {
	a, err := c.s.cfg.Ask(c.ctx, c.header, "/health", nil) // has a complete body with 503 too
	var health struct{ Venue struct{ Kind string } }
	if err != nil || json.Unmarshal(a.Body, &health) != nil || health.Venue.Kind == "" {
		return body
	}
	name, _ := json.Marshal(health.Venue.Kind)
	return slices.Concat([]byte(`{"venue":`), name, []byte(","), body[1:])
}
