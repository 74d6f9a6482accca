package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/cmd/reachyctl/internal/cli"
)

func versionCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of reachyctl", Long: "version prints the version of reachyctl and what it was built for.",
		Example: "  reachyctl version", Args: cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v, platform := version(), runtime.GOOS+"/"+runtime.GOARCH
			if a.JSON {
				a.PrintJSON(map[string]string{"version": v, "go": runtime.Version(), "platform": platform})
			} else {
				a.Printf("reachyctl %s (%s, %s)\n", v, runtime.Version(), platform)
			}
			return nil
		},
	}
}

// buildVersion is set by the linker.
var buildVersion string

// version is what the Makefile, or else the Go tool, has written into the program about the checkout that it was built from.
func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
