"""The lab: script time of one step in the browser, size and loading time of a long recording, start of the server.

    python -m benchmarks.lab

2,000 points of noisy labels, 10,000 updates of the perceptron; Chromium through Playwright.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from linsep.lab import record


def noisy(rows: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """Points of the plane, some of them on the wrong side of any line."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 2))
    return X, (X @ [1, 2] + 0.3 + 0.5 * rng.normal(size=rows) > 0).astype(int)


def in_browser(page: Path) -> None:
    """Open the page, step through it, and print the script time of the frames."""
    from playwright.sync_api import sync_playwright

    browser_path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1400, "height": 900})
        tab.goto(page.as_uri())
        tab.wait_for_timeout(1500)
        load = tab.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})  # CPU time: others may use the machine

        def used() -> float:
            found = session.send("Performance.getMetrics")["metrics"]
            return next(1e3 * each["value"] for each in found if each["name"] == "TaskDuration")

        times, every = [], []
        for k in range(1, 201):
            tab.evaluate("(frame) => { linsepLab.go(frame); cancelAnimationFrame(linsepLab.pending); }", k * 50)
            spent = []
            for _ in range(3):
                before = used()
                tab.evaluate("linsepLab.draw()")
                spent.append(used() - before)
            times.append(min(spent))
            every += spent
            tab.evaluate("linsepLab.pending = null")
        times.sort()
        every.sort()
        browser.close()
    print(f"loaded and drawn after {load:.0f} ms")
    print("CPU time of a step in the page's thread, layout and the call itself included, the least of three draws:")
    print(f"  median {times[100]:.1f} ms, 95 % {times[190]:.1f} ms, most {times[-1]:.1f} ms")
    over = sum(each > 16 for each in every)
    print(f"  of all {len(every)} draws: most {every[-1]:.1f} ms, {over} above 16 ms")


def start_of_server() -> None:
    """Seconds from the command to its printed address."""
    command = [sys.executable, "-m", "linsep", "lab", "--no-browser", "--port", "0"]
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        print(f"linsep lab is up after {time.perf_counter() - begin:.2f} s")
        running.terminate()


def main() -> None:
    X, y = noisy()
    record("perceptron", X[:50], y[:50])  # compiled
    begin = time.process_time()
    recording = record("perceptron", X, y, max_updates=10_000)
    print(f"recorded {len(recording)} updates of {len(X)} points in {time.process_time() - begin:.2f} s of CPU")
    print(f"{len(recording.to_json()) / 1e6:.2f} MB of JSON")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "long.html"
        recording.to_html(page)
        in_browser(page)
    start_of_server()


if __name__ == "__main__":
    main()
