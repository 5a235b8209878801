"""An app's string resources in many languages, as Android's own resources (AndroidResources.cpp) and our models choose them."""

import pathlib
import random
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent / "AndroidResources.cpp"
LIBRARIES = "/usr/lib/x86_64-linux-gnu/android"
NAMES = ["one", "two", "three"]
# Not here, as Android 10 had other data or translates in Java: en-CA and en-PH, whose parent is no longer en-001 in CLDR, and
# the old codes iw, in and ji.
LANGUAGES = {
    "ar": ["", "EG", "SA", "MA", "DZ", "LB", "015"], "az": ["", "AZ", "Cyrl", "Latn"], "bs": ["", "BA", "Cyrl"],
    "de": ["", "DE", "AT", "CH"], "en": ["", "US", "GB", "AU", "IN", "ZA", "NZ", "IE", "001", "150", "PR", "DE", "SE"],
    "es": ["", "ES", "MX", "US", "419", "AR", "CO", "PR", "PH"], "fil": ["", "PH"], "fr": ["", "FR", "CA", "CH", "BE"],
    "ja": ["", "JP"], "kk": ["", "KZ", "Arab"], "nb": ["", "NO"], "nn": ["NO"], "pa": ["", "IN", "PK", "Arab"],
    "pt": ["", "BR", "PT", "AO", "MZ"], "ru": ["", "RU", "KZ"], "sr": ["", "RS", "ME", "Latn", "Cyrl", "Latn-RS"],
    "tl": ["", "PH"], "uz": ["", "UZ", "Cyrl", "AF"],
    "zh": ["", "CN", "TW", "HK", "MO", "SG", "Hans", "Hant", "Hant-HK", "Hans-SG", "Hant-TW", "Hans-CN"],
}  # fmt: skip


def build(program):
    """Compiles the reader of Android's resources."""
    libraries = ["-landroidfw", "-lbase", "-lutils", f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}"]
    # Debian's headers have attributes that g++ does not know.
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-w", "-isystem", "/usr/include/android", SOURCE, "-o", program, *libraries],
        check=True, timeout=120)  # fmt: skip
    return program


def tags():
    return [language + ("-" + rest if rest else "") for language, ends in LANGUAGES.items() for rest in ends]


def folder(tag, rng):
    """The folder of a language: the short form where there is one, or that of BCP 47."""
    parts = tag.split("-")
    isShort = len(parts) == 1 or len(parts) == 2 and len(parts[1]) == 2
    if isShort and rng.random() < 0.8:
        return "-".join(["values", parts[0], *("r" + region for region in parts[1:])])
    return "values-b+" + "+".join(parts)


class App:
    """Three strings, each in some of the app's languages; the text of a value is the name of its folder."""

    def __init__(self, path, seed):
        self.path = path
        self.rng = random.Random(seed)
        # Languages that are close to each other are where the choice is hard.
        near = self.rng.sample(sorted(LANGUAGES), 3)
        wanted = [tag for tag in tags() if tag.split("-")[0] in near]
        chosen = self.rng.sample(wanted, min(len(wanted), self.rng.randint(2, 9)))
        self.folders = ["values", *(folder(tag, self.rng) for tag in chosen)]
        self.asked = wanted + self.rng.sample(tags(), 10)
        self.files = {f"res/{name}/strings.xml": self.content(name) for name in dict.fromkeys(self.folders)}

    def content(self, name):
        kept = [key for key in NAMES if self.rng.random() < 0.7]
        rows = "".join(f'<string name="{key}">{name}</string>' for key in kept or NAMES[:1])
        return f"<resources>{rows}</resources>"

    def questions(self, count):
        """(language of the device, name of a string), at most `count`."""
        return [(self.rng.choice(self.asked), self.rng.choice(self.names())) for _ in range(count)]

    def names(self):
        return [name for name in NAMES if any(f'"{name}"' in content for content in self.files.values())]

    def line(self, index, language, name):
        """The question to our models."""
        block = {"body_loc_key": name}
        return {
            "id": index, "contract": "native", "platform": "android", "payload": {"android": {"notification": block}},
            "locales": [language], "strings": self.files,
        }  # fmt: skip

    def android(self, program, questions):
        """What Android's resources give; None for no value."""
        package = self.package()
        text = "".join(f"{language}\t{name}\n" for language, name in questions)
        answer = subprocess.run(
            [program, package], input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, timeout=60)
        return [line[1:] if line.startswith("+") else None for line in answer.stdout.splitlines()]

    def package(self):
        for name, content in self.files.items():
            path = self.path / name
            path.parent.mkdir(parents=True)
            path.write_text(content)
        manifest, package = self.path / "AndroidManifest.xml", self.path / "app.apk"
        manifest.write_text('<manifest package="com.example.app"/>')
        compiled = self.path / "compiled.zip"
        subprocess.run(["aapt2", "compile", "--dir", self.path / "res", "-o", compiled], check=True, timeout=60)
        # Without the flag aapt2 leaves out strings that have no value in values.
        link = ["aapt2", "link", "--no-resource-removal", "-o", package, "--manifest", manifest, compiled]
        subprocess.run(link, check=True, timeout=60, stderr=subprocess.DEVNULL)
        return package
