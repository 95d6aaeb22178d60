"""The attack's command line: workers in processes of their own, a line of progress, and a summary.

``python -m attack 5 --seed 0 --only rows``; a worker is ``python -m attack --worker rows`` and reads seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from importlib import import_module

from . import GENERATORS
from .tally import Tally

ROUNDS = {"malformed": 1, "signals": 1, "same_bits": 1}  # units of these are whole tables: so many, then no more
HANG = 300.0  # seconds after which a unit of work counts as hanging
TABLE = 3000.0  # the same for a table, whose cases have limits of their own


def work(name: str) -> None:
    """Read seeds from stdin; write one line of JSON for each."""
    attack = import_module(f".{name}", __package__).attack
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what engines print is no answer
    for line in sys.stdin:
        tally = Tally()
        with tally.guarded(name, "the generator itself"):
            attack(int(line), tally)
        print(json.dumps(tally.to_dict()), file=out, flush=True)


class Worker:
    """A process that works on one seed after another."""

    def __init__(self, name: str) -> None:
        self.name = name
        command = [sys.executable, "-W", "ignore", "-m", __package__, "--worker", name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, seed: int) -> dict:
        """The answer for a seed; a crash or a hang is an answer too, and the end of the process."""
        assert self.process.stdin and self.process.stdout
        most = TABLE if self.name in ROUNDS else HANG
        alarm = threading.Timer(most, self.process.kill)
        alarm.start()
        try:
            print(seed, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        late = not alarm.is_alive()
        alarm.cancel()
        if answer:
            return json.loads(answer)
        code = self.process.wait()
        tally = Tally()
        tally.fail("hang" if late else "crash", self.name, f"over {most:.0f} s" if late else f"exit code {code}")
        return tally.to_dict()

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()


class Run:
    """Shared by the threads that feed the workers: which unit is next, and what was found."""

    def __init__(self, names: list[str], first: int, count: int | None, until: float) -> None:
        self.tasks: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        self.names, self.first, self.count, self.until = names, first, count, until
        self.next = Counter[str]()
        self.units = Counter[str]()
        self.total, self.lock, self.turn = Tally(), threading.Lock(), 0
        self.found: list[str] = []

    def take(self) -> tuple[str, int] | None:
        """The next unit of work: generators by turns."""
        with self.lock:
            if time.monotonic() > self.until:
                return None
            for _ in self.names:
                name = self.names[self.turn % len(self.names)]
                self.turn += 1
                most = self.count if self.count is not None else ROUNDS.get(name)
                if most is None or self.next[name] < most:
                    self.next[name] += 1
                    return name, self.first + self.next[name] - 1
        return None

    def put(self, name: str, seed: int, found: dict) -> None:
        """Note what a unit found."""
        with self.lock:
            self.total.add(found)
            self.units[name] += 1
            for failure in found["failures"]:
                again = f"script/attack --only {name} --seed {seed} --count 1"
                text = f"{failure['kind']} | {failure['who']} | {failure['detail']}\n    again: {again}"
                self.found.append(text)
                print(f"\r{' ' * 100}\r{text}" if sys.stderr.isatty() else text, flush=True)
            self.progress()

    def progress(self) -> None:
        """One line that is written over and over."""
        if sys.stderr.isatty():
            left = max(0.0, self.until - time.monotonic())
            counts = f"{sum(self.total.problems.values())} problems, {sum(self.total.forged.values())} forged"
            print(f"\r{counts}, {len(self.found)} failures, {left:.0f} s left   ", end="", file=sys.stderr, flush=True)

    def feed(self) -> None:
        """Keep one worker per generator busy, one at a time."""
        workers: dict[str, Worker] = {}
        try:
            while (task := self.take()) is not None:
                name, seed = task
                if name not in workers or not workers[name].alive:
                    workers[name] = Worker(name)
                self.put(name, seed, workers[name].run(seed))
        finally:
            for worker in workers.values():
                worker.end()


def summarise(run: Run, seconds: float) -> None:
    """The tables at the end."""
    total = run.total
    print(f"\n{sum(total.problems.values())} problems in {seconds:.0f} s; units: {dict(run.units)}")
    for name, count in sorted(total.problems.items()):
        print(f"  {name:32} {count:7}")
    forged, refused = sum(total.forged.values()), sum(total.refused.values())
    print(f"forged certificates refused: {refused} of {forged}")
    for part in (0, 1):
        sums = [Counter[str](), Counter[str]()]
        for which, counts in zip(sums, (total.forged, total.refused)):
            for name, count in counts.items():
                which[name.split(" | ")[part]] += count
        for name, count in sorted(sums[0].items()):
            print(f"  {name:32} {sums[1][name]:7} of {count:7}")
    untested = sum(count for name, count in total.notes.items() if name.startswith("not tested"))
    print(f"signals tested: {total.problems['signals']}; not tested: {untested}")
    for name, count in sorted(total.notes.items()):
        print(f"note: {name} {count}")
    kinds = Counter(f"{each['kind']} | {each['who']}" for each in total.failures)
    print(f"failures: {len(total.failures)}")
    for kind, count in sorted(kinds.items()):
        print(f"  {kind:48} {count:6}")


def main() -> int:
    """Attack for some minutes; 1 if anything broke."""
    parser = argparse.ArgumentParser(prog="script/attack", description=__doc__.splitlines()[0])
    parser.add_argument("minutes", type=float, nargs="?", default=2.0)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--only", choices=GENERATORS, action="append", help="this generator; may be repeated")
    parser.add_argument("--count", type=int, help="so many seeds of each generator")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--worker", choices=GENERATORS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        work(asked.worker)
        return 0
    began = time.monotonic()
    until = float("inf") if asked.count else began + 60 * asked.minutes
    run = Run(asked.only or list(GENERATORS), asked.seed, asked.count, until)
    threads = [threading.Thread(target=run.feed) for _ in range(asked.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    summarise(run, time.monotonic() - began)
    return 1 if run.total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
