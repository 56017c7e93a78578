package risk

import (
	"math"
	"slices"
	"strings"
	"testing"

	mc "ballast/marketcache"

	"ballast/internal/race"
)

const testWalletText = "0x00112233445566778899aabbccddeeff01234567"

func text(s string) Field[[]byte]       { return Field[[]byte]{Kind: Given, Value: []byte(s)} }
func number64(x float64) Field[float64] { return Field[float64]{Kind: Given, Value: x} }

// testUniverse has BTC with 40x, HYPE with 10x and isolated margin only, and OLD, which is
// delisted.
func testUniverse() *mc.Universe {
	only, old := testAsset(1, "HYPE"), testAsset(2, "OLD")
	only.OnlyIsolated, only.MaxLeverage = true, 10
	old.Delisted = true
	return mc.NewUniverse([]*mc.Asset{testAsset(0, "BTC"), only, old})
}

func goodRequest() Request {
	return Request{Wallet: text(testWalletText), Asset: text("BTC"), Action: text("long"), Size: number64(100)}
}

var longText = strings.Repeat("é", 100)

// checkCases are requests with one change, and what is wrong with them.
var checkCases = []struct {
	name   string
	change func(r *Request)
	want   string // "": the request is accepted
}{
	{"plain", func(r *Request) {}, ""},
	{"wallet missing", func(r *Request) { r.Wallet = Field[[]byte]{} }, "missing field: wallet"},
	{"wallet not a string", func(r *Request) { r.Wallet.Kind = Mistyped }, "field wallet must be a string"},
	{"wallet short", func(r *Request) { r.Wallet = text("0x12") }, "invalid wallet address: 0x12"},
	{"wallet not printable", func(r *Request) { r.Wallet = text("a\x1b[2J\xff\u202e") },
		"invalid wallet address: a?[2J??"},
	{"wallet cut at 64 characters", func(r *Request) { r.Wallet = text(longText) },
		"invalid wallet address: " + longText[:128]},
	{"wallet in upper case", func(r *Request) { r.Wallet = text("0x" + strings.ToUpper(testWalletText[2:])) }, ""},
	{"size missing", func(r *Request) { r.Size = Field[float64]{} }, "missing field: size"},
	{"size not a number", func(r *Request) { r.Size.Kind = Mistyped }, "field size must be a number"},
	{"size zero", func(r *Request) { r.Size.Value = 0 }, "size must be positive, got 0"},
	{"size negative", func(r *Request) { r.Size.Value = -12.5 }, "size must be positive, got -12.5"},
	{"size not a number at all", func(r *Request) { r.Size.Value = math.NaN() }, "size must be positive, got NaN"},
	{"size smallest", func(r *Request) { r.Size.Value = 5e-324 }, ""},
	{"size largest", func(r *Request) { r.Size.Value = 1e8 }, ""},
	{"size just beyond", func(r *Request) { r.Size.Value = math.Nextafter(1e8, 2e8) },
		"size 100000000.00000001 exceeds maximum allowed 100000000"},
	{"size 200 million", func(r *Request) { r.Size.Value = 2e8 }, "size 200000000 exceeds maximum allowed 100000000"},
	{"size infinite", func(r *Request) { r.Size.Value = math.Inf(1) }, "size +Inf exceeds maximum allowed 100000000"},
	{"size in coins", func(r *Request) { r.Size, r.SizeCoin = Field[float64]{}, number64(0.25) }, ""},
	{"size in coins and in USD", func(r *Request) { r.SizeCoin = number64(1) },
		"size and size_coin are both given, want one of them"},
	{"size in coins not a number", func(r *Request) { r.Size, r.SizeCoin.Kind = Field[float64]{}, Mistyped },
		"field size_coin must be a number"},
	{"size in coins zero", func(r *Request) { r.Size, r.SizeCoin = Field[float64]{}, number64(0) },
		"size_coin must be positive, got 0"},
	{"action missing", func(r *Request) { r.Action = Field[[]byte]{} }, "missing field: action"},
	{"action not a string", func(r *Request) { r.Action.Kind = Mistyped }, "field action must be a string"},
	{"action unknown", func(r *Request) { r.Action = text("buy") },
		"invalid action: buy (want long, short or close)"},
	{"action in capitals", func(r *Request) { r.Action = text("LONG") },
		"invalid action: LONG (want long, short or close)"},
	{"action empty", func(r *Request) { r.Action = text("") }, "invalid action:  (want long, short or close)"},
	{"asset missing", func(r *Request) { r.Asset = Field[[]byte]{} }, "missing field: asset"},
	{"asset not a string", func(r *Request) { r.Asset.Kind = Mistyped }, "field asset must be a string"},
	{"asset unknown", func(r *Request) { r.Asset = text("DOGE") }, "invalid asset: DOGE"},
	{"asset in the wrong case", func(r *Request) { r.Asset = text("btc") }, "invalid asset: btc"},
	{"asset delisted", func(r *Request) { r.Asset = text("OLD") }, "asset OLD is delisted and cannot be traded"},
	{"leverage not a number", func(r *Request) { r.Leverage.Kind = Mistyped }, "field leverage must be a number"},
	{"leverage at the maximum", func(r *Request) { r.Leverage = number64(40) }, ""},
	{"leverage above", func(r *Request) { r.Leverage = number64(41) }, "leverage 41 exceeds maximum 40"},
	{"leverage above by a fraction", func(r *Request) { r.Leverage = number64(40.5) },
		"leverage 40.5 exceeds maximum 40"},
	{"leverage 1", func(r *Request) { r.Leverage = number64(1) }, ""},
	{"leverage below 1", func(r *Request) { r.Leverage = number64(0.5) }, "leverage must be at least 1, got 0.5"},
	{"leverage zero", func(r *Request) { r.Leverage = number64(0) }, "leverage must be at least 1, got 0"},
	{"leverage negative", func(r *Request) { r.Leverage = number64(-3) }, "leverage must be at least 1, got -3"},
	{"mode not a string", func(r *Request) { r.Mode.Kind = Mistyped }, "field mode must be a string"},
	{"mode unknown", func(r *Request) { r.Mode = text("hedge") }, "invalid mode: hedge (want cross or isolated)"},
	{"mode isolated", func(r *Request) { r.Mode = text("isolated") }, ""},
	{"isolated only, cross asked", func(r *Request) { r.Asset, r.Mode = text("HYPE"), text("cross") },
		"asset HYPE only supports isolated margin mode"},
	{"isolated only, mode left out", func(r *Request) { r.Asset = text("HYPE") },
		"asset HYPE only supports isolated margin mode"},
	{"isolated only, isolated asked", func(r *Request) { r.Asset, r.Mode = text("HYPE"), text("isolated") }, ""},
	{"isolated only, close with cross",
		func(r *Request) { r.Asset, r.Mode, r.Action = text("HYPE"), text("cross"), text("close") },
		""},
	{"isolated only, close", func(r *Request) { r.Asset, r.Action = text("HYPE"), text("close") }, ""},
	{"monte_carlo not a boolean", func(r *Request) { r.MonteCarlo.Kind = Mistyped },
		"field monte_carlo must be a boolean"},
	{"monte_carlo", func(r *Request) { r.MonteCarlo = Field[bool]{Kind: Given, Value: true} }, ""},
}

func TestCheckDetails(t *testing.T) {
	u := testUniverse()
	for _, row := range checkCases {
		t.Run(row.name, func(t *testing.T) {
			r := goodRequest()
			row.change(&r)
			var trade Trade
			bad := r.Check(u, &trade)
			switch {
			case bad == nil && row.want != "":
				t.Errorf("accepted, want %q", row.want)
			case bad != nil && (bad.Detail != row.want || bad.Code != CodeValidation):
				t.Errorf("%s: %q, want %q", bad.Code, bad.Detail, row.want)
			}
		})
	}
}

// With every field invalid, fixing one field after the other gives the errors in the order of the
// rules: wallet, size, action, asset, leverage, mode.
func TestCheckOrder(t *testing.T) {
	r := Request{
		Wallet: text("x"), Size: number64(-1), Action: text("x"), Asset: text("x"),
		Leverage: number64(99), Mode: text("x"), MonteCarlo: Field[bool]{Kind: Mistyped},
	}
	steps := []struct {
		want string
		fix  func()
	}{
		{"invalid wallet address: x", func() { r.Wallet = text(testWalletText) }},
		{"size must be positive, got -1", func() { r.Size = number64(10) }},
		{"invalid action: x (want long, short or close)", func() { r.Action = text("short") }},
		{"invalid asset: x", func() { r.Asset = text("HYPE") }},
		{"leverage 99 exceeds maximum 10", func() { r.Leverage = Field[float64]{} }},
		{"invalid mode: x (want cross or isolated)", func() { r.Mode = text("isolated") }},
		{"field monte_carlo must be a boolean", func() { r.MonteCarlo = Field[bool]{} }},
	}
	var trade Trade
	for _, s := range steps {
		bad := r.Check(testUniverse(), &trade)
		if bad == nil || bad.Detail != s.want {
			t.Fatalf("got %+v, want %q", bad, s.want)
		}
		s.fix()
	}
	if bad := r.Check(testUniverse(), &trade); bad != nil {
		t.Fatalf("refused: %q", bad.Detail)
	}
	want, _ := mc.ParseWallet([]byte(testWalletText))
	if trade != (Trade{Wallet: want, Asset: 1, Action: ActionShort, SizeUSD: 10, Mode: Isolated, ModeGiven: true}) {
		t.Errorf("trade %+v", trade)
	}
}

func TestUnknownField(t *testing.T) {
	if got := UnknownField([]byte("lever\nage")).Detail; got != "unknown field: lever?age" {
		t.Errorf("%q", got)
	}
}

// Checking a valid request allocates nothing.
func TestAllocCheck(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	u, r := testUniverse(), goodRequest()
	var trade Trade
	if n := testing.AllocsPerRun(100, func() { r.Check(u, &trade) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// With an unknown asset, leverage and mode are still checked as far as they do not depend on it.
func TestProblemsWithoutAsset(t *testing.T) {
	r := goodRequest()
	r.Asset, r.Leverage, r.Mode = text("btc"), number64(0.5), text("CROSS")
	var got []string
	for _, bad := range r.Problems(testUniverse()) {
		got = append(got, bad.Detail)
	}
	want := []string{"invalid asset: btc", "leverage must be at least 1, got 0.5",
		"invalid mode: CROSS (want cross or isolated)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTooLarge(t *testing.T) {
	if bad := (&Trade{SizeUSD: MaxSizeUSD, SizeCoin: 2}).TooLarge(); bad != nil {
		t.Errorf("%+v", bad)
	}
	bad := (&Trade{SizeUSD: 2e8, SizeCoin: 4000}).TooLarge()
	if bad == nil || bad.Field != "size_coin" ||
		bad.Detail != "size_coin 4000: size 200000000 exceeds maximum allowed 100000000" {
		t.Errorf("%+v", bad)
	}
}

func TestVerdictOfIssues(t *testing.T) {
	for _, c := range []struct {
		codes []IssueCode
		want  Verdict
	}{
		{nil, VerdictOK},
		{[]IssueCode{IssueVenueNotice}, VerdictUnknown},
		{[]IssueCode{IssueMarginUnknown}, VerdictUnknown},
		{[]IssueCode{IssueMaxMarketOrder, IssueVenueNotice}, VerdictWillReject},
		{[]IssueCode{IssueVenueNotice, IssueLot}, VerdictWillReject},
	} {
		var a Admissibility
		for _, code := range c.codes {
			a.add(Issue{Code: code})
		}
		if a.Verdict != c.want || a.Count != len(c.codes) {
			t.Errorf("%v: %v, %d issues", c.codes, a.Verdict, a.Count)
		}
	}
}
