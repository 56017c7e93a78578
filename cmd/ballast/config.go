package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// settings tells where the values of flags come from.
type settings struct {
	flags []*kong.Flag // flags of the command that are not on the command line
}

// load notes the flags of the command.
func (s *settings) load(ctx *kong.Context) error {
	s.flags = nil
	for _, f := range ctx.Flags() {
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
	return nil
}

// environmentName returns the environment variable from which the flag takes its value, or "".
func environmentName(flag *kong.Flag) string {
	i := slices.IndexFunc(flag.Envs, func(name string) bool { _, set := os.LookupEnv(name); return set })
	if i < 0 {
		return ""
	}
	return flag.Envs[i]
}

var flagInText = regexp.MustCompile(`--[a-z-]+`)

// locate adds to each problem the environment variables in which the flags named in it were set.
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
			if env := environmentName(s.flags[i]); env != "" && !strings.Contains(problem.Error(), env) {
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
