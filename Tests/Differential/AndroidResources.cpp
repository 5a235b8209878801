// Answers each line of standard input, a language and the name of a string with a tab between them, with what Android's own
// resources give an app on a device of that language: "+" and the text, or "-" when there is no value.
//
// The resources are read by Android's libandroidfw, the code behind android.content.res.Resources, from Debian's
// android-libandroidfw-dev. README.md beside this file says how it is built.

#include <iostream>
#include <memory>
#include <string>

#include <androidfw/ApkAssets.h>
#include <androidfw/AssetManager2.h>

static std::string text(const android::AssetManager2& resources, const std::string& name) {
  android::Res_value value{};
  android::ResTable_config chosen{};
  uint32_t flags = 0;
  const uint32_t id = resources.GetResourceId(name, "string", "com.example.app");
  const auto cookie = resources.GetResource(id, false, 0, &value, &chosen, &flags);
  if (cookie == android::kInvalidCookie) return "-";
  return "+" + std::string(resources.GetStringPoolForCookie(cookie)->string8ObjectAt(value.data).string());
}

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::unique_ptr<const android::ApkAssets> package = android::ApkAssets::Load(words[1]);
  if (!package) return 1;
  android::AssetManager2 resources;
  resources.SetApkAssets({package.get()});
  for (std::string locale, name; std::getline(std::cin, locale, '\t') && std::getline(std::cin, name);) {
    android::ResTable_config device{};
    device.sdkVersion = 29;
    device.setBcp47Locale(locale.c_str());
    resources.SetConfiguration(device);
    std::cout << text(resources, name) << "\n";
  }
}
