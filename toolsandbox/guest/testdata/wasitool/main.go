// A tool as a WASI program: it reads its task, asks the robot to speak, and answers with the sum of a and b. It does
// without the larger part of the library, since tests compile it to native code under the race detector.
package main

import (
	"bytes"
	"strconv"
	"syscall"
)

func say(fd int, text string) {
	for b := []byte(text); len(b) > 0; {
		n, err := syscall.Write(fd, b)
		if err != nil {
			syscall.Exit(4)
		}
		b = b[n:]
	}
}

// line reads the next line from the host.
func line() []byte {
	var text []byte
	for !bytes.HasSuffix(text, []byte("\n")) {
		b := make([]byte, 4096)
		n, err := syscall.Read(0, b)
		if n <= 0 || err != nil {
			syscall.Exit(3)
		}
		text = append(text, b[:n]...)
	}
	return text
}

// number is the value of a field that is a number.
func number(text []byte, field string) int {
	_, after, _ := bytes.Cut(text, []byte(`"`+field+`":`))
	end := bytes.IndexAny(after, ",}")
	n, err := strconv.Atoi(string(after[:max(end, 0)]))
	if err != nil {
		syscall.Exit(3)
	}
	return n
}

func main() {
	task := line()
	_, after, _ := bytes.Cut(task, []byte(`"function":"`))
	function, _, _ := bytes.Cut(after, []byte(`"`))
	switch string(function) {
	case "add", "add_up":
		say(1, `{"call":"speak","args":{"text":"adding"}}`+"\n")
		if bytes.Contains(line(), []byte(`"error"`)) {
			say(1, `{"error":{"type":"Refused","message":"denied"},"reason":"denied"}`+"\n")
			return
		}
		say(2, "adding\n")
		say(1, `{"value":`+strconv.Itoa(number(task, "a")+number(task, "b"))+"}\n")
	case "spin":
		for {
		}
	case "grow":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
		}
	case "look":
		_, file := syscall.Open("/etc/passwd", syscall.O_RDONLY, 0)
		_, root := syscall.Open("/", syscall.O_RDONLY, 0)
		say(1, `{"value":[`+strconv.FormatBool(file != nil)+","+strconv.FormatBool(root != nil)+","+strconv.Itoa(len(syscall.Environ()))+"]}\n")
	case "exit":
		syscall.Exit(7)
	case "flood":
		for {
			say(1, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		}
	}
}
