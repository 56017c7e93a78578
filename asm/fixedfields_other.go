//go:build !amd64 || purego || noasm

package asm

func appendFixedFieldsAVX2(dst *byte, keys *FieldName, x *float64, n int) (written, done int) {
	panic("BUG: no assembly")
}
