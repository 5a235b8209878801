// Package postrider reads, writes, checks, explains and previews push payloads of APNs and FCM, as the command postrider does.
//
//	parsed, err := postrider.Parse([]byte(`{"aps":{"alert":"Hi"},"deep_link":"/home"}`), nil)
//	fmt.Println(parsed.Notification.Body, err) // Hi <nil>
//
// Inputs are JSON in UTF-8. What is wrong with a payload or a message is in the Report of the answer; an option that is wrong
// and an input that is not JSON are an *Error. The functions need no server, no file and no network, and may be called from
// several goroutines at once.
//
// The package calls Postrider's C library, which is part of it, for Linux on amd64 and arm64. It needs cgo and a C compiler.
package postrider

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// Parse reads a raw payload back into typed properties, and names its contract.
//
// The payload is what the device received: for iOS the payload of APNs; for Android the message of FCM, or the flat map of
// strings that the app is handed. Without a platform and a contract its members say what it is.
func Parse(payload []byte, options *ParseOptions) (*Parsed, error) {
	return ask[*Parsed](opParse, payload, options)
}

// Render writes a message in a contract: the exact requests to APNs and FCM, and a report. With an error in the report, do not
// send them.
func Render(message []byte, options *RenderOptions) (*Rendering, error) {
	return ask[*Rendering](opRender, message, options)
}

// Check checks a payload or request, or with a contract a message, against the providers' rules.
func Check(document []byte, options *CheckOptions) (*Checked, error) {
	return ask[*Checked](opCheck, document, options)
}

// Explain explains a reason of APNs, an error code of FCM, a status such as "410", or the whole body of a provider's answer.
func Explain(reason string) ([]Explanation, error) {
	return ask[[]Explanation](opExplain, []byte(reason), noOptions{})
}

// ExplainStatus explains the reasons that come with an HTTP status.
func ExplainStatus(status int) ([]Explanation, error) { return Explain(strconv.Itoa(status)) }

// Preview shows what devices make of a raw payload, or with a contract of a message.
func Preview(document []byte, options *PreviewOptions) (*Previews, error) {
	return ask[*Previews](opPreview, document, options)
}

// PreviewText shows the same as text, for a person.
func PreviewText(document []byte, options *PreviewOptions) (string, error) {
	shown, err := ask[struct{ Text string }](opPreview, document, &textOptions{options})
	return shown.Text, err
}

// Contracts lists the payload contracts.
func Contracts() ([]ContractSummary, error) {
	return ask[[]ContractSummary](opContracts, nil, noOptions{})
}

// Table says where each field of a contract is in the requests.
func Table(contract Contract) (*ContractTable, error) {
	return ask[*ContractTable](opContracts, nil, &showOptions{contract})
}

// Diff says what changes for a message when its app moves from one contract to another.
func Diff(message []byte, from, to Contract, options *DiffOptions) (*ContractDiff, error) {
	return ask[*ContractDiff](opContracts, message, &diffOptions{options, from, to})
}

// An Error is an option that is wrong, or an input that cannot be read.
type Error struct {
	// Kind is "usage" for options, "unreadable" for an input, "unknown" for a reason that no provider has.
	Kind string `json:"kind"`
	// What is wrong, in one sentence.
	What string `json:"what"`
	// Where is the option, or the position in the input.
	Where string `json:"where"`
	// Fix says what to do about it.
	Fix string `json:"fix"`
	// The position in a text that is not JSON: the line and the column from 1, the byte from 0, and a JSON pointer. The line
	// is 0 for other errors.
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Byte    int    `json:"byte"`
	Pointer string `json:"pointer"`
}

// Error is what is wrong, and what to do about it.
func (e *Error) Error() string { return "postrider: " + e.What + " (" + e.Fix + ")" }

// encoder is the options of an operation as JSON.
type encoder interface{ encode() ([]byte, error) }

type noOptions struct{}

func (noOptions) encode() ([]byte, error) { return nil, nil }

// failed is how the answer to a request that cannot be answered begins, and no other.
var failed = []byte(`{"error":`)

// ask answers a request.
func ask[T any](op operation, input []byte, options encoder) (answer T, err error) {
	given, err := options.encode()
	if err != nil {
		return answer, err
	}
	found := call(op, input, given)
	if bytes.HasPrefix(found, failed) {
		var failure struct{ Error *Error }
		if err := json.Unmarshal(found, &failure); err != nil {
			return answer, err
		}
		return answer, failure.Error
	}
	err = json.Unmarshal(found, &answer)
	return answer, err
}

// seconds is the time of a request: the given one, the clock's, or none.
func seconds(now time.Time, none bool) *int64 {
	if none {
		return nil
	}
	if now.IsZero() {
		now = time.Now()
	}
	unix := now.Unix()
	return &unix
}
