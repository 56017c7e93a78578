//go:build amd64 && !purego && !noasm

package asm

var _ = register("fixedfields")

//go:noescape
func appendFixedFieldsAVX2(dst *byte, keys *FieldName, x *float64, n int) (written, done int)
