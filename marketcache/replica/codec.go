package replica

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"

	"github.com/goccy/go-json"

	"ballast/marketcache"
)

// A message consists of lines: the version, then values as JSON. Instants are of the sender's clock and
// AssetIDs are the leader's; the receiver converts both.

// messageTypes are the types of all values in messages.
var messageTypes = []any{
	header{}, beat{}, proof{}, walletQuestion{}, walletAnswer{}, historyQuestion{},
	marketcache.Asset{}, marketcache.Book{}, marketcache.Context{}, marketcache.CEXFunding{}, marketcache.Cap{},
	marketcache.FundingStats{}, marketcache.OpenInterestStats{}, marketcache.SampleStats{}, marketcache.Loading{},
	marketcache.VenueRules{},
	extent[marketcache.Bar]{}, extent[marketcache.FundingRow]{}, extent[marketcache.MinuteSample]{},
	page[marketcache.Bar]{}, page[marketcache.FundingRow]{}, page[marketcache.MinuteSample]{},
}

// version identifies the message format: a hash of the names, types and order of all fields. Replicas
// of different versions ignore each other's messages.
var version = func() []byte {
	h := fnv.New32a()
	for _, v := range messageTypes {
		describe(h, reflect.TypeOf(v))
	}
	return fmt.Appendf(nil, "%08x\n", h.Sum32())
}()

func describe(w io.Writer, t reflect.Type) {
	io.WriteString(w, t.Kind().String()+" ")
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if !f.IsExported() {
				panic("BUG: " + t.String() + "." + f.Name + " cannot be carried")
			}
			io.WriteString(w, f.Name+" ")
			describe(w, f.Type)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		describe(w, t.Elem())
	}
}

// errGarbage: the bytes are not a message of this version.
var errGarbage = errors.New("not a message of this version")

// encode returns a message of values. It fails for NaN and infinities.
func encode(values ...any) ([]byte, error) {
	b := slices.Clone(version)
	for _, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b = append(append(b, text...), '\n')
	}
	return b, nil
}

// decode decodes a message of as many values as given.
func decode(b []byte, values ...any) error {
	rest, known := bytes.CutPrefix(b, version)
	for _, v := range values {
		line, more, whole := bytes.Cut(rest, []byte{'\n'})
		if !known || !whole || json.Unmarshal(line, v) != nil {
			return errGarbage
		}
		rest = more
	}
	if len(rest) > 0 {
		return errGarbage
	}
	return nil
}

// convert converts all Instants and AssetIDs in v, which must be settable.
func convert(v reflect.Value, instant func(marketcache.Instant) marketcache.Instant,
	asset func(marketcache.AssetID) marketcache.AssetID) {
	switch x := v.Addr().Interface().(type) {
	case *marketcache.Instant:
		if *x != 0 { // 0 means never
			*x = max(1, instant(*x)) // at least 1, also for times before this process started
		}
		return
	case *marketcache.AssetID:
		*x = asset(*x)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			convert(v.Elem(), instant, asset)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			convert(v.Field(i), instant, asset)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct {
			for i := range v.Len() {
				convert(v.Index(i), instant, asset)
			}
		}
	}
}

// unpack decodes a received value and adapts it.
func (f *follower) unpack(sent json.RawMessage, v any) error {
	if err := json.Unmarshal(sent, v); err != nil {
		return err
	}
	return f.adapt(v)
}

// adapt converts a received value for this replica's cache: AssetIDs, Instants, and the fields of a
// book that are not sent.
func (f *follower) adapt(v any) error {
	convert(reflect.ValueOf(v).Elem(), func(at marketcache.Instant) marketcache.Instant {
		at, _ = f.ours(at)
		return at
	}, f.asset)
	if x, is := v.(**marketcache.Book); is {
		b := *x
		if b == nil || len(b.Bids.Price) != len(b.Bids.Units) || len(b.Asks.Price) != len(b.Asks.Units) {
			return errGarbage
		}
		b.Rebuild()
	}
	return nil
}
