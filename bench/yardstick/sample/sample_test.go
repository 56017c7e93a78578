package sample

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// The types have exactly the fields of the sample.
func TestShape(t *testing.T) {
	var a Answer
	d := json.NewDecoder(bytes.NewReader(JSON))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(&a)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal(JSON, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("types and sample differ: %v\n%s", err, text)
	}
}
