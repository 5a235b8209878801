"""Attacks a built server and compares what the gateways took with what the ledger says.

    script/attack --minutes 5 --seed 1            everything, the time shared between kills and resource faults
    script/attack --only kills --kills 1000       so many kills
    script/attack --only disk-full,clock          some of the faults
    script/attack --round 7 --seed 1              one round of kills again, as a failed run prints it

Exit status 0: every row was true and nothing acknowledged was lost. A round that found something leaves its folder.
"""

import argparse
import pathlib
import random
import secrets
import sys
import tempfile
import time
import traceback

import faults
from identity import Identity
from kills import kill_round
from report import Report

KILLS_A_ROUND = 16


def arguments():
    parser = argparse.ArgumentParser(prog="script/attack", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="how long, about; 5 unless given")
    parser.add_argument("--seed", type=int, default=None, help="decides all dice; drawn and printed unless given")
    parser.add_argument("--kills", type=int, default=None, help="end after so many kills, however long it takes")
    parser.add_argument("--only", default="", help="kills, or names of faults, with commas: " + ", ".join(faults.ALL))
    parser.add_argument("--goals", action="store_true", help="fail when a latency or a rate misses its goal; on a quiet machine")
    parser.add_argument("--round", type=int, default=None, help="repeat one round of kills")
    parser.add_argument("--folder", type=pathlib.Path, default=None, help="where rounds keep their files")
    return parser.parse_args()


def main():
    given = arguments()
    seed = given.seed if given.seed is not None else secrets.randbelow(1_000_000)
    folder = given.folder or pathlib.Path(tempfile.mkdtemp(prefix="postrider-attack-"))
    only = [name for name in given.only.split(",") if name]
    unknown = set(only) - {"kills", *faults.ALL}
    if unknown:
        sys.exit(f"no such fault: {', '.join(sorted(unknown))}; there are: kills, {', '.join(faults.ALL)}")
    report = Report(seed, folder)
    identity = Identity(folder / "identity")
    end = time.monotonic() + given.minutes * 60
    if given.round is not None:
        one_round(report, identity, seed, given.round, given.kills or KILLS_A_ROUND)
        sys.exit(report.finish())
    if not only or "kills" in only:
        # Kills have a sixth of the time, and what the faults leave.
        sixth = time.monotonic() + given.minutes * 10
        rounds(report, identity, seed, given.kills, end if only or given.kills else sixth)
    wanted = [name for name in faults.ALL if name in only] if only else [] if given.kills else shuffled(faults.ALL, seed)
    for name in wanted:
        one_fault(report, identity, seed, name, given.goals)
    if not only and not given.kills:
        while time.monotonic() < end:
            one_round(report, identity, seed, report.rounds + 1, KILLS_A_ROUND)
    sys.exit(report.finish())


def shuffled(names, seed):
    """In another order each time."""
    names = list(names)
    random.Random(f"{seed} order").shuffle(names)
    return names


def one_fault(report, identity, seed, name, has_goals):
    started = time.monotonic()
    try:
        found, figures = faults.ALL[name](report.folder / name, identity, f"{seed} {name}")
    except PermissionError as error:
        return report.left_out(name, f"this machine does not allow it: {error}")
    except Exception:  # noqa: BLE001 - whatever broke, the run goes on and fails
        found, figures = [f"crashed: {traceback.format_exc()}"], {}
    if has_goals:
        found = [*found, *faults.missed(name, figures)]
    report.fault(name, found, figures, time.monotonic() - started)


def rounds(report, identity, seed, kills, end):
    """Rounds of kills until the time is over or there were enough; one at least."""
    while not report.rounds or (report.kills < kills if kills is not None else time.monotonic() < end):
        number = report.rounds + 1
        left = kills - report.kills if kills is not None else KILLS_A_ROUND
        one_round(report, identity, seed, number, min(left, KILLS_A_ROUND))


def one_round(report, identity, seed, number, kills):
    started = time.monotonic()
    try:
        found, figures = kill_round(report.folder / f"round-{number}", identity, f"{seed}/{number}", kills)
    except Exception:  # noqa: BLE001 - whatever broke, the run goes on and fails
        found, figures = [f"crashed: {traceback.format_exc()}"], {}
    report.round(number, kills, found, figures, time.monotonic() - started)


if __name__ == "__main__":
    main()
