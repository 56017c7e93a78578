package replica

import (
	"log/slog"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"ballast/internal/supervise"
	"ballast/marketcache"
)

// fill sets every reachable field to a different value, except those that are not sent.
func fill(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i), next)
			}
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

// TestEveryFieldIsCarried sends each type with all fields set. It fails for a field that does not
// arrive, and for a message that is too short or too long.
func TestEveryFieldIsCarried(t *testing.T) {
	for _, v := range messageTypes {
		typ := reflect.TypeOf(v)
		t.Run(typ.String(), func(t *testing.T) {
			want, got := reflect.New(typ), reflect.New(typ)
			next := 0
			fill(want.Elem(), &next)
			b, err := encode(want.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if err := decode(b, got.Interface()); err != nil || !reflect.DeepEqual(want.Interface(), got.Interface()) {
				t.Fatalf("sent\n%+v, received\n%+v, %v", want, got, err)
			}
			for n := range b {
				if decode(b[:n], reflect.New(typ).Interface()) == nil {
					t.Fatalf("%d of %d bytes pass for a message", n, len(b))
				}
			}
			if decode(append(b, 0), got.Interface()) == nil {
				t.Error("a message that is too long passes")
			}
			b[0]++
			if decode(b, got.Interface()) == nil {
				t.Error("a message of another version passes")
			}
		})
	}
}

// at returns a follower whose clock is 50 ns behind the leader's and whose asset ids are the
// leader's in reverse order.
func at(now marketcache.Instant) *follower {
	f := &follower{r: &Replica{}, cache: marketcache.New(testLimits), measure: make(chan struct{}, 1),
		ids: []marketcache.AssetID{2, 1, 0}}
	listAssets(f.cache, "A", "B", "C")
	f.clock = offset{lo: -50, hi: -50, at: now}
	return f
}

// TestRebuiltBook compares a book that was sent and rebuilt with the merged original, bit by bit.
func TestRebuiltBook(t *testing.T) {
	want := bookAt(3.7)
	b, err := encode(want)
	if err != nil {
		t.Fatal(err)
	}
	var got *marketcache.Book
	if err := decode(b, &got); err != nil {
		t.Fatal(err)
	}
	if err := at(marketcache.Now()).adapt(&got); err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("merged %+v, rebuilt %+v, %v", want, got, err)
	}
	got.Bids.Units = got.Bids.Units[1:]
	if at(marketcache.Now()).adapt(&got) == nil {
		t.Error("a book with more prices than sizes passes")
	}
}

// TestTimesAreConverted converts instants of another clock and ids of another universe. An instant
// that means never stays never.
func TestTimesAreConverted(t *testing.T) {
	now := marketcache.Now()
	f := at(now)
	a := marketcache.Account{Received: now, FeesRead: 0, ModeRead: 5,
		Settings: []marketcache.LeverageSetting{{Asset: 2, Read: now - 60}}}
	if err := f.adapt(&a); err != nil {
		t.Fatal(err)
	}
	// Ages grow by the offset and by the possible drift of the clocks since: 200 ppm of the age.
	older := func(got, sent marketcache.Instant) bool {
		d := sent.Sub(got)
		return d >= 50 && d < 50+time.Millisecond
	}
	if !older(a.Received, now) || a.FeesRead != 0 || a.ModeRead != 1 || !older(a.Settings[0].Read, now-60) ||
		a.Settings[0].Asset != 0 {
		t.Errorf("%+v", a)
	}
}

// FuzzMessage: decoding any bytes does not panic.
func FuzzMessage(f *testing.F) {
	book, err := encode(&header{Topic: topicBook, Epoch: 1, Seq: 1}, bookAt(5))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(book)
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, v := range messageTypes {
			_ = decode(append(slices.Clone(version), b...), reflect.New(reflect.TypeOf(v)).Interface())
		}
		r := &Replica{cfg: Config{Lease: &fakeLease{of: &leases{epoch: 1}}},
			supervisor: supervise.New(slog.New(slog.DiscardHandler))}
		follows := &follower{r: r, cache: marketcache.New(testLimits), measure: make(chan struct{}, 1),
			values: map[datum]*value{}, end: func() {}}
		follows.handle(b)
	})
}

// TestOffset: the computed bound is never above the true offset, for clocks that drift and answers
// created at any moment of the round trip.
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
					bound, known := o.min(now)
					if truth := now.Sub(theirs(now)); !known || bound > truth || bound < truth-5e6 {
						t.Fatalf("drift %v, %v h: bound %v, true %v", drift, hours, bound, truth)
					}
				}
			}
			o.add(now, now+1000, theirs(now)+3600e9) // the computer was suspended
			if bound, known := o.min(now); !known || bound > now.Sub(theirs(now))-3599e9 {
				t.Errorf("after a step: %v", bound)
			}
			if _, known := o.min(now + 21e9); known {
				t.Error("a reading of 21 s ago counts")
			}
		}
	}
}

// TestFailuresKeepTheirKind: a follower's caller gets the error that the leader's would get.
func TestFailuresKeepTheirKind(t *testing.T) {
	for _, kind := range []error{marketcache.ErrUnavailable, marketcache.ErrBudget, marketcache.ErrVenue,
		marketcache.ErrShare, marketcache.ErrContradiction} {
		sent := &marketcache.VenueError{Kind: kind, Wait: 3 * time.Second, Detail: "why", Status: 429}
		if got := failureOf(sent).error(); !reflect.DeepEqual(got, error(sent)) {
			t.Errorf("%v arrives as %v", sent, got)
		}
	}
}
