// Package docs holds the pages that the service itself gives out.
package docs

import _ "embed" // the page

// Model is what each number is and where it comes from.
//
//go:embed model.md
var Model string
