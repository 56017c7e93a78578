package replicas

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/server/alerts"
)

func TestStartWithoutServer(t *testing.T) {
	s := reserveNATS(t)
	begin := time.Now()
	a, b := startReplica(t, Config{URL: s.url()}), startReplica(t, Config{URL: s.url()})
	if a.Connected() || a.bus.Ready() || a.Trouble() == "" {
		t.Fatal("connected to an address without a server")
	}
	if err := a.bus.Publish(t.Context(), a.result()); !errors.Is(err, ErrDown) || !errors.Is(err, ErrUnacknowledged) {
		t.Fatalf("publish said %v", err)
	}
	if a.LastContact() < 0 || a.LastContact() > time.Since(begin) {
		t.Fatalf("last contact %v ago", a.LastContact())
	}
	time.Sleep(100 * time.Millisecond)
	if h := a.history(); len(h) != 0 {
		t.Fatalf("events %q before the bus ran", h)
	}
	s.start()
	ready(t, a, b)
	eventually(t, "contact", func() bool { return a.Trouble() == "" })
	r := a.result()
	a.publish(r)
	b.check(t, []string{r.ID}, nil)
}

func TestGarbageIsIgnored(t *testing.T) {
	s := startNATS(t)
	a, b := startReplica(t, Config{URL: s.url()}), startReplica(t, Config{URL: s.url()})
	ready(t, a, b)
	good := `{"id":"ID","wallet":"` + aWallet + `","at_ms":1,"positions":[]}`
	rows := []struct{ what, wallet, id, data string }{
		{"empty", aWallet, "", ""},
		{"null", aWallet, "", "null"},
		{"cut short", aWallet, "", good[:20]},
		{"wrong type", aWallet, "", `{"id":7}`},
		{"another id", aWallet, "", strings.Replace(good, "ID", "x-0", 1)},
		{"no id", aWallet, "-", good},
		{"another wallet", "0x00000000000000000000000000000000000000bb", "", good},
		{"no wallet", "x", "", strings.Replace(good, aWallet, "x", 1)},
		{"no regime", aWallet, "", strings.Replace(good, "[]", `[{"asset":"B","regime":3}]`, 1)},
		{"no number", aWallet, "", strings.Replace(good, "[]", `[{"asset":"B","risk_score":1e999}]`, 1)},
	}
	for i, row := range rows {
		msg := nats.NewMsg(busPrefix + row.wallet)
		id := fmt.Sprintf("x-%d", i+1)
		msg.Data = []byte(strings.Replace(row.data, "ID", id, 1))
		if row.id == "" {
			msg.Header.Set(nats.MsgIdHdr, id)
		}
		if _, err := a.js.PublishMsg(t.Context(), msg); err != nil {
			t.Fatalf("%s: %v", row.what, err)
		}
	}
	for _, beat := range []string{"", "nobody 1", b.ID(), b.ID() + " x", b.ID() + " 99999999999999999"} {
		msg := nats.NewMsg(beatSubject)
		msg.Header.Set(beatHeader, beat)
		if _, err := a.js.PublishMsg(t.Context(), msg); err != nil {
			t.Fatal(err)
		}
	}
	r := a.result()
	a.publish(r)
	b.check(t, []string{r.ID}, nil)
	if st := &b.bus.Stats; st.Garbage.Load() != uint64(len(rows)) || st.Received.Load() != 1 {
		t.Fatalf("%+v", st)
	}
}

func TestPublishRefuses(t *testing.T) {
	a := startReplica(t, Config{URL: startNATS(t).url()})
	ready(t, a)
	for name, spoil := range map[string]func(*alerts.Result){
		"foreign id":   func(r *alerts.Result) { r.ID = "other-1" },
		"odd id":       func(r *alerts.Result) { r.ID += "\r\nX: y" },
		"wallet":       func(r *alerts.Result) { r.Wallet = "0x00000000000000000000000000000000000000AA" },
		"regime":       func(r *alerts.Result) { r.Positions[0].Regime = 3 },
		"no number":    func(r *alerts.Result) { r.PortfolioVaRPct = math.NaN() },
		"too many":     func(r *alerts.Result) { r.Positions = make([]alerts.Position, maxPositions+1) },
		"subject trap": func(r *alerts.Result) { r.Wallet = "0x*" },
	} {
		r := a.result()
		spoil(r)
		if err := a.bus.Publish(t.Context(), r); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	r := a.result()
	a.publish(r)
	if err := a.bus.Publish(t.Context(), r); !errors.Is(err, ErrReusedID) {
		t.Fatalf("the same id again: %v", err)
	}
}

func TestPanicInCallbacksIsSurvived(t *testing.T) {
	s := startNATS(t)
	a := startReplica(t, Config{URL: s.url()})
	n := openNode(t, Config{URL: s.url()})
	var calls []string
	bus := n.NewBus(func(r *alerts.Result) {
		calls = append(calls, r.ID)
		panic("deliver")
	}, func(string) {}, func() { panic("restored") })
	stop := running(t, bus.Run)
	eventually(t, "ready", bus.Ready)
	ready(t, a)
	for range 3 {
		a.publish(a.result())
	}
	eventually(t, "all are delivered", func() bool { return bus.Stats.Received.Load() == 3 })
	eventually(t, "panics are counted", func() bool { return n.Panics() == 4 })
	stop()
	if len(calls) != 3 {
		t.Fatalf("delivered %q", calls)
	}
}
