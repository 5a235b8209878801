"""The Android client's jar: its tests, its size, and that every member of the platform it refers to exists there.

Debian has no platform jar of Android since release 12, so `script/android` compiles against declarations of our own. The
oracle is `chaquopy-stubs-android`: the whole platform of API level 36, as generated from Google's android.jar.
"""

import ast
import pathlib
import re
import subprocess
import sysconfig

import pytest
from conftest import ROOT

JAR = ROOT / "dist" / "postrider-android.jar"
PRIMITIVES = {"I": "java.jint", "Z": "java.jboolean", "J": "java.jlong", "D": "java.jdouble", "B": "java.jbyte"}
RESULTS = {"I": "int", "J": "int", "Z": "bool", "V": "None", "D": "float", "Ljava/lang/String;": "str"}


class Platform:
    """The classes of the stubs, by binary name."""

    def __init__(self, folder):
        self.folder, self.packages = folder, {}

    def package(self, name):
        if name not in self.packages:
            first, *rest = name.split(".")
            path = self.folder.joinpath(f"{first}-stubs", *rest, "__init__.pyi")
            self.packages[name] = ast.parse(path.read_text()).body if path.exists() else []
        return self.packages[name]

    def find(self, binary):
        """The class `android/os/Build$VERSION`; None when the platform has none."""
        package, _, name = binary.replace("/", ".").rpartition(".")
        body, found = self.package(package), None
        for part in name.split("$"):
            found = next((each for each in body if isinstance(each, ast.ClassDef) and each.name == part), None)
            if found is None:
                return None
            body = found.body
        return found

    def lineage(self, binary):
        """The class and those it extends, with their packages."""
        found = self.find(binary)
        if found is None:
            return
        package = binary.replace("/", ".").rpartition(".")[0]
        yield package, found
        for base in found.bases:
            name = ast.unparse(base).split("[")[0]
            inner = f"{package}.{name}"
            for candidate in (inner, name):
                path = self.binary(candidate)
                if path and self.find(path):
                    yield from self.lineage(path)
                    break

    def binary(self, dotted):
        parts = dotted.split(".")
        for end in range(len(parts) - 1, 0, -1):
            if self.package(".".join(parts[:end])):
                return "/".join(parts[:end]) + "/" + "$".join(parts[end:])
        return None

    def lacks(self, binary, name, descriptor):
        """Why the platform has no such member; None when it has."""
        if self.find(binary) is None:
            return "no such class"
        name = {"<init>": "__init__"}.get(name, name)
        near = []
        for package, found in self.lineage(binary):
            for member in found.body:
                if isinstance(member, ast.FunctionDef) and member.name == name:
                    if fits(member, package, descriptor, strict=not binary.startswith("java/")):
                        return None
                    near.append(ast.unparse(member))
                if isinstance(member, ast.AnnAssign) and ast.unparse(member.target) == name and "(" not in descriptor:
                    return None
        # A constructor without parameters need not be written down.
        return None if (name, descriptor) == ("__init__", "()V") else f"only {near}"


def words(descriptor):
    return re.findall(r"\[*(?:L[^;]+;|[A-Z])", descriptor)


def fits(function, package, descriptor, strict):
    inside, result = re.fullmatch(r"\((.*)\)(.*)", descriptor).groups()
    types = words(inside)
    given = [each for each in function.args.posonlyargs + function.args.args if each.arg not in ("self", "cls")]
    if function.args.vararg or len(given) != len(types):
        return bool(function.args.vararg)
    if not strict:
        return True
    if not all(matches(ast.unparse(each.annotation), dotted(word), package) for each, word in zip(given, types)):
        return False
    return function.name == "__init__" or matches(
        ast.unparse(function.returns), RESULTS.get(result) or dotted(result), package)


def dotted(word):
    if word.startswith("["):
        return "java.chaquopy.JavaArray[" + dotted(word[1:]) + "]"
    return PRIMITIVES.get(word) or word[1:-1].replace("/", ".").replace("$", ".")


def matches(annotation, wanted, package):
    """Whether a union of types has this one; a class of the package itself is written without it."""
    for each in annotation.split(" | "):
        bare = each if each.startswith("java.chaquopy") else each.split("[")[0]
        if wanted in (bare, f"{package}.{bare}") or wanted.endswith(f".{bare}") and wanted.startswith(package):
            return True
    return False


@pytest.fixture(scope="module")
def platform():
    folder = pathlib.Path(sysconfig.get_paths()["purelib"])
    if not (folder / "android-stubs").exists():
        pytest.fail("chaquopy-stubs-android is not installed; see Tests/Interop/requirements.txt")
    return Platform(folder)


def references():
    """What the jar refers to outside of itself: (class, member, descriptor)."""
    subprocess.run([ROOT / "script" / "android"], check=True, stdout=subprocess.DEVNULL, timeout=300)
    names = subprocess.run(["jar", "tf", JAR], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout.split()
    classes = [name.removesuffix(".class").replace("/", ".") for name in names]
    said = subprocess.run(
        ["javap", "-v", "-p", "-cp", str(JAR), *classes], check=True, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    found = set()
    for line in said.splitlines():
        match = re.search(r"= (?:InterfaceMethod|Method|Field)ref .*// +(\S+)\.\"?([^\":.]+)\"?:(\S+)", line)
        if match and not match[1].startswith(("postrider/", '"[')):
            found.add(match.groups())
    return sorted(found)


def test_the_jar_is_small_and_the_same_again_and_its_tests_pass():
    said = subprocess.run(
        [ROOT / "script" / "android", "--test"], check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout
    assert re.search(r"^[0-9]+ passed, 0 failed$", said, re.MULTILINE), said
    first = JAR.read_bytes()
    assert len(first) <= 60_000
    subprocess.run([ROOT / "script" / "android"], check=True, stdout=subprocess.DEVNULL, timeout=300)
    assert JAR.read_bytes() == first


def test_every_member_exists_on_android(platform):
    found = references()
    android = [each for each in found if each[0].startswith("android/")]
    assert len(android) > 15 and len(found) > 100, found
    # Of `Object` the oracle has no members, because every class has them.
    lacking = {
        each: why for each in found if not each[0].startswith("java/lang/") and (why := platform.lacks(*each))}
    assert lacking == {}


@pytest.mark.parametrize("member", [
    ("android/content/Context", "getNoBackupFilesDirectory", "()Ljava/io/File;"),
    ("android/content/Context", "getNoBackupFilesDir", "()Ljava/lang/String;"),
    ("android/content/Intent", "putExtra", "(Ljava/lang/String;Ljava/util/Set;)Landroid/content/Intent;"),
    ("android/os/Bundle", "getString", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Ljava/lang/String;"),
    ("android/os/Build$VERSION", "SDK_NUMBER", "I"),
    ("android/net/NetworkCallback", "onAvailable", "()V"),
    ("java/io/File", "readAll", "()Ljava/lang/String;"),
    ("org/json/JSONObject", "put", "(ILjava/lang/Object;)Lorg/json/JSONObject;"),
])
def test_what_android_does_not_have_is_found(platform, member):
    assert platform.lacks(*member)


def test_what_is_overridden_exists(platform):
    assert platform.lacks("android/net/ConnectivityManager$NetworkCallback", "onAvailable", "(Landroid/net/Network;)V") is None
