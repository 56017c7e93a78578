// Package mcp offers the service to language models by the Model Context Protocol. It has no
// request rules of its own: each tool asks a route of the HTTP interface, in this process or
// over the network, and passes the answer or the error on.
package mcp
