// Package photo keeps everything that an answer was computed from, and computes the answer again.
//
// A photograph is some kilobytes of its own, and refers to parts by their SHA-256: what many answers share, such as the
// fits of assets, their correlations, order books and accounts. A part is kept once.
package photo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unsafe"

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
}

// Take copies the snapshot of an assessment, whose memory will be used for others.
func (i *Inputs) Take(in *risk.Input) {
	held, backing, ordered := i.In.Held[:0], i.In.Backing[:0], i.In.Ordered[:0]
	i.In = *in
	i.In.Held, i.In.Backing = append(held, in.Held...), append(backing, in.Backing...)
	i.In.Ordered = append(ordered, in.Ordered...)
}

// Encoded is a photograph as it is kept.
type Encoded struct {
	Data []byte
	// Inputs is the digest of what the answer was computed from, Answer that of the answer without its latency.
	Inputs, Answer Digest
	Parts          []Part // that Data refers to
}

// Part is a value that photographs share. It does not change.
type Part struct {
	Digest Digest
	shape  *shape
	value  reflect.Value // the zero Value: it is the shape itself
}

// Data returns the part as it is kept.
func (p *Part) Data() []byte {
	if !p.value.IsValid() {
		return p.shape.text()
	}
	w := writer{}
	w.value(p.shape, p.value)
	return w.b
}

// form is the first byte of a photograph: how the rest of it is arranged.
const form = 1

// inputsShape is the shape of Inputs in this program, kept as the part inputsLayout.
var (
	inputsShape  = shapeOf(reflect.TypeFor[Inputs]())
	inputsLayout = Part{Digest: sha256.Sum256(inputsShape.text()), shape: inputsShape}
)

const (
	// Encoders remember the digests of at most 2*rememberMost values, for 2*rememberFor after the last use.
	rememberMost = 1024
	rememberFor  = time.Minute
)

// Encoder encodes photographs. The zero value is ready; not safe for concurrent use.
type Encoder struct {
	recent, before map[address]Part
	turned         time.Time
	used           []Part // by the photograph
	uses           map[Digest]bool
	scratch        []byte
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
	w := writer{part: e.part}
	w.value(inputsShape, reflect.ValueOf(&p.Inputs).Elem())

	out := Encoded{Inputs: inputsDigest(&inputsLayout.Digest, w.b), Answer: AnswerDigest(p.Answer)}
	b := make([]byte, 0, 1+3*len(Digest{})+20+len(p.RequestID)+len(w.b)+len(p.Answer))
	b = append(append(append(append(b, form), out.Inputs[:]...), out.Answer[:]...), inputsLayout.Digest[:]...)
	b = append(binary.AppendUvarint(b, uint64(len(p.RequestID))), p.RequestID...)
	b = append(binary.AppendUvarint(b, uint64(len(w.b))), w.b...)
	out.Data = append(b, p.Answer...)
	out.Parts = append([]Part(nil), e.used...)
	return out
}

func inputsDigest(layout *Digest, inputs []byte) (d Digest) {
	h := sha256.New()
	h.Write(layout[:])
	h.Write(inputs)
	h.Sum(d[:0])
	return d
}

// AnswerDigest is the SHA-256 of an answer without its latency.
func AnswerDigest(answer []byte) Digest { return sha256.Sum256(WithoutLatency(answer)) }

// WithoutLatency returns an answer without the number that differs whenever it is computed.
func WithoutLatency(answer []byte) []byte {
	before, after, found := bytes.Cut(answer, []byte(`"latency_ms":`))
	if !found {
		return answer
	}
	if end := bytes.IndexByte(after, ','); end >= 0 {
		after = after[end+1:]
	}
	return append(bytes.Clone(before), after...)
}

// part returns the digest of what a pointer leads to, if it is long enough for a part.
func (e *Encoder) part(s *shape, pointer reflect.Value) (Digest, bool) {
	key := address{pointer.UnsafePointer(), pointer.Type()}
	known, ok := e.recent[key]
	if !ok {
		if known, ok = e.before[key]; !ok {
			w := writer{b: e.scratch[:0]}
			w.value(s, pointer.Elem())
			e.scratch = w.b
			if len(w.b) < partFrom {
				return Digest{}, false
			}
			known = Part{sha256.Sum256(w.b), s, pointer.Elem()}
		}
		e.recent[key] = known
	}
	if !e.uses[known.Digest] {
		e.uses[known.Digest] = true
		e.used = append(e.used, known)
	}
	return known.Digest, true
}

// Errors of what cannot be read. Both are wrapped with which part it is.
var (
	ErrMissing = errors.New("is missing")
	ErrDamaged = errors.New("is damaged")
)

// Decoder decodes photographs. It is not safe for concurrent use.
type Decoder struct {
	// Parts returns a part as it is kept, nil for one that is not there.
	Parts func(Digest) ([]byte, error)

	shapes  map[Digest]*shape
	layout  Digest // of the photograph that is being decoded
	decoded map[decodedPart]reflect.Value
	size    int // of the parts in decoded, as they are kept
}

// decodedPart identifies a decoded part, which is one value in memory, as it was when the answer was computed.
type decodedPart struct {
	digest, layout Digest
	is             reflect.Type
}

// decodedMost is the size of the parts that a decoder has in memory.
const decodedMost = 256 << 20

// Decode returns a photograph, of which the answer refers to data.
func (d *Decoder) Decode(data []byte) (*Photograph, error) {
	var inputs, answer, layout Digest
	r := reader{b: data, part: d.part}
	if head := r.take(1); len(head) == 0 || head[0] != form {
		return nil, fmt.Errorf("the photograph %w: it does not begin as one", ErrDamaged)
	}
	copy(inputs[:], r.take(len(inputs)))
	copy(answer[:], r.take(len(answer)))
	copy(layout[:], r.take(len(layout)))
	p := &Photograph{RequestID: r.take(r.length(r.uvarint()))}
	body := r.take(r.length(r.uvarint()))
	p.Answer = r.b
	if r.err != nil || inputsDigest(&layout, body) != inputs || AnswerDigest(p.Answer) != answer {
		return nil, fmt.Errorf("the photograph %w: it is not what was written", ErrDamaged)
	}
	if d.size > decodedMost {
		d.decoded, d.size = nil, 0
	}
	s, err := d.shape(layout)
	if err != nil {
		return nil, err
	}
	d.layout, r.b = layout, body
	r.value(s, reflect.ValueOf(&p.Inputs).Elem())
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("the photograph %w: it is longer than its layout", ErrDamaged)
	}
	return p, r.err
}

// kept returns a part, checked.
func (d *Decoder) kept(digest Digest) ([]byte, error) {
	data, err := d.Parts(digest)
	if err == nil && data == nil {
		err = fmt.Errorf("part %x of the photograph %w", digest[:6], ErrMissing)
	}
	if err == nil && sha256.Sum256(data) != digest {
		err = fmt.Errorf("part %x of the photograph %w", digest[:6], ErrDamaged)
	}
	return data, err
}

func (d *Decoder) shape(layout Digest) (*shape, error) {
	if s := d.shapes[layout]; s != nil {
		return s, nil
	}
	text, err := d.kept(layout)
	if err != nil {
		return nil, err
	}
	s, err := readShape(text, reflect.TypeFor[Inputs]())
	if err != nil {
		return nil, err
	}
	if d.shapes == nil {
		d.shapes = map[Digest]*shape{}
	}
	d.shapes[layout] = s
	return s, nil
}

// part returns a pointer to the value of a part.
func (d *Decoder) part(s *shape, digest Digest, pointer reflect.Type) (reflect.Value, error) {
	key := decodedPart{digest, d.layout, pointer}
	if v, ok := d.decoded[key]; ok {
		return v, nil
	}
	data, err := d.kept(digest)
	if err != nil {
		return reflect.Value{}, err
	}
	v, r := reflect.New(pointer.Elem()), reader{b: data}
	if r.value(s, v.Elem()); r.err != nil {
		return reflect.Value{}, fmt.Errorf("part %x of the photograph: %w", digest[:6], r.err)
	}
	if d.decoded == nil {
		d.decoded = map[decodedPart]reflect.Value{}
	}
	d.decoded[key] = v
	d.size += len(data)
	return v, nil
}
