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
	silence        = 40 * time.Second // the service pings every 15 s: so long without a frame is the end
	maxPause       = 15 * time.Second // between two attempts
	maxMessage     = 1 << 20          // bytes
	maxQueue       = 64               // events that wait for the caller
)

// ourFault are the close codes that say that this side is at fault: doing the same again cannot help.
var ourFault = []int{
	websocket.CloseProtocolError, websocket.CloseUnsupportedData, websocket.CloseInvalidFramePayloadData,
	websocket.ClosePolicyViolation, websocket.CloseMessageTooBig,
}

// AlertOptions say more about what to listen to; the zero value does without.
type AlertOptions struct {
	Thresholds *AlertConfigThresholds // nil: the service's
	URLs       []string               // several replicas, taken in turn; none: the client's
}

// AlertEvent is what happens to alerts. Exactly one field is set.
type AlertEvent struct {
	Alert    *RiskAlert // what a monitor call has found
	Watching string     // address of the replica: all wallets are watched from now on. What was found before is not sent: ask Monitor
	Lost     string     // why a connection has ended: nobody is watched until the next Watching
}

// Alerts yields alerts of up to 64 wallets until ctx ends, as monitor calls find them, and when the
// wallets are watched and when not: between Lost and Watching, silence says nothing. It reconnects by
// itself, to the next of the URLs, and subscribes again. The connection is kept while the caller is busy;
// one that leaves more than 64 events unread is closed by the service in the end, which is a Lost. When the
// service refuses what was asked, the last pair is an *Error.
func (c *Client) Alerts(ctx context.Context, wallets []string, options AlertOptions) iter.Seq2[AlertEvent, error] {
	return func(yield func(AlertEvent, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s := alertStream{client: c, wallets: wallets, thresholds: options.Thresholds, urls: options.URLs, events: make(chan AlertEvent, maxQueue)}
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
				for range s.events { // until the connection is closed
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
	pause      time.Duration // at most, before the next attempt
}

// lost is the end of a connection.
type lost struct {
	reason  string
	status  int    // of a refused handshake
	refusal *Error // what the service said before it closed
	fatal   bool   // trying again cannot help
}

// watch listens again and again, until ctx ends or trying cannot help.
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
		// A random share of a growing pause: after a restart thousands must not come at once.
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

// listen hands on what the service says over one connection.
func (s *alertStream) listen(ctx context.Context, url string) (end lost) {
	dialer := s.client.dialer()
	ws, response, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(url, "http")+"/v1/alerts/ws", s.client.header())
	if err != nil && response != nil {
		status := response.StatusCode
		return lost{reason: fmt.Sprintf("refused with HTTP %d", status), status: status, fatal: status/100 == 4 && status != http.StatusTooManyRequests}
	}
	if err != nil {
		return lost{reason: "connection lost: " + err.Error()}
	}
	defer ws.Close()
	defer context.AfterFunc(ctx, func() {
		bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(writeTimeout))
		ws.Close() // ends the read below
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
			err = json.Unmarshal(text, &alert)
		}
		switch {
		case err != nil:
			return lost{reason: "not what this service sends: " + err.Error()}
		case message.AlertType != "":
			s.emit(ctx, AlertEvent{Alert: &alert})
		case message.Error != "":
			end.refusal = &Error{Code: message.Error, Detail: message.Detail, Field: message.Field, Suggestion: message.Suggestion} // a close frame follows
		case waiting[message.Subscribed]:
			delete(waiting, message.Subscribed)
			if len(waiting) == 0 {
				s.pause = time.Second
				s.emit(ctx, AlertEvent{Watching: url})
			}
		}
	}
}

// dialer reaches the service as requests do.
func (c *Client) dialer() *websocket.Dialer {
	dialer := &websocket.Dialer{HandshakeTimeout: connectTimeout, Proxy: http.ProxyFromEnvironment}
	if transport, ok := c.HTTP.Transport.(*http.Transport); ok {
		dialer.Proxy, dialer.NetDialContext = transport.Proxy, transport.DialContext
		if transport.TLSClientConfig != nil {
			dialer.TLSClientConfig = transport.TLSClientConfig.Clone()
			dialer.TLSClientConfig.NextProtos = nil // HTTP/2 has no such handshake
		}
	}
	return dialer
}

// reason says how a connection ended.
func reason(err error) string {
	var closed *websocket.CloseError
	if errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure { // which comes from this side
		return fmt.Sprintf("closed with %d %s", closed.Code, closed.Text)
	}
	return "connection lost: " + err.Error()
}
