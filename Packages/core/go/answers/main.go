// Answers reads requests, one in each line, {"operation", "input", "options"}, and writes the core's answer to each as a line: for
// tests of the package against a corpus. It also reads each answer as the package's type, and refuses a member that the type does
// not have.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"postrider"
)

type request struct{ Operation, Input, Options string }

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fail(err)
		}
		answer := postrider.Answer(asked.Operation, []byte(asked.Input), []byte(asked.Options))
		decoder := json.NewDecoder(bytes.NewReader(answer))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(typed(asked.Operation)); err != nil {
			fail(fmt.Errorf("%w: %s", err, answer))
		}
		out.Write(answer)
		out.WriteByte('\n')
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
	out.Flush()
}

func typed(operation string) any {
	switch operation {
	case "parse":
		return new(postrider.Parsed)
	case "render":
		return new(postrider.Rendering)
	case "check":
		return new(postrider.Checked)
	case "preview":
		return new(postrider.Previews)
	}
	return new(any)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "answers:", err)
	os.Exit(1)
}
