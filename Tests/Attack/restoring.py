"""A backup that is made under load, and restored elsewhere while the original is gone."""

import shutil
import subprocess
import time

from processes import Server, command
from stage import Stage

WATCHED_SECONDS = 4


def restore(folder, identity, seed):
    """The restored server holds all that may have gone out; it has everything acknowledged before the backup began."""
    with Stage(folder, identity, seed, devices=200) as stage:
        stage.workload.start(callers=3)
        time.sleep(2)
        pushes = [(push.app, push.id) for push in stage.workload.promises.all_pushes() if not push.deleted]
        schedules = list(stage.workload.promises.schedules)
        tool(stage, "backup", "--with-key", "--data", str(stage.server.data), str(folder / "backup"))
        time.sleep(1)
        stage.settle()
        stage.verify()
        restored = Server(folder / "restored")
        restored.folder.mkdir()
        restored.key = stage.server.key
        tool(stage, "restore", "--data", str(restored.data), str(folder / "backup"))
        before = stage.takes.refresh().count
        restored.start()
        stage.client.server = restored
        time.sleep(WATCHED_SECONDS)
        sent = stage.takes.refresh().count - before
        if sent:
            stage.findings.append(f"resent: the restored server sent {sent} pushes by itself")
        check_kept(stage, pushes, schedules)
        stage.figures.update(in_backup=len(pushes), schedules_in_backup=len(schedules), sent_by_itself=sent)
        status = restored.stop()
        if status != 0:
            stage.findings.append(f"stop: SIGTERM ended the restored server with {status}: {restored.tail()}")
        if not stage.findings:
            shutil.rmtree(restored.folder)
        return stage.findings, stage.figures


def tool(stage, *words):
    done = subprocess.run([command(), *words], capture_output=True, text=True, timeout=120)
    if done.returncode:
        stage.findings.append(f"{words[0]}: it ended with {done.returncode}: {done.stderr}")


def check_kept(stage, pushes, schedules):
    deleted = {(push.app, push.id) for push in stage.workload.promises.all_pushes() if push.deleted}
    for kind, kept in (("pushes", pushes), ("schedules", schedules)):
        for app, number in kept:
            status, answer = stage.client.ask("GET", f"/v1/apps/{app}/{kind}/{number}")
            if status != 200 and (app, number) not in deleted:
                stage.findings.append(f"lost: {kind} {number} of {app} was acknowledged before the backup began: {status} {answer}")
