package api

import "encoding/json"

// ToolShowArgs are the arguments of tools/show.
type ToolShowArgs struct {
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"`
}

// ToolNewArgs are the arguments of tools/new.
type ToolNewArgs struct {
	Name string `json:"name"`
}

// ToolSource is a source with what comes with it.
type ToolSource struct {
	Name     string `json:"name,omitempty"`
	Language string `json:"language,omitempty"`
	Source   string `json:"source"`
	Files    []File `json:"files,omitempty"`
}

// ToolCheckArgs are the arguments of tools/check.
type ToolCheckArgs struct {
	ToolSource
	Mode string `json:"mode,omitempty"` // strict or lenient
}

// ToolTestArgs are the arguments of tools/test.
type ToolTestArgs struct {
	ToolSource
	Cases json.RawMessage `json:"cases,omitempty"` // a list
}

// ToolAddArgs are the arguments of tools/add.
type ToolAddArgs struct {
	ToolSource
	Cases          json.RawMessage `json:"cases,omitempty"` // a list
	Grants         []string        `json:"grants,omitempty"`
	Author         string          `json:"author,omitempty"`
	Licence        string          `json:"licence,omitempty"` // SPDX expression
	AllowDuplicate bool            `json:"allow_duplicate,omitempty"`
	AllowUntested  bool            `json:"allow_untested,omitempty"`
	Inactive       bool            `json:"inactive,omitempty"`
}

// ToolRunArgs are the arguments of tools/run.
type ToolRunArgs struct {
	ToolSource
	Args       json.RawMessage `json:"args,omitempty"` // an object
	Grants     []string        `json:"grants,omitempty"`
	SkipChecks bool            `json:"skip_checks,omitempty"`
}

// ToolFilesArgs are the arguments of tools/files.
type ToolFilesArgs struct {
	Files []File `json:"files,omitempty"`
}

// ToolReviewArgs are the arguments of tools/review.
type ToolReviewArgs struct {
	Action  string `json:"action,omitempty"` // list, approve, reject or note
	Name    string `json:"name,omitempty"`
	Author  string `json:"author,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Kind    string `json:"kind,omitempty"` // of a note: review, vulnerability or licence
	Version int    `json:"version,omitempty"`
}

// ToolDiffArgs are the arguments of tools/diff.
type ToolDiffArgs struct {
	Name string `json:"name"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// ToolVersionArgs are the arguments of tools/activate and tools/rollback.
type ToolVersionArgs struct {
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"`
	Author  string `json:"author,omitempty"`
}

// ToolDeactivateArgs are the arguments of tools/deactivate.
type ToolDeactivateArgs struct {
	Name   string `json:"name"`
	Author string `json:"author,omitempty"`
}

// ToolExportArgs are the arguments of tools/export.
type ToolExportArgs struct {
	Names []string `json:"names,omitempty"`
	Large bool     `json:"large,omitempty"`
}

// ToolImportArgs are the arguments of tools/import.
type ToolImportArgs struct {
	File           string   `json:"file,omitempty"` // the text that tools/export wrote; left out when it comes among the files
	Grants         []string `json:"grants,omitempty"`
	Author         string   `json:"author,omitempty"`
	Files          []File   `json:"files,omitempty"`
	AllowDuplicate bool     `json:"allow_duplicate,omitempty"`
	Inactive       bool     `json:"inactive,omitempty"`
}
