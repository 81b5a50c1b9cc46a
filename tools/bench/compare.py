#!/usr/bin/env python3
"""Two programs beside each other: every scene that both accept, run by one and the other in turns.

    make compare OTHER=path/to/mbsim
    python3 tools/bench/compare.py [OPTION]... BASE NOW [SCENE]...

Prints a table: the time of a step in both (of the whole run less that of a run of no steps, medians), the median of their
ratios, and whether the state at the end is the same to the bit (mbsim hash of the first and the last frame). Scenes that BASE refuses are
counted; one that NOW alone refuses has a line that says why. Exit 1 if a ratio is above --limit or NOW refuses a scene of BASE's, 2 if it was
called wrongly.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGEST = 120  # seconds that a run may take
TRIES = 4  # pairs of runs for each one that is asked for: a pair with a time below that of a run of no steps does not count


class Refused(Exception):
    """A program does not run a scene; the text is its first line about why."""


def output(command, folder=None):
    """What a command prints, and its messages."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired as late:
        raise Refused(f"more than {LONGEST} s") from late
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [""]
        raise Refused(f"exit {done.returncode}: {lines[0]}")
    return done.stdout, done.stderr


class Scene:
    """A scene with what was asked for, run for a time that is the same in both programs."""

    def __init__(self, path, arguments, work):
        self.path, self.arguments = os.path.abspath(path), arguments
        self.file = os.path.join(work, "run.mbt")

    def run(self, program, duration, before=()):
        """Runs it with a frame at the start and one at the end; the messages."""
        return output([*before, program, "run", "-f", "-t", "1", "--log", "json", "-o", self.file, "-d", repr(duration),
                       "--every", "1000000000", *self.arguments, self.path], os.path.dirname(self.path))[1]

    def about(self, program):
        """What `mbsim info` tells of the last run: seconds, steps, length of a step."""
        told = json.loads(output([program, "info", "--json", self.file])[0])
        end = next(p for p in reversed(told["provenance"]) if "wall" in p)
        return end["wall"], end.get("steps", 0), told.get("step")

    def seconds(self, program, duration):
        """Seconds and steps of a run."""
        self.run(program, duration)
        return self.about(program)[:2]

    def instructions(self, program, duration):
        """Instructions within steps, and steps, of a run."""
        told = self.run(program, duration, ("valgrind", "--tool=callgrind", "--toggle-collect=mb_sim_step",
                                            "--callgrind-out-file=" + os.path.join(os.path.dirname(self.file), "callgrind")))
        count = re.search(r"Collected : (\d+)", told)
        if not count or not int(count.group(1)):
            raise Refused("callgrind saw no step: are there symbols?")
        return int(count.group(1)), self.about(program)[1]

    def hash(self, program):
        """That of the last run, without the file's name."""
        return output([program, "hash", self.file])[0].split()[0]

    def step(self):
        """The length of a step that the scene's text has, or a millisecond."""
        with open(self.path, encoding="utf-8") as file:
            step = json.load(file).get("time", {}).get("step", 1e-3)
        return step if isinstance(step, (int, float)) else 1e-3

    def duration(self, program, seconds):
        """A simulated time that takes a program so many seconds, or nearly as long as the scene can be run."""
        whole = steps = 16
        none = self.seconds(program, 0)[0]
        while steps < 1 << 20:
            try:
                wall = self.seconds(program, steps * self.step())[0] - none
            except Refused:
                if steps == 16:
                    raise
                break
            whole = steps
            if wall >= seconds:
                break
            steps *= max(2, min(8, int(seconds / max(wall, 1e-6))))
        return whole * self.step()


def measure(scene, programs, options):
    """Time of a step in both, the median of their ratios, and whether they end in the same state."""
    base = programs[0]
    if options.instructions:
        duration = options.steps * scene.step()
        counted, hashes = [], []
        for program in programs:
            count, steps = scene.instructions(program, duration)
            counted.append(count / max(steps, 1))
            hashes.append(scene.hash(program))
        return counted, counted[1] / counted[0], hashes[0] == hashes[1]
    duration = scene.duration(base, options.seconds)
    times, hashes = ([], []), [None, None]
    for turn in range(TRIES * options.runs):
        if len(times[0]) == options.runs:
            break
        pair = [0, 0]
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            none = scene.seconds(programs[which], 0)[0]
            wall, steps = scene.seconds(programs[which], duration)
            pair[which] = (wall - none) / max(steps, 1)
            hashes[which] = scene.hash(programs[which])
        if min(pair) > 0:  # else the machine was busy while a run of no steps was timed, and the difference says nothing
            times[0].append(pair[0])
            times[1].append(pair[1])
    if not times[0]:
        raise Refused("no run took longer than one of no steps: --seconds is too short")
    ratio = statistics.median(now / before for before, now in zip(*times))
    return [1e6 * statistics.median(t) for t in times], ratio, hashes[0] == hashes[1]


def refusals(scene, programs):
    """Which programs refuse a scene, and why: texts, or None."""
    told = []
    for program in programs:
        try:
            scene.run(program, 0)
            told.append(None)
        except Refused as why:
            told.append(str(why))
    return told


def scenes(named):
    """Paths of the scenes that are named, or of all in scenes/."""
    if named:
        return named
    listed = []
    for folder, _, files in os.walk(os.path.join(ROOT, "scenes")):
        listed += [os.path.join(folder, f) for f in files if f.endswith(".json")]
    return sorted(listed)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("programs", nargs=2, metavar="PROGRAM", help="BASE and NOW")
    options.add_argument("scenes", nargs="*", help="paths (default: all of scenes/)")
    options.add_argument("--limit", type=float, default=1.03, help="ratio that fails (default: 1.03)")
    options.add_argument("--runs", type=int, default=7, help="runs in each program (default: 7)")
    options.add_argument("--seconds", type=float, default=0.2, help="how long a run is to take (default: 0.2)")
    options.add_argument("--instructions", action="store_true",
                         help="count instructions of steps by valgrind, once, instead of seconds: for machines that others use too")
    options.add_argument("--steps", type=int, default=100, help="how many with --instructions (default: 100)")
    options.add_argument("--argument", action="append", default=[], help="an argument of `mbsim run`, as --argument=--solver=maximal")
    options = options.parse_intermixed_args()
    programs = [os.path.abspath(p) for p in options.programs]
    for program in programs:
        if not os.access(program, os.X_OK):
            print(f"compare: no program at {program}", file=sys.stderr)
            return 2
    if options.runs < 1 or options.steps < 1:
        print("compare: --runs and --steps are from 1", file=sys.stderr)
        return 2
    bad = refused = done = 0
    unit = "instructions" if options.instructions else "us"
    print(f"| scene | base, {unit} a step | now | ratio | same bits |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as work:
        for path in scenes(options.scenes):
            name = os.path.relpath(path, os.path.join(ROOT, "scenes")) if not options.scenes else path
            scene = Scene(path, options.argument, work)
            told = refusals(scene, programs)
            if told[0]:
                refused += 1
                continue
            try:
                if told[1]:
                    raise Refused("now refuses it, " + told[1])
                (before, now), ratio, same = measure(scene, programs, options)
            except Refused as why:
                bad += 1
                print(f"| {name} | {why} | | | |", flush=True)
                continue
            done += 1
            bad += ratio > options.limit
            mark = " **slower**" if ratio > options.limit else ""
            print(f"| {name} | {before:.4g} | {now:.4g} | {ratio:.3f}{mark} | {'yes' if same else 'no'} |", flush=True)
    print(f"{done} scenes in both, {refused} that base refuses, {bad} above {options.limit:g} or refused by one")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
