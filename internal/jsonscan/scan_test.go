package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-json/jsontext"
)

// The cost of a body with very many names must be proportional to its length.
func TestManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 9000 {
		b.WriteString(`"` + strconv.Itoa(i) + `":1,`)
	}
	twice := b.String() + `"77":1}`
	var s Scanner
	var v Value
	s.Reset([]byte(twice))
	if s.Value(&v) || !strings.Contains(s.Problem(), "twice") {
		t.Error("a name used twice among many was accepted")
	}
	s.Reset([]byte(b.String() + `"x":{"1":2,"x":3}}`))
	if !s.Value(&v) || !s.End() {
		t.Error(s.Problem())
	}
}

func TestPlainNames(t *testing.T) {
	s := Scanner{PlainNames: true}
	var v Value
	for text, want := range map[string]bool{`{"ä":"\u0061"}`: true, `{"\u0061":1}`: false, `{"a":[{"\/":1}]}`: false} {
		s.Reset([]byte(text))
		if got := s.Value(&v) && s.End(); got != want {
			t.Errorf("%s: accepted %v, %s", text, got, s.Problem())
		}
	}
}

// strict is the reference: go-json's jsontext, which follows RFC 7493, plus our limits on depth and
// numbers.
func strict(data []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.ReadToken()
		if err != nil {
			return false
		}
		if d.StackDepth() > MaxDepth {
			return false
		}
		if tok.Kind() == '0' {
			if _, err := strconv.ParseFloat(tok.String(), 64); err != nil {
				return false
			}
		}
		if d.StackDepth() == 0 {
			break
		}
	}
	_, err := d.ReadToken()
	return errors.Is(err, io.EOF)
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		`{"asset":"BTC","size":1e3,"leverage":null}`, `{"a":[1,{"b":"\ud83d\ude00"}],"c":null}`,
		`{"a":1,"\u0061":2}`, "[1e308,1e309]", `"\u0000"`, "\"\xed\xa0\x80\"",
		`[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]`, "-0.0e-0", " 1 ",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Scanner
		var v Value
		s.Reset(data)
		got := s.Value(&v) && s.End()
		if want := strict(data); got != want {
			t.Fatalf("%q: accepted %v, reference %v (%s)", data, got, want, s.Problem())
		}
		if !got {
			if s.Problem() == "" {
				t.Fatalf("%q: refused without a problem", data)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q: encoding/json refuses it", data)
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		switch v.Kind {
		case String:
			if want != string(v.Text) {
				t.Fatalf("%q: read %q", data, v.Text)
			}
		case Number:
			if want != v.Number {
				t.Fatalf("%q: read %v", data, v.Number)
			}
		case Bool:
			if want != v.Bool {
				t.Fatalf("%q: read %v", data, v.Bool)
			}
		}
	})
}

// What a lenient scanner accepts beyond a strict one.
func TestLenient(t *testing.T) {
	for _, c := range []struct {
		text    string
		lenient bool
	}{
		{`{"a":1,"a":{"b":2,"b":3}}`, true},
		{"\"\xff\"", true},
		{"{\"\xff\":1}", true},
		{`"\ud800"`, true},
		{`"\ud800\u0041"`, true},
		{`"\ud800\uzzzz"`, false},
		{`"\x41"`, false},
		{"\"\x01\"", false},
		{`{"a":1,}`, false},
		{`[1] 2`, false}, {`[1 2]`, false}, {`[1,]`, false}, {`{"a" 1}`, false}, {`{1:2}`, false}, {`[tru]`, false},
		{`"\q"`, false}, {`"\u12"`, false}, {`"\`, false}, {`"abc`, false}, {``, false}, {`{"a":[1,{"b":-}]}`, false},
		{strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), false},
	} {
		for _, lenient := range []bool{false, true} {
			s := Scanner{Lenient: lenient}
			var v Value
			s.Reset([]byte(c.text))
			if got := s.Value(&v) && s.End(); got != (lenient && c.lenient) {
				t.Errorf("%q, lenient %v: %v %s", c.text, lenient, got, s.Problem())
			}
		}
	}
}
