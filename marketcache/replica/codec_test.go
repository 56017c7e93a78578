package replica

import (
	"math"
	"reflect"
	"testing"

	"ballast/marketcache"
)

// fill sets every field that can be reached to a value of its own.
func fill(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			fill(v.Index(i), next)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("text" + string(rune('A'+*next%26)))
	case reflect.Float64:
		v.SetFloat(float64(*next) + 0.25)
	case reflect.Uint8:
		v.SetUint(uint64(*next % 200))
	case reflect.Uint64:
		v.SetUint(uint64(*next))
	default:
		v.SetInt(int64(*next))
	}
}

// carried fails when a field of T does not arrive, or when a shortened message passes.
func carried[T any](each func(*codec, *T), derive func(*T)) func(*testing.T) {
	return func(t *testing.T) {
		var want, got T
		next := 0
		fill(reflect.ValueOf(&want).Elem(), &next)
		if derive != nil {
			derive(&want)
		}
		out := &codec{}
		each(out, &want)
		in := &codec{b: out.b, reading: true}
		if each(in, &got); !in.done() || !reflect.DeepEqual(want, got) {
			t.Fatalf("sent\n%+v, received\n%+v, whole: %v", want, got, in.done())
		}
		for n := range out.b {
			var got T
			in := &codec{b: out.b[:n], reading: true}
			if each(in, &got); in.done() {
				t.Fatalf("%d of %d bytes pass for a message", n, len(out.b))
			}
		}
		in = &codec{b: append(out.b, 0), reading: true}
		if each(in, &got); in.done() {
			t.Error("a message that is too long passes")
		}
	}
}

// TestEveryFieldIsCarried sends each type with all its fields set: a field that is added to
// one and not to its method of codec fails here.
func TestEveryFieldIsCarried(t *testing.T) {
	levels := func(s *marketcache.Side) {
		s.Price, s.Units = []float64{100, 101, 102}, []float64{1, 2, 3}
	}
	for name, check := range map[string]func(*testing.T){
		"book": carried((*codec).book, func(b *marketcache.Book) {
			levels(&b.Bids)
			levels(&b.Asks)
			b.MidPrice = 100.5
			b.Rebuild()
		}),
		"context": carried((*codec).context, nil),
		"cex":     carried((*codec).cex, nil),
		"caps": carried((*codec).caps, func(c *marketcache.Caps) {
			c.AtCap = []bool{false, true, false, true}
		}),
		"funding":  carried((*codec).funding, nil),
		"interest": carried((*codec).interest, nil),
		"stats":    carried((*codec).stats, nil),
		"listing":  carried((*codec).listing, nil),
		"bar":      carried((*codec).bar, nil),
		"row":      carried((*codec).row, nil),
		"sample":   carried((*codec).sample, nil),
		"account":  carried((*codec).account, nil),
	} {
		t.Run(name, check)
	}
	out := &codec{}
	want, got := header{kindBook, 2, 3, 4, 5, 6}, header{}
	out.header(&want)
	in := &codec{b: out.b, reading: true}
	if in.header(&got); !in.done() || got != want {
		t.Errorf("header %+v", got)
	}
	b, heard := beat{"r1", 2, true, true, 5, 6, 7, []proof{{kindBook, 1, 2, 3}}}, beat{}
	out = &codec{}
	out.beat(&b)
	in = &codec{b: out.b, reading: true}
	if in.beat(&heard); !in.done() || !reflect.DeepEqual(b, heard) {
		t.Errorf("beat %+v", heard)
	}
}

// TestRebuiltBook compares a book that was sent with the one that was merged, bit by bit.
func TestRebuiltBook(t *testing.T) {
	want, got := bookAt(3.7), &marketcache.Book{}
	out := &codec{}
	out.book(want)
	in := &codec{b: out.b, reading: true}
	if in.book(got); !in.done() || !reflect.DeepEqual(want, got) {
		t.Errorf("merged %+v, rebuilt %+v", want, got)
	}
}

// TestTimesAreConverted has instants of another clock, and never, which stays never.
func TestTimesAreConverted(t *testing.T) {
	a := marketcache.Account{Received: 100, FeesRead: 0, ModeRead: 5, Settings: []marketcache.LeverageSetting{{Asset: 2, Read: 60}}}
	out := &codec{}
	out.account(&a)
	in := &codec{b: out.b, reading: true,
		instant: func(at marketcache.Instant) marketcache.Instant { return at - 50 },
		asset:   func(id marketcache.AssetID) marketcache.AssetID { return id + 10 }}
	var got marketcache.Account
	if in.account(&got); !in.done() || got.Received != 50 || got.FeesRead != 0 || got.ModeRead != 1 || got.Settings[0].Read != 10 || got.Settings[0].Asset != 12 {
		t.Errorf("%+v", got)
	}
}

// FuzzMessage takes anything for a message without a panic, or memory beyond its length.
func FuzzMessage(f *testing.F) {
	out := &codec{}
	out.header(&header{kind: kindBook, epoch: 1, seq: 1})
	out.book(bookAt(5))
	f.Add(out.b)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, read := range []func(*codec){
			func(c *codec) { c.header(&header{}); c.book(&marketcache.Book{}) },
			func(c *codec) { c.universe(&[]marketcache.Asset{}) },
			func(c *codec) { c.account(&marketcache.Account{}) },
			func(c *codec) { c.beat(&beat{}) },
			func(c *codec) { c.caps(&marketcache.Caps{}) },
			func(c *codec) { c.interest(&marketcache.OpenInterestStats{}) },
			func(c *codec) { histories[kindBars].read(c) },
		} {
			read(&codec{b: b, reading: true})
		}
	})
}

// TestOffset never gives a bound above the true offset, over readings whose answers are
// made anywhere in their round trip, with clocks that part.
func TestOffset(t *testing.T) {
	for _, drift := range []float64{0, 150e-6, -150e-6} {
		for _, hours := range []float64{-30, 0, 2000} {
			theirs := func(ours marketcache.Instant) marketcache.Instant {
				return marketcache.Instant(float64(ours)*(1+drift) + hours*3600e9)
			}
			var o offset
			now := marketcache.Instant(100 * 3600e9)
			for i := range 200 {
				trip := marketcache.Instant(1e5 + 1e6*math.Abs(math.Sin(float64(i))))
				o.add(now, now+trip, theirs(now+trip/marketcache.Instant(1+i%5)))
				now += trip
				for range 10 {
					now += 1e8
					least, known := o.least(now)
					if truth := now.Sub(theirs(now)); !known || least > truth || least < truth-5e6 {
						t.Fatalf("drift %v, %v h: bound %v, true %v", drift, hours, least, truth)
					}
				}
			}
			o.add(now, now+1000, theirs(now)+3600e9) // it slept
			if least, known := o.least(now); !known || least > now.Sub(theirs(now))-3599e9 {
				t.Errorf("after a step: %v", least)
			}
			if _, known := o.least(now + 21e9); known {
				t.Error("a reading of 21 s ago counts")
			}
		}
	}
}
