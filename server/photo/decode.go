package photo

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"reflect"

	"github.com/klauspost/compress/s2"
)

// Errors of what cannot be read, wrapped with what it is.
var (
	ErrMissing = errors.New("is missing")
	ErrDamaged = errors.New("is damaged")
	errOlder   = errors.New("the photograph is of release 0.3.0, which kept them in another form: replay it with that")
)

// Decoder decodes photographs. It is not safe for concurrent use.
type Decoder struct {
	// Parts returns a part as it is kept, nil for one that is not there.
	Parts func(Digest) ([]byte, error)

	dicts   map[Digest]*s2.Dict
	decoded map[decodedPart]reflect.Value
	size    int // of the parts in decoded, as they are kept
}

// decodedPart identifies a decoded part, which is one value in memory, as it was when the answer was computed.
type decodedPart struct {
	digest Digest
	is     reflect.Type
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
	var kept file
	var in inputsFile
	if read(plain, &kept) != nil || sha256.Sum256(kept.Inputs) != kept.InputsDigest ||
		AnswerDigest(kept.Answer) != kept.AnswerDigest || read(kept.Inputs, &in) != nil {
		return nil, fmt.Errorf("the photograph %w: it is not what was written", ErrDamaged)
	}
	if d.size > decodedMost {
		d.decoded, d.size = nil, 0
	}
	p := &Photograph{RequestID: kept.RequestID, Answer: kept.Answer, Inputs: in.Inputs, InputsDigest: kept.InputsDigest,
		AnswerDigest: kept.AnswerDigest}
	at := map[string]Digest{}
	for _, r := range in.Parts {
		at[r.Path] = r.Part
	}
	pointers("", reflect.ValueOf(&p.Inputs).Elem(), func(path string, v reflect.Value) {
		if digest, is := at[path]; is && err == nil {
			err = d.part(digest, v)
		}
	})
	return p, err
}

func read(data []byte, into any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(into) }

// decompress returns the bytes of a photograph.
func (d *Decoder) decompress(data []byte) (plain []byte, err error) {
	damaged := fmt.Errorf("the photograph %w: it cannot be decompressed", ErrDamaged)
	var digest Digest
	if len(data) > 0 && data[0] == form-1 {
		return nil, errOlder
	}
	if len(data) < 1+len(digest) || data[0] != form {
		return nil, damaged
	}
	packed := data[1+copy(digest[:], data[1:]):]
	if n, err := s2.DecodedLen(packed); err != nil || n > longest {
		return nil, damaged
	}
	if digest == (Digest{}) {
		plain, err = s2.Decode(nil, packed)
	} else {
		dict, bad := d.dict(digest)
		if bad != nil {
			return nil, bad
		}
		plain, err = dict.Decode(nil, packed)
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

// part sets a pointer to the value of a part.
func (d *Decoder) part(digest Digest, pointer reflect.Value) error {
	key := decodedPart{digest, pointer.Type()}
	if v, ok := d.decoded[key]; ok {
		pointer.Set(v)
		return nil
	}
	data, err := d.kept(digest)
	if err != nil {
		return err
	}
	v := reflect.New(pointer.Type().Elem())
	if err := read(data, v.Interface()); err != nil {
		return fmt.Errorf("part %x of the photograph %w: %w", digest[:6], ErrDamaged, err)
	}
	if d.decoded == nil {
		d.decoded = map[decodedPart]reflect.Value{}
	}
	d.decoded[key] = v
	d.size += len(data)
	pointer.Set(v)
	return nil
}
