package journal

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/policy"
	"ballast/server/api"
)

// A block has a line of JSON for each decision, with the names of Decision. What is missing in the line is missing in
// the decision; ms, wallet_ms and book_ms are the times of the decision, its wallet and its book, ms since 1970.

// figureKeys and factKeys are the names before figures and facts.
var figureKeys = [figureCount]string{
	sizeUSD: `,"size_usd":`, sizeCoin: `,"size_coin":`, leverage: `,"leverage":`, score: `,"risk_score":`,
	probability24h: `,"probability_24h":`, probability7d: `,"probability_7d":`, liquidation: `,"liquidation_price":`,
	markPrice: `,"mark_price":`, positionUSD: `,"position_usd":`, marginUSD: `,"margin_usd":`,
	var99: `,"var_99_24h_usd":`, variance24h: `,"variance_24h":`,
	marketAgeMs: `,"market_age_ms":`, walletAgeMs: `,"wallet_age_ms":`,
}

var factKeys = func() (keys [policy.Numbers]string) {
	for rule := range policy.Numbers {
		keys[rule] = `,"` + rule.String() + `":`
	}
	return keys
}()

// appendLine appends the line of a slot. digests are those of its photograph, "" without one.
func appendLine(b []byte, s *slot, inputsDigest, answerDigest string) []byte {
	b = api.AppendString(append(b, `{"request_id":`...), s.RequestID)
	b = appendInt(b, `,"ms":`, s.AtMs)
	b = appendText(b, `,"kind":`, string(s.Kind))
	if s.Index > 0 {
		b = appendInt(b, `,"index":`, int64(s.Index))
	}
	if s.KeyID != "" {
		b = appendText(b, `,"key_id":`, s.KeyID)
	}
	if s.Wallet != (marketcache.Wallet{}) {
		b = append(s.Wallet.Append(append(b, `,"wallet":"`...)), '"')
	}
	b = append(b, `,"request":`...)
	begin := len(b)
	b = append(b, s.Request...)
	if line := b[begin:]; bytes.ContainsAny(line, "\n\r") { // between its tokens: the text was parsed
		for i, c := range line {
			if c == '\n' || c == '\r' {
				line[i] = ' '
			}
		}
	}
	if s.assessed {
		b = s.appendAssessed(b)
	}
	if s.verdict != "" {
		b = appendText(b, `,"policy":{"verdict":`, s.verdict)
		b = appendInt(b, `,"revision":`, int64(s.revision))
		b = append(append(append(b, `,"violations":`...), s.violations...), '}')
	}
	if s.Gate.Did != "" {
		b = appendPassage(b, &s.Gate)
	}
	if inputsDigest != "" {
		b = appendText(b, `,"photographed":true,"inputs_digest":`, inputsDigest)
		b = appendText(b, `,"answer_digest":`, answerDigest)
	}
	b = appendText(b, `,"engine_version":`, risk.EngineVersion)
	return append(b, "}\n"...)
}

func appendText(b []byte, key, text string) []byte { return api.AppendString(append(b, key...), text) }

func appendInt(b []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(b, key...), n, 10)
}

func appendPassage(b []byte, g *Passage) []byte {
	b = appendText(b, `,"gate":{"did":`, g.Did)
	b = appendText(b, `,"class":`, g.Class)
	b = appendText(b, `,"type":`, g.Type)
	b = appendText(b, `,"reason":`, g.Reason)
	b = appendText(b, `,"signer":`, g.Signer)
	return append(appendInt(b, `,"venue_status":`, int64(g.VenueStatus)), '}')
}

// appendAssessed appends what the assessment gave.
func (s *slot) appendAssessed(b []byte) []byte {
	b = appendText(b, `,"asset":`, s.asset)
	b = appendText(b, `,"action":`, s.action.String())
	b = appendText(b, `,"recommendation":`, s.recommendation.String())
	b = appendText(b, `,"side":`, sideWord(s.side))
	for f, x := range s.figures {
		switch key := figureKeys[f]; {
		case x-x != 0:
		case f == int(markPrice), f == int(liquidation):
			w := api.NewWriter(b)
			w.Exact(key, x)
			b = w.Bytes()
		default:
			b = api.AppendNumber(append(b, key...), x)
		}
	}
	if s.flags != 0 {
		b = appendNames(b, `,"flags":`, s.flags, func(bit int) string { return risk.Flag(bit).String() })
	}
	b = appendNames(b, `,"venue_issues":`, s.issues, func(bit int) string { return risk.IssueCode(bit).String() })
	return s.appendFacts(b)
}

// appendNames appends key and a JSON array with the name of each bit that is set in set.
func appendNames(b []byte, key string, set uint64, name func(bit int) string) []byte {
	b = append(append(b, key...), '[')
	for left := set; left != 0; left &= left - 1 {
		if left != set {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name(bits.TrailingZeros64(left))...), '"')
	}
	return append(b, ']')
}

// sideWord names the side of a position by its sign.
func sideWord(sign float64) string {
	switch {
	case sign > 0:
		return "long"
	case sign < 0:
		return "short"
	}
	return "flat"
}

// appendFacts appends the facts, and what else names the inputs.
func (s *slot) appendFacts(b []byte) []byte {
	b = append(b, `,"facts":{`...)
	begin := len(b)
	for rule, x := range s.facts {
		if x = bounded(x); x-x == 0 {
			key := factKeys[rule]
			if len(b) == begin {
				key = key[1:] // without the comma
			}
			b = api.AppendNumber(append(b, key...), x)
		}
	}
	b = append(b, '}')
	if s.reduces {
		b = append(b, `,"reduces":true`...)
	}
	b = appendInt(b, `,"wallet_ms":`, s.walletMs)
	b = appendInt(b, `,"book_ms":`, s.bookMs)
	if s.calibration[0] != 0 {
		b = append(append(append(b, `,"calibration_hash":"`...), s.calibration[:]...), '"')
	}
	return b
}

// bounded writes never for an infinite time.
func bounded(x float64) float64 {
	if math.IsInf(x, 1) {
		return never
	}
	return x
}

// appendViolations appends the violations of a verdict.
func appendViolations(b []byte, all []policy.Violation) []byte {
	b = append(b, '[')
	for i := range all {
		v := &all[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"rule":"`...), v.Rule.String()...), '"')
		if v.Rule < policy.Numbers || v.Rule == policy.ExpiresAt {
			b = api.AppendNumber(append(b, `,"limit":`...), v.Limit)
			if v.Known() {
				b = api.AppendNumber(append(b, `,"value":`...), bounded(v.Value))
			}
		} else {
			b = append(b, `,"value":1`...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}
