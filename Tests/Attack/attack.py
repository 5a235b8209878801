"""Attacks a built server and compares what the gateways took with what the ledger says.

    script/attack --minutes 5 --seed 1            everything, the time shared between kills and resource faults
    script/attack --only kills --kills 1000       so many kills
    script/attack --only disk-full,clock          some of the faults
    script/attack --round 7 --seed 1              one round of kills again, as a failed run prints it

Exit status 0: every row was true and nothing acknowledged was lost. A round that found something leaves its folder.
"""

import argparse
import pathlib
import secrets
import sys
import tempfile
import time

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
    for name in faults.ALL:
        if (not only and given.kills is None) or name in only:
            report.fault(name, *faults.run(name, folder / name, identity, f"{seed} {name}"))
    if not only or "kills" in only:
        rounds(report, identity, seed, given.kills, end)
    sys.exit(report.finish())


def rounds(report, identity, seed, kills, end):
    """Rounds of kills until the time is over or there were enough; one at least."""
    number = 0
    while number == 0 or (report.kills < kills if kills is not None else time.monotonic() < end):
        number += 1
        left = kills - report.kills if kills is not None else KILLS_A_ROUND
        one_round(report, identity, seed, number, min(left, KILLS_A_ROUND))


def one_round(report, identity, seed, number, kills):
    started = time.monotonic()
    found, figures = kill_round(report.folder / f"round-{number}", identity, f"{seed}/{number}", kills)
    report.round(number, kills, found, figures, time.monotonic() - started)


if __name__ == "__main__":
    main()
