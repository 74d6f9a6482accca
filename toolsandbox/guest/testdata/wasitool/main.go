// A tool as a WASI program: it reads its task, asks the robot to speak, and answers with the sum of a and b.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	next := func(v any) {
		line, err := in.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, v)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
	var task struct {
		Function string
		Args     struct{ A, B int }
	}
	next(&task)
	switch task.Function {
	case "add":
		fmt.Println(`{"call":"speak","args":{"text":"adding"}}`)
		var reply struct{ Error *struct{ Code string } }
		if next(&reply); reply.Error != nil {
			fmt.Printf(`{"error":{"type":"Refused","message":%q},"reason":"denied"}`+"\n", reply.Error.Code)
			return
		}
		fmt.Fprintln(os.Stderr, "adding")
		fmt.Printf(`{"value":%d}`+"\n", task.Args.A+task.Args.B)
	case "spin":
		for {
		}
	case "grow":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
		}
	case "look":
		_, err := os.ReadFile("/etc/passwd")
		entries, _ := os.ReadDir("/")
		fmt.Printf(`{"value":[%t,%d,%d]}`+"\n", err != nil, len(entries), len(os.Environ()))
	case "exit":
		os.Exit(7)
	case "flood":
		for {
			fmt.Print("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		}
	}
}
