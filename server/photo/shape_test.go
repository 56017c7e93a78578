package photo

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// filler gives every field a value that is not zero, numbers any bits: NaN, infinities and denormals too.
type filler struct{ *rand.Rand }

func (f filler) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1 + f.Int64()>>(65-v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1 + f.Uint64()>>(65-v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat([]float64{math.Inf(1), math.NaN(), float64(math.Float32frombits(f.Uint32()>>2 | 1))}[f.IntN(3)])
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(f.Uint64() | 1))
	case reflect.String:
		v.SetString(strings.Repeat("é\x00\"", 1+f.IntN(3)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		n := 1 + f.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if _, left := leftOut[v.Type().String()+"."+v.Type().Field(i).Name]; !left {
				f.fill(fieldOf(v, i))
			}
		}
	default:
		panic("a value of " + v.Type().String())
	}
}

// differs returns the path of the first difference, "" for none.
func differs(path string, a, b reflect.Value) string {
	same := true
	switch a.Kind() {
	case reflect.Bool:
		same = a.Bool() == b.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		same = a.Int() == b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		same = a.Uint() == b.Uint()
	case reflect.Float32, reflect.Float64:
		same = math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.String:
		same = a.String() == b.String()
	case reflect.Pointer:
		if same = a.IsNil() == b.IsNil(); same && !a.IsNil() {
			return differs(path, a.Elem(), b.Elem())
		}
	case reflect.Slice, reflect.Array:
		same = a.Len() == b.Len() && (a.Kind() == reflect.Array || a.IsNil() == b.IsNil())
		for i := 0; same && i < a.Len(); i++ {
			if d := differs(path+"[]", a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			name := a.Type().Field(i).Name
			if _, left := leftOut[a.Type().String()+"."+name]; left {
				continue
			}
			if d := differs(path+"."+name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
	}
	if !same {
		return path
	}
	return ""
}

// shelf keeps parts.
type shelf map[Digest][]byte

func (s shelf) keep(parts []Part) {
	for i := range parts {
		if p := &parts[i]; s[p.Digest] == nil {
			s[p.Digest] = p.Data()
		}
	}
}

func (s shelf) part(d Digest) ([]byte, error) { return s[d], nil }

// Every field that an input has, exported or not, comes back bit by bit, unless leftOut says why not.
func TestEveryFieldIsKept(t *testing.T) {
	for seed := range uint64(20) {
		f := filler{rand.New(rand.NewPCG(seed, 1))}
		p := Photograph{RequestID: []byte("id"), Answer: []byte(`{"meta":{"latency_ms":1,"x":2}}`)}
		if seed > 0 { // the first has no value at all
			f.fill(reflect.ValueOf(&p.Inputs).Elem())
		}
		kept := shelf{}
		var e Encoder
		encoded := e.Encode(&p)
		kept.keep(encoded.Parts)
		got, err := (&Decoder{Parts: kept.part}).Decode(encoded.Data)
		if err != nil {
			t.Fatal(err)
		}
		if d := differs("Inputs", reflect.ValueOf(p.Inputs), reflect.ValueOf(got.Inputs)); d != "" {
			t.Errorf("seed %d: %s differs", seed, d)
		}
		if string(got.RequestID) != "id" || string(got.Answer) != string(p.Answer) {
			t.Errorf("%s %s", got.RequestID, got.Answer)
		}
	}
}

// walk calls f with every field of every struct in a type.
func walk(t reflect.Type, f func(name string, kept bool), s *shape) {
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.Pointer:
		walk(t.Elem(), f, s.Elem)
	case reflect.Struct:
		at := map[string]*shape{}
		for _, field := range s.Fields {
			at[field.Name] = field.Shape
		}
		for field := range t.Fields() {
			f(t.String()+"."+field.Name, at[field.Name] != nil)
			if at[field.Name] != nil {
				walk(field.Type, f, at[field.Name])
			}
		}
	}
}

// A field is kept or listed, never both, and the list names no field that is gone.
func TestLeftOut(t *testing.T) {
	listed := map[string]bool{}
	walk(reflect.TypeFor[Inputs](), func(name string, kept bool) {
		reason, left := leftOut[name]
		if kept == left || left && reason == "" {
			t.Errorf("%s: kept %v, listed %v, reason %q", name, kept, left, reason)
		}
		listed[name] = true
	}, shapeOf(reflect.TypeFor[Inputs]()))
	for name := range leftOut {
		if !listed[name] {
			t.Errorf("leftOut names %s, which is no field", name)
		}
	}
	if len(listed) < 150 {
		t.Errorf("only %d fields", len(listed))
	}
}

type older struct {
	Gone   []struct{ A, B string }
	Number float64
	Turned int32 // another kind since
	List   []struct {
		X     uint8
		Gone  *struct{ A [2]string }
		Later string
	}
}

type newer struct {
	New    *float64
	Number float64
	Turned string
	List   []struct {
		Later string
		Y     bool
		X     uint8
	}
}

// A value of another layout is read as far as both have fields of a name and a kind.
func TestOtherLayout(t *testing.T) {
	var was older
	filler{rand.New(rand.NewPCG(1, 2))}.fill(reflect.ValueOf(&was).Elem())
	w := writer{}
	w.value(shapeOf(reflect.TypeFor[older]()), reflect.ValueOf(was))
	s, err := readShape(shapeOf(reflect.TypeFor[older]()).text(), reflect.TypeFor[newer]())
	if err != nil {
		t.Fatal(err)
	}
	var is newer
	r := reader{b: w.b}
	r.value(s, reflect.ValueOf(&is).Elem())
	if r.err != nil || len(r.b) != 0 {
		t.Fatal(r.err, len(r.b))
	}
	bits := math.Float64bits
	if bits(is.Number) != bits(was.Number) || is.Turned != "" || is.New != nil || len(is.List) != len(was.List) {
		t.Errorf("%+v of %+v", is, was)
	}
	for i := range is.List {
		if is.List[i].X != was.List[i].X || is.List[i].Later != was.List[i].Later || is.List[i].Y {
			t.Errorf("%+v of %+v", is.List[i], was.List[i])
		}
	}
}

// Bytes that were cut off or changed are an error, never a panic.
func FuzzGarbage(f *testing.F) {
	var was older
	filler{rand.New(rand.NewPCG(1, 2))}.fill(reflect.ValueOf(&was).Elem())
	s := shapeOf(reflect.TypeFor[older]())
	w := writer{}
	w.value(s, reflect.ValueOf(was))
	f.Add(w.b)
	f.Add(w.b[:len(w.b)-1])
	f.Fuzz(func(t *testing.T, b []byte) {
		var is older
		r := reader{b: b}
		if r.value(s, reflect.ValueOf(&is).Elem()); r.err == nil {
			again := writer{}
			again.value(s, reflect.ValueOf(is))
		}
	})
}
