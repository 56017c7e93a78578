package relay

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// The last fixed token of a subject.
const (
	kindBeat  = "beat"
	kindData  = "data"
	kindError = "error"
	kindWant  = "want"
	kindAsk   = "ask"
	kindPing  = "ping"
)

// subjects makes and reads the subjects below one root.
type subjects string

func (s subjects) down(epoch uint64, kind string) string {
	return string(s) + ".down." + strconv.FormatUint(epoch, 10) + "." + kind
}

func (s subjects) up(epoch uint64, kind string) string {
	return string(s) + ".up." + strconv.FormatUint(epoch, 10) + "." + kind
}

func (s subjects) allDown() string { return string(s) + ".down.>" }

func (s subjects) allBeats() string { return string(s) + ".down.*." + kindBeat }

func (s subjects) allUp(epoch uint64) string {
	return string(s) + ".up." + strconv.FormatUint(epoch, 10) + ".*"
}

// read takes a subject of either direction apart; stream is set for data only.
func (s subjects) read(subject string) (epoch uint64, kind, stream string, ok bool) {
	rest, ok := strings.CutPrefix(subject, string(s)+".")
	if !ok {
		return 0, "", "", false
	}
	_, rest, _ = strings.Cut(rest, ".")
	number, rest, _ := strings.Cut(rest, ".")
	epoch, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0, "", "", false
	}
	kind, stream, _ = strings.Cut(rest, ".")
	return epoch, kind, stream, kind != ""
}

// stream is one subscription at the venue that the relay can carry.
type stream struct {
	id      string // the tail of its subject: "l2Book.BTC.4"
	channel string
	coin    string // "" for all contexts
	figures int    // nSigFigs of a book, 0: full precision
}

const (
	channelBook        = "l2Book"
	channelContext     = "activeAssetCtx"
	channelAllContexts = "allDexsAssetCtxs"
)

// readSubscription reads a subscription object. It reports false for what the adapter
// does not use: the relay must know which frames belong to a subscription.
func readSubscription(raw []byte) (s stream, ok bool) {
	var sub hyperliquid.Subscription
	if json.Unmarshal(raw, &sub) != nil || sub.User != "" || sub.Dex != "" || sub.Fast || sub.Mantissa != nil {
		return s, false
	}
	s = stream{channel: sub.Type, coin: sub.Coin}
	if sub.NSigFigs != nil {
		s.figures = *sub.NSigFigs
	}
	return s.named()
}

// named checks the stream and sets its id.
func (s stream) named() (stream, bool) {
	switch s.channel {
	case channelBook:
		if s.coin == "" || s.figures != 0 && (s.figures < 2 || s.figures > 5) {
			return s, false
		}
		s.id = s.channel + "." + escape(s.coin) + "." + strconv.Itoa(s.figures)
	case channelContext:
		if s.coin == "" || s.figures != 0 {
			return s, false
		}
		s.id = s.channel + "." + escape(s.coin)
	case channelAllContexts:
		if s.coin != "" || s.figures != 0 {
			return s, false
		}
		s.id = s.channel
	default:
		return s, false
	}
	return s, len(s.coin) <= maxCoin
}

// maxCoin bounds a coin's name, bytes.
const maxCoin = 128

// parseStream reads an id.
func parseStream(id string) (s stream, ok bool) {
	channel, rest, _ := strings.Cut(id, ".")
	coin, figures, _ := strings.Cut(rest, ".")
	s = stream{channel: channel}
	if s.coin, ok = unescape(coin); !ok || !utf8.ValidString(s.coin) {
		return s, false
	}
	if figures != "" {
		n, err := strconv.Atoi(figures)
		if err != nil {
			return s, false
		}
		s.figures = n
	}
	if s, ok = s.named(); !ok || s.id != id {
		return s, false
	}
	return s, true
}

// body returns the subscription object.
func (s stream) body() string {
	b := `{"type":` + strconv.Quote(s.channel)
	if s.coin != "" {
		coin, _ := json.Marshal(s.coin) // a string marshals
		b += `,"coin":` + string(coin)
	}
	if s.figures != 0 {
		b += `,"nSigFigs":` + strconv.Itoa(s.figures)
	}
	return b + "}"
}

// topic is all that a frame says about its stream. A book does not say its precision,
// so a line never carries two streams of one topic.
type topic struct{ channel, coin string }

func (s stream) topic() topic { return topic{s.channel, s.coin} }

// escape makes one token of a subject of a name: what could end or match a token
// becomes %XX.
func escape(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c <= ' ', c > '~', c == '.', c == '*', c == '>', c == '%':
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescape(token string) (name string, ok bool) {
	if !strings.Contains(token, "%") {
		return token, true
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '%' {
			b.WriteByte(token[i])
			continue
		}
		if i+2 >= len(token) {
			return "", false
		}
		c, err := strconv.ParseUint(token[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}
