package sample

import (
	"bytes"
	"encoding/json"
	"testing"

	"ballast/server/spec/types"
)

// The sample has no field that an assessment of today has not.
func TestShape(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(JSON))
	d.DisallowUnknownFields()
	if err := d.Decode(new(types.Assessment)); err != nil {
		t.Fatal(err)
	}
}
