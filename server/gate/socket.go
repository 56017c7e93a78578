package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"ballast/marketcache/venue/exchange"
)

const (
	// maxPosts is how many posts of one socket may be in flight, as at the venue.
	maxPosts = 100
	// maxMessage is the longest message of a client, bytes.
	maxMessage = 256 << 10
	// socketWrite is how long one message may take to be written.
	socketWrite = 10 * time.Second
)

// message is what a client sends. Only these members are read and handed on.
type message struct {
	Method       string          `json:"method"`
	Subscription json.RawMessage `json:"subscription,omitempty"`
	ID           *uint64         `json:"id,omitempty"`
	Request      *postRequest    `json:"request,omitempty"`
}

type postRequest struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// socket is a client's socket and the one to the venue that belongs to it.
type socket struct {
	client, venue *websocket.Conn
	mu            sync.Mutex // of writes to the client
	posts         chan struct{}
	gate          *Gate
	// act answers an action: status and body of the answer over HTTP.
	act func(body []byte) (status int, answer []byte)
}

// ErrSockets is the error when clients have all the sockets to the venue that they may have.
var ErrSockets = errors.New("clients have all the sockets to the venue that they may have")

// Socket turns a request into a socket that passes everything on but actions, which act answers. It returns an error,
// and does not answer, if the venue or the client refuses.
func (g *Gate) Socket(ctx *fasthttp.RequestCtx, act func(body []byte) (status int, answer []byte)) error {
	if n := g.sockets.Add(1); g.Sockets > 0 && n > int64(g.Sockets) {
		g.sockets.Add(-1)
		return ErrSockets
	}
	left := sync.OnceFunc(func() { g.sockets.Add(-1) })
	dialer := websocket.Dialer{HandshakeTimeout: g.Timeout}
	venue, _, err := dialer.Dial("ws"+strings.TrimPrefix(g.Venue, "http")+"/ws", nil)
	if err != nil {
		left()
		return err
	}
	upgrader := websocket.FastHTTPUpgrader{
		CheckOrigin: func(*fasthttp.RequestCtx) bool { return true },
		Error:       func(*fasthttp.RequestCtx, int, error) {}, // the caller answers
	}
	err = upgrader.Upgrade(ctx, func(client *websocket.Conn) {
		defer left()
		s := &socket{client: client, venue: venue, posts: make(chan struct{}, maxPosts), gate: g, act: act}
		client.SetReadLimit(maxMessage)
		go s.fromVenue()
		s.fromClient()
	})
	if err != nil {
		left()
		venue.Close()
	}
	return err
}

// fromVenue hands on what the venue sends, until either side ends.
func (s *socket) fromVenue() {
	defer s.close()
	for {
		kind, data, err := s.venue.ReadMessage()
		if err != nil || s.write(kind, data) != nil {
			return
		}
	}
}

func (s *socket) close() {
	s.client.Close()
	s.venue.Close()
}

func (s *socket) write(kind int, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client.SetWriteDeadline(time.Now().Add(socketWrite))
	return s.client.WriteMessage(kind, data)
}

// fromClient hands on what the client sends, until either side ends.
func (s *socket) fromClient() {
	defer s.close()
	for {
		kind, data, err := s.client.ReadMessage()
		if err != nil || kind != websocket.TextMessage {
			return
		}
		m, problem := readMessage(data)
		switch {
		case problem != "":
			err = s.complain(problem)
		case m.Request != nil && m.Request.Type == "action":
			select {
			case s.posts <- struct{}{}:
				go s.post(*m.ID, m.Request.Payload)
			default:
				err = s.complain("more than " + strconv.Itoa(maxPosts) + " posts in flight")
			}
		case m.Request != nil && s.gate.take(exchange.InfoWeight(kindOf(m.Request.Payload), 0)) > 0:
			err = s.answer(*m.ID, "error", json.RawMessage(`"429 Too Many Requests"`))
		default:
			text, _ := json.Marshal(m)
			s.venue.SetWriteDeadline(time.Now().Add(socketWrite))
			err = s.venue.WriteMessage(websocket.TextMessage, text)
		}
		if err != nil {
			return
		}
	}
}

// readMessage reads a client's message, and says what is wrong with one that is not handed on.
func readMessage(data []byte) (m message, problem string) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil || d.More() {
		return m, "not a message of the venue: " + string(data[:min(len(data), 200)])
	}
	switch m.Method {
	case "ping":
		m = message{Method: "ping"}
	case "subscribe", "unsubscribe":
		m.ID, m.Request = nil, nil
	case "post":
		m.Subscription = nil
		if m.ID == nil || m.Request == nil || m.Request.Type != "action" && m.Request.Type != "info" {
			return m, "a post needs id and request, of type action or info"
		}
	default:
		return m, "unknown method: " + m.Method[:min(len(m.Method), 100)]
	}
	return m, ""
}

// post answers an action.
func (s *socket) post(id uint64, action []byte) {
	defer func() { <-s.posts }()
	status, answer := s.act(action)
	kind, payload := "action", json.RawMessage(answer)
	if status != fasthttp.StatusOK || !json.Valid(answer) {
		kind = "error"
		payload, _ = json.Marshal(strconv.Itoa(status) + " " + string(answer))
	}
	if s.answer(id, kind, payload) != nil {
		s.close()
	}
}

// answer tells the client the answer to a post.
func (s *socket) answer(id uint64, kind string, payload json.RawMessage) error {
	text, _ := json.Marshal(map[string]any{"channel": "post", "data": map[string]any{
		"id": id, "response": map[string]any{"type": kind, "payload": payload}}})
	return s.write(websocket.TextMessage, text)
}

// complain tells the client, in the venue's form, what was not handed on.
func (s *socket) complain(problem string) error {
	text, _ := json.Marshal(map[string]string{"channel": "error", "data": "Ballast: " + problem})
	return s.write(websocket.TextMessage, text)
}
