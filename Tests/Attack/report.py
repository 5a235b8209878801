"""What a run prints: a line for each round and fault, the findings with how to repeat them, and the figures at the end."""

import collections
import json

SHOWN = 12


class Report:
    def __init__(self, seed, folder):
        self.seed, self.folder = seed, folder
        self.sums = collections.Counter()
        self.failed, self.figures = [], {}
        print(f"attack: seed {seed}, files in {folder}", flush=True)

    @property
    def kills(self):
        return self.sums["kills"]

    def round(self, number, kills, found, figures, seconds):
        self.sums.update(figures)
        self.sums["rounds"] += 1
        print(f"round {number}: {figures.get('kills', 0)} kills in {seconds:.1f} s, {figures.get('pushes', 0)} pushes, "
              f"{figures.get('rows', 0)} rows, {figures.get('takes', 0)} takes, {figures.get('acknowledged', 0)} acknowledged, "
              f"{len(found)} findings", flush=True)
        if found:
            self.show(f"round-{number}", found, f"script/attack --seed {self.seed} --round {number} --kills {kills}")

    def fault(self, name, found, figures):
        self.figures[name] = figures
        print(f"{name}: {json.dumps(figures)}, {len(found)} findings", flush=True)
        if found:
            self.show(name, found, f"script/attack --seed {self.seed} --only {name}")

    def show(self, name, found, again):
        self.failed.append(name)
        rules = collections.Counter(line.split(":", 1)[0] for line in found)
        print(f"  {name} found {dict(rules)}; files: {self.folder / name}; again: {again}")
        shown = collections.Counter()
        for line in found:
            rule = line.split(":", 1)[0]
            shown[rule] += 1
            if shown[rule] <= SHOWN // max(len(rules), 1) + 1:
                print(f"    {line[:600]}")
        print(flush=True)

    def finish(self):
        """Prints the sums; the exit status."""
        print(json.dumps({"seed": self.seed, **self.sums, "faults": self.figures, "failed": self.failed}))
        if self.failed:
            print(f"attack: {len(self.failed)} failed: {', '.join(self.failed)}; their files are in {self.folder}")
            return 1
        print(f"attack: {self.sums['kills']} kills, {self.sums['rows']} rows compared, all true; nothing acknowledged was lost")
        return 0
