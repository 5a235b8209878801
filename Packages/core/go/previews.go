package postrider

import "encoding/json"

// Previews are what devices show, one for each platform and language.
type Previews struct {
	Previews []Shown `json:"previews"`
	Report   Report  `json:"report"`
}

// Shown is what a device shows in one language; docs/preview.md describes the members. What there is not is the zero value.
type Shown struct {
	Platform Platform `json:"platform"`
	Contract Contract `json:"contract"`
	Locale   string   `json:"locale"`
	// Direction is ltr or rtl.
	Direction string `json:"direction"`
	// Outcome is shown, fallback, silent or nothing.
	Outcome string `json:"outcome"`
	// Silent says that nothing is shown.
	Silent bool `json:"silent"`
	// Silence says why nothing is shown.
	Silence           string            `json:"silence"`
	Title             *ShownText        `json:"title"`
	Subtitle          *ShownText        `json:"subtitle"`
	Body              *ShownText        `json:"body"`
	ExpandedTitle     *ShownText        `json:"expanded_title"`
	ExpandedBody      *ShownText        `json:"expanded_body"`
	Ticker            string            `json:"ticker"`
	Badge             *ShownBadge       `json:"badge"`
	Sound             string            `json:"sound"`
	Critical          bool              `json:"critical"`
	Image             string            `json:"image"`
	Images            []string          `json:"images"`
	LargeIcon         string            `json:"large_icon"`
	SmallIcon         string            `json:"small_icon"`
	Buttons           []ShownButton     `json:"buttons"`
	Colors            map[string]string `json:"colors"`
	Layout            json.RawMessage   `json:"layout"`
	Targets           []ShownButton     `json:"targets"`
	Group             string            `json:"group"`
	GroupMessage      string            `json:"group_message"`
	Replaces          string            `json:"replaces"`
	Category          string            `json:"category"`
	Channel           string            `json:"channel"`
	InterruptionLevel string            `json:"interruption_level"`
	Priority          int64             `json:"priority"`
	Visibility        *int64            `json:"visibility"`
	Sticky            bool              `json:"sticky"`
	Expires           *int64            `json:"expires"`
	Reminder          *ShownReminder    `json:"reminder"`
	Template          string            `json:"template"`
	AskedTemplate     string            `json:"asked_template"`
	Identifier        string            `json:"identifier"`
	Tap               struct {
		Effect      string `json:"effect"`
		Link        string `json:"link"`
		ClickAction string `json:"click_action"`
	} `json:"tap"`
	Surfaces []SurfaceText `json:"surfaces"`
	Report   Report        `json:"report"`
	// SVG is the picture, with the option SVG.
	SVG string `json:"svg"`
}

// A ShownText is a text and where it comes from: payload, table, built-in, fallback or key.
type ShownText struct {
	Text   string `json:"text"`
	Origin string `json:"origin"`
	Key    string `json:"key"`
	Locale string `json:"locale"`
}

// A ShownBadge is what happens to the number on the app's icon: it is set, or something is added to it.
type ShownBadge struct {
	Set *int64 `json:"set"`
	Add *int64 `json:"add"`
}

// A ShownReminder is when a notification appears again: at a time in seconds since 1970, or after seconds.
type ShownReminder struct {
	At    *int64 `json:"at"`
	After *int64 `json:"after"`
}

// A ShownButton is a button, or another part that can be tapped.
type ShownButton struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	// Effect is action, web, deep-link, open-app, dismiss, remind-later, reply or nothing.
	Effect string `json:"effect"`
	Link   string `json:"link"`
	Icon   string `json:"icon"`
}

// A SurfaceText is the lines of one surface, and the names of what does not fit.
type SurfaceText struct {
	// Surface is banner, lock-screen, expanded, notification-centre, collapsed or heads-up.
	Surface  string   `json:"surface"`
	Title    []string `json:"title"`
	Subtitle []string `json:"subtitle"`
	Body     []string `json:"body"`
	Cut      []string `json:"cut"`
}
