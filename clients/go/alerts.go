package ballast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

const (
	connectTimeout = 10 * time.Second
	writeTimeout   = 5 * time.Second
	// without a frame for this long, the connection is lost; the service pings every 15 s
	silence    = 40 * time.Second
	maxPause   = 15 * time.Second // between two attempts
	maxMessage = 1 << 20          // bytes
	maxQueue   = 64               // events that wait for the caller
)

// ourFault lists the close codes for a fault of the client, after which reconnecting is pointless.
var ourFault = []int{
	websocket.CloseProtocolError, websocket.CloseUnsupportedData, websocket.CloseInvalidFramePayloadData,
	websocket.ClosePolicyViolation, websocket.CloseMessageTooBig,
}

// AlertOptions are the optional settings of Alerts. The zero value is valid.
type AlertOptions struct {
	Thresholds *AlertConfigThresholds // nil: the service's default thresholds
	URLs       []string               // replicas to connect to, in turn; empty: the client's own address
}

// AlertEvent is an alert or a change of the connection. Exactly one field is set.
type AlertEvent struct {
	Alert *RiskAlert // an alert raised by a monitor call
	// address of the replica that now watches all wallets. It does not resend earlier alerts: call Monitor for the
	// current state
	Watching string
	Lost     string // why the connection ended; no wallet is watched until the next Watching
}

// Alerts yields the alerts of up to 64 wallets until ctx ends. A monitor call of any client raises alerts.
// Alerts between a Lost and the next Watching event are missed. After a loss Alerts reconnects, to the next
// of the URLs, and subscribes again. The connection stays open while the caller is busy, but if the caller
// leaves more than 64 events unread, the service closes it in the end, which yields a Lost event. If the
// service rejects the subscription, the last pair holds an *Error.
func (c *Client) Alerts(ctx context.Context, wallets []string, options AlertOptions) iter.Seq2[AlertEvent, error] {
	return func(yield func(AlertEvent, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s := alertStream{client: c, wallets: wallets, thresholds: options.Thresholds, urls: options.URLs,
			events: make(chan AlertEvent, maxQueue)}
		if len(s.urls) == 0 {
			s.urls = []string{c.url}
		}
		var end error
		go func() {
			defer close(s.events)
			end = s.watch(ctx)
		}()
		for event := range s.events {
			if !yield(event, nil) {
				cancel()
				for range s.events { // wait until the connection is closed
				}
				return
			}
		}
		if end != nil {
			yield(AlertEvent{}, end)
		}
	}
}

// alertStream is one call of Alerts.
type alertStream struct {
	client     *Client
	wallets    []string
	thresholds *AlertConfigThresholds
	urls       []string
	events     chan AlertEvent
	pause      time.Duration // maximum pause before the next attempt
}

// lost describes the end of a connection.
type lost struct {
	reason  string
	status  int    // HTTP status of a refused handshake, else 0
	refusal *Error // error message that the service sent before it closed the connection
	fatal   bool   // reconnecting is pointless
}

// watch connects again and again, until ctx ends or reconnecting is pointless.
func (s *alertStream) watch(ctx context.Context) error {
	s.pause = time.Second
	for turn := 0; ; turn++ {
		url := strings.TrimRight(s.urls[turn%len(s.urls)], "/")
		end := s.listen(ctx, url)
		if ctx.Err() != nil {
			return nil
		}
		if end.fatal && end.refusal != nil {
			return end.refusal
		}
		if end.fatal {
			return &Error{Status: end.status, Code: "refused", Detail: url + ": " + end.reason}
		}
		if end.refusal != nil {
			end.reason += " after " + end.refusal.Error()
		}
		s.emit(ctx, AlertEvent{Lost: end.reason})
		// The pause is random and grows, so that after a restart thousands of clients do not reconnect simultaneously.
		if !sleep(ctx, rand.N(s.pause)) {
			return nil
		}
		s.pause = min(2*s.pause, maxPause)
	}
}

func (s *alertStream) emit(ctx context.Context, event AlertEvent) {
	select {
	case s.events <- event:
	case <-ctx.Done():
	}
}

// listen opens one connection and emits its events until it ends.
func (s *alertStream) listen(ctx context.Context, url string) (end lost) {
	dialer := s.client.dialer()
	ws, response, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(url, "http")+"/v1/alerts/ws?details=true",
		s.client.header())
	if err != nil && response != nil {
		status := response.StatusCode
		return lost{reason: fmt.Sprintf("refused with HTTP %d", status), status: status, fatal: status/100 == 4 &&
			status != http.StatusTooManyRequests}
	}
	if err != nil {
		return lost{reason: "connection lost: " + err.Error()}
	}
	defer ws.Close()
	defer context.AfterFunc(ctx, func() {
		bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(writeTimeout))
		ws.Close() // ends ReadMessage below
	})()
	ws.SetReadLimit(maxMessage)
	heard := func() { ws.SetReadDeadline(time.Now().Add(silence)) }
	pong := ws.PingHandler()
	ws.SetPingHandler(func(text string) error {
		heard()
		return pong(text)
	})
	waiting := map[string]bool{}
	for _, wallet := range s.wallets {
		waiting[strings.ToLower(wallet)] = true
		ws.SetWriteDeadline(time.Now().Add(writeTimeout))
		if err := ws.WriteJSON(AlertConfig{Wallet: wallet, Thresholds: s.thresholds}); err != nil {
			return lost{reason: "connection lost: " + err.Error()}
		}
	}
	for {
		heard()
		_, text, err := ws.ReadMessage()
		if err != nil {
			end.reason, end.fatal = reason(err), websocket.IsCloseError(err, ourFault...)
			return end
		}
		var message struct {
			Subscribed string `json:"subscribed"`
			InvalidConfig
			AlertType AlertType `json:"alert_type"`
		}
		var alert RiskAlert
		err = json.Unmarshal(text, &message)
		if err == nil && message.AlertType != "" {
			err = decode(text, &alert, nil)
		}
		switch {
		case err != nil:
			return lost{reason: "not what this service sends: " + err.Error()}
		case message.AlertType != "":
			s.emit(ctx, AlertEvent{Alert: &alert})
		case message.Error != "":
			// a close frame follows
			end.refusal = &Error{Code: message.Error, Detail: message.Detail, Field: message.Field,
				Suggestion: message.Suggestion}
		case waiting[message.Subscribed]:
			delete(waiting, message.Subscribed)
			if len(waiting) == 0 {
				s.pause = time.Second
				s.emit(ctx, AlertEvent{Watching: url})
			}
		}
	}
}

// dialer returns a dialer with the proxy, network and TLS settings of c.HTTP.
func (c *Client) dialer() *websocket.Dialer {
	dialer := &websocket.Dialer{HandshakeTimeout: connectTimeout, Proxy: http.ProxyFromEnvironment}
	if transport, ok := c.HTTP.Transport.(*http.Transport); ok {
		dialer.Proxy, dialer.NetDialContext = transport.Proxy, transport.DialContext
		if transport.TLSClientConfig != nil {
			dialer.TLSClientConfig = transport.TLSClientConfig.Clone()
			dialer.TLSClientConfig.NextProtos = nil // the handshake needs HTTP/1.1
		}
	}
	return dialer
}

// reason says how a connection ended.
func reason(err error) string {
	var closed *websocket.CloseError
	// set by this side when no close frame came
	if errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure {
		return fmt.Sprintf("closed with %d %s", closed.Code, closed.Text)
	}
	return "connection lost: " + err.Error()
}
