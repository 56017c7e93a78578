// Package docs holds the pages that the service itself gives out.
package docs

import _ "embed" // the pages

// Model is what each number is and where it comes from.
//
//go:embed model.md
var Model string

// API is the HTTP interface.
//
//go:embed api.md
var API string

// Alerts is the alert socket.
//
//go:embed alerts.md
var Alerts string
