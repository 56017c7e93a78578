package server

import (
	"regexp"
	"strconv"
	"testing"
	"time"
)

// byHand is the smallest possible service of this kind: it parses the body by hand without checks,
// and prints the numbers of an answer with six decimals each between prepared texts.
type byHand struct {
	asset, action, wallet []byte
	size, leverage        float64
	texts                 []string // one more than numbers
	numbers               []float64
}

var numberValue = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([,}\]])`)

// answers splits an example answer into its numbers and the texts between them.
func (h *byHand) answers(t testing.TB, body string) {
	from := 0
	for _, at := range numberValue.FindAllStringIndex(body, -1) {
		end := at[1] - 1 // without the character after the number
		if c := body[at[0]-1]; c != ':' && c != '[' && c != ',' {
			continue // inside a string
		}
		x, err := strconv.ParseFloat(body[at[0]:end], 64)
		if err != nil {
			t.Fatal(err)
		}
		h.texts, h.numbers = append(h.texts, body[from:at[0]]), append(h.numbers, x)
		from = end
	}
	h.texts = append(h.texts, body[from:])
}

// parse parses a flat object of numbers and of strings without escapes.
func (h *byHand) parse(b []byte) bool {
	for i := 1; i < len(b); i++ {
		j := i + 1
		for b[j] != '"' {
			j++
		}
		key := b[i+1 : j]
		if i = j + 2; b[i] == '"' {
			for j = i + 1; b[j] != '"'; j++ {
			}
			switch value := b[i+1 : j]; string(key) {
			case "asset":
				h.asset = value
			case "action":
				h.action = value
			case "wallet":
				h.wallet = value
			}
			i = j + 1
			continue
		}
		for j = i; b[j] != ',' && b[j] != '}'; j++ {
		}
		x, err := strconv.ParseFloat(string(b[i:j]), 64)
		if err != nil {
			return false
		}
		switch string(key) {
		case "size":
			h.size = x
		case "leverage":
			h.leverage = x
		}
		i = j
	}
	return true
}

const digitPairs = "" +
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849" +
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"

func (h *byHand) append(dst []byte) []byte {
	for i, x := range h.numbers {
		dst = append(dst, h.texts[i]...)
		if x < 0 {
			dst, x = append(dst, '-'), -x
		}
		n := uint64(x*1e6 + 0.5)
		dst = strconv.AppendUint(dst, n/1e6, 10)
		f := n % 1e6
		a, b, c := f/1e4*2, f/100%100*2, f%100*2
		dst = append(dst, '.', digitPairs[a], digitPairs[a+1], digitPairs[b], digitPairs[b+1], digitPairs[c],
			digitPairs[c+1])
	}
	return append(dst, h.texts[len(h.numbers)]...)
}

// BenchmarkByHand is the yardstick for the handler: the same request and answer, parsed and printed
// by hand.
func BenchmarkByHand(b *testing.B) {
	f, text := warmRequest(b)
	f.holdNothing(btc)
	p := newInProcess(f.s, text)
	p.read(b)
	f.s.serve(&p.ctx, time.Now())
	var h byHand
	h.answers(b, string(p.ctx.Response.Body()))
	body := []byte(trade("BTC"))
	buf := make([]byte, 0, 16<<10)
	for b.Loop() {
		if !h.parse(body) {
			b.Fatal("the request was not read")
		}
		buf = h.append(buf[:0])
	}
	b.ReportMetric(float64(len(h.numbers)), "numbers")
	b.ReportMetric(float64(len(buf)), "bytes")
}
