"""`script/browser` finds a browser, installs one, or says that tests are skipped; it never fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "script" / "browser"
pytestmark = pytest.mark.skipif(sys.platform == "win32" or not SCRIPT.exists(), reason="needs bash and script/browser")


def run(folder, **commands):
    """The script in a folder of its own, on a machine that has these commands only; what it says, and what was run."""
    tools, project = folder / "bin", folder / "project"
    for each in (tools, project / "script"):
        each.mkdir(parents=True, exist_ok=True)
    for name in ("bash", "env", "dirname", "find", "mkdir", "touch", "timeout"):
        (tools / name).unlink(missing_ok=True)
        (tools / name).symlink_to(shutil.which(name))
    log = folder / "log"
    for name, code in commands.items():
        file = tools / name.replace("_", "-")
        file.write_text(f'#!{shutil.which("bash")}\necho "$0 $*" >> {log}\n{code}\n')
        file.chmod(0o755)
    shutil.copy(SCRIPT, project / "script" / "browser")
    done = subprocess.run(
        [project / "script" / "browser"], env={"PATH": str(tools)}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    ran = [line for line in log.read_text().splitlines() if "/apt-get" in line] if log.exists() else []
    log.unlink(missing_ok=True)
    return done.stdout + done.stderr, ran


def test_a_browser_that_is_there_is_enough(tmp_path):
    assert run(tmp_path, chromium="", id="echo 0", apt_get="") == ("", [])


@pytest.mark.parametrize("commands", [{"id": "echo 1000", "apt_get": ""}, {"id": "echo 0"}], ids=["not root", "no apt"])
def test_without_root_or_apt_it_says_that_tests_are_skipped(tmp_path, commands):
    said, ran = run(tmp_path, **commands)
    assert "found no Chromium; the tests in a browser are skipped" in said and ran == []


def test_it_installs_and_a_failure_is_not_repeated_within_a_day(tmp_path):
    said, ran = run(tmp_path, id="echo 0", apt_get="exit 100")
    assert "could not install chromium; the tests in a browser are skipped" in said and len(ran) == 2
    said, ran = run(tmp_path, id="echo 0", apt_get="exit 100")
    assert "To try again: rm .cache/no-browser" in said and ran == []
    failed = tmp_path / "project" / ".cache" / "no-browser"
    os.utime(failed, (0, 0))
    said, ran = run(tmp_path, id="echo 0", apt_get="exit 0")
    assert "installing" in said and "skipped" not in said
    assert len(ran) == 1 and ran[0].endswith("install -y --no-install-recommends chromium")
