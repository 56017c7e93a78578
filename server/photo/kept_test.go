package photo

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ballast/compute/risk"
	mc "ballast/marketcache"
)

// notKept are the fields that are not kept: they are not exported.
var notKept = map[string]string{"risk.Input.heldAt": "0 of what is photographed: no answer of a held position is"}

// filler gives every field a value that is not zero, numbers any bits: NaN, infinities and denormals too.
type filler struct {
	*testing.T
	*rand.Rand
}

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
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if _, is := notKept[v.Type().String()+"."+field.Name]; !field.IsExported() && !is {
				f.Errorf("%v.%s is not exported, so it is not kept", v.Type(), field.Name)
			}
			if field.IsExported() {
				f.fill(v.Field(i))
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
	case reflect.Float32, reflect.Float64:
		same = math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Pointer:
		if same = a.IsNil() == b.IsNil(); same && !a.IsNil() {
			return differs(path, a.Elem(), b.Elem())
		}
	case reflect.Slice, reflect.Array:
		same = a.Len() == b.Len()
		for i := 0; same && i < a.Len(); i++ {
			if d := differs(path+"[]", a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if d := differs(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
	default:
		same = a.Equal(b)
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

// Every field that an input has comes back bit by bit, unless notKept or bare says why not.
func TestEveryFieldIsKept(t *testing.T) {
	for seed := range uint64(20) {
		p := Photograph{RequestID: []byte("id"), Answer: []byte(`{"meta":{"latency_ms":1,"x":2}}`)}
		in := &p.Inputs
		if seed > 0 { // the first has no value at all
			filler{t, rand.New(rand.NewPCG(seed, 1))}.fill(reflect.ValueOf(in).Elem())
			fits := []**mc.AssetModel{&in.In.Rows, &in.In.Target.Model}
			for _, assets := range [][]risk.AssetInput{in.In.Held, in.In.Backing, in.In.Ordered} {
				for i := range assets {
					fits = append(fits, &assets[i].Model)
				}
			}
			for _, fit := range fits {
				*fit = bare(*fit).(*mc.AssetModel)
			}
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
		if again := e.Encode(&p); again.Inputs != encoded.Inputs {
			t.Error("equal inputs have another digest")
		}
	}
}
