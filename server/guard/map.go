package guard

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ballast/internal/similar"
)

// Map says what the tools of an MCP server do.
type Map struct {
	Server string // its name, for messages
	Tools  map[string]*Tool
}

// Effect is what a tool does to an account.
type Effect string

const (
	Opens    Effect = "opens"    // may open or enlarge a position
	Reduces  Effect = "reduces"  // only closes, reduces or cancels
	Reads    Effect = "reads"    // changes nothing at the venue
	Leverage Effect = "leverage" // sets the leverage of an asset
	Margin   Effect = "margin"   // adds margin to a position, or takes some out
	Refused  Effect = "refused"  // may not be called
)

// Tool is one tool. Its paths name members of the arguments, with dots between a member and one inside of it.
type Tool struct {
	Does Effect `yaml:"does"`
	// Each is the path of a list of orders; the other paths are then of its elements.
	Each        string `yaml:"each"`
	Asset       string `yaml:"asset"`        // the venue's ticker
	AssetNumber string `yaml:"asset_number"` // the asset's number in the venue's orders
	Buy         string `yaml:"buy"`          // true: buys
	Side        string `yaml:"side"`         // buy or long, sell or short
	Always      string `yaml:"always"`       // no path: buy or sell, of a tool with one side
	SizeCoin    string `yaml:"size_coin"`
	SizeUSD     string `yaml:"size_usd"`
	Price       string `yaml:"price"`       // limit price; 0 or nothing: a market order
	Type        string `yaml:"type"`        // market: the price does not count
	TIF         string `yaml:"tif"`         // Gtc, Ioc or Alo
	Trigger     string `yaml:"trigger"`     // there: the order waits for a price, and counts as a market order now
	ReduceOnly  string `yaml:"reduce_only"` // true: the order passes at once
	Leverage    string `yaml:"leverage"`
	Wallet      string `yaml:"wallet"` // the account, in place of --wallet
	// Adds is true where margin is added; AddsByDefault: also where it is left out.
	Adds          string `yaml:"adds"`
	AddsByDefault bool   `yaml:"adds_by_default"`
	Why           string `yaml:"why"` // no path: why a call is refused, and what to do instead

	names []string // the first members of all paths
}

// noPaths are the members of a tool that are no paths.
var noPaths = []string{"does", "always", "adds_by_default", "why"}

// fieldsOf are the members that a tool may have beside does, by what it does.
var fieldsOf = map[Effect][]string{
	Opens: {"each", "asset", "asset_number", "buy", "side", "always", "size_coin", "size_usd", "price", "type", "tif",
		"trigger", "reduce_only", "leverage", "wallet"},
	Leverage: {"asset", "asset_number", "leverage", "wallet"},
	Margin:   {"adds", "adds_by_default"},
	Refused:  {"why"},
	Reduces:  {},
	Reads:    {},
}

//go:embed maps/*.yaml
var embedded embed.FS

// Embedded returns the names of the maps that are part of the program.
func Embedded() (names []string) {
	files, err := embedded.ReadDir("maps")
	if err != nil {
		panic("BUG: no embedded maps: " + err.Error())
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// EmbeddedMap returns the text of a map that is part of the program, nil if there is none of that name.
func EmbeddedMap(name string) []byte {
	text, err := embedded.ReadFile("maps/" + name + ".yaml")
	if err != nil {
		return nil
	}
	return text
}

// ParseMap reads a map, YAML or JSON. An error names the line and says how to mend it.
func ParseMap(text []byte) (*Map, error) {
	var file, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&file); errors.Is(err, io.EOF) {
		return nil, errors.New("the map is empty: write lines such as tools: {place_order: {does: opens, ...}}")
	} else if err != nil {
		return nil, err
	}
	if d.Decode(&more) == nil {
		return nil, fmt.Errorf("line %d: a second document: write all tools into one", more.Line)
	}
	m := &Map{Tools: map[string]*Tool{}}
	tool := func(name string, value *yaml.Node) error {
		t, err := parseTool(name, value)
		m.Tools[name] = t
		return err
	}
	allowed := []string{"server", "tools"}
	err := eachMember(file.Content[0], "the map", allowed, func(name string, value *yaml.Node) error {
		if name == "server" {
			return value.Decode(&m.Server)
		}
		return eachMember(value, "tools", nil, tool)
	})
	if err == nil && len(m.Tools) == 0 {
		err = errors.New("the map names no tool: write tools: {place_order: {does: opens, ...}}")
	}
	return m, err
}

// eachMember calls f for each member of a mapping. Only the names of allowed may occur, nil: any.
func eachMember(n *yaml.Node, what string, allowed []string, f func(name string, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: %s: want names with values, such as does: reads", n.Line, what)
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		switch {
		case name.Kind != yaml.ScalarNode || name.Tag != "!!str":
			return fmt.Errorf("line %d: %s: a name must be a text", name.Line, what)
		case value.Kind == yaml.AliasNode || value.Anchor != "":
			return fmt.Errorf("line %d: %s: %.40s has an anchor or an alias: write the value itself", name.Line, what,
				name.Value)
		case seen[name.Value]:
			return fmt.Errorf("line %d: %s: %.40s is given twice: leave one of the two out", name.Line, what,
				name.Value)
		case allowed != nil && !slices.Contains(allowed, name.Value):
			return fmt.Errorf("line %d: %s has no %.40q: %s", name.Line, what, name.Value, instead(name.Value, allowed))
		}
		seen[name.Value] = true
		if err := f(name.Value, value); err != nil {
			return err
		}
	}
	return nil
}

// instead says what to write in place of a name that is not allowed.
func instead(name string, allowed []string) string {
	if near := similar.Name(name, allowed); near != "" {
		return "did you mean " + near + "?"
	}
	if len(allowed) == 0 {
		return "leave it out"
	}
	return "want one of " + strings.Join(allowed, ", ")
}

func parseTool(name string, n *yaml.Node) (*Tool, error) {
	what := "tool " + name
	fail := func(format string, args ...any) (*Tool, error) {
		return nil, fmt.Errorf("line %d: %s: %s", n.Line, what, fmt.Sprintf(format, args...))
	}
	t := &Tool{}
	if n.Kind != yaml.MappingNode {
		return fail("want what it does, such as {does: reads}")
	}
	if err := n.Decode(t); err != nil {
		return fail("%v", err)
	}
	fields, known := fieldsOf[t.Does]
	if !known {
		effects := []string{string(Opens), string(Reduces), string(Reads), string(Leverage), string(Margin),
			string(Refused)}
		return fail("does %.40q: %s", string(t.Does), instead(string(t.Does), effects))
	}
	err := eachMember(n, what, append(slices.Clone(fields), "does"), func(name string, value *yaml.Node) error {
		if first, _, _ := strings.Cut(value.Value, "."); first != "" && value.Tag != "!!null" &&
			!slices.Contains(noPaths, name) {
			t.names = append(t.names, first)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if bad := t.problem(); bad != "" {
		return fail("%s", bad)
	}
	return t, nil
}

// problem returns what a tool lacks, "" if nothing.
func (t *Tool) problem() string {
	one := func(names string, values ...string) string {
		if n := len(slices.DeleteFunc(values, func(v string) bool { return v == "" })); n != 1 {
			return fmt.Sprintf("want exactly one of %s, has %d", names, n)
		}
		return ""
	}
	var bad []string
	switch t.Does {
	case Opens:
		bad = []string{one("asset, asset_number", t.Asset, t.AssetNumber),
			one("buy, side, always", t.Buy, t.Side, t.Always),
			one("size_coin, size_usd", t.SizeCoin, t.SizeUSD)}
		if t.Always != "" && t.Always != "buy" && t.Always != "sell" {
			bad = append(bad, fmt.Sprintf("always: %.40s: want buy or sell", t.Always))
		}
	case Leverage:
		bad = []string{one("asset, asset_number", t.Asset, t.AssetNumber), one("leverage", t.Leverage)}
	case Margin:
		bad = []string{one("adds", t.Adds)}
	case Refused:
		bad = []string{one("why", t.Why)}
	}
	return strings.Join(slices.DeleteFunc(bad, func(v string) bool { return v == "" }), "; ")
}

// NeedsWallet reports whether a tool that is judged names no wallet itself.
func (m *Map) NeedsWallet() bool {
	for _, t := range m.Tools {
		if (t.Does == Opens || t.Does == Leverage) && t.Wallet == "" {
			return true
		}
	}
	return false
}
