// Package docs embeds the pages that the service itself serves.
package docs

import _ "embed" // the pages

// Model is the page on what each number means and where it comes from.
//
//go:embed model.md
var Model string

// FirstRequest is the page on asking, and on what to do with the answer.
//
//go:embed first-request.md
var FirstRequest string

// API is the page on the HTTP interface.
//
//go:embed api.md
var API string

// Operations is the page on running the service, to which its Prometheus alerts link.
//
//go:embed operations.md
var Operations string

// Alerts is the page on the alert socket.
//
//go:embed alerts.md
var Alerts string
