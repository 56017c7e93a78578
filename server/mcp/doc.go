// Package mcp offers the service to language models by the Model Context Protocol. It has no rules of
// its own: each tool sends a request to a route of the HTTP interface, in this process or over the
// network, and returns its answer or error.
package mcp
