package main

import "ballast/server/spec/types"

// answer is an assessment to be shown in the terminal.
type answer struct{ types.Assessment }
