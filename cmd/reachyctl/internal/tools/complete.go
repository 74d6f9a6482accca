package tools

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reachyd/reachyd/agents/tool"
	"github.com/reachyd/reachyd/cmd/reachyctl/internal/connect"
)

// completionTime is how long a shell waits for names.
const completionTime = 2 * time.Second

// completeTools offers the names of tools for the first argument.
func (a commands) completeTools(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	l, err := connect.Open(cmd.Context(), a.App)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer l.Close()
	r, err := l.Call(cmd.Context(), "tools/list", nil, completionTime)
	var list struct{ Tools []tool.Spec }
	if err != nil || json.Unmarshal(r.Result, &list) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range list.Tools {
		if strings.HasPrefix(s.Name, begun) {
			names = append(names, cobra.CompletionWithDesc(s.Name, s.Description))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
