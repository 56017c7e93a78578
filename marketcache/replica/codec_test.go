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

// levels gives a side that is filled with anything levels of a book.
func levels(s *marketcache.Side) { s.Price, s.Units = []float64{100, 101, 102}, []float64{1, 2, 3} }

// TestEveryFieldIsCarried sends each type with all its fields set: a field that does not
// arrive fails here, as does a message that is too short or too long.
func TestEveryFieldIsCarried(t *testing.T) {
	for _, v := range carried {
		typ := reflect.TypeOf(v)
		t.Run(typ.String(), func(t *testing.T) {
			want, got := reflect.New(typ), reflect.New(typ)
			next := 0
			fill(want.Elem(), &next)
			switch x := want.Interface().(type) {
			case *marketcache.Book: // sums and depths follow from the levels
				levels(&x.Bids)
				levels(&x.Asks)
				x.MidPrice = 100.5
				x.Rebuild()
			case *marketcache.Caps:
				x.AtCap = []bool{false, true, false, true}
			}
			b := encode(want.Interface())
			in := decode(b)
			if in.code(got.Interface()); !in.done() || !reflect.DeepEqual(want.Interface(), got.Interface()) {
				t.Fatalf("sent\n%+v, received\n%+v, whole: %v", want, got, in.done())
			}
			for n := range b {
				in := decode(b[:n])
				if in.code(reflect.New(typ).Interface()); in.done() {
					t.Fatalf("%d of %d bytes pass for a message", n, len(b))
				}
			}
			in = decode(append(b, 0))
			if in.code(got.Interface()); in.done() {
				t.Error("a message that is too long passes")
			}
			b[0]++
			in = decode(b[:len(b)-1])
			if in.code(got.Interface()); in.done() {
				t.Error("a message of another version passes")
			}
		})
	}
}

// TestRebuiltBook compares a book that was sent with the one that was merged, bit by bit.
func TestRebuiltBook(t *testing.T) {
	want := bookAt(3.7)
	var got *marketcache.Book
	in := decode(encode(&want))
	if in.code(&got); !in.done() || !reflect.DeepEqual(want, got) {
		t.Errorf("merged %+v, rebuilt %+v", want, got)
	}
}

// TestTimesAreConverted has instants of another clock, and never, which stays never.
func TestTimesAreConverted(t *testing.T) {
	a := marketcache.Account{Received: 100, FeesRead: 0, ModeRead: 5, Settings: []marketcache.LeverageSetting{{Asset: 2, Read: 60}}}
	in := decode(encode(&a))
	in.instant = func(at marketcache.Instant) marketcache.Instant { return at - 50 }
	in.asset = func(id marketcache.AssetID) marketcache.AssetID { return id + 10 }
	var got marketcache.Account
	if in.code(&got); !in.done() || got.Received != 50 || got.FeesRead != 0 || got.ModeRead != 1 || got.Settings[0].Read != 10 || got.Settings[0].Asset != 12 {
		t.Errorf("%+v", got)
	}
}

// FuzzMessage takes anything for a message without a panic, or memory far beyond its length.
func FuzzMessage(f *testing.F) {
	book := bookAt(5)
	f.Add(encode(&header{Kind: kindBook, Epoch: 1, Seq: 1}, book))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, v := range carried {
			in := &codec{b: b, reading: true}
			in.code(reflect.New(reflect.TypeOf(v)).Interface())
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
