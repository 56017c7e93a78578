// Package photo keeps everything that an answer was computed from, and computes the answer again.
//
// A photograph is some kilobytes of its own, and refers to parts by their SHA-256: what many answers share, such as the
// fits of assets, their correlations, order books and accounts. A part is kept once.
package photo

import (
	"bytes"
	"crypto/sha256"
	"reflect"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"ballast/compute/risk"
	"ballast/policy"
)

// Inputs are everything that an answer was computed from.
type Inputs struct {
	Engine    string   // version of the formulas
	Constants [32]byte // risk.ConstantsDigest
	Ages      risk.Ages
	In        risk.Input
	Case      policy.Case
	// Sizes: the answer is about the largest size, to Question.
	Sizes    bool
	Question risk.SizeQuestion
	// How the answer was written: see api.Envelope.
	Venue            string
	Explain, Compact bool
}

// Photograph is an answer with its inputs. Its memory may be used again.
type Photograph struct {
	RequestID []byte
	Answer    []byte // as it was sent; of a batch, the element of the trade
	Inputs    Inputs
	// InputsDigest and AnswerDigest are those of Encoded. Decode sets them.
	InputsDigest, AnswerDigest Digest
}

// constants is the digest of those of the assessment.
var constants = risk.ConstantsDigest()

// Take copies the snapshot of an assessment by this program, whose memory will be used for others.
func (i *Inputs) Take(in *risk.Input) {
	held, backing, ordered := i.In.Held[:0], i.In.Backing[:0], i.In.Ordered[:0]
	i.In = *in
	i.In.Held, i.In.Backing = append(held, in.Held...), append(backing, in.Backing...)
	i.In.Ordered = append(ordered, in.Ordered...)
	i.Engine, i.Constants = risk.EngineVersion, constants
}

// Forget keeps the memory of the inputs, and nothing that they refer to.
func (i *Inputs) Forget() {
	in := &i.In
	for _, assets := range [][]risk.AssetInput{in.Held, in.Backing, in.Ordered} {
		clear(assets)
	}
	held, backing, ordered := in.Held[:0], in.Backing[:0], in.Ordered[:0]
	*i = Inputs{}
	in.Held, in.Backing, in.Ordered = held, backing, ordered
}

// Encoded is a photograph as it is kept.
type Encoded struct {
	Data []byte
	// Inputs is the digest of what the answer was computed from, Answer that of the answer without its latency.
	Inputs, Answer Digest
	Parts          []Part // that Data refers to
}

// Part is what photographs share. It does not change.
type Part struct {
	Digest Digest
	text   []byte // of a dictionary; otherwise nil, and the part is a value
	value  any
}

// Data returns the part as it is kept.
func (p *Part) Data() []byte {
	if p.text != nil {
		return p.text
	}
	return gobOf(bare(p.value))
}

// form is the first byte of a photograph: how the rest of it is arranged.
const form = 2

const (
	// Encoders remember the digests of at most 2*rememberMost values, for 2*rememberFor after the last use.
	rememberMost = 1024
	rememberFor  = time.Minute
	// samples is how many photographs become the dictionary with which later ones are compressed: half as long, for
	// much of one answer is in every other.
	samples = 4
)

// Encoder encodes photographs. The zero value is ready; not safe for concurrent use.
type Encoder struct {
	recent, before map[any]Part // by the pointer to a value that does not change while it is remembered
	turned         time.Time
	used           []Part // by the photograph

	sampled    []byte
	count      int
	dict       *s2.Dict // nil until there are enough samples
	dictionary Part
}

// Encode returns a photograph in the form in which it is kept.
func (e *Encoder) Encode(p *Photograph) Encoded {
	if len(e.recent) >= rememberMost || time.Since(e.turned) > rememberFor {
		e.recent, e.before, e.turned = make(map[any]Part, len(e.recent)), e.recent, time.Now()
	}
	e.used = e.used[:0]
	inputs := e.inputs(&p.Inputs)
	out := Encoded{Inputs: sha256.Sum256(inputs), Answer: AnswerDigest(p.Answer)}
	out.Data = e.compress(gobOf(&file{out.Inputs, out.Answer, p.RequestID, p.Answer, inputs}))
	out.Parts = slices.Clone(e.used)
	return out
}

// inputs returns the inputs as they are kept: an inputsFile, without the values that are parts.
func (e *Encoder) inputs(in *Inputs) []byte {
	var kept inputsFile
	at := map[string]any{}
	pointers("", reflect.ValueOf(in).Elem(), func(path string, v reflect.Value) {
		if value := v.Interface(); !v.IsNil() && isPart(value) {
			kept.Parts = append(kept.Parts, reference{path, e.part(value)})
			at[path] = value
			v.SetZero()
		}
	})
	kept.Inputs = *in
	encoded := gobOf(&kept)
	pointers("", reflect.ValueOf(in).Elem(), func(path string, v reflect.Value) {
		if value, is := at[path]; is {
			v.Set(reflect.ValueOf(value))
		}
	})
	return encoded
}

// compress returns the bytes of a photograph compressed, behind their form and the digest of their dictionary.
func (e *Encoder) compress(plain []byte) []byte {
	head := append(append(make([]byte, 0, 1+len(Digest{})), form), e.dictionary.Digest[:]...)
	if e.dict != nil {
		e.used = append(e.used, e.dictionary)
		return append(head, e.dict.Encode(nil, plain)...)
	}
	if e.count++; len(e.sampled)+len(plain) <= s2.MaxDictSize {
		e.sampled = append(e.sampled, plain...)
	}
	if e.count == samples {
		if e.dict = s2.MakeDict(e.sampled, nil); e.dict != nil {
			e.dictionary = Part{Digest: sha256.Sum256(e.dict.Bytes()), text: e.dict.Bytes()}
		}
		e.sampled = nil
	}
	return append(head, s2.Encode(nil, plain)...)
}

// AnswerDigest is the SHA-256 of an answer without its latency.
func AnswerDigest(answer []byte) (d Digest) {
	h := sha256.New()
	before, after := aroundLatency(answer)
	h.Write(before)
	h.Write(after)
	h.Sum(d[:0])
	return d
}

// aroundLatency returns what is before and after the number of an answer that differs whenever it is computed.
func aroundLatency(answer []byte) (before, after []byte) {
	before, after, found := bytes.Cut(answer, []byte(`"latency_ms":`))
	if !found {
		return answer, nil
	}
	return before, after[bytes.IndexByte(after, ',')+1:]
}

// part remembers a value, and notes that the photograph refers to it.
func (e *Encoder) part(value any) Digest {
	part, known := e.recent[value]
	if !known {
		if part, known = e.before[value]; !known {
			part = Part{value: value}
			part.Digest = sha256.Sum256(part.Data())
		}
		e.recent[value] = part
	}
	e.use(part)
	return part.Digest
}

// use notes that the photograph refers to a part.
func (e *Encoder) use(part Part) {
	if !slices.ContainsFunc(e.used, func(p Part) bool { return p.Digest == part.Digest }) {
		e.used = append(e.used, part)
	}
}
