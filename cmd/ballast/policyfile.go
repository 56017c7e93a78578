package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"ballast/internal/jsonscan"
	"ballast/policy"
	"ballast/server/limits"
)

// readPolicies reads a file of policies, YAML or JSON; "-": standard input. Its members are policies by wallet; a
// file of rules alone is the policy of one wallet.
func readPolicies(path, wallet string) (map[string]policy.Rules, error) {
	name, ok := limits.Name([]byte(wallet))
	if !ok {
		return nil, fmt.Errorf("--wallet: %w", noWallet(wallet))
	}
	text, err := readInput(path)
	if err != nil {
		return nil, err
	}
	wanted, err := parsePolicies(text, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return wanted, nil
}

func parsePolicies(text []byte, wallet string) (map[string]policy.Rules, error) {
	split, alone := splitYAML, policy.DecodeYAML
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		split, alone = splitJSON, policy.DecodeJSON
	}
	parts, err := split(text)
	if err != nil {
		return nil, err
	}
	if !isOfWallets(parts) {
		rules, bad := alone(text)
		if bad != nil {
			return nil, bad
		}
		return map[string]policy.Rules{wallet: rules}, nil
	}
	wanted := make(map[string]policy.Rules, len(parts))
	for _, part := range parts {
		name, ok := limits.Name([]byte(part.name))
		if !ok {
			return nil, noWallet(part.name)
		}
		if _, twice := wanted[name]; twice {
			return nil, fmt.Errorf("the policy of %s is given twice: leave one of the two out", name)
		}
		rules, bad := part.decode()
		if bad != nil {
			return nil, fmt.Errorf("policy of %s: %w", name, bad)
		}
		wanted[name] = rules
	}
	return wanted, nil
}

// policyPart is a member of a file.
type policyPart struct {
	name   string
	decode func() (policy.Rules, *policy.Problem) // the value
}

// isOfWallets reports whether the members of a file are named after wallets. One that looks like a wallet is enough:
// a misspelt one must not be taken for a rule.
func isOfWallets(parts []policyPart) bool {
	for _, part := range parts {
		if part.name == limits.All || strings.HasPrefix(strings.ToLower(part.name), "0x") {
			return true
		}
	}
	return false
}

// splitJSON returns the members of an object.
func splitJSON(text []byte) (parts []policyPart, err error) {
	var s jsonscan.Scanner
	var value jsonscan.Value
	s.Reset(text)
	if s.BeginObject() {
		for name, more := s.Member(); more; name, more = s.Member() {
			s.Value(&value)
			text := value.Raw
			parts = append(parts, policyPart{string(name), func() (policy.Rules, *policy.Problem) {
				return policy.DecodeJSON(text)
			}})
		}
	}
	if !s.End() {
		return nil, errors.New(s.Problem())
	}
	return parts, nil
}

// splitYAML returns the members of a mapping.
func splitYAML(text []byte) (parts []policyPart, err error) {
	var file, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&file); err != nil && err != io.EOF {
		return nil, err
	}
	if err := d.Decode(&more); err != io.EOF {
		return nil, errors.New("a second document: write all policies into one")
	}
	if len(file.Content) == 0 || file.Content[0].Kind != yaml.MappingNode {
		return nil, nil // no policies; the caller says why
	}
	members := file.Content[0].Content
	for i := 0; i < len(members); i += 2 {
		parts = append(parts, policyPart{members[i].Value, func() (policy.Rules, *policy.Problem) {
			return policy.DecodeNode(members[i+1])
		}})
	}
	return parts, nil
}
