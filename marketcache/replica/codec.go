package replica

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"ballast/marketcache"
)

// A message is a version and values, field by field as their types declare them: a field
// that is added to a type is carried. Numbers are 8 bytes, little-endian; flags one; texts
// and lists begin with their length. Not as declared:
//
//	Instant  in the sender's clock, converted by the receiver
//	AssetID  the leader's, converted by the receiver
//	Side     without what the receiver can compute from the rest
//	Caps     the ids that are listed
type codec struct {
	b       []byte // written so far, or left to read
	reading bool
	bad     bool // reading: not a message of this version

	// instant converts a time of this process to the sender's clock, or back; nil: as it is.
	instant func(marketcache.Instant) marketcache.Instant
	// asset converts the sender's id of an asset; nil: as it is.
	asset func(marketcache.AssetID) marketcache.AssetID
}

// carried are the types of all messages.
var carried = []any{
	header{}, beat{}, proof{}, walletQuestion{}, failure{}, historyQuestion{},
	marketcache.Asset{}, marketcache.Caps{}, marketcache.Book{}, marketcache.Context{}, marketcache.CEXFunding{},
	marketcache.FundingStats{}, marketcache.OpenInterestStats{}, marketcache.SampleStats{},
	piece[marketcache.Bar]{}, piece[marketcache.FundingRow]{}, piece[marketcache.MinuteSample]{}, marketcache.Account{},
}

// version is that of the messages: it follows from the names, types and order of all
// fields. Replicas of two versions do not read each other.
var version = func() uint32 {
	h := fnv.New32a()
	for _, v := range carried {
		describe(h, reflect.TypeOf(v))
	}
	return h.Sum32()
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

// encode returns a message of the values that parts point to.
func encode(parts ...any) []byte {
	var c codec
	c.begin()
	c.code(parts...)
	return c.b
}

// decode begins to read a message.
func decode(b []byte) *codec {
	c := &codec{b: b, reading: true}
	c.begin()
	return c
}

// begin writes or checks the version.
func (c *codec) begin() {
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint32(c.b[:0], version)
	} else if b := c.take(4); b == nil || binary.LittleEndian.Uint32(b) != version {
		c.bad = true
	}
}

// done reports whether the whole message was read and was one.
func (c *codec) done() bool { return !c.bad && len(c.b) == 0 }

// code writes or reads the values that parts point to.
func (c *codec) code(parts ...any) {
	for _, p := range parts {
		c.value(reflect.ValueOf(p).Elem())
	}
}

// take returns the next n bytes to read, nil when there are fewer.
func (c *codec) take(n int) []byte {
	if c.bad || n < 0 || n > len(c.b) {
		c.bad = true
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *codec) number(v uint64) uint64 {
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint64(c.b, v)
	} else if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return v
}

func (c *codec) value(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *marketcache.Instant:
		c.time(x)
		return
	case *marketcache.AssetID:
		if id := marketcache.AssetID(c.number(uint64(*x))); c.reading {
			if *x = id; c.asset != nil {
				*x = c.asset(id)
			}
		}
		return
	case *marketcache.Side:
		for _, i := range ownOfSide {
			c.value(v.Field(i))
		}
		c.bad = c.bad || len(x.Price) != len(x.Units)
		return
	case *marketcache.Caps:
		c.caps(x)
		return
	case *marketcache.Book:
		if c.fields(v); c.reading && !c.bad {
			x.Rebuild()
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		c.fields(v)
	case reflect.Pointer:
		if c.reading {
			v.Set(reflect.New(v.Type().Elem()))
		}
		c.value(v.Elem())
	case reflect.Slice:
		if c.length(v); flat(v.Type().Elem()) {
			c.numbers(unsafe.Slice((*uint64)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size())/8))
			return
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.String:
		if n := int(c.number(uint64(v.Len()))); c.reading {
			v.SetString(string(c.take(n)))
		} else {
			c.b = append(c.b, v.String()...)
		}
	case reflect.Bool:
		if b := c.flag(v.Bool()); c.reading {
			v.SetBool(b)
		}
	case reflect.Float64:
		if x := c.number(math.Float64bits(v.Float())); c.reading {
			v.SetFloat(math.Float64frombits(x))
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if x := c.number(uint64(v.Int())); c.reading {
			v.SetInt(int64(x))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if x := c.number(v.Uint()); c.reading {
			v.SetUint(x)
		}
	default:
		panic("BUG: " + v.Type().String() + " cannot be carried")
	}
}

// ownOfSide are the fields of a Side that do not follow from others.
var ownOfSide = func() (own []int) {
	derived := []string{"CumUnits", "CumUSD", "Depth50USD", "Depth100USD"} // see Book.Rebuild
	for i, f := range reflect.VisibleFields(reflect.TypeFor[marketcache.Side]()) {
		if !slices.Contains(derived, f.Name) {
			own = append(own, i)
		}
	}
	return own
}()

func (c *codec) fields(v reflect.Value) {
	for i := range v.NumField() {
		c.value(v.Field(i))
	}
}

// length is that of a list; a message that is shorter than the list could be is none.
func (c *codec) length(v reflect.Value) {
	n := int(c.number(uint64(v.Len())))
	if !c.reading {
		return
	}
	if c.bad || n < 0 || n > 4*len(c.b)/int(v.Type().Elem().Size()) {
		c.bad = true
		n = 0
	}
	v.SetZero()
	if n > 0 {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	}
}

// flat reports whether a value is in memory what it is in a message, but for the order of
// bytes: numbers of 8 bytes and nothing else. Histories and levels are many.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Float64, reflect.Uint64:
		return true
	case reflect.Int64:
		return t != reflect.TypeFor[marketcache.Instant]()
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
		return t.NumField() > 0
	}
	return false
}

func (c *codec) numbers(v []uint64) {
	if !c.reading {
		for _, x := range v {
			c.b = binary.LittleEndian.AppendUint64(c.b, x)
		}
	} else if b := c.take(8 * len(v)); b != nil {
		for i := range v {
			v[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
	}
}

func (c *codec) flag(v bool) bool {
	if c.reading {
		b := c.take(1)
		return b != nil && b[0] == 1
	}
	if v {
		c.b = append(c.b, 1)
	} else {
		c.b = append(c.b, 0)
	}
	return v
}

// time is an Instant, or never.
func (c *codec) time(v *marketcache.Instant) {
	at := *v
	if !c.reading && at != 0 && c.instant != nil {
		at = c.instant(at)
	}
	at = marketcache.Instant(c.number(uint64(at)))
	if c.reading && at != 0 && c.instant != nil {
		at = max(1, c.instant(at)) // longer ago than this process has lived
	}
	if c.reading {
		*v = at
	}
}

// maxCaps bounds the ids in a list of assets at their cap.
const maxCaps = 1 << 16

func (c *codec) caps(x *marketcache.Caps) {
	var ids []marketcache.AssetID
	for id, at := range x.AtCap {
		if at {
			ids = append(ids, marketcache.AssetID(id))
		}
	}
	if c.code(&ids); !c.reading {
		return
	}
	x.AtCap = nil
	for _, id := range ids {
		if id < 0 || id >= maxCaps {
			continue // not known here
		}
		x.AtCap = append(x.AtCap, make([]bool, max(0, int(id)+1-len(x.AtCap)))...)
		x.AtCap[id] = true
	}
}
