#include "CDashboard.h"

// #embed is C23; the compiler tracks the files, so that a changed one is compiled in anew.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "Assets/index.html"
};
static const unsigned char style_css[] = {
#embed "Assets/style.css"
};
static const unsigned char app_js[] = {
#embed "Assets/app.js"
};
static const unsigned char providers_js[] = {
#embed "Assets/providers.js"
};
static const unsigned char core_js[] = {
#embed "Assets/core.js"
};
static const unsigned char charts_js[] = {
#embed "Assets/charts.js"
};
static const unsigned char overview_js[] = {
#embed "Assets/overview.js"
};
static const unsigned char jsontext_js[] = {
#embed "Assets/jsontext.js"
};
static const unsigned char words_js[] = {
#embed "Assets/words.js"
};
// German; English is in the scripts.
static const unsigned char de_json[] = {
#embed "Assets/de.json"
};
static const unsigned char fields_js[] = {
#embed "Assets/fields.js"
};
static const unsigned char audience_js[] = {
#embed "Assets/audience.js"
};
static const unsigned char timing_js[] = {
#embed "Assets/timing.js"
};
static const unsigned char composer_js[] = {
#embed "Assets/composer.js"
};
static const unsigned char desk_js[] = {
#embed "Assets/desk.js"
};
static const unsigned char drafts_js[] = {
#embed "Assets/drafts.js"
};
static const unsigned char emoji_js[] = {
#embed "Assets/emoji.js"
};
static const unsigned char fieldwords_js[] = {
#embed "Assets/fieldwords.js"
};
static const unsigned char languages_js[] = {
#embed "Assets/languages.js"
};
static const unsigned char message_js[] = {
#embed "Assets/message.js"
};
static const unsigned char review_js[] = {
#embed "Assets/review.js"
};
static const unsigned char seen_js[] = {
#embed "Assets/seen.js"
};
static const unsigned char local_js[] = {
#embed "Assets/local.js"
};
// The module of the package for JavaScript, as it is.
static const unsigned char postrider_mjs[] = {
#embed "../../Packages/core/javascript/postrider.mjs"
};
static const unsigned char tables_js[] = {
#embed "Assets/tables.js"
};
static const unsigned char pushes_js[] = {
#embed "Assets/pushes.js"
};
static const unsigned char plans_js[] = {
#embed "Assets/plans.js"
};
static const unsigned char imports_js[] = {
#embed "Assets/imports.js"
};
static const unsigned char inbox_js[] = {
#embed "Assets/inbox.js"
};
static const unsigned char people_js[] = {
#embed "Assets/people.js"
};
static const unsigned char segments_js[] = {
#embed "Assets/segments.js"
};
static const unsigned char lab_js[] = {
#embed "Assets/lab.js"
};
static const unsigned char setup_js[] = {
#embed "Assets/setup.js"
};
static const unsigned char access_js[] = {
#embed "Assets/access.js"
};
static const unsigned char accounts_js[] = {
#embed "Assets/accounts.js"
};
static const unsigned char signin_js[] = {
#embed "Assets/signin.js"
};
static const unsigned char finding_js[] = {
#embed "Assets/finding.js"
};
static const unsigned char care_js[] = {
#embed "Assets/care.js"
};
static const unsigned char shadow_js[] = {
#embed "Assets/shadow.js"
};
static const unsigned char live_js[] = {
#embed "Assets/live.js"
};
// What the pages of sites load, as it is.
static const unsigned char web_postrider_js[] = {
#embed "../../Packages/web/postrider.js"
};
static const unsigned char web_worker_js[] = {
#embed "../../Packages/web/worker.js"
};
static const unsigned char icon_svg[] = {
#embed "Assets/icon.svg"
};

#define HTML "text/html; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define CATALOGUE "application/json; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

static const struct postrider_asset assets[] = {
    {"/", HTML, index_html, sizeof index_html},
    // Where an identity provider sends browsers back to: the same page, which hands over what the address has.
    {"/dashboard/oidc", HTML, index_html, sizeof index_html},
    {"/dashboard/style.css", STYLE, style_css, sizeof style_css},
    {"/dashboard/app.js", SCRIPT, app_js, sizeof app_js},
    {"/dashboard/providers.js", SCRIPT, providers_js, sizeof providers_js},
    {"/dashboard/core.js", SCRIPT, core_js, sizeof core_js},
    {"/dashboard/charts.js", SCRIPT, charts_js, sizeof charts_js},
    {"/dashboard/overview.js", SCRIPT, overview_js, sizeof overview_js},
    {"/dashboard/jsontext.js", SCRIPT, jsontext_js, sizeof jsontext_js},
    {"/dashboard/words.js", SCRIPT, words_js, sizeof words_js},
    {"/dashboard/de.json", CATALOGUE, de_json, sizeof de_json},
    {"/dashboard/fields.js", SCRIPT, fields_js, sizeof fields_js},
    {"/dashboard/audience.js", SCRIPT, audience_js, sizeof audience_js},
    {"/dashboard/timing.js", SCRIPT, timing_js, sizeof timing_js},
    {"/dashboard/composer.js", SCRIPT, composer_js, sizeof composer_js},
    {"/dashboard/desk.js", SCRIPT, desk_js, sizeof desk_js},
    {"/dashboard/drafts.js", SCRIPT, drafts_js, sizeof drafts_js},
    {"/dashboard/emoji.js", SCRIPT, emoji_js, sizeof emoji_js},
    {"/dashboard/fieldwords.js", SCRIPT, fieldwords_js, sizeof fieldwords_js},
    {"/dashboard/languages.js", SCRIPT, languages_js, sizeof languages_js},
    {"/dashboard/message.js", SCRIPT, message_js, sizeof message_js},
    {"/dashboard/review.js", SCRIPT, review_js, sizeof review_js},
    {"/dashboard/seen.js", SCRIPT, seen_js, sizeof seen_js},
    {"/dashboard/local.js", SCRIPT, local_js, sizeof local_js},
    {"/dashboard/postrider.mjs", SCRIPT, postrider_mjs, sizeof postrider_mjs},
    {"/dashboard/tables.js", SCRIPT, tables_js, sizeof tables_js},
    {"/dashboard/pushes.js", SCRIPT, pushes_js, sizeof pushes_js},
    {"/dashboard/plans.js", SCRIPT, plans_js, sizeof plans_js},
    {"/dashboard/imports.js", SCRIPT, imports_js, sizeof imports_js},
    {"/dashboard/inbox.js", SCRIPT, inbox_js, sizeof inbox_js},
    {"/dashboard/people.js", SCRIPT, people_js, sizeof people_js},
    {"/dashboard/segments.js", SCRIPT, segments_js, sizeof segments_js},
    {"/dashboard/lab.js", SCRIPT, lab_js, sizeof lab_js},
    {"/dashboard/setup.js", SCRIPT, setup_js, sizeof setup_js},
    {"/dashboard/access.js", SCRIPT, access_js, sizeof access_js},
    {"/dashboard/accounts.js", SCRIPT, accounts_js, sizeof accounts_js},
    {"/dashboard/signin.js", SCRIPT, signin_js, sizeof signin_js},
    {"/dashboard/finding.js", SCRIPT, finding_js, sizeof finding_js},
    {"/dashboard/care.js", SCRIPT, care_js, sizeof care_js},
    {"/dashboard/shadow.js", SCRIPT, shadow_js, sizeof shadow_js},
    {"/dashboard/live.js", SCRIPT, live_js, sizeof live_js},
    {"/dashboard/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
    {"/web/postrider.js", SCRIPT, web_postrider_js, sizeof web_postrider_js},
    {"/web/worker.js", SCRIPT, web_worker_js, sizeof web_worker_js},
};

const struct postrider_asset *postrider_asset_at(size_t index) {
  return index < sizeof assets / sizeof assets[0] ? &assets[index] : NULL;
}
