//go:build cgo && linux && (amd64 || arm64)

package postrider

// #cgo CFLAGS: -I${SRCDIR}
// #cgo linux,amd64 LDFLAGS: ${SRCDIR}/libpostrider_linux_amd64.a -lm
// #cgo linux,arm64 LDFLAGS: ${SRCDIR}/libpostrider_linux_arm64.a -lm
// #include "postrider.h"
//
// typedef uint8_t *(*operation)(const uint8_t *, size_t, const uint8_t *, size_t, size_t *);
//
// static uint8_t *call(int index, const uint8_t *input, size_t input_length, const uint8_t *options, size_t options_length,
//                      size_t *answer_length) {
//   static const operation operations[] = {postrider_parse,   postrider_render,  postrider_check,
//                                          postrider_explain, postrider_preview, postrider_contracts};
//   return operations[index](input, input_length, options, options_length, answer_length);
// }
import "C"

import (
	"fmt"
	"unsafe"
)

// InterfaceVersion is the version of the core's interface that this package is for.
const InterfaceVersion = 1

type operation int

// In the order of the functions above.
const (
	opParse operation = iota
	opRender
	opCheck
	opExplain
	opPreview
	opContracts
)

var operations = map[string]operation{
	"parse": opParse, "render": opRender, "check": opCheck, "explain": opExplain, "preview": opPreview,
	"contracts": opContracts,
}

func init() {
	if found := C.postrider_interface_version(); found != InterfaceVersion {
		panic(fmt.Sprintf("postrider: the library has interface %d, and this package is for %d", found, InterfaceVersion))
	}
}

// Answer is the core's answer as it is, JSON in UTF-8, errors included: docs/core.md describes the operations (parse, render,
// check, explain, preview, contracts) and their options, a JSON object or nothing. The time is only what the options say.
// It panics for an operation that there is not.
func Answer(operation string, input, options []byte) []byte {
	op, ok := operations[operation]
	if !ok {
		panic(fmt.Sprintf("postrider: there is no operation %q", operation))
	}
	return call(op, input, options)
}

func call(op operation, input, options []byte) []byte {
	var length C.size_t
	answer := C.call(
		C.int(op), pointer(input), C.size_t(len(input)), pointer(options), C.size_t(len(options)), &length)
	defer C.postrider_free(unsafe.Pointer(answer))
	copied := make([]byte, length)
	copy(copied, unsafe.Slice((*byte)(unsafe.Pointer(answer)), length))
	return copied
}

func pointer(bytes []byte) *C.uint8_t {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.Pointer(&bytes[0]))
}
