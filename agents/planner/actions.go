package planner

import "github.com/reachyd/reachyd/perception/language"

// actions are the closed commands, written without articles, possessives and adverbs: those may stand anywhere inside.
var actions = language.Phrases("actions")
