package postrider

import "encoding/json"

// A Finding is one thing there is to say about a payload or message.
type Finding struct {
	// Rule is the id of the rule; docs/rules.md lists them.
	Rule string `json:"rule"`
	// Severity is error, warning or note.
	Severity string `json:"severity"`
	// Field is where it is, as a path.
	Field   string `json:"field"`
	Message string `json:"message"`
}

// A Report is what there is to say about a payload or message, in order.
type Report []Finding

// HasErrors says whether a provider, or the contract, refuses it.
func (r Report) HasErrors() bool {
	for _, finding := range r {
		if finding.Severity == "error" {
			return true
		}
	}
	return false
}

// Parsed is a raw payload as typed properties.
type Parsed struct {
	// Platform is what the payload was recognized as; empty when the options say it.
	Platform Platform `json:"platform"`
	Contract Contract `json:"contract"`
	// Reason says what tells the contract.
	Reason       string       `json:"reason"`
	Notification Notification `json:"notification"`
	// Behavior is what the contract's app does with it; with ParseOptions.Badge.
	Behavior json.RawMessage `json:"behavior"`
	Report   Report          `json:"report"`
}

// A Notification has the members that all contracts share, and one that is named after the contract and has its own
// properties. What the payload does not have is the zero value.
type Notification struct {
	Title       string         `json:"title"`
	Subtitle    string         `json:"subtitle"`
	Body        string         `json:"body"`
	TitleLoc    *LocalizedText `json:"title_loc"`
	SubtitleLoc *LocalizedText `json:"subtitle_loc"`
	BodyLoc     *LocalizedText `json:"body_loc"`
	Badge       *int64         `json:"badge"`
	// Sound is a string, or the object of a critical alert.
	Sound json.RawMessage `json:"sound"`
	Image string          `json:"image"`
	// Link is what a tap opens.
	Link     string            `json:"link"`
	Category string            `json:"category"`
	Thread   string            `json:"thread"`
	Collapse string            `json:"collapse"`
	Actions  []json.RawMessage `json:"actions"`
	// Data are the app's own members.
	Data json.RawMessage `json:"data"`
	// Silent is true when nothing is shown.
	Silent bool `json:"silent"`

	Amba      json.RawMessage `json:"amba"`
	IMKit     json.RawMessage `json:"imkit"`
	PowerAuth json.RawMessage `json:"powerauth"`
	Adobe     json.RawMessage `json:"adobe"`
	OneSignal json.RawMessage `json:"onesignal"`
	Native    json.RawMessage `json:"native"`
}

// A LocalizedText is a text that the app finds in its string tables.
type LocalizedText struct {
	Key  string   `json:"key"`
	Args []string `json:"args"`
}

// A Rendering is what a message becomes.
type Rendering struct {
	// APNs is the request to APNs; nil when the message is not valid there.
	APNs *APNsRequest `json:"apns"`
	// FCM is the body of the request to FCM, as it is sent; nil when the message is not valid there.
	FCM    json.RawMessage `json:"fcm"`
	Report Report          `json:"report"`
}

// An APNsRequest is a request to APNs.
type APNsRequest struct {
	Headers map[string]string `json:"headers"`
	// Payload is the body, as it is sent.
	Payload json.RawMessage `json:"payload"`
}

// Checked is what the rules say of a document.
type Checked struct {
	Files      int              `json:"files"`
	Errors     int              `json:"errors"`
	Warnings   int              `json:"warnings"`
	Notes      int              `json:"notes"`
	Findings   []LocatedFinding `json:"findings"`
	Unreadable []struct {
		File    string `json:"file"`
		Message string `json:"message"`
	} `json:"unreadable"`
}

// A LocatedFinding is a finding, and where it is in the document.
type LocatedFinding struct {
	Finding
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Byte    int    `json:"byte"`
	Pointer string `json:"pointer"`
	// Fix says what to do about it; empty for some rules.
	Fix string `json:"fix"`
}

// An Explanation is what an answer of a provider means.
type Explanation struct {
	// Service is apns, apns-broadcast, fcm or web-push.
	Service string `json:"service"`
	Reason  string `json:"reason"`
	// Status is 0 when it varies.
	Status  int    `json:"status"`
	Meaning string `json:"meaning"`
	// Action is what Postrider's server does, Next what to check next.
	Action string `json:"action"`
	Next   string `json:"next"`
}

// A ContractSummary is a contract in one sentence.
type ContractSummary struct {
	Name    Contract `json:"name"`
	Summary string   `json:"summary"`
}

// A ContractTable says where each field of a contract is in the requests.
type ContractTable struct {
	Contract     Contract `json:"contract"`
	Summary      string   `json:"summary"`
	AndroidStyle string   `json:"android_style"`
	DataCoercion string   `json:"data_coercion"`
	Rules        []string `json:"rules"`
	Options      []struct {
		Name string `json:"name"`
		Doc  string `json:"doc"`
	} `json:"options"`
	Fields []ContractField `json:"fields"`
}

// A ContractField is one row of a contract's table.
type ContractField struct {
	// Field is empty for a value that is the same in every message.
	Field   string   `json:"field"`
	Aliases []string `json:"aliases"`
	// Source is empty for a field of the message, else context, computed or fixed.
	Source   string          `json:"source"`
	Value    json.RawMessage `json:"value"`
	Type     string          `json:"type"`
	Required string          `json:"required"`
	Role     string          `json:"role"`
	APNs     []ContractSlot  `json:"apns"`
	FCM      []ContractSlot  `json:"fcm"`
	Rule     string          `json:"rule"`
	Doc      string          `json:"doc"`
	Example  json.RawMessage `json:"example"`
	Delivery bool            `json:"delivery"`
}

// A ContractSlot is a position in a request.
type ContractSlot struct {
	Path      string `json:"path"`
	Form      string `json:"form"`
	Header    bool   `json:"header"`
	Condition string `json:"condition"`
}

// A ContractDiff is what changes for a message when its app moves from one contract to another.
type ContractDiff struct {
	From Contract `json:"from"`
	To   Contract `json:"to"`
	// Message is the message in the fields of the new contract.
	Message json.RawMessage `json:"message"`
	APNs    []KeyChange     `json:"apns"`
	FCM     []KeyChange     `json:"fcm"`
	Report  Report          `json:"report"`
}

// A KeyChange is a key that differs: Before is nil when it is new, After when it is gone.
type KeyChange struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}
