// Package promtext writes metrics in Prometheus' text format. Each family is written in one place with
// help and type, so that none can lack them.
package promtext

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// ContentType is the media type of a Page.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Kind is the type of a family.
type Kind string

// Kinds of families.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Page is a page of metrics being written. The zero value is empty.
type Page struct {
	b    bytes.Buffer
	name string // of the current family
}

// Bytes returns the page, valid until the next sample.
func (p *Page) Bytes() []byte { return p.b.Bytes() }

// Counter writes a family of one counter.
func (p *Page) Counter(name, help string, v float64) {
	p.Family(Counter, name, help)
	p.Sample(v)
}

// Count writes a family of one counter of whole things.
func (p *Page) Count(name, help string, n uint64) { p.Counter(name, help, float64(n)) }

// Gauge writes a family of one gauge.
func (p *Page) Gauge(name, help string, v float64) {
	p.Family(Gauge, name, help)
	p.Sample(v)
}

// Switch writes a family of one gauge, 1 for true and 0 for false.
func (p *Page) Switch(name, help string, on bool) {
	v := 0.0
	if on {
		v = 1
	}
	p.Gauge(name, help, v)
}

// Family starts a family. Its samples follow before the next family starts.
func (p *Page) Family(kind Kind, name, help string) {
	p.name = name
	fmt.Fprintf(&p.b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// Sample writes a sample of the current family. Labels are alternating names and values.
func (p *Page) Sample(v float64, labels ...string) { p.sample("", v, labels...) }

func (p *Page) sample(suffix string, v float64, labels ...string) {
	p.b.WriteString(p.name)
	p.b.WriteString(suffix)
	for i := 0; i < len(labels); i += 2 {
		p.b.WriteByte("{,"[min(i, 1)])
		p.b.WriteString(labels[i])
		p.b.WriteByte('=')
		p.b.WriteString(strconv.Quote(labels[i+1]))
	}
	if len(labels) > 0 {
		p.b.WriteByte('}')
	}
	p.b.WriteByte(' ')
	p.b.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
	p.b.WriteByte('\n')
}

// Distribution writes the samples of one histogram of the current family. counts[i] is the number of
// observations above bounds[i-1] and up to bounds[i]. counts has one element more than bounds: the
// observations above all bounds. sum is in the unit of the bounds.
func (p *Page) Distribution(bounds []float64, counts []uint64, sum float64, labels ...string) {
	total := uint64(0)
	for i, n := range counts {
		total += n
		bound := math.Inf(1)
		if i < len(bounds) {
			bound = bounds[i]
		}
		p.sample("_bucket", float64(total), append(labels[:len(labels):len(labels)], "le",
			strconv.FormatFloat(bound, 'f', -1, 64))...)
	}
	p.sample("_sum", sum, labels...)
	p.sample("_count", float64(total), labels...)
}
