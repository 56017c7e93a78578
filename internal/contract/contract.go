// Package contract checks, in tests, what the service answers against the documents in server/spec:
// every answer must be as documented, and every documented field, error and header must occur in some
// answer.
package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"ballast/server/spec"
)

// Recorder checks answers and records what occurred in them. The zero value is ready for use. It is safe
// for concurrent use.
type Recorder struct {
	mu   sync.Mutex
	seen map[string]bool // fields, error codes, headers and answers that occurred
}

// Check returns an error if an answer to a request is not as documented. target is the path and query of
// the request line, or "" if the service refused the connection.
func (r *Recorder) Check(method, target string, status int, header http.Header, body []byte) error {
	pointer := openAPI.response(method, target, status)
	if pointer == "" {
		return fmt.Errorf("%s %s: status %d is not documented", method, target, status)
	}
	seen := map[string]bool{pointer: true}
	if err := openAPI.checkHeaders(pointer, header, target != "", seen); err != nil {
		return fmt.Errorf("%s %s, %d: %w", method, target, status, err)
	}
	if method != http.MethodHead && header.Get("Content-Encoding") == "" {
		if err := openAPI.checkBody(pointer, header.Get("Content-Type"), body, seen); err != nil {
			return fmt.Errorf("%s %s, %d: %w\n%.600s", method, target, status, err, body)
		}
	}
	r.note(seen)
	return nil
}

// CheckMessage returns an error if a message of the alert socket is not as documented.
func (r *Recorder) CheckMessage(text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	for _, name := range [...]string{"Subscribed", "RiskAlert", "InvalidConfig"} {
		pointer := "/components/schemas/" + name
		if asyncAPI.schema(pointer).Validate(value) == nil {
			seen := map[string]bool{}
			asyncAPI.walk(pointer, value, seen)
			r.note(seen)
			return nil
		}
	}
	return fmt.Errorf("no documented message of the alert socket: %s", text)
}

func (r *Recorder) note(seen map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	maps.Copy(r.seen, seen)
}

// Unseen returns what is documented and has not occurred: fields and error codes of answers and of the
// socket's messages, response headers, and answers other than errors.
func (r *Recorder) Unseen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var missing []string
	for _, d := range []*document{openAPI, asyncAPI} {
		for _, p := range d.promises() {
			if !r.seen[p] {
				missing = append(missing, p)
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// document is the OpenAPI or the AsyncAPI document, with its schemas.
type document struct {
	url      string
	tree     map[string]any
	compiler *jsonschema.Compiler

	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema // by pointer
}

var (
	openAPI  = read("openapi", spec.OpenAPI.Plain())
	asyncAPI = read("asyncapi", spec.AsyncAPI.Plain())
)

func read(name string, text []byte) *document {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic("BUG: " + name + ": " + err.Error())
	}
	d := &document{url: "urn:" + name, tree: tree.(map[string]any), compiler: jsonschema.NewCompiler(),
		compiled: map[string]*jsonschema.Schema{}}
	closeObjects(tree)
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(d.url, tree); err != nil {
		panic("BUG: " + name + ": " + err.Error())
	}
	return d
}

// closeObjects forbids undocumented members in all schemas. The documents allow them, so that a client
// works with a newer service.
func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, isObject := node["properties"].(map[string]any)
		if _, says := node["additionalProperties"]; isObject && !says {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closeObjects(child)
		}
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	}
}

// at returns the value at a JSON pointer, nil if there is none.
func (d *document) at(pointer string) any {
	var node any = d.tree
	for _, name := range strings.Split(pointer, "/")[1:] {
		switch parent := node.(type) {
		case map[string]any:
			node = parent[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(parent) {
				return nil
			}
			node = parent[i]
		default:
			return nil
		}
	}
	return node
}

// resolve follows references from a pointer.
func (d *document) resolve(pointer string) (string, map[string]any) {
	node, _ := d.at(pointer).(map[string]any)
	if ref, ok := node["$ref"].(string); ok {
		return d.resolve(strings.TrimPrefix(ref, "#"))
	}
	return pointer, node
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// schema compiles the schema at a pointer.
func (d *document) schema(pointer string) *jsonschema.Schema {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.compiled[pointer]
	if s == nil {
		s = d.compiler.MustCompile(d.url + "#" + pointer)
		d.compiled[pointer] = s
	}
	return s
}

// operation returns the pointer of a request's operation, "" if there is none.
func (d *document) operation(method, target string) string {
	target, _, _ = strings.Cut(target, "?")
	if _, rest, is := strings.Cut(target, "://"); is && target[0] != '/' { // an absolute URI
		target = rest[strings.IndexByte(rest+"/", '/'):]
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for path := range d.tree["paths"].(map[string]any) {
		prefix, _, isTemplate := strings.Cut(path, "{")
		if target != path && !(isTemplate && len(target) > len(prefix) && strings.HasPrefix(target, prefix)) {
			continue
		}
		pointer := "/paths/" + escape(path) + "/" + strings.ToLower(method)
		if d.at(pointer) != nil && method == strings.ToUpper(method) {
			return pointer
		}
	}
	return ""
}

// response returns the pointer of the documented answer, "" if there is none. A request that
// matches no operation may be answered with an error of any operation.
func (d *document) response(method, target string, status int) string {
	if op := d.operation(method, target); op != "" {
		pointer := op + "/responses/" + strconv.Itoa(status)
		if d.at(pointer) == nil {
			return ""
		}
		resolved, _ := d.resolve(pointer)
		return resolved
	}
	if method == http.MethodOptions && status == http.StatusNoContent {
		return "/components/responses/Preflight"
	}
	for path, item := range d.tree["paths"].(map[string]any) {
		for verb := range item.(map[string]any) {
			pointer := "/paths/" + escape(path) + "/" + verb + "/responses/" + strconv.Itoa(status)
			if resolved, node := d.resolve(pointer); node != nil && strings.HasPrefix(resolved, "/components/") &&
				status >= 400 {
				return resolved
			}
		}
	}
	return ""
}

// plainHeaders are headers of HTTP itself, which need no documentation.
var plainHeaders = []string{"Server", "Date", "Content-Type", "Content-Length", "Connection", "Upgrade",
	"Sec-Websocket-Accept"}

func (d *document) checkHeaders(pointer string, header http.Header, toRequest bool, seen map[string]bool) error {
	listed, _ := d.at(pointer + "/headers").(map[string]any)
	known := map[string]string{} // pointer by canonical name
	for name := range listed {
		known[http.CanonicalHeaderKey(name)], _ = d.resolve(pointer + "/headers/" + name)
	}
	for name, values := range header {
		at, ok := known[name]
		switch {
		case slices.Contains(plainHeaders, name):
			continue
		case !ok:
			return fmt.Errorf("header %s is not documented for this answer", name)
		case len(values) != 1:
			return fmt.Errorf("header %s comes %d times", name, len(values))
		}
		seen[at] = true
		var value any = values[0]
		if schema := d.at(at + "/schema").(map[string]any); schema["type"] == "integer" {
			value = json.Number(values[0])
		}
		if err := d.schema(at + "/schema").Validate(value); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	for name := range listed {
		_, node := d.resolve(pointer + "/headers/" + name)
		if node["required"] == true && toRequest && header.Get(name) == "" {
			return fmt.Errorf("header %s is missing", name)
		}
	}
	return nil
}

func (d *document) checkBody(pointer, contentType string, body []byte, seen map[string]bool) error {
	content, _ := d.at(pointer + "/content").(map[string]any)
	if content == nil {
		if len(body) > 0 || contentType != "" {
			return fmt.Errorf("a body or a Content-Type that is not documented")
		}
		return nil
	}
	if content[contentType] == nil {
		return fmt.Errorf("Content-Type %s is not documented", contentType)
	}
	at := pointer + "/content/" + escape(contentType) + "/schema"
	var value any = string(body)
	if contentType == "application/json" {
		var err error
		if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
			return err
		}
	}
	if err := d.schema(at).Validate(value); err != nil {
		return err
	}
	d.walk(at, value, seen)
	return nil
}

// walk records which documented fields and error codes a valid value has.
func (d *document) walk(pointer string, value any, seen map[string]bool) {
	pointer, node := d.resolve(pointer)
	branches, _ := node["anyOf"].([]any)
	for i := range branches {
		branch := pointer + "/anyOf/" + strconv.Itoa(i)
		if d.schema(branch).Validate(value) == nil {
			d.walk(branch, value, seen)
		}
	}
	switch value := value.(type) {
	case map[string]any:
		fields, _ := node["properties"].(map[string]any)
		for name := range fields {
			if member, ok := value[name]; ok {
				at := pointer + "/properties/" + name
				seen[at] = true
				d.walk(at, member, seen)
				if code, ok := member.(string); ok && name == "error" {
					seen[at+"="+code] = true
				}
			}
		}
	case []any:
		for _, element := range value {
			d.walk(pointer+"/items", element, seen)
		}
	}
}

// promises lists what must occur: see Unseen.
func (d *document) promises() (list []string) {
	if d == asyncAPI {
		for _, name := range [...]string{"Subscribed", "RiskAlert", "InvalidConfig"} {
			list = d.fields("/components/schemas/"+name, list)
		}
		return list
	}
	for name := range d.at("/components/headers").(map[string]any) {
		list = append(list, "/components/headers/"+name)
	}
	answer := func(pointer string) {
		if slices.Contains(list, pointer) {
			return
		}
		list = append(list, pointer)
		content, _ := d.at(pointer + "/content").(map[string]any)
		for contentType := range content {
			list = d.fields(pointer+"/content/"+escape(contentType)+"/schema", list)
		}
	}
	for path, item := range d.tree["paths"].(map[string]any) {
		for verb, op := range item.(map[string]any) {
			for status := range op.(map[string]any)["responses"].(map[string]any) {
				pointer, _ := d.resolve("/paths/" + escape(path) + "/" + verb + "/responses/" + status)
				answer(pointer)
			}
		}
	}
	return list
}

// fields appends the fields and error codes of a schema that are not yet in the list.
func (d *document) fields(pointer string, list []string) []string {
	pointer, node := d.resolve(pointer)
	for _, name := range slices.Sorted(maps.Keys(asObject(node["properties"]))) {
		at := pointer + "/properties/" + name
		if slices.Contains(list, at) {
			return list
		}
		list = append(list, at)
		if codes, ok := asObject(d.at(at))["enum"].([]any); ok && name == "error" {
			for _, code := range codes {
				list = append(list, at+"="+code.(string))
			}
		}
		list = d.fields(at, list)
	}
	if node["items"] != nil {
		list = d.fields(pointer+"/items", list)
	}
	branches, _ := node["anyOf"].([]any)
	for i := range branches {
		list = d.fields(pointer+"/anyOf/"+strconv.Itoa(i), list)
	}
	return list
}

func asObject(node any) map[string]any {
	object, _ := node.(map[string]any)
	return object
}
