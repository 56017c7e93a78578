// Package types has an assessment as Go types, for programs of this module that read answers.
package types
