package sim

import (
	"math"

	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// answer is what an info request gets.
type answer struct {
	status int
	text   bool // text/plain instead of JSON
	body   []byte
	rows   int // of histories: they weigh more
}

var null = []byte("null")

func ok(body []byte) answer { return answer{status: 200, body: body} }

// okJSON answers with a value of the wire structs.
func okJSON(v any) answer { return ok(encode(v)) }

// encode marshals a value of ours, which cannot fail.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: encode: " + err.Error())
	}
	return b
}

// refused is the venue's answer to a body that it cannot read, an unknown type or a
// missing field.
var refused = answer{
	status: 422, text: true, body: []byte("Failed to deserialize the JSON body into the target type"),
}

// failed is its answer when a request it can read goes wrong inside.
var failed = answer{status: 500, body: null}

// source answers requests: the simulated market, or a folder of recordings.
type source interface {
	// info answers one request. f are the active faults.
	info(r *hyperliquid.InfoRequest, f *faults) answer
	// push appends the data of a stream's next frame, nil when there is none.
	push(dst []byte, t *topic, f *faults) []byte
	// takes reports what becomes of a subscription.
	takes(s *hyperliquid.Subscription) verdict
}

// decodeInfo reads a request body.
func decodeInfo(body []byte) (*hyperliquid.InfoRequest, bool) {
	var r hyperliquid.InfoRequest
	if err := json.Unmarshal(body, &r); err != nil || r.Type == "" {
		return nil, false
	}
	if r.User != "" {
		user, good := address(r.User)
		if !good {
			return nil, false
		}
		r.User = user
	}
	return &r, true
}

// address checks a wallet address and lowers its case.
func address(s string) (string, bool) {
	if len(s) != 42 || s[0] != '0' || s[1] != 'x' {
		return "", false
	}
	b := []byte(s)
	for i, c := range b[2:] {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'f':
		case 'A' <= c && c <= 'F':
			b[2+i] = c + 'a' - 'A'
		default:
			return "", false
		}
	}
	return string(b), true
}

// info answers one request from the market's present state.
func (m *market) info(r *hyperliquid.InfoRequest, f *faults) answer {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.dex(r.Dex) == nil && r.Type != "perpDexLimits" {
		return failed
	}
	if user := userTypes[r.Type]; user != nil {
		if r.User == "" {
			return refused
		}
		return user(m, m.accounts[r.User], r, f)
	}
	if shared := sharedTypes[r.Type]; shared != nil {
		return shared(m, r, f)
	}
	return refused
}

// sharedTypes are the requests about the venue; userTypes those about a wallet.
var sharedTypes = map[string]func(m *market, r *hyperliquid.InfoRequest, f *faults) answer{
	"meta": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		return ok(m.appendMeta(nil, r.Dex, f))
	},
	"metaAndAssetCtxs": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		b := m.appendMeta([]byte{'['}, r.Dex, f)
		return ok(append(m.appendContexts(append(b, ','), r.Dex, f, false), ']'))
	},
	"allPerpMetas": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		b := []byte{'['}
		for i, d := range m.dexes {
			if i > 0 {
				b = append(b, ',')
			}
			b = m.appendMeta(b, d.name, f)
		}
		return ok(append(b, ']'))
	},
	"allMids": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		return ok(m.appendMids(nil, r.Dex, f))
	},
	"l2Book": infoBook,
	"candleSnapshot": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		if r.Req == nil || r.Req.Coin == "" {
			return refused
		}
		if _, good := intervals[r.Req.Interval]; !good {
			return refused
		}
		a, end := m.byName[r.Req.Coin], int64(math.MaxInt64)
		if a == nil {
			return failed
		}
		if r.Req.EndTime != nil {
			end = *r.Req.EndTime
		}
		b, rows := m.appendCandles(nil, a, r.Req.Interval, max(r.Req.StartTime, 0), end, f)
		return answer{status: 200, body: b, rows: rows}
	},
	"fundingHistory": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		if r.Coin == "" || r.StartTime == nil {
			return refused
		}
		a, end := m.byName[r.Coin], int64(math.MaxInt64)
		if a == nil {
			return failed
		}
		if r.EndTime != nil {
			end = *r.EndTime
		}
		rows := m.fundingHistory(a, *r.StartTime, end)
		return answer{status: 200, body: encode(rows), rows: len(rows)}
	},
	"predictedFundings": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer { return okJSON(m.predictedFundings()) },
	"perpsAtOpenInterestCap": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(m.atCap(r.Dex, f))
	},
	"marginTable": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		if r.ID == nil {
			return refused
		}
		t := findTable(r.Dex, *r.ID)
		if t.tiers == nil {
			return failed
		}
		return okJSON(wireTable(t.description, t.tiers))
	},
	"perpDexs": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer { return okJSON(m.perpDexs()) },
	"perpDexLimits": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(m.dex(r.Dex).limits())
	},
	"perpDexStatus": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		return ok([]byte(`{"totalNetDeposit":"44452174.1128069982"}`))
	},
	"exchangeStatus": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(hyperliquid.ExchangeStatus{Time: m.clock() + f.skewMs()})
	},
	"maxMarketOrderNtls": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer { return okJSON(maxMarketOrders) },
	"recentTrades": func(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
		a := m.byName[r.Coin]
		if a == nil {
			return failed
		}
		return ok(m.appendTrades(nil, a, f, 10))
	},
}

// infoBook answers l2Book; an unknown coin is null.
func infoBook(m *market, r *hyperliquid.InfoRequest, f *faults) answer {
	p, good := readPrecision(r.NSigFigs, r.Mantissa)
	if p.mantissa == 1 {
		return failed
	}
	if !good || r.Coin == "" {
		return refused
	}
	a := m.byName[r.Coin]
	if a == nil {
		return ok(null)
	}
	v := a.view(p, levelMax, f)
	return ok(a.appendBook(nil, &v, f.bookMs(a.name, m.nowMs)))
}

// readPrecision checks nSigFigs and mantissa.
func readPrecision(figures, mantissa *int) (p precision, good bool) {
	if figures != nil {
		p.figures = *figures
	}
	if mantissa != nil {
		p.mantissa = *mantissa
	}
	good = p.figures == 0 && p.mantissa == 0 ||
		p.figures >= 2 && p.figures <= 4 && p.mantissa == 0 ||
		p.figures == 5 && (p.mantissa == 0 || p.mantissa == 2 || p.mantissa == 5)
	return p, good
}

var userTypes = map[string]func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer{
	"clearinghouseState": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(m.clearinghouse(acc, r.Dex, f))
	},
	"spotClearinghouseState": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(m.spotState(acc))
	},
	"userAbstraction": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(acc.abstraction())
	},
	"userFees": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(acc.fees(m.nowMs))
	},
	"activeAssetData": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		if r.Coin == "" {
			return refused
		}
		a := m.byName[r.Coin]
		if a == nil {
			return failed
		}
		return okJSON(acc.assetData(m, r.User, a))
	},
	"userRole": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(hyperliquid.UserRole{Role: acc.userRole()})
	},
	"userRateLimit": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		return okJSON(hyperliquid.UserRateLimit{CumVlm: "1250000.5", NRequestsUsed: 4210, NRequestsCap: 1260000})
	},
	"webData2": func(m *market, acc *account, r *hyperliquid.InfoRequest, f *faults) answer {
		return ok(m.webData2(acc, r.User, f))
	},
	"subAccounts2":       func(*market, *account, *hyperliquid.InfoRequest, *faults) answer { return ok(null) },
	"openOrders":         emptyList,
	"frontendOpenOrders": emptyList,
	"userFills":          emptyList,
	"userFillsByTime":    emptyList,
	"userFunding":        emptyList,
}

func emptyList(*market, *account, *hyperliquid.InfoRequest, *faults) answer { return ok([]byte("[]")) }

// webData2 is the old web page's bundle.
func (m *market) webData2(acc *account, user string, f *faults) []byte {
	meta := encode(m.meta("", f))
	return encode(struct {
		ClearinghouseState hyperliquid.ClearinghouseState     `json:"clearinghouseState"`
		LeadingVaults      []string                           `json:"leadingVaults"`
		TotalVaultEquity   string                             `json:"totalVaultEquity"`
		OpenOrders         []string                           `json:"openOrders"`
		AgentAddress       *string                            `json:"agentAddress"`
		AgentValidUntil    *int64                             `json:"agentValidUntil"`
		CumLedger          string                             `json:"cumLedger"`
		Meta               json.RawMessage                    `json:"meta"`
		AssetCtxs          json.RawMessage                    `json:"assetCtxs"`
		ServerTime         int64                              `json:"serverTime"`
		IsVault            bool                               `json:"isVault"`
		User               string                             `json:"user"`
		TwapStates         []string                           `json:"twapStates"`
		SpotState          hyperliquid.SpotClearinghouseState `json:"spotState"`
		SpotAssetCtxs      []string                           `json:"spotAssetCtxs"`
		AtCap              []string                           `json:"perpsAtOpenInterestCap"`
	}{
		ClearinghouseState: m.clearinghouse(acc, "", f), LeadingVaults: []string{}, TotalVaultEquity: "0.0",
		OpenOrders: []string{}, CumLedger: "0.0", Meta: meta, AssetCtxs: m.appendContexts(nil, "", f, false),
		ServerTime: m.nowMs + f.skewMs(), IsVault: acc.userRole() == "vault", User: user, TwapStates: []string{},
		SpotState: m.spotState(acc), SpotAssetCtxs: []string{}, AtCap: m.atCap("", f),
	})
}

// weight is what a request costs of the venue's budget of 1,200 a minute.
func weight(kind string, rows int) int {
	switch kind {
	case "allMids", "l2Book", "clearinghouseState", "spotClearinghouseState", "exchangeStatus", "orderStatus":
		return 2
	case "userRole":
		return 60
	case "candleSnapshot":
		return 20 + rows/60
	case "fundingHistory", "recentTrades", "userFills", "userFillsByTime", "userFunding":
		return 20 + rows/20
	}
	return 20
}
