package server

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/internal/contract"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/limits"
	"ballast/server/spec"
)

// Every field, error code and header of the contract occurs in some answer. That answers contain
// nothing else and have the specified form is checked for every answer in the tests of this
// package.
func TestContractIsWhole(t *testing.T) {
	seen := &contract.Recorder{}
	next := func(change func(*Config)) *fixture {
		f := newFixture(t, change)
		f.contract = seen
		f.warm()
		return f
	}
	answersInFull(next(func(c *Config) { c.DemoWallets = []DemoWallet{{wallet, "one", "an account"}} }))
	answersUnderPolicy(next(nil))
	answersWithReceipts(next(signing))
	answersAboutDecisions(next(func(c *Config) { c.Journal = newJournal(t, nil) }))
	decisions := &recorded{}
	keep, closer := remembered(t, decisions)
	next(keep).answersOfOutcomes(decisions, closer)
	answersOfTheJournal(next(func(c *Config) { c.Journal = newJournal(t, nil) }))
	next(aWeekLater(t)).answersOfRecords()
	audit, _ := audited(t, 2)
	next(audit).answersOfTheAudit()
	answersOfBrowsers(next(func(c *Config) {
		c.CORSOrigin, c.RateLimit, c.AuthFailureLimit = "https://console.example", 3, 1
	}))
	clientErrors(next(func(c *Config) { c.ReadTimeout = 300 * time.Millisecond }))
	venueErrors(next(func(c *Config) {
		c.StartingWait, c.RequestTimeout = time.Millisecond, 100*time.Millisecond
		c.Classify = func(err error) (string, time.Duration) { return err.Error(), 0 }
	}))
	next(func(c *Config) { c.Cache = staleCache() }).post(trade("BTC"))
	full := next(func(c *Config) { c.Policies = unkept{limits.NewMemory()} })
	full.operator()("PUT", "/v1/kill-switch", `{"on":false}`)
	everyAlert(t, next(func(c *Config) {
		c.Watch = &recordingWatch{err: errors.New("nobody is there")}
	}))
	for _, missing := range seen.Unseen() {
		t.Errorf("documented, but in no answer: %s", missing)
	}
}

// The contract contains every route; it and the docs contain every error code, and its status is counted.
func TestContractHasEveryRouteAndCode(t *testing.T) {
	var openAPI struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(spec.OpenAPI.Plain(), &openAPI); err != nil {
		t.Fatal(err)
	}
	methods := map[string]string{} // by path without the parameter, as route.methods but HEAD
	for path, item := range openAPI.Paths {
		var all []string
		for _, method := range []string{"get", "post", "put", "delete"} {
			if item[method] != nil {
				all = append(all, strings.ToUpper(method))
			}
		}
		before, after, _ := strings.Cut(path, "{")
		_, end, _ := strings.Cut(after, "}")
		methods[before+end] = strings.Join(all, ", ")
	}
	for _, r := range routeTable[routeNone+1:] {
		want := strings.Replace(r.methods(), ", HEAD", "", 1)
		if r.gate { // the venue's own protocol
			want = ""
		}
		path := r.path + r.end
		if methods[path] != want {
			t.Errorf("%s: documented is %q, want %q", path, methods[path], want)
		}
		delete(methods, path)
	}
	if len(methods) > 0 {
		t.Errorf("no routes: %v", methods)
	}
	docs, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range api.Codes() {
		if !strings.Contains(string(spec.OpenAPI.Plain()), `"`+code+`"`) {
			t.Errorf("error %s is not in the contract", code)
		}
		if !strings.Contains(string(docs), "`"+code+"`") {
			t.Errorf("error %s is not in docs/api.md", code)
		}
		if status := api.RuleOf(code).Status; !slices.Contains(statuses[:], status) {
			t.Errorf("error %s: status %d is not in statuses", code, status)
		}
	}
}

// answersInFull makes every endpoint return every field that it has.
func answersInFull(f *fixture) {
	f.tellAll()
	f.post(trade("BTC"))
	f.raw(f.request("POST", "/v1/validate?explain=true", withSimulation(trade("BTC"))))
	f.raw(f.request("POST", "/v1/validate?deposit=true", trade("BTC")))
	f.post(strings.Replace(trade("BTC"), "50000", "90000000", 1)) // the venue would refuse this size
	f.post(ordered(`{"type":"limit","price":60000.5}`))
	f.post(ordered(`{"stop_loss_price":50000,"take_profit_price":80000}`))
	f.postBatch(batchOf(btcLong, `{"asset":"NOPE","action":"buy","size":1}`))
	f.sizeAnswers()
	f.compactAnswers()
	f.mcpAnswers()
	f.answersOfAccounts()
	f.answersOfOperators()
	f.answersOfWatches()
	for _, path := range []string{
		"/v1/monitor/" + wallet, "/v1/assets", "/v1/market/BTC", "/v1/model-info", "/v1/backtest/BTC",
		"/v1/calibration/health", "/metrics", "/health", "/livez", "/readyz",
		"/openapi.json", "/asyncapi.json", "/llms.txt", "/llms-full.txt", "/docs", "/docs/redoc.js",
		"/docs/operations.md", "/",
	} {
		f.get(path)
	}
	tag := f.get("/docs", "Accept-Encoding: gzip").header.Get("Etag")
	f.get("/docs", "If-None-Match: "+tag)
	f.get("/livez", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.cache.SetModel(&marketcache.Model{Name: "none"})
	f.get("/health") // 503
	f.get("/readyz") // not ready any more
}

// tellAll gives the fixture's assets the data needed by blocks that may otherwise be null.
func (f *fixture) tellAll() {
	model := *f.cache.Model()
	fits := slices.Clone(model.Assets)
	for _, id := range []marketcache.AssetID{btc, eth} {
		fit := *fits[id]
		fit.HasExtreme = true
		fit.Extreme = [marketcache.SideCount]marketcache.ExtremeTail{{U: 1.7, Xi: 0.2, Beta: 0.6, N: 500},
			{U: 1.7, Xi: 0.2, Beta: 0.6, N: 500}}
		fit.Drawdown = marketcache.DrawdownStats{Known: true, MaxPct: 30, CurrentPct: 5, PeakClose: 1.2,
			TroughClose: 0.9, DurationHours: 40, Calmar: 0.5, ATR: 500}
		fit.LastClose = 1
		calib.Derive(&fit)
		fits[id] = &fit
	}
	published := calib.Publish(fits, btc)
	published.Parameters = calib.Constants()
	f.cache.SetModel(published)
	f.cache.SetPairs(marketcache.NewPairTable([]marketcache.AssetID{btc, eth}, []marketcache.TailPair{
		{Known: true, RhoTau: 0.6, Pearson: 0.58, Nu: 5, LogLik: 100, Lambda: 0.2},
	}))
}

// answersOfBrowsers produces the headers that exist only with the matching configuration.
func answersOfBrowsers(f *fixture) {
	f.raw("OPTIONS /v1/validate HTTP/1.1\r\nHost: x\r\nOrigin: https://console.example\r\n\r\n")
	for range 4 {
		f.get("/v1/assets") // the fourth exceeds the limit
	}
	f.mcp(message("ping", `{}`))
}

// clientErrors produces every error that a client can cause.
func clientErrors(f *fixture) {
	f.know(agent(walletOf(wallet)))
	f.post(trade("BTC"))
	f.know(testAccount(walletOf(wallet)))
	for _, row := range mendable {
		f.call(row.call, row.body)
	}
	f.post(`{`)
	f.postBatch(batchOf(slices.Repeat([]string{btcLong}, 51)...))
	f.post(trade("BTC"), "Authorization: Bearer x")
	f.raw("GET /v1/assets HTTP/1.1\r\nHost: x\r\n\r\n")
	f.raw("GET /v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n")
	f.get("/nope")
	f.get("/v1/backtest/NOPE")
	f.get("/v1/validate")
	f.raw(strings.TrimSuffix(f.request("POST", "/v1/validate", trade("BTC")), "}"))
	f.raw(f.request("POST", "/v1/validate", strings.Repeat(" ", 70000)))
	f.get("/" + strings.Repeat("a", 9000))
	f.raw(strings.Replace(f.request("POST", "/v1/validate", trade("BTC")), "application/json", "text/plain", 1))
	f.get("/health", "Expect: 200-ok")
	f.get("/health", "X-A: "+strings.Repeat("a", 9000))
	f.raw("GET /health HTTP/3.0\r\nHost: x\r\n\r\n")
	f.get("/v1/alerts/ws")
}

// venueErrors makes the venue fail in every way.
func venueErrors(f *fixture) {
	f.post(trade("FRESH")) // starting
	fail := func(err error) {
		f.cache.StoreAccount(&marketcache.Account{Wallet: walletOf(wallet),
			Received: marketcache.Now().Add(-time.Hour)})
		f.setLoad(func(ctx context.Context, _ marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
			if err == nil {
				<-ctx.Done()
				err = ctx.Err()
			}
			return nil, err
		})
		f.post(trade("BTC"))
	}
	fail(errors.New("venue_error"))
	fail(errors.New("venue_unavailable"))
	fail(nil)
	f.setLoad(nil)
	f.post(trade("BTC")) // panics
	odd := testAccount(walletOf(wallet))
	odd.Positions[0].ValueUSD *= 1.1
	f.venueGives(odd, nil)
	f.post(trade("BTC"))
	f.cache.StoreAccount(testAccount(walletOf(wallet)))
	leave := f.occupy(admission.Plain, 8)
	defer leave()
	f.post(trade("BTC")) // overloaded
	f.mcp(message("ping", `{}`))
}

// everyAlert makes an alert socket send every kind of message.
func everyAlert(t *testing.T, f *fixture) {
	f.cache.StoreAccount(agent(walletOf(ownerWallet)))
	key := f.subscribe(t)
	f.ask(key, `{"wallet":"`+ownerWallet+`"}`)
	key.Close()
	f.cache.StoreAccount(ruinous(walletOf(wallet)))
	ws := f.subscribeAs(t, "?details=true", nil, wallet)
	defer ws.Close()
	f.get("/v1/monitor/" + wallet)
	f.ask(ws, `{"walet":1}`)
	for {
		_, text, err := ws.ReadMessage()
		if err != nil {
			return // the socket closes after the message
		}
		f.hear(text)
	}
}

// hear checks a message of the alert socket against the contract.
func (f *fixture) hear(text []byte) (message map[string]any) {
	f.t.Helper()
	if f.contract != nil {
		if err := f.contract.CheckMessage(text); err != nil {
			f.t.Error(err)
		}
	}
	if err := json.Unmarshal(text, &message); err != nil {
		f.t.Error(err)
	}
	return message
}

// answersOfAccounts produces the fields that only some accounts and some moments have.
func (f *fixture) answersOfAccounts() {
	explained := func(body string) { f.raw(f.request("POST", "/v1/validate?explain=true", body)) }
	pooled := testAccount(walletOf(wallet))
	pooled.Positions = append(pooled.Positions, marketcache.Position{
		Asset: iso, Name: "ISO", Units: 1000, EntryPrice: 1.2, ValueUSD: 1234.5, Isolated: true, RawUSD: -1200,
		MarginUsedUSD: 34.5, Leverage: 10, MaxLeverage: 10,
	})
	pooled.Orders = &marketcache.OpenOrders{Read: marketcache.Now(), Asked: marketcache.Now().Add(time.Hour),
		Orders: []marketcache.OpenOrder{
			{Asset: btc, Buy: true, Units: 0.1, LimitPrice: 60000},
			{Asset: btc, Units: 1, Trigger: true, Stop: true, TriggerPrice: 65000, LimitPrice: 64000, ReduceOnly: true,
				StopLimit: true},
		}}
	f.know(pooled)
	f.post(trade("BTC"))
	f.post(strings.Replace(trade("BTC"), ":10", ":7.5", 1)) // no whole leverage
	f.raw(f.request("POST", "/v1/validate?view=compact", trade("BTC")))
	f.get("/v1/monitor/" + wallet)
	unread := *pooled
	unread.Orders = &marketcache.OpenOrders{Asked: marketcache.Now().Add(time.Hour), Reason: marketcache.OrdersBudget}
	f.know(&unread)
	f.post(trade("BTC"))

	margin := testAccount(walletOf(wallet))
	margin.Mode = marketcache.ModePortfolioMargin
	margin.Pools = []marketcache.Pool{{Dex: marketcache.Everywhere, EquityUSD: 100000, CashUSD: 70000}}
	margin.Collateral = []marketcache.Collateral{{Asset: eth, Name: "ETH", Units: 8, Mark: 3456.78}}
	f.know(margin)
	f.post(trade("BTC"))
	f.shock(`"shocks":{"BTC":-20,"ISO":1,"*":-30}`)

	f.cache.SetLoading(btc, &marketcache.Loading{Candles: true, CandlesReadyIn: time.Minute})
	explained(trade("BTC"))
	f.cache.SetLoading(btc, nil)
	f.cache.Venue.WalletStreams.Store(&marketcache.WalletStreams{Followed: 1, GapP50: time.Second, GapP90: time.Second})
	f.cache.Venue.Failed("socket: closed")
	f.s.cfg.Feed = func() FeedStatus {
		return FeedStatus{Leader: "a", Weight: &marketcache.VenueWeight{Wallets: 20, Limit: 1200}}
	}
	f.get("/health")
	model := *f.cache.Model()
	fits := slices.Clone(model.Assets)
	metal := *fits[btc]
	metal.Class = marketcache.ClassMetal
	fits[btc], model.Assets = &metal, fits
	f.cache.SetModel(&model)
	f.post(trade("BTC"))
}
