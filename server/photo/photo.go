// Package photo keeps everything that an answer was computed from, and computes the answer again.
//
// A photograph is some kilobytes of its own, and refers to parts by their SHA-256: what many answers share, such as the
// fits of assets, their correlations, order books and accounts. A part is kept once.
package photo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"reflect"
	"slices"
	"time"
	"unsafe"

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
	text   []byte // of a layout or a dictionary; otherwise nil, and the part is a value
	shape  *shape
	value  reflect.Value
}

// Data returns the part as it is kept.
func (p *Part) Data() []byte {
	if p.text != nil {
		return p.text
	}
	w := writer{}
	w.value(p.shape, p.value)
	return w.b
}

func textPart(text []byte) Part { return Part{Digest: sha256.Sum256(text), text: text} }

// form is the first byte of a photograph: how the rest of it is arranged.
const form = 1

// inputsShape is the shape of Inputs in this program, inputsLayout the part that has it.
var (
	inputsShape  = shapeOf(reflect.TypeFor[Inputs]())
	inputsLayout = textPart(inputsShape.text())
)

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
	recent, before map[address]Part
	turned         time.Time
	used           []Part // by the photograph
	uses           map[Digest]bool
	scratch, plain []byte

	sampled    []byte
	count      int
	dict       *s2.Dict // nil until there are enough samples
	dictionary Part
}

// address identifies a value that does not change, while it is remembered.
type address struct {
	at unsafe.Pointer
	is reflect.Type
}

// Encode returns a photograph in the form in which it is kept.
func (e *Encoder) Encode(p *Photograph) Encoded {
	if len(e.recent) >= rememberMost || time.Since(e.turned) > rememberFor {
		e.recent, e.before, e.turned = make(map[address]Part, len(e.recent)), e.recent, time.Now()
	}
	if e.uses == nil {
		e.uses = map[Digest]bool{}
	}
	clear(e.uses)
	e.used = append(e.used[:0], inputsLayout)
	w := writer{b: e.scratch[:0], parts: e}
	w.value(inputsShape, reflect.ValueOf(&p.Inputs).Elem())
	e.scratch = w.b

	out := Encoded{Inputs: inputsDigest(&inputsLayout.Digest, w.b), Answer: AnswerDigest(p.Answer)}
	b := append(append(append(e.plain[:0], out.Inputs[:]...), out.Answer[:]...), inputsLayout.Digest[:]...)
	b = append(binary.AppendUvarint(b, uint64(len(p.RequestID))), p.RequestID...)
	b = append(binary.AppendUvarint(b, uint64(len(w.b))), w.b...)
	b = append(b, p.Answer...)
	e.plain = b
	out.Data = e.compress(b)
	out.Parts = slices.Clone(e.used)
	return out
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
			e.dictionary = textPart(e.dict.Bytes())
		}
		e.sampled = nil
	}
	return append(head, s2.Encode(nil, plain)...)
}

func inputsDigest(layout *Digest, inputs []byte) (d Digest) {
	h := sha256.New()
	h.Write(layout[:])
	h.Write(inputs)
	h.Sum(d[:0])
	return d
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

// known returns the digest of the part that a pointer leads to, if it is remembered.
func (e *Encoder) known(pointer reflect.Value) (Digest, bool) {
	key := address{pointer.UnsafePointer(), pointer.Type()}
	part, ok := e.recent[key]
	if !ok {
		if part, ok = e.before[key]; !ok {
			return Digest{}, false
		}
		e.recent[key] = part
	}
	e.use(part)
	return part.Digest, true
}

// add remembers the part that a pointer leads to.
func (e *Encoder) add(part Part, pointer reflect.Value) {
	e.recent[address{pointer.UnsafePointer(), pointer.Type()}] = part
	e.use(part)
}

// use notes that the photograph refers to a part.
func (e *Encoder) use(part Part) {
	if !e.uses[part.Digest] {
		e.uses[part.Digest] = true
		e.used = append(e.used, part)
	}
}
