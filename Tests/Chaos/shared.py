"""What both of Tests/Attack and Tests/Chaos use, from the folder beside."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Callers"))

from callers import Caller, Gone, Hooks, is_signed  # noqa: E402, F401
