package postrider_test

import (
	"errors"
	"fmt"
	"time"

	"postrider"
)

func ExampleParse() {
	payload := []byte(`{"aps":{"alert":{"title":"Sale","body":"Today only"},"badge":3},"deep_link":"/sale"}`)
	parsed, err := postrider.Parse(payload, &postrider.ParseOptions{Platform: postrider.IOS})
	if err != nil {
		panic(err)
	}
	fmt.Println(parsed.Contract, parsed.Notification.Title, *parsed.Notification.Badge)
	// Output: native Sale 3
}

func ExampleRender() {
	message := []byte(`{"title":"Hello","body":"World"}`)
	rendering, err := postrider.Render(message, &postrider.RenderOptions{
		Contract: postrider.Amba, Topic: "com.example.app", Token: "abc", Now: time.Unix(1_790_000_000, 0)})
	if err != nil {
		panic(err)
	}
	fmt.Println(rendering.APNs.Headers["apns-topic"], string(rendering.APNs.Payload))
	fmt.Println(string(rendering.FCM))
	// Output:
	// com.example.app {"aps":{"alert":{"title":"Hello","body":"World"},"mutable-content":1}}
	// {"message":{"token":"abc","notification":{"title":"Hello","body":"World"},"android":{"priority":"high"}}}
}

func ExampleCheck() {
	checked, err := postrider.Check([]byte(`{"title":"Hello","body":"World","badg":1}`), &postrider.CheckOptions{
		Contract: postrider.Native, Topic: "com.example.app"})
	if err != nil {
		panic(err)
	}
	for _, finding := range checked.Findings {
		fmt.Printf("%d:%d %s %s\n", finding.Line, finding.Column, finding.Severity, finding.Rule)
	}
	// Output: 1:40 warning field-unknown
}

func ExampleExplain() {
	explanations, err := postrider.Explain("BadDeviceToken")
	if err != nil {
		panic(err)
	}
	fmt.Println(explanations[0].Status, explanations[0].Meaning)
	// Output: 400 The device token is malformed, or belongs to the other environment.
}

func ExamplePreview() {
	previews, err := postrider.Preview([]byte(`{"aps":{"alert":{"title":"T","body":"B"}}}`), nil)
	if err != nil {
		panic(err)
	}
	shown := previews.Previews[0]
	fmt.Println(shown.Platform, shown.Title.Text, shown.Body.Text, shown.Surfaces[0].Surface)
	// Output: ios T B lock-screen
}

func ExampleError() {
	_, err := postrider.Parse([]byte("{\"aps\":\n nothing}"), nil)
	var problem *postrider.Error
	if errors.As(err, &problem) {
		fmt.Println(problem.Kind, problem.Line, problem.Column, problem.Pointer)
	}
	// Output: unreadable 2 2 /aps
}
