package journal

import (
	"encoding/hex"
	"sync"

	"ballast/compute/risk"
	"ballast/internal/store"
	"ballast/server/photo"
)

// Camera takes photographs on the goroutines of requests, and encodes them on that of the journal. The zero value is
// ready.
type Camera struct {
	encoder photo.Encoder
	free    sync.Pool
}

// Shot is a photograph that has been taken.
type Shot struct {
	photo.Photograph
	camera *Camera
}

// Take copies what belongs to a request and its scratch. The caller fills in the other Inputs.
func (c *Camera) Take(in *risk.Input, requestID, answer []byte) *Shot {
	s, _ := c.free.Get().(*Shot)
	if s == nil {
		s = &Shot{camera: c}
	}
	s.RequestID, s.Answer = append(s.RequestID[:0], requestID...), append(s.Answer[:0], answer...)
	s.Inputs.Take(in)
	return s
}

// Encode returns the photograph as it is kept. Call it once, on one goroutine at a time for all of a camera.
func (s *Shot) Encode() (kept store.Photograph, inputsDigest, answerDigest string, err error) {
	out := s.camera.encoder.Encode(&s.Photograph)
	kept.Data = out.Data
	for i := range out.Parts {
		part := &out.Parts[i]
		kept.Parts = append(kept.Parts, store.PhotographPart{Digest: part.Digest, Data: part.Data})
	}
	s.Inputs.Forget()
	s.camera.free.Put(s)
	return kept, hex.EncodeToString(out.Inputs[:]), hex.EncodeToString(out.Answer[:]), nil
}
