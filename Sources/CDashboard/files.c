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
static const unsigned char core_js[] = {
#embed "Assets/core.js"
};
static const unsigned char charts_js[] = {
#embed "Assets/charts.js"
};
static const unsigned char composer_js[] = {
#embed "Assets/composer.js"
};
static const unsigned char pushes_js[] = {
#embed "Assets/pushes.js"
};
static const unsigned char pages_js[] = {
#embed "Assets/pages.js"
};
static const unsigned char lab_js[] = {
#embed "Assets/lab.js"
};
static const unsigned char icon_svg[] = {
#embed "Assets/icon.svg"
};

#define HTML "text/html; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"

static const struct postrider_asset assets[] = {
    {"/", HTML, index_html, sizeof index_html},
    {"/dashboard/style.css", STYLE, style_css, sizeof style_css},
    {"/dashboard/app.js", SCRIPT, app_js, sizeof app_js},
    {"/dashboard/core.js", SCRIPT, core_js, sizeof core_js},
    {"/dashboard/charts.js", SCRIPT, charts_js, sizeof charts_js},
    {"/dashboard/composer.js", SCRIPT, composer_js, sizeof composer_js},
    {"/dashboard/pushes.js", SCRIPT, pushes_js, sizeof pushes_js},
    {"/dashboard/pages.js", SCRIPT, pages_js, sizeof pages_js},
    {"/dashboard/lab.js", SCRIPT, lab_js, sizeof lab_js},
    {"/dashboard/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
};

const struct postrider_asset *postrider_asset_at(size_t index) {
  return index < sizeof assets / sizeof assets[0] ? &assets[index] : NULL;
}
