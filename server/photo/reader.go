package photo

import (
	"encoding/hex"
	"fmt"

	"ballast/internal/store"
)

// Reader finds the photographs of a database. Create it with NewReader; not safe for concurrent use.
type Reader struct {
	store   *store.Main
	decoder Decoder
}

// NewReader returns a Reader of a database.
func NewReader(s *store.Main) *Reader {
	return &Reader{s, Decoder{Parts: func(d Digest) ([]byte, error) { return s.PhotographPart(d) }}}
}

// Of returns the photograph of the decision with a request id, an index in the request, and the digests of its inputs
// and its answer in hexadecimal.
func (r *Reader) Of(requestID string, index int, inputs, answer string) (*Photograph, error) {
	all, err := r.store.PhotographsOf(requestID, index)
	if err != nil {
		return nil, err
	}
	found := fmt.Errorf("the photograph %w", ErrMissing)
	for i, data := range all {
		p, err := r.decoder.Decode(data)
		if err == nil && (hex.EncodeToString(p.InputsDigest[:]) != inputs ||
			hex.EncodeToString(p.AnswerDigest[:]) != answer) {
			err = fmt.Errorf("the photograph %w: it is not that of the decision", ErrDamaged)
		}
		if err == nil {
			return p, nil
		}
		if i == 0 {
			found = err
		}
	}
	return nil, found
}
