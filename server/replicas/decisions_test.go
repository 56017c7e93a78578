package replicas

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// TestDecisionsArePublished: each decision is on the stream once, in order, also those that were recorded while NATS
// was away; what finds no room is dropped and counted.
func TestDecisionsArePublished(t *testing.T) {
	s := startNATS(t)
	l := newLink(t, s.addr())
	n := openNode(t, Config{URL: l.url()})
	d := n.NewDecisions()
	const before, after = 300, 300
	for i := range before {
		d.Publish(wallet(i%2), fmt.Appendf(nil, `{"n":%d}`, i))
	}
	stop := running(t, d.Run)
	defer stop()
	eventually(t, "decisions are acknowledged", func() bool { return d.Published.Load() == before })
	l.cut()
	for i := range after {
		d.Publish("", fmt.Appendf(nil, `{"n":%d}`, before+i))
	}
	eventually(t, "those made while NATS was away too", func() bool { return d.Published.Load() == before+after })
	stream, err := n.js.Stream(t.Context(), decisionStream)
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil || info.State.Msgs != before+after {
		t.Fatalf("%d messages, %v", info.State.Msgs, err)
	}
	consumer, err := stream.OrderedConsumer(t.Context(), jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for i := range before + after {
		m, err := consumer.Next()
		if err != nil {
			t.Fatal(err)
		}
		subject := decisionPrefix + noAccount
		if i < before {
			subject = decisionPrefix + wallet(i%2)
		}
		got, want = append(got, m.Subject()+string(m.Data())), append(want, fmt.Sprintf(`%s{"n":%d}`, subject, i))
	}
	slices.Sort(got) // attempts may have changed the order
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("on the stream: %v ...", got[:5])
	}
}

func TestDecisionsAreBounded(t *testing.T) {
	d := openNode(t, Config{URL: reserveNATS(t).url()}).NewDecisions()
	for range maxQueued + 7 {
		d.Publish("", []byte("{}"))
	}
	if d.Dropped.Load() != 7 {
		t.Errorf("%d dropped", d.Dropped.Load())
	}
}
