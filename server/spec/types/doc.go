// Package types has the answers as Go types, for programs of this module that read them.
package types
