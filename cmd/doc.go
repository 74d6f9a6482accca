// Package cmd has the tests of what the programs link.
package cmd
