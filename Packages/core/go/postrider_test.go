package postrider

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const payload = `{"aps":{"alert":{"title":"T","body":"B"},"badge":3},"deep_link":"/home"}`

// must is a value without its error.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// second is the error of two results.
func second[T any](_ T, err error) error { return err }

// strict reads an answer and refuses members that its type does not have.
func strict[T any](t *testing.T, operation, input, options string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(Answer(operation, []byte(input), []byte(options))))
	decoder.DisallowUnknownFields()
	var answer T
	if err := decoder.Decode(&answer); err != nil {
		t.Errorf("%s %s %s: %v", operation, input, options, err)
	}
}

func TestEveryOperationAnswers(t *testing.T) {
	for _, contract := range must(Contracts()) {
		table := must(Table(contract.Name))
		if table.Contract != contract.Name || len(table.Fields) == 0 {
			t.Errorf("%s: %+v", contract.Name, table)
		}
	}
	badge := int64(2)
	parsed := must(Parse([]byte(payload), &ParseOptions{Contract: Amba, Platform: IOS, Badge: &badge}))
	if parsed.Notification.Body != "B" || parsed.Notification.Amba == nil || parsed.Contract != Amba {
		t.Errorf("%+v", parsed)
	}
	text := must(PreviewText([]byte(payload), &PreviewOptions{Locales: []string{"de"}}))
	if !strings.Contains(text, "T") || strings.HasPrefix(text, "{") {
		t.Error(text)
	}
	if found := must(ExplainStatus(410)); len(found) == 0 || found[0].Status != 410 {
		t.Errorf("%+v", found)
	}
	diff := must(Diff([]byte(`{"title":"T","body":"B"}`), Amba, Native, nil))
	if diff.To != Native || !strings.Contains(string(diff.Message), `"T"`) {
		t.Errorf("%+v", diff)
	}
	if checked := must(Check([]byte(`{"message":{"notification":{"title":"T"}}}`), nil)); checked.Errors != 1 {
		t.Errorf("%+v", checked)
	}
	rendering := must(Render([]byte(`{"title":"T"}`), &RenderOptions{Contract: Amba}))
	if rendering.APNs != nil || rendering.FCM != nil || !rendering.Report.HasErrors() {
		t.Errorf("%+v", rendering)
	}
}

func TestWhatIsSentIsExact(t *testing.T) {
	message := `{"title":"T","body":"<é> & 🙂","data":{"b":12345678901234567890,"2":1.0,"1":1e0}}`
	rendering := must(Render([]byte(message), &RenderOptions{Contract: Amba, Platform: IOS, NoTime: true}))
	want := `"b":12345678901234567890,"2":1.0,"1":1e0`
	if body := string(rendering.APNs.Payload); !strings.Contains(body, want) || !strings.Contains(body, "<é> & 🙂") {
		t.Error(body)
	}
}

func TestTheTimeIsTheClocksTheCallersOrNone(t *testing.T) {
	expiration := func(options RenderOptions) string {
		options.Contract, options.Platform = OneSignal, IOS
		rendering := must(Render([]byte(`{"contents":"T","ttl":60}`), &options))
		return rendering.APNs.Headers["apns-expiration"]
	}
	before := time.Now().Unix()
	if read, err := strconv.ParseInt(expiration(RenderOptions{}), 10, 64); err != nil || read < before+60 || read > before+120 {
		t.Error(read, err)
	}
	if read := expiration(RenderOptions{Now: time.Unix(1_790_000_000, 999)}); read != "1790000060" {
		t.Error(read)
	}
	if read := expiration(RenderOptions{NoTime: true}); read != "" {
		t.Error(read)
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	cases := []struct {
		name, kind, where string
		err               error
	}{
		{"platform", "usage", "platform", second(Parse([]byte(payload), &ParseOptions{Platform: "windows"}))},
		{"no options", "usage", "contract", second(Render([]byte(`{}`), nil))},
		{"two targets", "usage", "token", second(Render([]byte(`{}`), &RenderOptions{Contract: Amba, Token: "a", FID: "b"}))},
		{"table", "usage", "contract", second(Table("apple"))},
		{"empty", "unreadable", "input:1:1", second(Parse(nil, nil))},
		{"not JSON", "unreadable", "input:1:8", second(Parse([]byte(`{"aps":x`), nil))},
		{"not UTF-8", "unreadable", "input:1:2", second(Parse([]byte{'"', 0xff, '"'}, nil))},
		{"deep", "unreadable", "input:1:129", second(Preview(bytes.Repeat([]byte("["), 10_000), nil))},
		{"reason", "unknown", "input", second(Explain("NoSuchReason"))},
		{"body", "unreadable", "input", second(Explain("{}"))},
		{"too large", "unreadable", "input", second(Parse(make([]byte, 16<<20+1), nil))},
	}
	for _, one := range cases {
		var problem *Error
		if !errors.As(one.err, &problem) {
			t.Errorf("%s: %v", one.name, one.err)
		} else if problem.Kind != one.kind || problem.Where != one.where || problem.Fix == "" || !strings.Contains(one.err.Error(), problem.What) {
			t.Errorf("%s: %+v", one.name, problem)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an operation that there is not is answered")
		}
	}()
	Answer("send", nil, nil)
}

func TestTheTypesHaveEveryMember(t *testing.T) {
	strict[[]ContractSummary](t, "contracts", "", "")
	messages := map[Contract]string{
		Amba: `{"title":"T","body":"B","image_url":"https://a.example/b.png"}`, IMKit: `{"messageType":"text","sender":"A","content":"C"}`,
		PowerAuth: `{"title":"T","body":"B"}`, Native: `{"title":"T","badge":3}`,
		OneSignal: `{"contents":{"en":"T"},"buttons":[{"id":"a","text":"A"}]}`,
		Adobe:     `{"adb_version":"1","adb_title":"T","adb_body":"B"}`,
	}
	for contract, message := range messages {
		strict[ContractTable](t, "contracts", "", `{"show":"`+string(contract)+`"}`)
		strict[ContractDiff](t, "contracts", message, `{"diff":["`+string(contract)+`","native"]}`)
		strict[Rendering](t, "render", message, `{"contract":"`+string(contract)+`"}`)
		strict[Previews](t, "preview", message, `{"contract":"`+string(contract)+`","locales":["de","ar"]}`)
	}
	for _, reason := range []string{"BadDeviceToken", "410", "UNREGISTERED", `{"reason":"BadTopic"}`} {
		strict[[]Explanation](t, "explain", reason, "")
	}
	strict[Checked](t, "check", `{"aps":`, "")
	strict[Checked](t, "check", `{"aps":{"bogus":1}}`, "")
}

func TestGoroutinesGetTheirOwnAnswers(t *testing.T) {
	var group sync.WaitGroup
	for worker := 0; worker < 16; worker++ {
		group.Add(1)
		go func(title string) {
			defer group.Done()
			for count := 0; count < 300; count++ {
				parsed, err := Parse([]byte(`{"aps":{"alert":{"title":"`+title+`"}}}`), nil)
				if err != nil || parsed.Notification.Title != title {
					t.Error(title, parsed, err)
					return
				}
			}
		}(strconv.Itoa(worker))
	}
	group.Wait()
}

// resident is the memory of the process in bytes, with that of the C library, without Go's garbage.
func resident() int {
	debug.FreeOSMemory()
	fields := strings.Fields(string(must(os.ReadFile("/proc/self/statm"))))
	return must(strconv.Atoi(fields[1])) * os.Getpagesize()
}

// POSTRIDER_CALLS=1000000 for a million.
func TestCallsDoNotNeedMoreAndMoreMemory(t *testing.T) {
	calls, err := strconv.Atoi(os.Getenv("POSTRIDER_CALLS"))
	if err != nil {
		calls = 100_000
	}
	call := func(count int) {
		Answer("parse", []byte(payload), []byte(`{"platform":"ios"}`))
		if count%10 == 9 {
			Answer("parse", []byte(`{"aps":`), nil)
		}
		if count%1000 == 1 {
			Answer("render", []byte(`{"title":"T","body":"`+strings.Repeat("x", count%3000)+`"}`), []byte(`{"contract":"amba"}`))
		}
	}
	for count := 0; count < 5000; count++ {
		call(count)
	}
	before := resident()
	for count := 0; count < calls; count++ {
		call(count)
	}
	// Answers that nobody gives back would be more than 20 MB of the fewest calls.
	if grown := resident() - before; grown > 8<<20 {
		t.Errorf("%d calls, %d bytes more", calls, grown)
	}
}

func BenchmarkParse(b *testing.B) {
	for count := 0; count < b.N; count++ {
		if _, err := Parse([]byte(payload), &ParseOptions{Platform: IOS}); err != nil {
			b.Fatal(err)
		}
	}
}
