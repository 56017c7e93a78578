package journal

import (
	"encoding/hex"
	"fmt"

	"ballast/internal/store"
	"ballast/server/photo"
)

// Photographs are those of a database. Create it with NewPhotographs; not safe for concurrent use.
type Photographs struct {
	store   *store.Main
	decoder photo.Decoder
}

// NewPhotographs returns the photographs of a database.
func NewPhotographs(s *store.Main) *Photographs {
	return &Photographs{s, photo.Decoder{Parts: func(d photo.Digest) ([]byte, error) { return s.PhotographPart(d) }}}
}

// Of returns the photograph of a decision.
func (r *Photographs) Of(d *Decision) (*photo.Photograph, error) {
	all, err := r.store.PhotographsOf(d.RequestID, d.Index)
	if err != nil {
		return nil, err
	}
	found := fmt.Errorf("the photograph %w", photo.ErrMissing)
	for i, data := range all {
		p, err := r.decoder.Decode(data)
		if err == nil && (hex.EncodeToString(p.InputsDigest[:]) != d.InputsDigest ||
			hex.EncodeToString(p.AnswerDigest[:]) != d.AnswerDigest) {
			err = fmt.Errorf("the photograph %w: it is not that of the decision", photo.ErrDamaged)
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
