package hyperliquid

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
)

func (v *fakeVenue) serveSocket(w http.ResponseWriter, r *http.Request) {
	v.script(func() { v.connects = append(v.connects, time.Now()) })
	v.thaw()
	v.mu.Lock()
	refuse := v.noSocket
	v.mu.Unlock()
	if refuse {
		http.Error(w, "no", http.StatusBadGateway)
		return
	}
	c, err := v.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer c.Close()
	lock := &sync.Mutex{}
	v.script(func() { v.conns[c] = lock })
	defer v.script(func() { delete(v.conns, c) })
	send := func(text string) {
		if v.thaw(); v.isSilent() {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		c.SetWriteDeadline(time.Now().Add(time.Second))
		c.WriteMessage(websocket.TextMessage, []byte(text))
	}
	send(Greeting)
	var subs sync.Map // time of the next push by subscription
	ended := make(chan struct{})
	var pushing sync.WaitGroup
	pushing.Go(func() { v.pushDue(&subs, send, ended) })
	defer pushing.Wait()
	defer close(ended)
	received := make(chan []byte, 1000) // a frozen venue does not keep the client from writing
	defer func() {
		c.Close()
		for range received {
		}
	}()
	go func() {
		defer close(received)
		for {
			_, b, err := c.ReadMessage()
			if err != nil {
				return
			}
			received <- b
		}
	}()
	for b := range received {
		if v.thaw(); !v.receive(b, &subs, send) {
			return
		}
	}
}

// thaw waits until the venue is not frozen.
func (v *fakeVenue) thaw() {
	v.mu.Lock()
	frozen := v.frozen
	v.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
}

// pushDue sends what subscriptions are due for until the socket has ended.
func (v *fakeVenue) pushDue(subs *sync.Map, send func(string), ended <-chan struct{}) {
	tick := time.NewTicker(v.every / 5)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case now := <-tick.C:
			subs.Range(func(k, due any) bool {
				if !now.Before(due.(time.Time)) {
					subs.Store(k, now.Add(v.cadence(k.(string))))
					v.pushOne(k.(string), send)
				}
				return true
			})
		}
	}
}

// receive handles a client's frame; it returns false when the socket is to be closed.
func (v *fakeVenue) receive(b []byte, subs *sync.Map, send func(string)) bool {
	v.script(func() { v.framesAt = append(v.framesAt, time.Now()) })
	if strings.Contains(string(b), `"ping"`) {
		if v.isLastWord() {
			send(`{"channel":"subscriptionResponse","data":{}}`)
			v.script(func() { v.silent, v.lastWord = true, false })
		} else {
			send(`{"channel":"pong"}`)
		}
		return true
	}
	var f struct {
		Method       string
		Subscription json.RawMessage
	}
	json.Unmarshal(b, &f)
	sub := string(f.Subscription)
	if f.Method == "unsubscribe" {
		subs.Delete(sub)
		return true
	}
	if v.closesFor(sub) {
		time.Sleep(300 * time.Millisecond)
		return false
	}
	subs.Store(sub, time.Now().Add(v.cadence(sub)))
	send(`{"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":` + sub + `}}`)
	v.pushOne(sub, send)
	return true
}

func (v *fakeVenue) isSilent() bool   { v.mu.Lock(); defer v.mu.Unlock(); return v.silent }
func (v *fakeVenue) isLastWord() bool { v.mu.Lock(); defer v.mu.Unlock(); return v.lastWord }

func (v *fakeVenue) closesFor(sub string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.kills != nil && v.kills(sub)
}

// cadence returns the interval between pushes of a subscription.
func (v *fakeVenue) cadence(sub string) time.Duration {
	switch {
	case strings.Contains(sub, `"user"`):
		return v.userEvery
	case strings.Contains(sub, "fastAssetCtxs"):
		return min(2*v.every, 2*time.Second)
	case strings.Contains(sub, "allDexsAssetCtxs"):
		return min(27*v.every, 14*time.Second)
	case strings.Contains(sub, `"fast"`):
		return v.every
	}
	return 11 * v.every
}

func (v *fakeVenue) pushOne(sub string, send func(string)) {
	var s infoRequest
	json.Unmarshal([]byte(sub), &s)
	v.mu.Lock()
	text := ""
	switch {
	case s.Type == "l2Book" && v.push != nil:
		figures := s.NSigFigs
		if s.Fast {
			figures = -1
		}
		if data := v.push(s.Coin, figures, v.now()); data != "" {
			text = `{"channel":"l2Book","data":` + data + `}`
		}
	case s.User != "" && v.users != nil:
		text = v.users(s)
	case s.Type == "fastAssetCtxs" && !v.noMarks:
		var list []string
		for _, a := range v.assets {
			list = append(list, fmt.Sprintf(`%q:{"markPx":"%g","midPx":"%g"}`, a, v.price(a, v.now()),
				v.price(a, v.now())))
		}
		data := "{" + strings.Join(list, ",") + "}"
		if v.marks != nil {
			data = v.marks()
		}
		text = `{"channel":"fastAssetCtxs","data":"` + pack(data) + `"}`
	case s.Type == "allDexsAssetCtxs" && !v.noLists:
		data := `{"ctxs":[["unknown",[{"markPx":"5"}]]`
		for _, dex := range append([]string{""}, v.dexes...) {
			var list []string
			for _, a := range v.listed(dex) {
				list = append(list, contextJSON(v.price(a, v.now())))
			}
			data += fmt.Sprintf(`,[%q,[%s]]`, dex, v.withInterest(strings.Join(list, ",")))
		}
		data += "]}"
		if v.allData != nil {
			data = v.allData()
		}
		text = `{"channel":"allDexsAssetCtxs","data":` + data + `}`
	}
	v.mu.Unlock()
	if text != "" {
		send(text)
	}
}

// cut closes every socket.
func (v *fakeVenue) cut() {
	v.mu.Lock()
	var open []*websocket.Conn
	for c := range v.conns {
		open = append(open, c)
	}
	v.mu.Unlock()
	for _, c := range open {
		c.NetConn().Close()
	}
}
