package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

// The files in testdata say from which field each member of an answer comes, in the order of the text, and then what
// else changes in an answer when one field has another value. Read them, and what -update changes in them, as the
// specification of the writers.
var update = flag.Bool("update", false, "write testdata anew")

// visit calls f with each field below v; with lists and pointers too, before what they hold.
func visit(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				visit(v.Field(i), path+"."+field.Name, f)
			}
		}
	case reflect.Slice, reflect.Array:
		f(path, v)
		for i := range v.Len() {
			visit(v.Index(i), fmt.Sprintf("%s[%d]", path, i), f)
		}
	case reflect.Pointer:
		if f(path, v); !v.IsNil() {
			visit(v.Elem(), path, f)
		}
	default:
		f(path, v)
	}
}

// fill gives every number and text below a pointer a value of its own, and returns the fields by number.
func fill(source any) (fields map[string]string) {
	fields = map[string]string{}
	n := int64(10_000)
	visit(reflect.ValueOf(source).Elem(), "", func(path string, v reflect.Value) {
		n += 10
		_, isEnum := v.Interface().(fmt.Stringer)
		switch {
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		case v.Kind() == reflect.String:
			v.SetString(path)
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct &&
			v.Type() != reflect.TypeFor[*marketcache.Market]():
			v.Set(reflect.New(v.Type().Elem()))
		case v.Type() == reflect.TypeFor[time.Duration]():
			v.SetInt(n * int64(time.Millisecond))
		case v.CanInt() && !isEnum:
			v.SetInt(n)
		case v.CanFloat():
			v.SetFloat(float64(n))
		}
		fields[strconv.FormatInt(n, 10)] = path
	})
	return fields
}

// member is a value in an answer: a field, or its text.
type member struct{ path, value string }

// members lists the values of a text.
func members(d *json.Decoder, path string, fields map[string]string) (all []member) {
	token, _ := d.Token()
	switch token := token.(type) {
	case json.Delim:
		for i := 0; d.More(); i++ {
			name := fmt.Sprintf("[%d]", i)
			if token == '{' {
				key, _ := d.Token()
				name = "." + key.(string)
			}
			all = append(all, members(d, path+name, fields)...)
		}
		d.Token()
		if len(all) > 0 {
			return all
		}
		return []member{{path, "nothing"}}
	case json.Number:
		return []member{{path, named(token.String(), fields)}}
	case string:
		if !strings.HasPrefix(token, ".") { // no field
			return []member{{path, strconv.Quote(token)}}
		}
		return []member{{path, token}}
	case nil:
		return []member{{path, "null"}}
	}
	return []member{{path, fmt.Sprint(token)}}
}

// named returns the field with a number, or the number.
func named(number string, fields map[string]string) string {
	digits, negative := strings.CutPrefix(number, "-")
	switch field, is := fields[digits]; {
	case !is:
		return number
	case negative:
		return "-" + field
	default:
		return field
	}
}

// prefixes lists the paths of what a member is in, and its own.
func prefixes(path string) (list []string) {
	for i := 1; i < len(path); i++ {
		if path[i] == '.' || path[i] == '[' {
			list = append(list, path[:i])
		}
	}
	return append(list, path)
}

// mapping is an answer whose source has a value in every field.
type mapping struct {
	t      *testing.T
	write  func() ([]byte, error)
	fields map[string]string
	plain  []byte
	base   []member
	out    strings.Builder
}

var latency = regexp.MustCompile(`"latency_ms":[0-9.]+`)

// text returns the answer as it is now.
func (m *mapping) text() ([]byte, error) {
	text, err := m.write()
	return latency.ReplaceAll(text, []byte(`"latency_ms":0`)), err
}

func (m *mapping) members(text []byte) []member {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return members(d, "", m.fields)
}

// newMapping lists the members of an answer.
func newMapping(t *testing.T, fields map[string]string, write func() ([]byte, error)) *mapping {
	m := &mapping{t: t, write: write, fields: fields}
	var err error
	if m.plain, err = m.text(); err != nil || !strict(m.plain) {
		t.Fatalf("%v: %s", err, m.plain)
	}
	m.base = m.members(m.plain)
	for _, one := range m.base {
		fmt.Fprintln(&m.out, one.path, one.value)
	}
	return m
}

// change lists which members are others after a change, but not those in which just one text has become another.
func (m *mapping) change(what, from, to string) {
	text, err := m.text()
	switch {
	case errors.Is(err, ErrNotFinite) || bytes.Equal(text, m.plain),
		from != "" && bytes.Equal(text, bytes.ReplaceAll(m.plain, []byte(from), []byte(to))):
		return
	case !strict(text) && strings.HasSuffix(what, quoted):
		fmt.Fprintf(&m.out, "%s: written as it is\n", what)
		return
	case !strict(text) || err != nil:
		m.t.Fatalf("%s: %v, %s", what, err, text)
	}
	before, now, there := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, one := range m.base {
		before[one.path] = one.value
	}
	var changes []string
	usual := named(to, m.fields)
	for _, one := range m.members(text) {
		now[one.path] = one.value
		for _, path := range prefixes(one.path) {
			there[path] = true
		}
		if was, there := before[one.path]; (!there || was != one.value) && (to == "" || one.value != usual) {
			changes = append(changes, one.path+" "+one.value)
		}
	}
	for _, one := range m.base {
		path := prefixes(one.path)
		i := slices.IndexFunc(path, func(p string) bool { return !there[p] })
		if i < 0 || i > 0 && now[path[i-1]] != "" { // what it was in is null
			continue
		}
		if gone := "no " + path[i]; !slices.Contains(changes, gone) {
			changes = append(changes, gone)
		}
	}
	if len(changes) > 0 {
		fmt.Fprintf(&m.out, "%s: %s\n", what, strings.Join(changes, ", "))
	}
}

// quoted is a text that needs escaping.
const quoted = `a"b`

// others lists the other values of an enumeration.
func others(v reflect.Value) (list []any) {
	defer func() { _ = recover() }() // beyond the last one
	for other := reflect.New(v.Type()).Elem(); ; {
		other.SetUint(other.Uint() + 1)
		if name := other.Interface().(fmt.Stringer).String(); name == "" || strings.Contains(name, "(") {
			return list
		}
		list = append(list, other.Interface())
	}
}

var furtherElement = regexp.MustCompile(`\[[1-9]`)

// eachField changes one field at a time. Those of the first element stand for those of a list, except of issues, each
// of which has its own members.
func (m *mapping) eachField(source any) {
	visit(reflect.ValueOf(source).Elem(), "", func(path string, v reflect.Value) {
		if furtherElement.MatchString(path) && !strings.Contains(path, ".Issues[") {
			return
		}
		saved := reflect.New(v.Type()).Elem()
		saved.Set(v)
		try := func(name string, value any, from, to string) {
			v.Set(reflect.ValueOf(value).Convert(v.Type()))
			m.change(path+" "+name, from, to)
			v.Set(saved)
		}
		_, isEnum := v.Interface().(fmt.Stringer)
		switch {
		case v.Kind() == reflect.Bool:
			try(fmt.Sprint(!v.Bool()), !v.Bool(), "", "")
		case v.Kind() == reflect.String:
			text := strconv.Quote(v.String())
			try("empty", "", text, `""`)
			try(quoted, quoted, text, strconv.Quote(quoted))
		case v.Kind() == reflect.Slice:
			try("empty", reflect.Zero(v.Type()).Interface(), "", "")
		case v.Type() == reflect.TypeFor[time.Duration]():
			try("negative", int64(-1), "", "")
		case v.CanFloat():
			number := strconv.FormatFloat(v.Float(), 'f', -1, 64)
			try("0", 0.0, number, "0")
			try("NaN", math.NaN(), "", "")
			try("infinite", math.Inf(1), "", "")
			try("negative", -v.Float(), number, "-"+number)
		case isEnum && v.CanUint() && v.Type() != reflect.TypeFor[risk.IssueCode]():
			for _, other := range others(v) {
				try(fmt.Sprint(other), other, "", "")
			}
		}
	})
}

// check compares what was found with a file.
func (m *mapping) check(name string) {
	m.t.Helper()
	file := "testdata/" + name + ".txt"
	if *update {
		if err := os.WriteFile(file, []byte(m.out.String()), 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		m.t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, got := range strings.Split(m.out.String(), "\n") {
		if i >= len(lines) || got != lines[i] {
			m.t.Fatalf("%s, which -update writes anew, line %d: %s, want %s", file, i+1, got,
				lines[min(i, len(lines)-1)])
		}
	}
}

// fullAssessment returns an assessment with a value in every field.
func fullAssessment() (*risk.Assessment, map[string]string) {
	a := &risk.Assessment{}
	fields := fill(a)
	a.Meta.AsOfUnixMs = 1763719200123
	a.ModelVersion.CalibrationHash = marketcache.HashCalibration([]byte("x"))
	a.Position.Before.Side, a.Position.After.Side = 1, -1
	a.PortfolioStress.Scenario, a.PortfolioStress.Failed, a.Explanation.Failed = 1, 0b101, 1
	for i := range a.Pools {
		a.Pools[i].Failed = 0b10
	}
	d := &a.Admissibility
	d.Count = len(d.Issues)
	for i := range d.Issues {
		d.Issues[i].Code = risk.IssueCode(i)
		d.Issues[i].NoGot, d.Issues[i].NoLimit, d.Issues[i].Text = false, false, ""
	}
	a.Explanation.Weights = &risk.Weights
	a.Explanation.Market = &marketcache.Market{BookAge: 1500 * time.Microsecond, DepthAge: -1, ContextAge: time.Second,
		SlowAge: 13 * time.Second, Funding: &marketcache.FundingStats{Rows: 71}}
	return a, fields
}

func TestAssessmentNamesAndValues(t *testing.T) {
	a, fields := fullAssessment()
	write := func() ([]byte, error) {
		return AppendAssessment(nil, a, &Envelope{RequestID: []byte(`id"1`), Venue: "simulated", Started: time.Now(),
			Explain: true})
	}
	m := newMapping(t, fields, write)
	m.eachField(a)
	full := *a
	var estimated risk.Terms
	(&risk.ScoreInput{}).Compose(&estimated)
	for _, row := range []struct {
		what   string
		change func()
	}{
		{"open interest with an estimated cap", func() { a.Explanation.Weights = estimated.Weights }},
		{"divergence from the wallet", func() { a.Explanation.Divergence.With = "wallet" }},
		{"funding of no side", func() { a.Stress[0].FundingCostPct = 0 }},
		{"no market", func() { a.Explanation.Market = nil }},
		{"nothing", func() { *a = risk.Assessment{Explanation: risk.Explanation{Terms: estimated}} }},
	} {
		row.change()
		m.change(row.what, "", "")
		*a = full
	}
	m.check("assessment")
}

func TestMonitorNamesAndValues(t *testing.T) {
	r := &risk.WalletReport{}
	fields := fill(r)
	r.Meta.AsOfUnixMs = 1763719200123
	r.PortfolioStress.Scenario = 1
	m := newMapping(t, fields, func() ([]byte, error) {
		return AppendMonitor(nil, "0x", r, &Envelope{Started: time.Now(), Venue: "custom"})
	})
	m.eachField(r)
	m.check("monitor")
}
