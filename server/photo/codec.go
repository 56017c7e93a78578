package photo

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"reflect"
	"strconv"

	mc "ballast/marketcache"
)

// Digest is a SHA-256: the name of a part, and of what an answer was computed from.
type Digest [sha256.Size]byte

// file is a photograph before it is compressed.
type file struct {
	InputsDigest, AnswerDigest Digest
	RequestID, Answer          []byte
	Inputs                     []byte // an inputsFile
}

// inputsFile is what an answer was computed from. Parts are the values that are missing in Inputs.
type inputsFile struct {
	Parts  []reference
	Inputs Inputs
}

// reference says which part the pointer at a path leads to.
type reference struct {
	Path string
	Part Digest
}

// isPart reports whether a pointer leads to what many answers share.
func isPart(pointer any) bool {
	switch pointer.(type) {
	case *mc.AssetModel, *mc.Correlations, *mc.PairTable, *mc.Book:
		return true
	}
	return false
}

// bare returns a part without what no answer depends on, or what is kept in another form: the series and outcomes of
// which the tables of Joint are made, and how long the fit took.
func bare(part any) any {
	fit, is := part.(*mc.AssetModel)
	if !is {
		return part
	}
	b := *fit
	b.Z24, b.Low24, b.High24, b.LogClose, b.DaySD = mc.HourlySeries{}, mc.HourlySeries{}, mc.HourlySeries{},
		mc.HourlySeries{}, mc.HourlySeries{}
	b.Daily, b.FitDuration = nil, 0
	if b.Joint != nil {
		joint := *b.Joint
		joint.Z, b.Joint = nil, &joint
	}
	return &b
}

// gob numbers types in the order of their first use; fixed here, so that equal values are equal bytes in every process.
func init() {
	for _, value := range []any{&file{}, &inputsFile{}, &mc.AssetModel{}, &mc.Correlations{}, &mc.PairTable{},
		&mc.Book{}, &mc.Account{}} {
		gobOf(value)
	}
}

func gobOf(value any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		panic("BUG: what cannot be kept: " + err.Error())
	}
	return b.Bytes()
}

// pointers calls do with every pointer of a value, and with its path. It follows none.
func pointers(path string, v reflect.Value, do func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		do(path, v)
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				pointers(path+"."+field.Name, v.Field(i), do)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			return
		}
		for i := range v.Len() {
			pointers(path+"."+strconv.Itoa(i), v.Index(i), do)
		}
	}
}
