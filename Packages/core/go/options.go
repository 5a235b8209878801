package postrider

import (
	"encoding/json"
	"time"
)

// A Platform is what a payload is for.
type Platform string

// The platforms; the zero value leaves the platform open.
const (
	IOS     Platform = "ios"
	Android Platform = "android"
)

// A Contract is the name of a payload contract.
type Contract string

// The contracts; the zero value leaves the contract open.
const (
	Amba      Contract = "amba"
	IMKit     Contract = "imkit"
	PowerAuth Contract = "powerauth"
	Adobe     Contract = "adobe"
	OneSignal Contract = "onesignal"
	Native    Contract = "native"
)

// ParseOptions are the options of Parse; nil is none of them.
type ParseOptions struct {
	Platform Platform `json:"platform,omitempty"`
	Contract Contract `json:"contract,omitempty"`
	// PushType is the header apns-push-type that came with the payload.
	PushType string `json:"push_type,omitempty"`
	// Badge is the number on the app's icon before; the answer then has a Behavior.
	Badge *int64 `json:"badge,omitempty"`
}

// RenderOptions are the options of Render.
type RenderOptions struct {
	// Contract is required.
	Contract Contract `json:"contract,omitempty"`
	Platform Platform `json:"platform,omitempty"`
	// Topic is the bundle id of the app.
	Topic string `json:"topic,omitempty"`
	// The FCM target: one of these.
	Token     string `json:"token,omitempty"`
	FID       string `json:"fid,omitempty"`
	FCMTopic  string `json:"fcm_topic,omitempty"`
	Condition string `json:"condition,omitempty"`
	// APNsID is a UUID for the header apns-id.
	APNsID string `json:"apns_id,omitempty"`
	// Now is the time; the zero value is the clock's. With NoTime there is none.
	Now    time.Time `json:"-"`
	NoTime bool      `json:"-"`
	// Language is that of the recipients, for contracts whose texts have several.
	Language string `json:"language,omitempty"`
	Campaign string `json:"campaign,omitempty"`
	// Options are those of the contract that are enabled.
	Options []string `json:"options,omitempty"`
	// NoProviderRules leaves out the findings of the providers' rules.
	NoProviderRules bool `json:"no_provider_rules,omitempty"`
}

// CheckOptions are the options of Check; nil is none of them.
type CheckOptions struct {
	Contract Contract `json:"contract,omitempty"`
	Platform Platform `json:"platform,omitempty"`
	Options  []string `json:"options,omitempty"`
	PushType string   `json:"push_type,omitempty"`
	Topic    string   `json:"topic,omitempty"`
	// Rules apply differently, such as apns-unknown-key=off.
	Rules []string `json:"rules,omitempty"`
	// APNsAuth is token or certificate.
	APNsAuth string `json:"apns_auth,omitempty"`
	// ChannelStorage is the storage policy of a broadcast's channel, 0 or 1.
	ChannelStorage *int `json:"channel_storage,omitempty"`
	FCMTopicBytes  int  `json:"fcm_topic_bytes,omitempty"`
	// AsSent counts bytes as they are sent: without the spaces between values.
	AsSent bool `json:"as_sent,omitempty"`
	// Now is the time; the zero value is the clock's. With NoTime there is none.
	Now    time.Time `json:"-"`
	NoTime bool      `json:"-"`
	// File is the name of the document in the findings.
	File string `json:"file,omitempty"`
}

// PreviewOptions are the options of Preview; nil is none of them.
type PreviewOptions struct {
	Platform Platform `json:"platform,omitempty"`
	Contract Contract `json:"contract,omitempty"`
	// Locales are language tags such as de, pt-BR or zh-Hant; en if there are none.
	Locales []string `json:"locales,omitempty"`
	// Strings are the app's string tables: paths in its project, and their texts.
	Strings           map[string]string `json:"strings,omitempty"`
	DevelopmentLocale string            `json:"development_locale,omitempty"`
	// IOSFirst is key or text; IOSMissingArgument is specifier, empty or null.
	IOSFirst           string `json:"ios_first,omitempty"`
	IOSMissingArgument string `json:"ios_missing_argument,omitempty"`
	// App is the name of the app.
	App      string   `json:"app,omitempty"`
	Topic    string   `json:"topic,omitempty"`
	Campaign string   `json:"campaign,omitempty"`
	Options  []string `json:"options,omitempty"`
	// Age is how many seconds ago the notification arrived.
	Age        int    `json:"age,omitempty"`
	CollapseID string `json:"collapse_id,omitempty"`
	PushType   string `json:"push_type,omitempty"`
	// SVG adds a picture to each preview.
	SVG bool `json:"svg,omitempty"`
	// Appearance of the picture is light or dark; Surfaces are those that are drawn, all if there are none; Captions false
	// leaves out their names.
	Appearance string   `json:"appearance,omitempty"`
	Surfaces   []string `json:"surfaces,omitempty"`
	Captions   *bool    `json:"captions,omitempty"`
	// Form is message or payload, where the document's members do not say it.
	Form string `json:"form,omitempty"`
	// Now is the time; the zero value is the clock's. With NoTime there is none.
	Now    time.Time `json:"-"`
	NoTime bool      `json:"-"`
}

// DiffOptions are the options of Diff; nil is none of them.
type DiffOptions struct {
	Topic    string   `json:"topic,omitempty"`
	Campaign string   `json:"campaign,omitempty"`
	Language string   `json:"language,omitempty"`
	Options  []string `json:"options,omitempty"`
	// Now is the time; the zero value is the clock's. With NoTime there is none.
	Now    time.Time `json:"-"`
	NoTime bool      `json:"-"`
}

func (o *ParseOptions) encode() ([]byte, error) {
	if o == nil {
		return nil, nil
	}
	return json.Marshal(o)
}

func (o *RenderOptions) encode() ([]byte, error) {
	if o == nil {
		o = &RenderOptions{}
	}
	return json.Marshal(struct {
		*RenderOptions
		Now *int64 `json:"now,omitempty"`
	}{o, seconds(o.Now, o.NoTime)})
}

func (o *CheckOptions) encode() ([]byte, error) {
	if o == nil {
		o = &CheckOptions{}
	}
	return json.Marshal(struct {
		*CheckOptions
		Now *int64 `json:"now,omitempty"`
	}{o, seconds(o.Now, o.NoTime)})
}

func (o *PreviewOptions) encode() ([]byte, error) { return o.encodeAs("") }

func (o *PreviewOptions) encodeAs(format string) ([]byte, error) {
	if o == nil {
		o = &PreviewOptions{}
	}
	return json.Marshal(struct {
		*PreviewOptions
		Now    *int64 `json:"now,omitempty"`
		Format string `json:"format,omitempty"`
	}{o, seconds(o.Now, o.NoTime), format})
}

type textOptions struct{ *PreviewOptions }

func (o *textOptions) encode() ([]byte, error) { return o.encodeAs("text") }

type showOptions struct{ contract Contract }

func (o *showOptions) encode() ([]byte, error) {
	return json.Marshal(map[string]Contract{"show": o.contract})
}

type diffOptions struct {
	options  *DiffOptions
	from, to Contract
}

func (o *diffOptions) encode() ([]byte, error) {
	given := o.options
	if given == nil {
		given = &DiffOptions{}
	}
	return json.Marshal(struct {
		*DiffOptions
		Now  *int64      `json:"now,omitempty"`
		Diff [2]Contract `json:"diff"`
	}{given, seconds(given.Now, given.NoTime), [2]Contract{o.from, o.to}})
}
