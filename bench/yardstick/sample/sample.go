// Package sample holds an example of a validation: a real answer of the service for a wallet
// without positions. The yardsticks answer with it.
package sample

import _ "embed"

// JSON is the answer, 7.3 KB.
//
//go:embed answer.json
var JSON []byte
