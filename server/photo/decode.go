package photo

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"

	"github.com/klauspost/compress/s2"
)

// Errors of what cannot be read, wrapped with what it is.
var (
	ErrMissing = errors.New("is missing")
	ErrDamaged = errors.New("is damaged")
)

// Decoder decodes photographs. It is not safe for concurrent use.
type Decoder struct {
	// Parts returns a part as it is kept, nil for one that is not there.
	Parts func(Digest) ([]byte, error)

	dicts   map[Digest]*s2.Dict
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

const (
	// decodedMost is the size of the parts that a decoder has in memory.
	decodedMost = 256 << 20
	// longest is the length of the longest photograph before it is compressed.
	longest = 64 << 20
)

// Decode returns a photograph.
func (d *Decoder) Decode(data []byte) (*Photograph, error) {
	plain, err := d.decompress(data)
	if err != nil {
		return nil, err
	}
	var layout Digest
	p, r := &Photograph{}, reader{b: plain, part: d.part}
	copy(p.InputsDigest[:], r.take(len(layout)))
	copy(p.AnswerDigest[:], r.take(len(layout)))
	copy(layout[:], r.take(len(layout)))
	p.RequestID = r.take(r.length(r.uvarint()))
	body := r.take(r.length(r.uvarint()))
	p.Answer = r.b
	if r.err != nil || inputsDigest(&layout, body) != p.InputsDigest || AnswerDigest(p.Answer) != p.AnswerDigest {
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

// decompress returns the bytes of a photograph.
func (d *Decoder) decompress(data []byte) (plain []byte, err error) {
	damaged := fmt.Errorf("the photograph %w: it cannot be decompressed", ErrDamaged)
	var digest Digest
	r := reader{b: data}
	head := r.take(1)
	copy(digest[:], r.take(len(digest)))
	if r.err != nil || head[0] != form {
		return nil, damaged
	}
	if n, err := s2.DecodedLen(r.b); err != nil || n > longest {
		return nil, damaged
	}
	if digest == (Digest{}) {
		plain, err = s2.Decode(nil, r.b)
	} else {
		dict, bad := d.dict(digest)
		if bad != nil {
			return nil, bad
		}
		plain, err = dict.Decode(nil, r.b)
	}
	if err != nil {
		return nil, damaged
	}
	return plain, nil
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

func (d *Decoder) dict(digest Digest) (*s2.Dict, error) {
	if dict := d.dicts[digest]; dict != nil {
		return dict, nil
	}
	text, err := d.kept(digest)
	if err != nil {
		return nil, err
	}
	dict := s2.NewDict(text)
	if dict == nil {
		return nil, fmt.Errorf("part %x of the photograph %w: it is no dictionary", digest[:6], ErrDamaged)
	}
	if d.dicts == nil {
		d.dicts = map[Digest]*s2.Dict{}
	}
	d.dicts[digest] = dict
	return dict, nil
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
