package server

import (
	"bytes"
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/server/transport"
)

func TestDrain(t *testing.T) {
	f := newFixture(t, nil)
	release := f.venueHangs()
	idle := f.dial() // has a keep-alive connection open
	defer idle.Close()
	f.exchange(idle, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n").ok()
	answers := make(chan *reply, 3)
	for i := range 3 {
		go func() { answers <- f.post(strings.Replace(trade("BTC"), wallet, wallet[:41]+strconv.Itoa(i), 1)) }()
	}
	until(t, "three requests wait", func() bool { return f.s.admission.Outside() == 3 })
	done := make(chan error, 1)
	go func() { done <- f.s.Shutdown(context.Background()) }()
	until(t, "draining", f.s.draining.Load)
	if r := f.s.Readiness(); r.Ready || f.s.status(&r) != "draining" {
		t.Error("still ready")
	}
	select {
	case err := <-done:
		t.Fatal("did not wait for requests in flight:", err)
	case <-time.After(150 * time.Millisecond):
	}
	release()
	for range 3 {
		if r := <-answers; r.status != 200 || !r.saysClose {
			t.Errorf("%d, close %v", r.status, r.saysClose)
		}
	}
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("shutdown hangs")
	}
	if err := f.s.Serve(nil); err != transport.ErrDraining {
		t.Error(err)
	}
}

// A request that never arrives whole does not keep the service from ending, and is answered.
func TestDrainOfHalfARequest(t *testing.T) {
	f := newFixture(t, nil)
	var halves []net.Conn
	whole := f.request("POST", "/v1/validate", trade("BTC"))
	for _, half := range []string{whole[:20], whole[:len(whole)-10], f.request("GET", "/livez", "") + whole[:20]} {
		c := f.dial()
		defer c.Close()
		io.WriteString(c, half)
		halves = append(halves, c)
	}
	defer f.dial().Close() // nothing is ever sent on it
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	if err := f.s.Shutdown(context.Background()); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	for i, c := range halves {
		all, err := io.ReadAll(c)
		if err != nil || !bytes.Contains(all, []byte("408")) || !bytes.Contains(all, []byte("the service is ending")) {
			t.Errorf("half %d: %v, %s", i, err, all)
		}
	}
}

// When the service is told to end, the answer to a pipelined request says that the connection closes, and it
// arrives: bytes that are still unread do not reset the connection.
// Injects the fault sigterm of docs/faults.md.
func TestDrainOfPipelinedRequests(t *testing.T) {
	f := newFixture(t, nil)
	inside, leave := make(chan struct{}), make(chan struct{})
	f.setLoad(func(ctx context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		close(inside)
		<-leave
		return testAccount(w), nil
	})
	c := f.dial()
	defer c.Close()
	const requests = 400
	go io.WriteString(c, strings.Repeat(f.request("POST", "/v1/validate", trade("BTC")), requests))
	<-inside
	ended := make(chan error, 1)
	go func() { ended <- f.s.Shutdown(context.Background()) }()
	until(t, "the service ends", f.s.draining.Load)
	close(leave)
	all, err := io.ReadAll(c)
	if err != nil {
		t.Error(err)
	}
	answers, closing := bytes.Count(all, []byte("HTTP/1.1 200 OK")), bytes.Count(all, []byte("Connection: close"))
	if answers == 0 || answers == requests || closing != 1 {
		t.Errorf("%d answers, %d of them close: %.300s", answers, closing, all)
	}
	c.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestDrainGivesUp(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.DrainTimeout = 200 * time.Millisecond })
	f.venueHangs()
	answer := make(chan *reply, 1)
	go func() { answer <- f.post(trade("BTC")) }()
	until(t, "a request waits", func() bool { return f.s.admission.Outside() == 1 })
	began := time.Now()
	if err := f.s.Shutdown(context.Background()); err == nil || time.Since(began) > time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	(<-answer).want(503, "")
}

// A request that arrives while the service begins to shut down is answered, on an idle connection
// as well as on a new one; then the connection is closed.
// Injects the fault sigterm of docs/faults.md.
func TestRequestsThatArriveWithTheEnd(t *testing.T) {
	for _, delay := range []time.Duration{-time.Millisecond, 0, time.Millisecond, 5 * time.Millisecond,
		15 * time.Millisecond} {
		f := newFixture(t, nil)
		f.contract = nil // checking answers against the contract takes longer than the grace period
		f.warm()
		text := f.request("POST", "/v1/validate", trade("BTC"))
		idle := make([]net.Conn, 20)
		for i := range idle {
			idle[i] = f.dial()
			defer idle[i].Close()
			f.exchange(idle[i], text).ok()
		}
		ended := make(chan error, 1)
		begun := time.Now().Add(max(0, -delay))
		time.AfterFunc(max(0, -delay), func() { ended <- f.s.Shutdown(context.Background()) })
		time.Sleep(max(0, delay))
		fresh := f.dial()
		defer fresh.Close()
		answered := 0
		for _, c := range append(idle, fresh) {
			f.warm()
			c.SetDeadline(time.Now().Add(15 * time.Second))
			if time.Since(begun) > transport.DrainGrace/2 {
				continue // on a busy machine the request may arrive after the grace period
			}
			answered++
			draining := f.s.draining.Load()
			if r := f.exchange(c, text); r.status != 200 || draining && !r.saysClose {
				t.Errorf("%v after shutdown began: %d %s, close %v", delay, r.status, r.body, r.saysClose)
			}
		}
		if answered == 0 {
			t.Errorf("%v after shutdown began: no request arrived in time", delay)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
