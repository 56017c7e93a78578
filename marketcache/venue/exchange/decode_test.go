package exchange

import (
	"errors"
	"strings"
	"testing"
)

const (
	trigger = `{"a":0,"b":false,"p":"66000","s":"0.01","r":true,"t":{"trigger":{"isMarket":true,"triggerPx":"67000",` +
		`"tpsl":"sl"}}}`
	account = "0x1d9470d4b963f552e6f671a81619d395877bf409"
	owner   = `"signatureChainId":"0x66eee","hyperliquidChain":"Testnet",`
)

// everyAction has at least one action of each type with a form, in the venue's order of members.
var everyAction = map[string]Class{
	`{"type":"order","orders":[` + limit + `],"grouping":"na"}`:                         Increase,
	`{"type":"order","orders":[` + trigger + `],"grouping":"positionTpsl"}`:             NeverEnlarges,
	`{"type":"order","orders":[` + limit + `,` + trigger + `],"grouping":"normalTpsl"}`: Increase,
	`{"type":"order","orders":[{"a":10000,"b":true,"p":"0.5","s":"1","r":true,"t":{"limit":{"tif":"FrontendMarket"}},"c":"` +
		cloid + `"}],"grouping":{"p":50000000},"builder":{"b":"` + account + `","f":10}}`: Increase, // spot
	`{"type":"modify","oid":123456,"order":` + limit + `}`:                                                  Increase,
	`{"type":"modify","oid":"` + cloid + `","order":` + trigger + `,"a":true}`:                              NeverEnlarges,
	`{"type":"batchModify","modifies":[{"oid":1,"order":` + trigger + `}],"a":true}`:                        NeverEnlarges,
	`{"type":"batchModify","modifies":[{"oid":1,"order":` + trigger + `},{"oid":2,"order":` + limit + `}]}`: Increase,
	`{"type":"cancel","cancels":[{"a":0,"o":18446744073709551615}],"f":true}`:                               NeverEnlarges,
	`{"type":"cancelByCloid","cancels":[{"asset":4294967295,"cloid":"` + cloid + `"}]}`:                     NeverEnlarges,
	`{"type":"scheduleCancel"}`:                                                         NeverEnlarges,
	`{"type":"scheduleCancel","time":1790000010000}`:                                    NeverEnlarges,
	`{"type":"twapOrder","twap":{"a":0,"b":true,"s":"1.5","r":false,"m":30,"t":false}}`: Increase,
	`{"type":"twapOrder","twap":{"a":0,"b":true,"s":"1.5","r":true,"m":30,"t":false},` +
		`"details":{"t":{"p":"70000","a":true},"s":null}}`: NeverEnlarges,
	`{"type":"twapCancel","a":0,"t":777}`: NeverEnlarges,
	`{"type":"trailingStop","asset":0,"isBuy":false,"sz":"1","reduceOnly":true,"retracement":{"pct":"5.0000%"},` +
		`"activationPx":null}`: NeverEnlarges,
	`{"type":"trailingStop","asset":0,"isBuy":false,"sz":"1","reduceOnly":false,"retracement":{"px":"4"},` +
		`"activationPx":"70000"}`: Increase,
	`{"type":"updateLeverage","asset":0,"isCross":false,"leverage":7}`:                                                    Margin,
	`{"type":"updateIsolatedMargin","asset":0,"isBuy":true,"ntli":-3250000}`:                                              Margin,
	`{"type":"updateIsolatedMargin","asset":0,"isBuy":true,"ntli":1}`:                                                     NeverEnlarges,
	`{"type":"topUpIsolatedOnlyMargin","asset":0,"leverage":"3.5"}`:                                                       NeverEnlarges,
	`{"type":"borrowLend","operation":"borrow","token":0,"amount":"100"}`:                                                 Margin,
	`{"type":"borrowLend","operation":"withdraw","token":0,"amount":null}`:                                                Margin,
	`{"type":"agentSetAbstraction","abstraction":"u"}`:                                                                    AbstractionClass,
	`{"type":"userSetAbstraction",` + owner + `"user":"` + account + `","abstraction":"unifiedAccount","nonce":7}`:        AbstractionClass,
	`{"type":"userSetAbstraction",` + owner + `"user":"` + account + `","abstraction":"p","nonce":7}`:                     AbstractionClass,
	`{"type":"userPortfolioMargin",` + owner + `"user":"` + account + `","enabled":true,"nonce":7}`:                       AbstractionClass,
	`{"type":"userDexAbstraction",` + owner + `"user":"` + account + `","enabled":false,"nonce":7}`:                       AbstractionClass,
	`{"type":"usdClassTransfer",` + owner + `"amount":"1.0 subaccount:` + account + `","toPerp":true,"nonce":7}`:          Funds,
	`{"type":"vaultTransfer","vaultAddress":"` + account + `","isDeposit":true,"usd":10}`:                                 Funds,
	`{"type":"subAccountTransfer","subAccountUser":"` + account + `","isDeposit":true,"usd":10}`:                          Funds,
	`{"type":"subAccountSpotTransfer","subAccountUser":"` + account + `","isDeposit":true,"token":"USDC","amount":"1.0"}`: Funds,
	`{"type":"sendAsset",` + owner + `"destination":"` + account + `","sourceDex":"","destinationDex":"spot",` +
		`"token":"USDC","amount":"100.0","fromSubAccount":"","nonce":7}`: Funds,
	`{"type":"agentSendAsset","destination":"` + account + `","sourceDex":"","destinationDex":"spot",` +
		`"token":"USDC","amount":"1","fromSubAccount":"` + account + `","nonce":7}`: Funds,
	`{"type":"spotSend",` + owner + `"destination":"` + account + `","token":"PURR:0xc1","amount":"0.10","time":7}`: Funds,
	`{"type":"usdSend",` + owner + `"destination":"` + account + `","amount":"1","time":7}`:                         Funds,
	`{"type":"withdraw3",` + owner + `"destination":"` + account + `","amount":"1","time":7}`:                       Funds,
	`{"type":"cDeposit",` + owner + `"wei":1,"nonce":7}`:                                                            Funds,
	`{"type":"cWithdraw",` + owner + `"wei":1,"nonce":7}`:                                                           Funds,
	`{"type":"tokenDelegate",` + owner + `"validator":"` + account + `","wei":1,"isUndelegate":false,"nonce":7}`:    Funds,
	`{"type":"sendToEvmWithData",` + owner + `"token":"USDC","amount":"1","sourceDex":"","destinationRecipient":"` + account +
		`","addressEncoding":"hex","destinationChainId":42161,"gasLimit":200000,"data":"0x00ff","nonce":7}`: Funds,
	`{"type":"hip3LiquidatorTransfer","dex":"xyz","ntl":1,"isDeposit":false}`:                                         Funds,
	`{"type":"userOutcome","splitOutcome":{"outcome":1,"amount":"5"}}`:                                                Funds,
	`{"type":"userOutcome","mergeOutcome":{"outcome":1,"amount":null}}`:                                               Funds,
	`{"type":"userOutcome","mergeQuestion":{"question":1,"amount":"5"}}`:                                              Funds,
	`{"type":"userOutcome","negateOutcome":{"question":1,"outcome":2,"amount":"5"}}`:                                  Funds,
	`{"type":"approveAgent",` + owner + `"agentAddress":"` + account + `","agentName":"bot valid_until 1","nonce":7}`: Signers,
	`{"type":"approveAgent",` + owner + `"agentAddress":"` + account + `","nonce":7}`:                                 Signers,
	`{"type":"approveBuilderFee",` + owner + `"maxFeeRate":"0.001%","builder":"` + account + `","nonce":7}`:           Signers,
	`{"type":"convertToMultiSigUser",` + owner + `"signers":"{\"authorizedUsers\": [], \"threshold\": 1}","nonce":7}`: Signers,
	`{"type":"createSubAccount","name":"\"ä\u0001\\"}`:                                                                Signers,
	`{"type":"subAccountModify","subAccountUser":"` + account + `","name":"b"}`:                                       Signers,
	`{"type":"linkStakingUser",` + owner + `"user":"` + account + `","isFinalize":true,"nonce":7}`:                    Signers,
	`{"type":"reserveRequestWeight","weight":1}`:                                                                      Cost,
	`{"type":"reserveRequestWeight","weight":1,"destination":"` + account + `"}`:                                      Cost,
	`{"type":"gossipPriorityBid","slotId":0,"ip":"1.2.3.4","maxGas":1}`:                                               Cost,
	`{"type":"claimRewards"}`: NeverEnlarges,
	`{"type":"noop"}`:         NeverEnlarges,
	multi(`{"type":"noop"}`):  NeverEnlarges,
	multi(`{"type":"order","orders":[` + limit + `],"grouping":"na"}`):  Increase,
	multi(`{"type":"somethingNew","x":{"p":[1,-2,0.5,"a",null,true]}}`): ClassUnknown,
	`{"type":"somethingNew","x":{"p":[1,-2,0.5,"a",null,false,{},[]]}}`: ClassUnknown,
	`{"type":"Order","orders":[` + limit + `],"grouping":"na"}`:         ClassUnknown,
	`{"type":"order ","orders":[]}`:                                     ClassUnknown,
}

func multi(action string) string {
	return `{"type":"multiSig","signatureChainId":"0x1","signatures":[{"r":"0x1","s":"0xab","v":28}],"payload":` +
		`{"multiSigUser":"` + account + `","outerSigner":"` + account + `","action":` + action + `}}`
}

// TestEveryAction decodes each action and writes it again, twice into the same envelope as others.
func TestEveryAction(t *testing.T) {
	var warm Envelope
	seen := make(map[string]bool)
	for range 2 {
		for action, class := range everyAction {
			body := signed(action)
			if err := Decode([]byte(body), &warm); err != nil {
				t.Errorf("%s\n%v", action, err)
				continue
			}
			if got := string(warm.AppendJSON(nil)); got != body {
				t.Errorf("%s\nis written as\n%s", body, got)
			}
			if got := warm.Action.Class(); got != class {
				t.Errorf("%s\nis %s, want %s", action, got, class)
			}
			if unknown := known[warm.Action.Type()] == nil; unknown != (class == ClassUnknown) &&
				warm.Action.Type() != "multiSig" {
				t.Errorf("%s\nis of type %s", action, warm.Action.Type())
			}
			if fresh := mustDecode(t, body); fresh.Hash() != warm.Hash() {
				t.Errorf("%s\nhashes differently in an envelope that was used before", action)
			}
			seen[warm.Action.Type()] = true
		}
	}
	for typ := range known {
		if !seen[typ] {
			t.Errorf("no action of type %s", typ)
		}
	}
}

// TestStrict has bodies that the venue may read otherwise than they look, with the member that is blamed and a word of
// the mend.
func TestStrict(t *testing.T) {
	order := signed(`{"type":"order","orders":[` + limit + `],"grouping":"na"}`)
	edit := func(from, to string) string {
		if strings.Count(order, from) != 1 {
			t.Fatalf("%s occurs not once", from)
		}
		return strings.Replace(order, from, to, 1)
	}
	stop := signed(`{"type":"order","orders":[` + trigger + `],"grouping":"na"}`)
	cancel := `{"type":"cancel","cancels":[{"a":0,"o":1}]`
	for _, row := range []struct{ name, body, path, mend string }{
		{"nothing", "", "", "one JSON object"},
		{"an array", "[" + order + "]", "", "one JSON object"},
		{"a text", `"order"`, "", "one JSON object"},
		{"a second value", order + order, "", "text behind"},
		{"a byte behind", order + "x", "", "text behind"},
		{"a byte order mark", "\ufeff" + order, "", "one JSON object"},
		{"cut off", order[:len(order)-1], "", "expected"},
		{"a comment", edit(`"b":true`, `"b":true/**/`), "action.orders.0", "expected"},
		{"invalid UTF-8", edit("Gtc", "Gt\xff"), "action.orders.0.t.limit.tif", "invalid UTF-8"},
		{"half a surrogate pair", edit("Gtc", `\ud800`), "action.orders.0.t.limit.tif", "malformed escape"},
		{"too deep", signed(`{"type":"x","x":` + strings.Repeat("[", 17) + strings.Repeat("]", 17) + `}`), "", "too deep"},
		{"too long", order + strings.Repeat(" ", MaxBody), "", "several actions"},
		{"too many values", signed(`{"type":"x","x":[` + strings.Repeat("0,", maxNodes) + `0]}`), "", "several actions"},
		{"too many orders", edit(limit, strings.Repeat(limit+",", maxItems)+limit), "action.orders", "several actions"},

		{"a name twice at the top", edit(`"nonce":1790000000000`, `"nonce":1,"nonce":1790000000000`), "nonce", "each name once"},
		{"a name twice in an order", edit(`"s":"0.01"`, `"s":"0.01","s":"100"`), "action.orders.0.s", "each name once"},
		{"a name twice, one escaped", edit(`"s":"0.01"`, `"s":"0.01","\u0073":"100"`), "", "without escapes"},
		{"an escape in a name", edit(`"nonce"`, `"n\u006fnce"`), "", "without escapes"},
		{"a name twice in an unknown action", signed(`{"type":"x","y":{"a":1,"a":2}}`), "action.y.a", "each name once"},
		{"a type twice", edit(`"type":"order"`, `"type":"noop","type":"order"`), "action.type", "each name once"},
		{"an unknown member at the top", edit(`"nonce"`, `"isFrontend":true,"nonce"`), "isFrontend", "leave it out"},
		{"an unknown member in an order", edit(`"r":false`, `"r":false,"R":false`), "action.orders[0].R", "leave it out"},
		{"a member of another action", edit(`"grouping":"na"`, `"grouping":"na","a":true`), "action.a", "leave it out"},
		{"an unknown member in a limit", edit(`"tif":"Gtc"`, `"tif":"Gtc","x":1`), "action.orders[0].t.limit.x", "leave it out"},
		{"both limit and trigger", edit(`{"limit":{"tif":"Gtc"}}`, `{"limit":{"tif":"Gtc"},"trigger":{"isMarket":true,`+
			`"triggerPx":"1","tpsl":"sl"}}`), "action.orders[0].t.trigger", "one of them"},
		{"neither limit nor trigger", edit(`{"limit":{"tif":"Gtc"}}`, `{}`), "action.orders[0].t.limit", "requires it"},
		{"a noop with orders", signed(`{"type":"noop","orders":[` + limit + `]}`), "action.orders", "leave it out"},

		{"cloid null", edit(`}}}]`, `}},"c":null}]`), "action.orders[0].c", "leave it out"},
		{"builder null", edit(`"grouping":"na"`, `"grouping":"na","builder":null`), "action.builder", "leave it out"},
		{"reduce-only null", edit(`"r":false`, `"r":null`), "action.orders[0].r", "true or false"},
		{"reduce-only missing", edit(`"r":false,`, ``), "action.orders[0].r", "requires it"},
		{"reduce-only a number", edit(`"r":false`, `"r":0`), "action.orders[0].r", "true or false"},
		{"reduce-only a text", edit(`"r":false`, `"r":"true"`), "action.orders[0].r", "true or false"},
		{"action missing", `{"nonce":1,"signature":{"r":"0x1","s":"0x2","v":27}}`, "action", "requires it"},
		{"type missing", signed(`{}`), "action.type", "kind of action"},
		{"type a number", signed(`{"type":1}`), "action.type", "kind of action"},
		{"orders an object", edit(`[`+limit+`]`, `{}`), "action.orders", "an array"},
		{"an order a number", edit(limit, limit+`,7`), "action.orders[1]", "an object"},
		{"time null", signed(`{"type":"scheduleCancel","time":null}`), "action.time", "leave it out"},
		{"fast false", signed(cancel + `,"f":false}`), "action.f", "leave it out"},
		{"always false", signed(`{"type":"modify","oid":1,"order":` + limit + `,"a":false}`), "action.a", "leave it out"},
		{"fast null", signed(cancel + `,"f":null}`), "action.f", "leave it out"},

		{"a trailing zero", edit(`"70000"`, `"70000.0"`), "action.orders[0].p", `"70000"`},
		{"a trailing zero in a size", edit(`"0.01"`, `"0.010"`), "action.orders[0].s", `"0.01"`},
		{"a trailing point", edit(`"70000"`, `"70000."`), "action.orders[0].p", `"70000"`},
		{"a leading zero", edit(`"70000"`, `"070000"`), "action.orders[0].p", `"70000"`},
		{"a leading point", edit(`"0.01"`, `".01"`), "action.orders[0].s", `"0.01"`},
		{"an exponent", edit(`"70000"`, `"7e4"`), "action.orders[0].p", "write digits"},
		{"a plus", edit(`"70000"`, `"+70000"`), "action.orders[0].p", "write digits"},
		{"a minus", edit(`"70000"`, `"-70000"`), "action.orders[0].p", "write digits"},
		{"minus zero", edit(`"0.01"`, `"-0"`), "action.orders[0].s", "write digits"},
		{"a space", edit(`"70000"`, `" 70000"`), "action.orders[0].p", "write digits"},
		{"a comma", edit(`"70000"`, `"70,000"`), "action.orders[0].p", "write digits"},
		{"other digits", edit(`"70000"`, `"７0000"`), "action.orders[0].p", "write digits"},
		{"an empty price", edit(`"70000"`, `""`), "action.orders[0].p", "write digits"},
		{"not a number", edit(`"70000"`, `"NaN"`), "action.orders[0].p", "write digits"},
		{"nine decimals", edit(`"0.01"`, `"0.000000001"`), "action.orders[0].s", "at most 8"},
		{"twenty digits", edit(`"70000"`, `"100000000000000000001"`), "action.orders[0].p", "at most 19"},
		{"a price as a number", edit(`"70000"`, `70000`), "action.orders[0].p", "a string"},
		{"a trigger price with a zero", strings.Replace(stop, `"67000"`, `"67000.0"`, 1),
			"action.orders[0].t.trigger.triggerPx", `"67000"`},

		{"asset beyond 32 bits", edit(`"a":0`, `"a":4294967296`), "action.orders[0].a", "4294967295"},
		{"asset negative", edit(`"a":0`, `"a":-1`), "action.orders[0].a", "whole number"},
		{"asset minus zero", edit(`"a":0`, `"a":-0`), "action.orders[0].a", "whole number"},
		{"asset with a point", edit(`"a":0`, `"a":0.0`), "action.orders[0].a", "whole number"},
		{"asset with an exponent", edit(`"a":0`, `"a":1e1`), "action.orders[0].a", "whole number"},
		{"asset with a leading zero", edit(`"a":0`, `"a":00`), "action.orders.0.a", "expected"},
		{"asset a text", edit(`"a":0`, `"a":"0"`), "action.orders[0].a", "a number"},
		{"nonce beyond 64 bits", edit(`"nonce":1790000000000`, `"nonce":18446744073709551616`), "nonce", "18446744073709551615"},
		{"order number beyond 64 bits", signed(`{"type":"cancel","cancels":[{"a":0,"o":18446744073709551616}]}`),
			"action.cancels[0].o", "18446744073709551615"},
		{"margin beyond 64 bits", signed(`{"type":"updateIsolatedMargin","asset":0,"isBuy":true,"ntli":9223372036854775808}`),
			"action.ntli", "64 bits"},
		{"margin minus zero", signed(`{"type":"updateIsolatedMargin","asset":0,"isBuy":true,"ntli":-0}`), "action.ntli", "64 bits"},
		{"a number beyond float64", signed(`{"type":"x","y":1e999}`), "action.y", "out of range"},

		{"an unknown tif", edit("Gtc", "gtc"), "action.orders[0].t.limit.tif", "Gtc, Ioc, Alo"},
		{"an unknown grouping", edit(`"na"`, `"NA"`), "action.grouping", "normalTpsl"},
		{"a cloid in capitals", edit(`}}}]`, `}},"c":"0x000000000000000000000000000004D2"}]`), "action.orders[0].c", "lower case"},
		{"a short cloid", edit(`}}}]`, `}},"c":"0x4d2"}]`), "action.orders[0].c", "32"},
		{"a builder in capitals", edit(`"na"`, `"na","builder":{"b":"0x1D9470D4B963F552E6F671A81619D395877BF409","f":1}`),
			"action.builder.b", "lower case"},
		{"an address with 0X", edit(`"na"`, `"na","builder":{"b":"0X1d9470d4b963f552e6f671a81619d395877bf409","f":1}`),
			"action.builder.b", "40"},
		{"a vault that is none", edit(`,"signature"`, `,"vaultAddress":"0x1","signature"`), "vaultAddress", "40"},
		{"v 0", edit(`"v":27`, `"v":0`), "signature.v", "27 or 28"},
		{"v 283", edit(`"v":27`, `"v":283`), "signature.v", "27 or 28"},
		{"r too long", edit(`"r":"0x1"`, `"r":"0x`+strings.Repeat("1", 65)+`"`), "signature.r", "64"},
		{"r without 0x", edit(`"r":"0x1"`, `"r":"1"`), "signature.r", "64"},
		{"s empty", edit(`"s":"0x2"`, `"s":"0x"`), "signature.s", "64"},
		{"padded inner signature", signed(strings.Replace(multi(`{"type":"noop"}`), `"0xab"`, `"0x0ab"`, 1)),
			"action.signatures[0].s", "leading zeros"},
		{"inner signature in capitals", signed(strings.Replace(multi(`{"type":"noop"}`), `"0xab"`, `"0xAB"`, 1)),
			"action.signatures[0].s", "lower case"},
		{"inner v", signed(strings.Replace(multi(`{"type":"noop"}`), `"v":28`, `"v":1`, 1)), "action.signatures[0].v", "27"},
		{"a multi-sig action in another", signed(multi(multi(`{"type":"noop"}`))), "action.payload.action", "the action itself"},

		{"another nonce inside", signed(`{"type":"usdSend",` + owner + `"destination":"` + account + `","amount":"1","time":8}`),
			"nonce", "same number"},
		{"another nonce in a multi-sig action", signed(multi(`{"type":"usdSend",` + owner + `"destination":"` + account +
			`","amount":"1","time":8}`)), "nonce", "same number"},
		{"a vault beside a signed transfer", strings.Replace(signed(`{"type":"cDeposit",`+owner+`"wei":1,"nonce":7}`),
			`,"signature"`, `,"vaultAddress":"`+account+`","signature"`, 1), "vaultAddress", "leave it out"},
		{"an expiry beside a signed transfer", strings.Replace(signed(`{"type":"cDeposit",`+owner+`"wei":1,"nonce":7}`),
			`,"signature"`, `,"expiresAfter":1,"signature"`, 1), "expiresAfter", "leave it out"},
		{"an amount with an exponent", signed(`{"type":"usdSend",` + owner + `"destination":"` + account +
			`","amount":"1e3","time":7}`), "action.amount", "digits"},
		{"a chain in capitals", signed(`{"type":"cDeposit","signatureChainId":"0x66EEE","hyperliquidChain":"Testnet","wei":1,` +
			`"nonce":7}`), "action.signatureChainId", "hexadecimal"},
		{"an unknown network", signed(`{"type":"cDeposit","signatureChainId":"0x1","hyperliquidChain":"mainnet","wei":1,` +
			`"nonce":7}`), "action.hyperliquidChain", "Mainnet, Testnet"},
		{"a destination in capitals", signed(`{"type":"usdSend",` + owner + `"destination":"0x` + strings.ToUpper(account[2:]) +
			`","amount":"1","time":7}`), "action.destination", "lower case"},
		{"two outcomes", signed(`{"type":"userOutcome","splitOutcome":{"outcome":1,"amount":"5"},"mergeOutcome":` +
			`{"outcome":1,"amount":null}}`), "action.splitOutcome", "one of"},
		{"no outcome", signed(`{"type":"userOutcome"}`), "action.splitOutcome", "one of"},
		{"no retracement", signed(`{"type":"trailingStop","asset":0,"isBuy":false,"sz":"1","reduceOnly":true,` +
			`"retracement":{},"activationPx":null}`), "action.retracement.px", "either"},
		{"an activation price left out", signed(`{"type":"trailingStop","asset":0,"isBuy":false,"sz":"1","reduceOnly":true,` +
			`"retracement":{"px":"4"}}`), "action.activationPx", "requires it"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var e Envelope
			err := Decode([]byte(row.body), &e)
			var d *DecodeError
			if !errors.As(err, &d) {
				t.Fatalf("accepted as %s", e.AppendJSON(nil))
			}
			if d.Path != row.path && (row.path != "" || !d.Syntax) || !strings.Contains(d.Error(), row.mend) {
				t.Errorf("path %q, want %q; %v, want %q in it", d.Path, row.path, err, row.mend)
			}
		})
	}
}
