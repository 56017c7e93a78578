//go:build service

package ballast

// Tests the client against a service on the simulated venue, which signs receipts:
// go test -tags service -args -url URL -key KEY -operator KEY.

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

const (
	calm       = "0xba11a57000000000000000000000000000000001"
	endangered = "0xba11a57000000000000000000000000000000006"
)

var (
	serviceURL = flag.String("url", "", "address of the service")
	serviceKey = flag.String("key", "", "API key of an agent")
	operator   = flag.String("operator", "", "API key of an operator")
	order      = ValidationRequest{Asset: "BTC", Action: ActionLong, Size: 50000, Leverage: 10, Wallet: calm,
		MonteCarlo: true}
)

func service() *Client { return New(*serviceURL, *serviceKey) }

func TestServiceValidate(t *testing.T) {
	a, err := service().Validate(t.Context(), order, Explain)
	if err != nil {
		t.Fatal(err)
	}
	if a.Meta.Venue != VenueSimulated || len(a.Stress) != 13 || a.MonteCarlo == nil || a.Explanation == nil ||
		math.Abs(a.Explanation.RawScore-a.RiskScore) > 1e-4 {
		t.Errorf("%+v", a)
	}
	short, err := service().ValidateCompact(t.Context(), order)
	if err != nil || !strings.Contains(short.Summary, " ") {
		t.Errorf("%+v %v", short, err)
	}
}

func TestServicePlan(t *testing.T) {
	plan := BatchRequest{Wallet: calm, Trades: []BatchTrade{{Asset: "BTC", Action: ActionLong, Size: 1000},
		{Asset: "btc", Action: ActionLong, Size: 1000}}}
	a, err := service().Plan(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Results; len(r) != 2 || r[0].Assessment == nil || r[0].Rejected != nil || r[1].Assessment != nil ||
		r[1].Rejected.Meta.Error != "invalid asset: btc" {
		t.Errorf("%+v", r)
	}
	short, err := service().PlanCompact(t.Context(), plan)
	if err != nil || short.Results[0].Assessment.Summary == "" || short.Results[1].Rejected == nil {
		t.Errorf("%+v %v", short, err)
	}
}

func TestServiceMonitorAndMarkets(t *testing.T) {
	report, err := service().Monitor(t.Context(), endangered)
	if err != nil || len(report.Positions) == 0 || report.Positions[0].Recommendation != RecommendationAbort {
		t.Errorf("%+v %v", report, err)
	}
	if short, err := service().MonitorCompact(t.Context(), calm); err != nil || short.Wallet != calm {
		t.Errorf("%+v %v", short, err)
	}
	if all, err := service().Markets(t.Context()); err != nil || len(all.Assets) == 0 {
		t.Errorf("%+v %v", all, err)
	}
	if one, err := service().Market(t.Context(), "BTC"); err != nil || *one.MarkPrice <= 0 {
		t.Errorf("%+v %v", one, err)
	}
}

func TestServiceErrors(t *testing.T) {
	bad := order
	bad.Asset = "btc"
	_, err := service().Validate(t.Context(), bad)
	if e := failure(t, err); e.Status != 400 || e.Code != "validation_error" || e.Field != "asset" || e.Got != "btc" ||
		!strings.Contains(fmt.Sprint(e.Suggestion), "BTC") || !strings.HasPrefix(e.RequestID, "cli_") {
		t.Errorf("%#v", e)
	}
	_, err = service().Validate(t.Context(), ValidationRequest{Asset: "BTC", Action: ActionLong})
	if e := failure(t, err); len(e.Problems) != 2 {
		t.Errorf("%#v", e)
	}
	_, err = New(*serviceURL, "blst_wrong").Markets(t.Context())
	if e := failure(t, err); e.Status != 401 || e.Code != "invalid API key" {
		t.Errorf("%#v", e)
	}
}

func TestServiceAlerts(t *testing.T) {
	everything := 101.0
	options := AlertOptions{Thresholds: &AlertConfigThresholds{MinLiquidationDistancePct: &everything}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	watched := false
	for event, err := range service().Alerts(ctx, []string{endangered}, options) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Alert != nil {
			if event.Alert.Wallet != endangered || !watched {
				t.Errorf("%+v, watched: %v", event.Alert, watched)
			}
			return
		}
		watched = event.Watching != ""
		if _, err := service().Monitor(ctx, endangered); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("the alerts do not come")
}

func TestServiceAlertsRefused(t *testing.T) {
	tooHigh := int64(300)
	for _, row := range []struct {
		options AlertOptions
		status  int
		code    string
	}{
		{AlertOptions{Thresholds: &AlertConfigThresholds{MaxRiskScore: &tooHigh}}, 0, "invalid_config"},
		{AlertOptions{URLs: []string{*serviceURL + "/elsewhere"}}, 404, "refused"},
	} {
		for event, err := range service().Alerts(t.Context(), []string{endangered}, row.options) {
			if e := failure(t, err); e.Status != row.status || e.Code != row.code {
				t.Errorf("%+v %v", event, err)
			}
		}
	}
}

// A decision is found, with its receipt and with what the client has reported of it.
func TestServiceDecisions(t *testing.T) {
	c, ctx, begun := service(), t.Context(), time.Now().Add(-time.Minute)
	a, err := c.Validate(ctx, order)
	if err != nil {
		t.Fatal(err)
	}
	id := a.Meta.RequestID
	d, err := c.Decision(ctx, id)
	if err != nil || d.RequestID != id || d.Asset != "BTC" || *d.RiskScore != a.RiskScore || d.Outcome != nil {
		t.Fatalf("%+v %v", d, err)
	}
	told, err := c.ReportOutcome(ctx, OutcomeReport{TradeID: "go-" + id, RequestID: id, EntryPrice: 100, ExitPrice: 101,
		PnLUSD: 500, PnLPct: 10, HoldingPeriodHours: 1})
	if err != nil || !told.Verified {
		t.Fatalf("%+v %v", told, err)
	}
	page, err := c.Decisions(ctx, DecisionQuery{Wallet: calm, Asset: "BTC", RequestID: id,
		Page: Page{From: begun, To: time.Now().Add(time.Minute), Limit: 1}})
	if err != nil || len(page.Decisions) != 1 || page.Decisions[0].Outcome == nil ||
		page.Decisions[0].Outcome.Reported[0].TradeID != "go-"+id {
		t.Errorf("%+v %v", page, err)
	}
	for _, ask := range []func(context.Context) (*Accuracy, error){c.Accuracy, c.OutcomeStats} {
		if right, err := ask(ctx); err != nil || right.BySource.Reported == 0 {
			t.Errorf("%+v %v", right, err)
		}
	}
	for _, ask := range []func() (any, error){
		func() (any, error) { return c.ModelInfo(ctx) },
		func() (any, error) { return c.Backtest(ctx, "BTC") },
		func() (any, error) { return c.CalibrationHealth(ctx) },
		func() (any, error) { return New(*serviceURL, "").Health(ctx) },
	} {
		if told, err := ask(); err != nil {
			t.Errorf("%T %v", told, err)
		}
	}
	key, err := c.ReceiptKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := key.Verify(a.Receipt, order, time.Now()); err != nil {
		t.Error(err)
	}
}

// An operator limits and stops; an agent may not.
func TestServiceLimits(t *testing.T) {
	c, ctx, limit := New(*serviceURL, *operator), t.Context(), 5.0
	rules := PolicyRules{MaxLeverage: &limit}
	set, err := c.PutPolicy(ctx, calm, rules, 0)
	if err != nil || *set.Rules.MaxLeverage != 5 {
		t.Fatalf("%+v %v", set, err)
	}
	_, err = c.PutPolicy(ctx, calm, rules, set.Revision+1)
	if e := failure(t, err); e.Status != 412 || *e.Revision != set.Revision {
		t.Errorf("%#v", e)
	}
	if again, err := c.PutPolicy(ctx, calm, PolicyRules{}, set.Revision); err != nil || again.Rules.MaxLeverage != nil {
		t.Errorf("%+v %v", again, err)
	}
	held, err := service().Policy(ctx, calm)
	if err != nil || held.MayChange || held.Revision <= set.Revision {
		t.Fatalf("%+v %v", held, err)
	}
	if tried, err := c.TestPolicy(ctx, AllWallets, PolicyTestRequest{Rules: rules}); err != nil || tried.Wallet != "*" {
		t.Errorf("%+v %v", tried, err)
	}
	_, err = service().DeletePolicy(ctx, calm, held.Revision)
	if e := failure(t, err); e.Status != 403 {
		t.Errorf("%#v", e)
	}
	if gone, err := c.DeletePolicy(ctx, calm, held.Revision); err != nil || gone.Rules != nil {
		t.Errorf("%+v %v", gone, err)
	}
	on, err := c.SetKillSwitch(ctx, KillSwitchChange{On: true, Reason: "a test"}, 0)
	if err != nil || !on.On {
		t.Fatalf("%+v %v", on, err)
	}
	if off, err := c.SetKillSwitch(ctx, KillSwitchChange{}, on.Revision); err != nil || off.On {
		t.Errorf("%+v %v", off, err)
	}
	if now, err := service().KillSwitch(ctx); err != nil || now.On {
		t.Errorf("%+v %v", now, err)
	}
	page, err := c.Audit(ctx, Page{Limit: 1})
	if err != nil || page.Events[0].Event != "kill_switch_off" {
		t.Fatalf("%+v %v", page, err)
	}
	if page, err = c.Audit(ctx, Page{Limit: 1, Cursor: *page.NextCursor}); err != nil ||
		page.Events[0].Detail != "a test" {
		t.Errorf("%+v %v", page, err)
	}
	_, err = service().Audit(ctx, Page{})
	if e := failure(t, err); e.Status != 403 || e.Code != "forbidden" {
		t.Errorf("%#v", e)
	}
}

func TestServiceWatches(t *testing.T) {
	c, ctx := service(), t.Context()
	if set, err := c.PutWatch(ctx, calm, WatchRequest{EveryS: 60}); err != nil || set.EveryS != 60 {
		t.Fatalf("%+v %v", set, err)
	}
	if one, err := c.Watch(ctx, calm); err != nil || one.Wallet != calm {
		t.Errorf("%+v %v", one, err)
	}
	if all, err := c.Watches(ctx); err != nil || len(all.Watches) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	if gone, err := c.DeleteWatch(ctx, calm); err != nil || !gone.Removed {
		t.Errorf("%+v %v", gone, err)
	}
}
