// Package planner understands free English sentences without a language model and turns them into tool calls.
package planner
