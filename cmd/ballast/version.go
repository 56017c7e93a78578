package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"ballast/asm"
	"ballast/compute/risk"
)

// kernels describes the numeric kernels in use: assembly, or Go because of the build or the processor.
func kernels() string {
	if names := asm.Kernels(); len(names) > 0 {
		return "AVX2: " + strings.Join(names, ", ")
	}
	return "pure Go"
}

// Run prints the version.
func (c *versionCmd) Run() error {
	v := struct {
		Version       string `json:"version"`
		Commit        string `json:"commit"`
		EngineVersion string `json:"engine_version"`
		Kernels       string `json:"kernels"`
		CPU           string `json:"cpu"`
		Go            string `json:"go"`
	}{version, commit, risk.EngineVersion, kernels(), cpuid.CPU.BrandName, runtime.Version()}
	if c.JSON {
		return printJSON(os.Stdout, v)
	}
	fmt.Printf("ballast %s\ncommit  %s\nengine  %s\nkernels %s\ncpu     %s\n%s\n", v.Version, v.Commit,
		v.EngineVersion, v.Kernels, v.CPU, v.Go)
	return nil
}
