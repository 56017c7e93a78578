package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ballast/docs"
)

const (
	modelURI = "ballast://model"
	flagsURI = "ballast://flags"
	markdown = "text/markdown"
)

func (s *Server) addResources() {
	s.known["resources/read"] = ", known: " + modelURI + ", " + flagsURI + ", " + modelURI +
		"/{section} with section: " + strings.Join(sectionNames(), ", ")
	s.sdk.AddResource(&sdk.Resource{URI: modelURI, Name: "model", Title: "The model", MIMEType: markdown,
		Size: int64(len(docs.Model)),
		Description: "What each number is, how it is computed, and its limits: a long page. One section of it: " +
			modelURI + "/{section}."}, readModel)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: modelURI + "/{section}", Name: "model-section",
		Title: "A section of the model page", MIMEType: markdown,
		Description: "section: " + strings.Join(sectionNames(), ", ")}, readModel)
	s.sdk.AddResource(&sdk.Resource{URI: flagsURI, Name: "flags", Title: "All flags", MIMEType: "application/json",
		Description: "Each flag with its severity, the rule that raises it, its meaning and the unit of its figures."},
		s.readFlags)
}

func readModel(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	if uri == modelURI {
		return contents(uri, markdown, docs.Model), nil
	}
	for _, section := range sections {
		if uri == modelURI+"/"+sectionName(section) {
			return contents(uri, markdown, "## "+section), nil
		}
	}
	return nil, sdk.ResourceNotFoundError(uri)
}

// sections are the sections of the model page, without the heading marks.
var sections = strings.Split("\n"+docs.Model, "\n## ")[1:]

// sectionName returns the heading of a section as used in an address.
func sectionName(section string) string {
	heading, _, _ := strings.Cut(section, "\n")
	keep := func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '_', 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		}
		return -1
	}
	return strings.Map(keep, strings.ToLower(heading))
}

func sectionNames() (names []string) {
	for _, section := range sections {
		names = append(names, sectionName(section))
	}
	return names
}

func (s *Server) readFlags(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	flags, bad := s.newCall(ctx, req.Extra).flags()
	if bad != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: bad.Code + ": " + bad.Detail}
	}
	text, err := json.Marshal(flags)
	if err != nil {
		return nil, err
	}
	return contents(flagsURI, "application/json", string(text)), nil
}

func contents(uri, mimeType, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mimeType, Text: text}}}
}
