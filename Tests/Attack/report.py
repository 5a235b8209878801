"""What a run prints: a line for each round and fault, the findings with how to repeat them, and the figures at the end."""

import collections
import json

SHOWN = 12


class Report:
    def __init__(self, seed, folder):
        self.seed, self.folder = seed, folder
        self.sums, self.peak = collections.Counter(), 0
        self.failed, self.figures, self.missing = [], {}, {}
        print(f"attack: seed {seed}, files in {folder}", flush=True)

    @property
    def kills(self):
        return self.sums["kills"]

    @property
    def rounds(self):
        return self.sums["rounds"]

    def round(self, number, kills, found, figures, seconds):
        self.peak = max(self.peak, figures.pop("peak_rss_mb", 0))
        self.sums.update(figures)
        self.sums["rounds"] += 1
        print(f"round {number}: {figures.get('kills', 0)} kills in {seconds:.1f} s, {figures.get('pushes', 0)} pushes, "
              f"{figures.get('rows', 0)} rows, {figures.get('takes', 0)} takes, {figures.get('acknowledged', 0)} acknowledged, "
              f"{len(found)} findings", flush=True)
        if found:
            self.show(f"round-{number}", found, f"script/attack --seed {self.seed} --round {number} --kills {kills}")

    def fault(self, name, found, figures, seconds):
        self.figures[name] = {"seconds": round(seconds, 1), **figures}
        self.sums["fault_rows"] += figures.get("rows", 0)
        print(f"{name}: {json.dumps(self.figures[name])}, {len(found)} findings", flush=True)
        if found:
            self.show(name, found, f"script/attack --seed {self.seed} --only {name}")

    def left_out(self, name, why):
        self.missing[name] = why
        print(f"{name}: left out, {why}", flush=True)

    def show(self, name, found, again):
        self.failed.append(name)
        rules = collections.Counter(line.split(":", 1)[0] for line in found)
        print(f"  {name} found {dict(rules)}; files: {self.folder / name}; again: {again}")
        shown = collections.Counter()
        for line in found:
            rule = line.split(":", 1)[0]
            shown[rule] += 1
            if shown[rule] <= SHOWN // max(len(rules), 1) + 1:
                print(f"    {line if rule == 'crashed' else line[:600]}")
        print(flush=True)

    def finish(self):
        """Prints the sums; the exit status."""
        print(json.dumps({"seed": self.seed, **self.sums, "peak_rss_mb": self.peak, "faults": self.figures,
                          "left_out": self.missing, "failed": self.failed}))
        if self.failed:
            print(f"attack: {len(self.failed)} failed: {', '.join(self.failed)}; their files are in {self.folder}")
            return 1
        rows = self.sums["rows"] + self.sums["fault_rows"]
        print(f"attack: {self.sums['kills']} kills and {len(self.figures)} faults, {rows} rows compared, all true; "
              "nothing acknowledged was lost")
        return 0
