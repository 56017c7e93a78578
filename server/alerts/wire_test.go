package alerts

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

const goodConfig = `{"wallet":"` + testWallet + `"}`

const confirmed = `1 "{\"subscribed\":\"` + testWallet + `\"}"`

type wireRow struct {
	name string
	in   []byte
	want string // frames of the server until it closes the connection
}

// lengthFrame returns the start of a frame with a 64-bit length.
func lengthFrame(first byte, size uint64) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{first, maskBit | 127}, size), 1, 2, 3, 4)
}

func textFrame(s string) []byte { return clientFrame(finBit|opText, s) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func closing(code int, reason string) []byte {
	return clientFrame(finBit|opClose, string(binary.BigEndian.AppendUint16(nil, uint16(code)))+reason)
}

const refused = `1 "{\"error\":\"invalid_config\",\"detail\":\"`

var (
	unmasked = appendFrame(nil, opText, []byte(goodConfig))
	bye      = closing(1000, "")
	half     = strings.Repeat(" ", 100)
)

// wireTable lists what clients may send after the handshake, and the expected answers.
var wireTable = []wireRow{
	{"configuration and end", join(textFrame(goodConfig), bye), confirmed + `, close 1000 `},
	{"keys in upper case", join(textFrame(strings.ToUpper(goodConfig)), bye), refused +
		`unknown field: WALLET\",\"field\":\"WALLET\",\"allowed\":{\"values\":[\"wallet\",\"thresholds\"]},` +
		`\"suggestion\":\"wallet\"}", close 1008 invalid_config`},
	{"address in upper case", join(textFrame(`{"wallet":"0x`+strings.ToUpper(testWallet[2:])+`"}`), bye), confirmed +
		`, close 1000 `},
	{"in three frames, with a ping between", join(clientFrame(opText, goodConfig[:5]), clientFrame(finBit|opPing, "x"),
		clientFrame(opContinuation, goodConfig[5:9]), clientFrame(finBit|opContinuation, goodConfig[9:]), bye),
		`a "x", ` + confirmed + `, close 1000 `},
	{"pings", join(clientFrame(finBit|opPing, ""), clientFrame(finBit|opPing, strings.Repeat("x", 125)), bye),
		`a "", a "` + strings.Repeat("x", 125) + `", close 1000 `},
	{"unsolicited pongs", join(clientFrame(finBit|opPong, "x"), textFrame(goodConfig), bye), confirmed +
		`, close 1000 `},
	{"as long as may be", join(textFrame(goodConfig+strings.Repeat(" ", maxMessage-len(goodConfig))), bye), confirmed +
		`, close 1000 `},
	{"as long in frames", join(clientFrame(opText, goodConfig), clientFrame(finBit|opContinuation,
		strings.Repeat(" ", maxMessage-len(goodConfig))), bye), confirmed + `, close 1000 `},

	{"not masked", unmasked, `close 1002 frame without mask`},
	{"reserved bit 1 (compressed)", clientFrame(finBit|0x40|opText, goodConfig), `close 1002 reserved bit set`},
	{"reserved bit 2", clientFrame(finBit|0x20|opText, goodConfig), `close 1002 reserved bit set`},
	{"reserved bit 3", clientFrame(finBit|0x10|opText, goodConfig), `close 1002 reserved bit set`},
	{"reserved bit of a ping", clientFrame(finBit|0x40|opPing, ""), `close 1002 reserved bit set`},
	{"opcode 3", clientFrame(finBit|3, ""), `close 1002 unknown opcode 3`},
	{"opcode 7", clientFrame(finBit|7, "x"), `close 1002 unknown opcode 7`},
	{"opcode 11", clientFrame(finBit|11, ""), `close 1002 unknown opcode 11`},
	{"opcode 15", clientFrame(finBit|15, ""), `close 1002 unknown opcode 15`},
	{"long ping", clientFrame(finBit|opPing, strings.Repeat("x", 126)), `close 1002 control frame over 125 bytes`},
	{"long close", clientFrame(finBit|opClose, "\x03\xe8"+strings.Repeat("x", 124)),
		`close 1002 control frame over 125 bytes`},
	{"fragmented ping", clientFrame(opPing, ""), `close 1002 fragmented control frame`},
	{"fragmented close", clientFrame(opClose, "\x03\xe8"), `close 1002 fragmented control frame`},
	{"continuation first", clientFrame(finBit|opContinuation, goodConfig), `close 1002 continuation of no message`},
	{"continuation behind a whole message", join(textFrame(goodConfig), clientFrame(opContinuation, "")), confirmed +
		`, close 1002 continuation of no message`},
	{"message within a message", join(clientFrame(opText, "{"), textFrame(goodConfig)),
		`close 1002 new message before the end of the last`},
	{"binary within a message", join(clientFrame(opText, "{"), clientFrame(finBit|opBinary, "")),
		`close 1002 new message before the end of the last`},
	{"fault behind a subscription", join(textFrame(goodConfig), unmasked), confirmed +
		`, close 1002 frame without mask`},

	{"close without code", clientFrame(finBit|opClose, ""), `8 ""`},
	{"close with reason", closing(1001, "going"), `close 1001 `},
	{"close of one byte", clientFrame(finBit|opClose, "\x03"), `close 1002 bad close code`},
	{"close 999", closing(999, ""), `close 1002 bad close code`},
	{"close 1004", closing(1004, ""), `close 1002 bad close code`},
	{"close 1005", closing(1005, ""), `close 1002 bad close code`},
	{"close 1006", closing(1006, ""), `close 1002 bad close code`},
	{"close 1007", closing(1007, ""), `close 1007 `},
	{"close 1015", closing(1015, ""), `close 1002 bad close code`},
	{"close 2999", closing(2999, ""), `close 1002 bad close code`},
	{"close 3000", closing(3000, ""), `close 3000 `},
	{"close 4999", closing(4999, ""), `close 4999 `},
	{"close 5000", closing(5000, ""), `close 1002 bad close code`},
	{"close reason not UTF-8", closing(1000, "\xff"), `close 1002 close reason is not UTF-8`},
	{"frames after close are ignored", join(bye, textFrame(goodConfig)), `close 1000 `},

	{"text not UTF-8", textFrame("{\"wallet\":\"\xff\"}"), `close 1007 text is not UTF-8`},
	{"UTF-8 cut off", textFrame("\xe2\x82"), `close 1007 text is not UTF-8`},
	{"surrogate in UTF-8", textFrame("\xed\xa0\x80"), `close 1007 text is not UTF-8`},
	{"UTF-8 split between frames", join(clientFrame(opText, "{\"\xe2"), clientFrame(finBit|opContinuation,
		"\x82\xac\":1}")), refused +
		`unknown field: €\",\"field\":\"€\",\"allowed\":{\"values\":[\"wallet\",\"thresholds\"]}}", ` +
		`close 1008 invalid_config`},
	{"binary", clientFrame(finBit|opBinary, goodConfig), refused +
		`binary message, want text\"}", close 1008 invalid_config`},
	{"binary not UTF-8", clientFrame(finBit|opBinary, "\xff"), refused +
		`binary message, want text\"}", close 1008 invalid_config`},
	{"empty message", textFrame(""), refused +
		`expected an object, found nothing at byte 0\"}", close 1008 invalid_config`},
	{"bad second configuration", join(textFrame(goodConfig),
		textFrame(`{"wallet":"`+testWallet+`","thresholds":{"max":1}}`),
		textFrame(goodConfig)), confirmed + `, ` + refused +
		`unknown field: thresholds.max\",\"field\":\"thresholds.max\",\"allowed\":{\"values\":[` +
		`\"thresholds.max_risk_score\",\"thresholds.min_liquidation_distance_pct\",` +
		`\"thresholds.max_portfolio_var_pct\",\"thresholds.max_funding_drag_daily_pct\"]}}", ` +
		`close 1008 invalid_config`},

	{"one byte too long", textFrame(strings.Repeat(" ", maxMessage+1)), `close 1009 message over 4096 bytes`},
	{"binary too long", clientFrame(finBit|opBinary, strings.Repeat(" ", maxMessage+1)),
		`close 1009 message over 4096 bytes`},
	{"too long in frames", bytes.Repeat(join(clientFrame(opText, half), bytes.Repeat(clientFrame(opContinuation, half),
		41)), 1), `close 1009 message over 4096 bytes`},
	{"2^31 bytes", lengthFrame(finBit|opText, 1<<31), `close 1009 message over 4096 bytes`},
	{"2^62 bytes", lengthFrame(finBit|opText, 1<<62), `close 1009 message over 4096 bytes`},
	{"2^63 bytes", lengthFrame(finBit|opText, 1<<63), `close 1009 message over 4096 bytes`},
	{"2^64-1 bytes", lengthFrame(finBit|opText, 1<<64-1), `close 1009 message over 4096 bytes`},
	{"2^64-1 bytes behind a frame", join(clientFrame(opText, "{"), lengthFrame(opContinuation, 1<<64-1)),
		`close 1009 message over 4096 bytes`},
	{"endless empty frames", join(clientFrame(opText, ""), bytes.Repeat(clientFrame(opContinuation, ""),
		maxMessage)), `close 1009 message in over 4096 frames`},
	{"length of 64 bits for 125 bytes", lengthFrame(finBit|opText, 125),
		`close 1002 length in more bytes than it needs`},
	{"length of 64 bits for 65535 bytes", lengthFrame(finBit|opText, 1<<16-1),
		`close 1002 length in more bytes than it needs`},
	{"length of 16 bits for 125 bytes", []byte{finBit | opText, maskBit | 126, 0, 125, 1, 2, 3, 4},
		`close 1002 length in more bytes than it needs`},
	{"too many pongs", bytes.Repeat(clientFrame(finBit|opPong, ""), floodMessages+1), `close 1008 too many messages`},
	{"too many messages", bytes.Repeat(clientFrame(finBit|opPing, ""), floodMessages+1),
		strings.Repeat(`a "", `, floodMessages) + `close 1008 too many messages`},
}

// dialText connects and sends a text.
func dialText(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// dialRaw opens a socket.
func dialRaw(t *testing.T, addr string) net.Conn {
	t.Helper()
	c := dialText(t, addr, handshake)
	readHead(t, c)
	return c
}

// readHead reads the answer to a handshake byte by byte, so that no frame after it is consumed.
func readHead(t *testing.T, c net.Conn) string {
	t.Helper()
	var head []byte
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		var b [1]byte
		if _, err := c.Read(b[:]); err != nil {
			t.Fatalf("after %q: %v", head, err)
		}
		head = append(head, b[0])
	}
	return string(head)
}

func TestWire(t *testing.T) {
	h := newTestHub(t)
	addr := serve(t, h)
	for _, row := range wireTable {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := dialRaw(t, addr)
			go func() { _, _ = c.Write(row.in) }()
			var got []string
			for {
				f, err := readFrame(c)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("after %v: %v", got, err)
				}
				if f.op != opPing {
					got = append(got, f.String())
				}
			}
			if text := strings.Join(got, ", "); text != row.want {
				t.Errorf("got  %.400s\nwant %.400s", text, row.want)
			}
		})
	}
}

const handshakeKey = "dGhlIHNhbXBsZSBub25jZQ=="

func handshakeWithout(header string) string {
	return regexp.MustCompile(header+": .*\r\n").ReplaceAllString(handshake, "")
}

func handshakeAnd(line string) string {
	return strings.TrimSuffix(handshake, "\r\n") + line + "\r\n\r\n"
}

var handshakes = []struct{ name, text, status, detail string }{
	{"plain", handshake, "101", ""},
	{"any origin", handshakeAnd("Origin: https://elsewhere.example"), "101", ""},
	{"null origin", handshakeAnd("Origin: null"), "101", ""},
	{"compression offered", handshakeAnd("Sec-WebSocket-Extensions: permessage-deflate"), "101", ""},
	{"subprotocols offered", handshakeAnd("Sec-WebSocket-Protocol: chat, superchat"), "101", ""},
	{"other case", strings.Replace(strings.Replace(handshake, "Upgrade: websocket", "upgrade: WebSocket", 1),
		"Connection: Upgrade", "connection: keep-alive, upgrade", 1), "101", ""},
	{"no request to upgrade", handshakeWithout("Upgrade"), "400", "'websocket' token not found"},
	{"no connection header", handshakeWithout("Connection"), "400", "'upgrade' token not found"},
	{"no version", handshakeWithout("Sec-WebSocket-Version"), "400", "unsupported version"},
	{"old version", strings.Replace(handshake, "Version: 13", "Version: 8", 1), "400", "unsupported version"},
	{"no key", handshakeWithout("Sec-WebSocket-Key"), "400", "Sec-WebSocket-Key"},
	{"short key", strings.Replace(handshake, handshakeKey, "AAAA", 1), "400", "Sec-WebSocket-Key"},
	{"long key", strings.Replace(handshake, handshakeKey, "AAAAAAAAAAAAAAAAAAAAAAAA", 1), "400", "Sec-WebSocket-Key"},
	{"key not base64", strings.Replace(handshake, handshakeKey, "!!!!!!!!!!!!!!!!!!!!!!==", 1), "400",
		"Sec-WebSocket-Key"},
	{"two keys", handshakeAnd("Sec-WebSocket-Key: " + handshakeKey), "400", "want one header Sec-WebSocket-Key"},
	{"two versions", handshakeAnd("sec-websocket-version: 13"), "400", "one Sec-WebSocket-Version"},
	{"posted", strings.Replace(handshake, "GET", "POST", 1), "400", "not GET"},
}

func TestHandshake(t *testing.T) {
	h := newTestHub(t)
	addr := serve(t, h)
	for _, row := range handshakes {
		t.Run(row.name, func(t *testing.T) {
			c := dialText(t, addr, row.text)
			head := readHead(t, c)
			if !strings.HasPrefix(head, "HTTP/1.1 "+row.status+" ") {
				t.Fatalf("answer %s", head)
			}
			lower := strings.ToLower(head)
			if row.status == "101" {
				if !strings.Contains(head, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") {
					t.Errorf("wrong accept header: %s", head)
				}
				if strings.Contains(lower, "sec-websocket-extensions") ||
					strings.Contains(lower, "sec-websocket-protocol") {
					t.Errorf("the handshake agreed to an extension or subprotocol: %s", head)
				}
				return
			}
			body := make([]byte, 1024)
			n, _ := c.Read(body)
			if got := string(body[:n]); !strings.HasPrefix(got, `{"error":"bad_request","detail":"`) ||
				!strings.Contains(got, row.detail) {
				t.Errorf("body %s", got)
			}
			if !strings.Contains(lower, "sec-websocket-version: 13") {
				t.Errorf("headers %s", head)
			}
		})
	}
	if n := h.Stats().Refused.Load(); n != 11 {
		t.Errorf("%d refused, want 11", n)
	}
}

// While the hub accepts no sockets, clients get an error that says so, and open sockets stay open.
func TestNotAccepting(t *testing.T) {
	h := newTestHub(t)
	addr := serve(t, h)
	old := dialRaw(t, addr)
	waitFor(t, "the socket", func() bool { n, _ := h.Counts(); return n == 1 })
	h.SetAccepting(false)
	resp, err := http.Get("http://" + addr + "/v1/alerts/ws")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != 503 || !bytes.HasPrefix(body, []byte(`{"error":"overloaded","detail":"`)) {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
	if _, err := old.Write(clientFrame(finBit|opText, goodConfig)); err != nil {
		t.Fatal(err)
	}
	if f, err := readFrame(old); err != nil || f.String() != confirmed {
		t.Errorf("%v %v", f, err)
	}
	h.SetAccepting(true)
	dialRaw(t, addr)
}
