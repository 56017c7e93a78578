package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"ballast/internal/similar"
)

// settings are the values of flags from a configuration file. Values from the command line and
// the environment take precedence. It implements kong.Resolver.
type settings struct {
	path   string
	values map[string]*setting
	loaded bool
	flags  []*kong.Flag // flags of the command that are not on the command line
}

type setting struct {
	value string
	line  int
	used  bool // the flag takes its value from here
}

// load reads the file that the command's --config names, once.
func (s *settings) load(ctx *kong.Context) error {
	if s.loaded {
		return nil
	}
	s.loaded = true
	for _, f := range ctx.Flags() {
		if f.Name == "config" {
			s.path = ctx.FlagValue(f).(string)
		}
		given := 0
		for _, p := range ctx.Path {
			if p.Flag == f {
				given++
			}
		}
		switch {
		case given == 0:
			s.flags = append(s.flags, f)
		case given > 1 && !f.IsCumulative():
			return fmt.Errorf("--%s: given %d times", f.Name, given)
		}
	}
	if s.path == "" {
		return nil
	}
	text, err := readFile(s.path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	serve := slices.IndexFunc(ctx.Model.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	return s.read(text, ctx.Model.Children[serve].Flags)
}

// read parses the file's text; each setting must belong to one of the flags. Errors never quote
// values, because some are secrets.
func (s *settings) read(text []byte, flags []*kong.Flag) error {
	var known []string
	for _, f := range flags {
		if len(f.Envs) > 0 && f.Name != "config" {
			known = append(known, f.Name)
		}
	}
	var file, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&file); errors.Is(err, io.EOF) {
		return nil // empty file
	} else if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	root := file.Content[0]
	switch {
	case d.Decode(&more) == nil:
		return fmt.Errorf("%s:%d: a second document: write all settings into one", s.path, more.Line)
	case root.Kind != yaml.MappingNode:
		return fmt.Errorf("%s:%d: want lines such as data-dir: /var/lib/ballast", s.path, root.Line)
	}
	s.values = map[string]*setting{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		refuse := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s: %s", s.path, key.Line, key.Value, fmt.Sprintf(format, args...))
		}
		if !slices.Contains(known, key.Value) {
			end := "."
			if near := similar.Name(key.Value, known); near != "" {
				end = ", did you mean " + near + "?"
			}
			return refuse(
				"no such setting%s `ballast serve --help` lists the flags; a setting is a flag without its dashes",
				end)
		}
		if s.values[key.Value] != nil {
			return refuse("given twice, on line %d too", s.values[key.Value].line)
		}
		items := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			items = value.Content
		}
		var texts []string
		for _, item := range items {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				return refuse(`want one value, or a list of values; "" is the empty one`)
			}
			texts = append(texts, item.Value)
		}
		s.values[key.Value] = &setting{value: strings.Join(texts, ","), line: key.Line}
	}
	return nil
}

// warnShared warns of a file that others may change, or in which they may read a secret.
func (s *settings) warnShared() {
	holds := func(name, part string) bool {
		v := s.values[name]
		return v != nil && strings.Contains(v.value, part)
	}
	unwanted := os.FileMode(0o022)
	if holds("smtp-password", "") || holds("venue", "@") || holds("nats-url", "@") {
		unwanted |= 0o004
	}
	if info, err := os.Stat(s.path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&unwanted != 0 {
		slog.Warn("others may change the configuration file, or read a secret in it: chmod 600", "file", s.path,
			"mode", info.Mode().Perm())
	}
}

// Resolve implements kong.Resolver for flags that are not on the command line.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	v := s.values[flag.Name]
	if v == nil || environmentName(flag) != "" {
		return nil, nil
	}
	v.used = true
	return v.value, nil
}

// Validate implements kong.Resolver.
func (s *settings) Validate(*kong.Application) error { return nil }

// environmentName returns the environment variable from which the flag takes its value, or "".
func environmentName(flag *kong.Flag) string {
	i := slices.IndexFunc(flag.Envs, func(name string) bool { _, set := os.LookupEnv(name); return set })
	if i < 0 {
		return ""
	}
	return flag.Envs[i]
}

var flagInText = regexp.MustCompile(`--[a-z-]+`)

// locate adds to each problem where the flags named in it were set: file and line, or environment variable.
func (s *settings) locate(err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, problem := range problems(err) {
		var places []string
		for _, name := range flagInText.FindAllString(problem.Error(), -1) {
			i := slices.IndexFunc(s.flags, func(f *kong.Flag) bool { return "--"+f.Name == name })
			if i < 0 {
				continue
			}
			if v := s.values[s.flags[i].Name]; v != nil && v.used {
				places = append(places, fmt.Sprintf("%s:%d", s.path, v.line))
			} else if env := environmentName(s.flags[i]); env != "" && !strings.Contains(problem.Error(), env) {
				places = append(places, env)
			}
		}
		if text := problem.Error(); text != plainWords.Replace(text) {
			problem = errors.New(plainWords.Replace(text))
		}
		if len(places) > 0 {
			problem = fmt.Errorf("%w (%s)", problem, strings.Join(slices.Compact(places), ", "))
		}
		all = append(all, problem)
	}
	return errors.Join(all...)
}
