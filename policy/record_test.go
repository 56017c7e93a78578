package policy

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"ballast/marketcache"
)

const (
	secondMs = int64(1000)
	dayMs    = 24 * 3600 * secondMs
)

// readings feeds account values, one every 30 seconds from a time on, with all flows known.
func readings(d Day, fromMs int64, flows []marketcache.Flow, values ...float64) Day {
	for i, v := range values {
		d = d.Next(&Reading{AtMs: fromMs + int64(i)*30*secondMs, ValueUSD: v, FlowsRead: true, Flows: flows})
	}
	return d
}

// losses are the figures of the two rules at the newest reading.
func losses(d *Day) (daily, drawdown float64) {
	f := Facts{NowMs: d.ReadMs, AccountUSD: d.ValueUSD}
	f.Losses(d)
	return f.Values[MaxDailyLossPct], f.Values[MaxDrawdownPct]
}

func TestLossesOfADay(t *testing.T) {
	const noon = 20_000*dayMs + dayMs/2
	deposit := []marketcache.Flow{{AtMs: noon + 15*secondMs, USD: 5000}}
	withdrawal := []marketcache.Flow{{AtMs: noon + 45*secondMs, USD: -900}}
	for _, row := range []struct {
		name            string
		day             Day
		daily, drawdown float64
	}{
		{"the first reading", readings(Day{}, noon, nil, 1000), 0, 0},
		{"a loss", readings(Day{}, noon, nil, 1000, 950), 5, 5},
		{"a gain lost again", readings(Day{}, noon, nil, 1000, 1250, 1000), 0, 20},
		{"a new day", readings(Day{}, noon+dayMs/2-15*secondMs, nil, 1000, 900, 855), 5, 14.5},
		{"a deposit is no gain", readings(Day{}, noon, deposit, 10_000, 14_500), 10. / 3, 10. / 3},
		{"a withdrawal is no loss", readings(Day{}, noon, withdrawal, 1000, 900, 0), 10, 10},
		{"everything", readings(Day{}, noon, nil, 1000, 0), 100, 100},
		{"more than that", readings(Day{}, noon, nil, 1000, -500), 150, 150},
		{"an empty wallet", readings(Day{}, noon, nil, 0.5, 0), 0, 0},
		{"the first money of an empty wallet", readings(Day{}, noon, nil, 0, 1000, 900), 10, 10},
	} {
		daily, drawdown := losses(&row.day)
		if math.Abs(daily-row.daily) > 1e-9 || math.Abs(drawdown-row.drawdown) > 1e-9 {
			t.Errorf("%s: %g and %g, want %g and %g", row.name, daily, drawdown, row.daily, row.drawdown)
		}
	}
}

// A flow that is known late counts the same as one that is known at once.
func TestFlowsMayBeKnownLate(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var early, late Day
		var flows []marketcache.Flow
		value, at := 1000.0, 20_000*dayMs+int64(random.IntN(int(dayMs/2)))
		for range 12 {
			if random.IntN(3) == 0 {
				flow := marketcache.Flow{AtMs: at - 5*secondMs, USD: math.Floor(random.Float64() * 300)}
				value, flows = value+flow.USD, append(flows, flow)
			}
			value *= 1 - 0.02*random.Float64() // never a new high, which a flow not known would make
			known := random.IntN(2) == 0
			early = early.Next(&Reading{AtMs: at, ValueUSD: value, FlowsRead: true, Flows: flows})
			if late.Peak.AtMs == 0 || value <= late.Peak.ValueUSD+late.Peak.FlowsUSD || known {
				late = late.Next(&Reading{AtMs: at, ValueUSD: value, FlowsRead: known, Flows: flows})
			} else {
				late = late.Next(&Reading{AtMs: at, ValueUSD: value, FlowsRead: true, Flows: flows})
			}
			at += 30 * secondMs
		}
		late = late.Next(&Reading{AtMs: at, ValueUSD: value, FlowsRead: true, Flows: flows})
		early = early.Next(&Reading{AtMs: at, ValueUSD: value, FlowsRead: true, Flows: flows})
		if !reflect.DeepEqual(early, late) {
			t.Fatalf("known at once %+v\nknown late    %+v\n%+v", early, late, flows)
		}
	}
}

func TestALossHaltsUntilItIsLifted(t *testing.T) {
	const noon = 20_000*dayMs + dayMs/2
	var r Rules
	r.SetLimit(MaxDailyLossPct, 5)
	r.SetLimit(MaxDrawdownPct, 10)
	d := readings(Day{}, noon, nil, 1000, 950)
	if set := d.Breaches(&r); set != nil {
		t.Errorf("at the limit: %+v", set)
	}
	if !d.NearLimit(&r, 0.8) || d.NearLimit(&r, 1) {
		t.Error("5 % is near 5 %, not beyond it")
	}
	d = readings(d, noon+60*secondMs, nil, 940)
	d.Halts = append(d.Halts, d.Breaches(&r)...)
	if len(d.Halts) != 1 || d.Halts[0] != (LossHalt{MaxDailyLossPct, 5, 6, noon + 60*secondMs}) {
		t.Fatalf("beyond it: %+v", d.Halts)
	}
	if set := d.Breaches(&r); set != nil {
		t.Errorf("twice: %+v", set)
	}
	text, err := json.Marshal(&d)
	var kept Day
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil || !reflect.DeepEqual(kept, d) {
		t.Errorf("kept as %s, %v", text, err)
	}
	d = readings(d, noon+dayMs, nil, 2000) // a new day and a new high do not lift it
	f := Facts{Subject: Trade, NowMs: d.ReadMs, AccountUSD: 2000}
	f.Losses(&d)
	if v := judged(&r, false, &f); v.Outcome != Deny || v.Violations[0].HaltedMs != noon+60*secondMs {
		t.Errorf("a day later: %+v", v)
	}
	if d = d.Lifted(); d.Halts != nil || d.First != (Mark{2000, noon + dayMs, 0}) {
		t.Errorf("lifted: %+v", d)
	}
}

func TestAReadingThatCannotBeHadIsNotKnown(t *testing.T) {
	d := readings(Day{}, 20_000*dayMs, nil, 1000)
	for _, row := range []struct {
		day   *Day
		age   time.Duration
		value float64
		known bool
	}{
		{&d, MaxReadingAge, 1000, true}, {&d, MaxReadingAge + time.Millisecond, 1000, false},
		{&d, 0, NotKnown, false}, {nil, 0, 1000, false},
	} {
		var f Facts
		f.begin(Trade, "BTC", d.ReadMs+row.age.Milliseconds())
		f.AccountUSD = row.value
		f.Losses(row.day)
		for _, rule := range lossRules {
			if known := !math.IsNaN(f.Values[rule]); known != row.known {
				t.Errorf("%v, %+v: %g", rule, row, f.Values[rule])
			}
		}
	}
	f := Facts{NowMs: d.ReadMs, AccountUSD: 800}
	if f.Losses(&d); f.Values[MaxDailyLossPct] != 20 {
		t.Errorf("a loss since the reading: %g", f.Values[MaxDailyLossPct])
	}
}

// Two records say together what either forbids, in whatever order they are merged.
func TestMergedRecords(t *testing.T) {
	const noon = 20_000*dayMs + dayMs/2
	mark := func(usd float64, at int64) Mark { return Mark{ValueUSD: usd, AtMs: at} }
	halt := func(rule Rule) []LossHalt { return []LossHalt{{Rule: rule, Limit: 1, Value: 2, AtMs: noon}} }
	older := Day{First: mark(900, noon-5000), Peak: mark(1500, noon-9000), ValueUSD: 950, ReadMs: noon,
		Halts: halt(MaxDrawdownPct)}
	newer := Day{First: mark(800, noon-4000), Peak: mark(1400, noon-8000), ValueUSD: 990, ReadMs: noon + 1000,
		FlowsMs: noon, Halts: halt(MaxDailyLossPct)}
	want := Day{First: older.First, Peak: older.Peak, ValueUSD: 990, ReadMs: noon + 1000, FlowsMs: noon,
		Halts: append(halt(MaxDailyLossPct), halt(MaxDrawdownPct)...)}
	for _, got := range []Day{Merged(&older, &newer), Merged(&newer, &older), Merged(&want, &want)} {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	yesterday := Day{First: mark(10, noon-dayMs), ValueUSD: 950, ReadMs: noon}
	if got := Merged(&yesterday, &newer); got.First != newer.First || got.Peak != newer.Peak {
		t.Errorf("with the first reading of yesterday: %+v", got)
	}
	none := Day{}
	if got := Merged(&none, &older); !reflect.DeepEqual(got, older) {
		t.Errorf("with no record: %+v", got)
	}
}
