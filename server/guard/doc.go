// Package guard stands between an MCP client and an MCP server that trades. It passes their lines on unchanged, except
// for calls of tools that open or enlarge a position: a running service judges those first, and a call that it does
// not allow is answered here and never reaches the server.
//
// A Map says what each tool of a server does, and where its arguments have the asset, the side and the size.
package guard
