"""What README, ARCHITECTURE and docs point to exists: links, files of the source, tests and examples."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
FOLDERS = [ROOT, ROOT / "src" / "linsep", ROOT / "src" / "linsep" / "certificates", ROOT / "docs"]
NAMED = re.compile(r"`(?:python )?((?:[a-z_0-9]+/)+[a-z_0-9]*(?:\.py|\.md)?)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_files_exist(page):
    words = page.read_text(encoding="utf-8")
    words = words.partition("### The redesign")[0] if page.name == "CHANGELOG.md" else words  # it names what is gone
    links = [link for link in re.findall(r"\]\(([^)#]+)", words) if "://" not in link]
    assert not [link for link in links if not (page.parent / link).exists()]
    assert not [name for name in NAMED.findall(words) if not any((folder / name).exists() for folder in FOLDERS)]


def test_the_tree_names_what_is_there():
    tree = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## The tree")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)/` \|.*?\| (.*) \|$", tree, re.M)
    assert len(rows) > 9
    folders = {folder: ROOT / "src" / "linsep" / folder for folder, _ in rows}
    missing = [
        f"{folder}/{name}"
        for folder, cell in rows
        for name in re.findall(r"`(\w+/?)`", cell)
        if not any((folders[folder] / each).exists() for each in (name, f"{name}.py"))
    ]
    assert not missing
