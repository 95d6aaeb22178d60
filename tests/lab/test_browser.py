"""The player in a real browser: Playwright with the system's Chromium. Without either these tests are skipped."""

import base64
import io
import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import golden
import numpy as np
import pytest
from PIL import Image

from linsep import LeastSquares
from linsep.cli.app import run
from linsep.cli.lab import _view
from linsep.cli.output import Output
from linsep.lab import PRESETS, Exercise, record, record_risk, show
from linsep.lab.ladder import make_ladder
from linsep.lab.page import embed
from linsep.lab.server import LabServer
from linsep.risk import vc_bound

playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright here: pip install playwright")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here: apt install chromium")

S1 = PRESETS["S1, nine points"]
HOSTILE = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>'


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


def is_error(message):
    """Whether the script said something is wrong; that the server refused something is no error of the page."""
    return message.type == "error" and "status of 400" not in message.text


@pytest.fixture
def page(browser):
    """A page that may reach this machine only, and that fails the test for any error of its script."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True, locale="en-GB")
    errors = []
    found = context.new_page()
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.on("console", lambda message: errors.append(message.text) if is_error(message) else None)
    yield found
    context.close()
    assert not errors


@pytest.fixture(scope="module")
def server():
    running = LabServer()
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


def until(page, condition, given=None, seconds=60):
    """Wait for a condition; Playwright's own waiting needs eval, which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"(given) => Boolean({condition})", given):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(30)


def opened(page, path, **state):
    """The file, with the network off."""
    page.context.set_offline(True)
    page.goto(Path(path).as_uri() + "#" + "&".join(f"{key}={value}" for key, value in state.items()))
    settle(page)


def settle(page):
    until(page, "window.linsepLab && linsepLab.scenes[0] && linsepLab.scenes[0].views.plane.axes")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def formula(page, scene=0):
    return page.locator(".formula").nth(scene).inner_text()


def show_w(page):
    settle(page)
    return page.evaluate("Array.from(linsepLab.scenes[0].w)")


def place_of(page, x, y):
    """Where a point of the data space is on the page."""
    inside = page.evaluate("([x, y]) => linsepLab.scenes[0].views.plane.axes.at([x, y])", [x, y])
    box = page.locator(".plane canvas").first.bounding_box()
    return box["x"] + inside[0], box["y"] + inside[1]


@pytest.fixture(scope="module")
def s1(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "s1.html"
    record("perceptron", **S1).to_html(path)
    return path


# --- the file, alone -------------------------------------------------------------------------------------------------


def test_the_worked_example_step_by_step_offline(page, s1):
    opened(page, s1)
    assert show_w(page) == [0, 0, 0]
    page.keyboard.press("ArrowRight")
    assert show_w(page) == golden.PATH[0] and "x₁" in formula(page)
    page.get_by_role("button", name="Step").click()
    assert show_w(page) == golden.PATH[1]
    said = formula(page)
    assert "= −6.25" in said and "(−0.5, −3, −1) + (4.5, 1, 1)" in said and "= (4, −2, 0)" in said and "x₆" in said
    page.keyboard.press("ArrowRight")
    assert show_w(page) == golden.W and "= −1" in formula(page) and "= (2.5, −4.5, −1)" in formula(page)
    assert page.locator(".plane .caption").inner_text() == "all 9 on their side"
    page.keyboard.press("ArrowLeft")
    assert show_w(page) == golden.PATH[1]
    page.keyboard.press("Home")
    assert show_w(page) == [0, 0, 0]
    page.keyboard.press("End")
    assert show_w(page) == golden.W and "update 3 of 3" in page.locator(".where").inner_text()
    assert "Novikoff allows a perceptron at most 15 updates; 3 were made" in page.locator(".certificate").inner_text()


def test_play_runs_to_the_end_and_stops(page, s1):
    opened(page, s1)
    page.locator(".speed").fill("6")
    page.get_by_role("button", name="Play").click()
    until(page, "!linsepLab.playing && linsepLab.frame === 3")
    assert show_w(page) == golden.W


def test_the_address_holds_the_scene(page, s1):
    opened(page, s1, step=2, lang="cs", theme="dark", projector=1)
    assert show_w(page) == golden.PATH[1] and "na řadě je x₆" in formula(page)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 21, 25)"
    page.keyboard.press("ArrowRight")
    until(page, "location.hash.includes('step=3') && location.hash.includes('lang=cs')")


def test_lifting_and_kozinec_show_the_lectures_results(page, tmp_path):
    record("lifting to x^2 - 1", **PRESETS["S0, lifting"]).to_html(tmp_path / "s0.html")
    opened(page, tmp_path / "s0.html", step=999)
    assert "3.12x² − 1.5x − 0.12 = 0" in formula(page)
    record("eps-kozinec", **S1).to_html(tmp_path / "kozinec.html")
    opened(page, tmp_path / "kozinec.html", step=999)
    said = page.locator(".certificate").inner_text()
    assert "at least 1.67705" in said and "more than 1.67706" in said


@pytest.mark.parametrize(
    ("rule", "said", "česky"),
    [
        ("kozinec", "no margin is larger than half their distance", "žádné pásmo není větší"),
        ("eps-kozinec", "half their distance is within ", "jejich vzdálenosti je nejvýše o "),
        ("maximum margin", "The nearest points of the two hulls.", "Nejbližší body obou obalů."),
    ],
)
def test_points_of_the_hulls_are_the_nearest_only_where_that_is_proved(page, tmp_path, rule, said, česky):
    record(rule, **S1).to_html(tmp_path / "points.html")
    opened(page, tmp_path / "points.html")
    words = page.locator(".certificate").inner_text()
    assert said in words and ("earest" in words) == (rule == "maximum margin")
    assert "As recorded; not checked here." in words
    page.goto(page.url.split("#")[0] + "#lang=cs")
    until(page, "document.querySelector('.certificate').textContent.includes(given)", česky)


def test_certificates_of_other_kinds_speak_for_themselves(page, tmp_path):
    ridge = record(LeastSquares(), **S1)
    ridge.to_html(tmp_path / "ridge.html")
    opened(page, tmp_path / "ridge.html")
    said = page.locator(".certificate").inner_text()
    assert ridge.content["certificates"][0]["sentence"] in said and "margin" not in said
    record("soft margin", **S1).to_html(tmp_path / "soft.html")
    opened(page, tmp_path / "soft.html")
    assert "With C = 1 this w costs at most" in page.locator(".certificate").inner_text()


def test_hostile_labels_are_shown_and_not_run(page, tmp_path):
    recording = record(
        "linear machine", S1["X"], [HOSTILE] * 3 + ["b"] * 3 + ["c"] * 3, columns=[HOSTILE, "x"], title=HOSTILE
    )
    recording.to_html(tmp_path / "hostile.html")
    opened(page, tmp_path / "hostile.html", step=1)
    assert page.evaluate("window.hacked") is None and page.locator("img").count() == 0
    assert HOSTILE in page.locator(".brand").inner_text() and HOSTILE in formula(page)
    svg = page.evaluate("linsepLab.scenes[0].toSvg()")
    assert "<img" not in svg and "&lt;img" in svg


def test_a_forged_recording_gets_a_sentence(page, s1, tmp_path):
    forged = s1.read_text(encoding="utf-8").replace('"y":[0,', '"y":[7,')
    (tmp_path / "forged.html").write_text(forged, encoding="utf-8")
    page.goto((tmp_path / "forged.html").as_uri())
    page.wait_for_selector(".note.bad")
    assert page.locator(".note").inner_text() == "This is not a recording of linsep: y"


def exported(page, key):
    page.locator(".exports summary").click()
    with page.expect_download() as found:
        page.locator(f"[data-export={key}]").click()
    return Path(found.value.path()).read_bytes()


def check_animation(page, recording):
    """As many frames as updates, and the last one in the colours of the page."""
    page.keyboard.press("End")
    settle(page)
    animation = Image.open(io.BytesIO(exported(page, "gif")))
    frames = page.evaluate("linsepLab.frames")
    assert animation.format == "GIF" and animation.n_frames == min(frames, 80) and len(recording) < frames
    animation.seek(animation.n_frames - 1)
    shown = np.asarray(animation.convert("RGB"), dtype=int)
    factor = min(1, 900 / page.evaluate("linsepLab.scenes[0].toCanvas(1).width"))
    canvas = page.evaluate("(factor) => linsepLab.scenes[0].toCanvas(factor).toDataURL()", factor)
    expected = np.asarray(Image.open(io.BytesIO(base64.b64decode(canvas.split(",")[1]))).convert("RGB"), dtype=int)
    assert shown.shape == expected.shape and np.abs(shown - expected).mean() < 2


EXPORTED = {
    "S1, nine points": "perceptron",
    "three classes": "one versus one",
    "Gaussians to drag": "kozinec on ellipsoids",
    "two Gaussians": "anderson by directions",
    "short words": "structured perceptron",
}


@pytest.mark.parametrize("name", EXPORTED)
def test_exports_are_those_of_python_and_the_code_runs(page, tmp_path, name):
    recording = record(EXPORTED[name], **PRESETS[name])
    recording.to_html(tmp_path / "page.html")
    opened(page, tmp_path / "page.html", step=2)
    assert json.loads(exported(page, "json")) == recording.content
    header, *rows = (line.split(",") for line in exported(page, "csv").decode().splitlines())
    expected = [line.split(",") for line in recording.to_csv().splitlines()]
    assert header == expected[0]
    numbers = [[[float(cell) if cell else None for cell in row] for row in table] for table in (rows, expected[1:])]
    assert numbers[0] == numbers[1]
    assert exported(page, "png").startswith(b"\x89PNG") and exported(page, "svg").startswith(b"<svg")
    check_animation(page, recording)
    made = {"__name__": "exported"}
    exec(compile(exported(page, "code"), "exported", "exec"), made)
    assert made["recording"].w.tobytes() == recording.w.tobytes()


CIRCLE = np.random.default_rng(0).uniform(-1, 1, (120, 2)).round(3)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "ladder.html"
    recording = record_risk(make_ladder(3), CIRCLE, (np.hypot(*CIRCLE.T) < 0.7).astype(int))
    recording.to_html(path)
    return path, recording


def test_a_ladder_shows_pythons_bounds_at_every_slider(page, ladder):
    path, recording = ladder
    opened(page, path)
    content = recording.content
    for i, j in [(len(content["N"]) - 1, 0), (0, len(content["eta"]) - 1)]:
        for name, place in (("N", i), ("η", j)):
            page.locator(f"[data-slider={name}]").fill(str(place))
        settle(page)
        best = content["best"][i][j]
        bound = vc_bound(
            content["rungs"][best]["empirical"], content["rungs"][best]["h"], content["N"][i], content["eta"][j] / 3
        )
        assert content["bound"][best][i][j] == bound.value
        said = page.locator(".certificate").inner_text()
        assert f"The smallest bound: {content['rungs'][best]['name']}, {bound.value:.4g}." in said
        assert f"N = {content['N'][i]}, η = {content['eta'][j]:g}" in page.locator(".weights .caption").inner_text()
    page.get_by_role("button", name="Last").click()
    settle(page)
    assert page.locator(".where").inner_text() == "degree 3" and "h = 10" in formula(page)
    page.locator("[data-toggle=language]").click()
    settle(page)
    assert page.locator(".where").inner_text() == "stupeň 3" and formula(page).startswith("stupeň 3")


def test_a_ladder_is_exported(page, ladder):
    path, recording = ladder
    opened(page, path)
    assert json.loads(exported(page, "json")) == recording.content
    header, *rows = exported(page, "csv").decode().splitlines()
    expected = recording.to_csv().splitlines()
    assert header == expected[0] and len(rows) == len(expected) - 1
    for one, other in zip(rows, expected[1:], strict=True):
        assert [float(each) for each in one.split(",")[1:]] == [float(each) for each in other.split(",")[1:]]
    made = {"__name__": "exported"}
    exec(compile(exported(page, "code"), "exported", "exec"), made)
    assert made["recording"].content == recording.content


def test_ellipses_touch_the_line_where_python_says(page, tmp_path):
    recording = record("anderson by directions", **PRESETS["Gaussians to drag"])
    recording.to_html(tmp_path / "gaussians.html")
    opened(page, tmp_path / "gaussians.html", step=len(recording))
    least = min(recording.content["updates"]["radii"][-1])
    assert page.locator(".plane .caption").inner_text() == f"r = {least:.5g}"
    assert page.locator(".weights .caption").inner_text().endswith("every w here has each mean on its side: r > 0")
    svg = page.evaluate("linsepLab.scenes[0].toSvg()")
    for point, r in zip(*(recording.content["updates"][name][-1] for name in ("touching", "radii")), strict=True):
        x, y = page.evaluate("(q) => linsepLab.scenes[0].views.plane.axes.at(q)", point)
        drawn = f'cx="{round(x, 2):g}" cy="{round(y, 2):g}" r="5"' in svg
        assert drawn == (r <= least * 1.001)


def test_the_trellis_says_truth_rival_and_change(page, tmp_path):
    recording = record("structured perceptron", **PRESETS["short words"])
    recording.to_html(tmp_path / "words.html")
    opened(page, tmp_path / "words.html", step=2)
    said = formula(page)
    assert "yes is visited" in said and "y = C V C" in said and "ŷ = V C V" in said and "= −2" in said
    page.keyboard.press("End")
    settle(page)
    assert page.locator(".plane .caption").inner_text() == "all 6 words right"


def test_two_rules_play_together(page, tmp_path):
    record("perceptron", **S1).to_html(tmp_path / "two.html", beside=record("relaxation", **S1))
    opened(page, tmp_path / "two.html", step=3)
    assert "(2.5, −4.5, −1)" in formula(page, 0) and "β = η (b − ⟨w, a⟩)" in formula(page, 1)
    page.keyboard.press("End")
    settle(page)
    assert page.evaluate("linsepLab.scenes.map((scene) => scene.frame)") == [3, 6]


def test_an_exercise_from_question_to_results(page, tmp_path):
    questions = ["separable", {"kind": "next update", "after": 1}, "separate by hand"]
    Exercise([record("perceptron", **S1)], questions, title="Nine points").to_html(tmp_path / "exercise.html")
    opened(page, tmp_path / "exercise.html")
    assert not page.locator(".certificate").is_visible()
    page.locator("[data-action=yes]").click()
    settle(page)
    assert page.locator(".verdict").inner_text() == "Right." and page.locator(".certificate").is_visible()
    page.locator("[data-action=proceed]").click()
    settle(page)
    page.mouse.click(*place_of(page, 1.0, 3.0))
    assert "Not so" in page.locator(".verdict").inner_text()
    page.mouse.click(*place_of(page, 4.5, 1.0))
    assert page.locator(".verdict").inner_text() == "Right."
    page.locator("[data-action=proceed]").click()
    settle(page)
    tip = page.evaluate("linsepLab.scenes[0].views.weights.axes.at([2.5, -4.5])")
    box = page.locator(".weights canvas").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + tip[0], box["y"] + tip[1], steps=5)
    page.mouse.up()
    until(page, "document.querySelector('.verdict').textContent === 'Right.'")
    page.locator("[data-action=proceed]").click()
    with page.expect_download() as found:
        page.locator("[data-action=results]").click()
    answers = json.loads(Path(found.value.path()).read_text())["answers"]
    assert [each["right"] for each in answers] == [True, True, True]
    assert answers[1]["attempts"] == ["x2", "x6"]


def test_an_open_question_does_not_tell_its_answer(page, tmp_path):
    Exercise([record("kozinec", **PRESETS["XOR"])], ["separable"]).to_html(tmp_path / "exercise.html")
    opened(page, tmp_path / "exercise.html", step=3)
    shown = (
        "(() => { const { show, frame } = linsepLab.scenes[0].state(); return [show.hulls, show.proof, frame > 0]; })()"
    )
    assert page.evaluate(shown) == [False, False, False]
    page.evaluate("location.hash = '#step=2'")
    page.wait_for_timeout(200)
    assert page.evaluate(shown) == [False, False, False]
    assert not any(
        page.locator(f".{name} canvas").is_visible() for name in ("bounds", "errors", "novikoff", "certificate")
    )
    assert "separates" not in page.locator(".weights .caption").inner_text()
    page.locator(".exports summary").click()
    assert not page.locator("[data-export=json]").is_visible()
    page.locator("[data-action=no]").click()
    settle(page)
    assert page.evaluate(shown) == [True, True, True] and page.locator(".bounds canvas").is_visible()
    assert "separates" in page.locator(".weights .caption").inner_text()
    page.locator(".exports summary").click()
    assert page.locator("[data-export=json]").is_visible()


# --- live ------------------------------------------------------------------------------------------------------------


def recorded(page, rows):
    until(page, f"linsepLab.scenes[0]?.run.n === {rows} && linsepLab.scenes[0].run.T > 0")
    settle(page)


def colours_of_classes(page):
    named = "s.run.classes.map((name, k) => [name, s.coloursOf('plane').classes[k]])"
    drawn = f"(() => {{ const s = linsepLab.scenes[0]; return {named}; }})()"
    return dict(page.evaluate(drawn)), page.evaluate("linsepLab.colours.classes")


def test_drawn_classes_have_the_colours_of_their_chips(page, server, tmp_path):
    page.goto(server.address)
    recorded(page, 9)
    page.locator("[data-tool=clear]").click()
    until(page, "linsepLab.scenes[0].run.pending")
    settle(page)
    page.keyboard.press("5")
    page.mouse.click(*place_of(page, 1.0, 1.0))
    page.keyboard.press("3")
    page.mouse.click(*place_of(page, 4.0, 3.0))
    recorded(page, 2)
    found, chips = colours_of_classes(page)
    assert found == {"3": chips[2], "5": chips[4]}
    (tmp_path / "data.csv").write_text("0,0,y\n1,0,y\n3,3,x\n4,3,x\n")
    page.locator("input[type=file]").set_input_files(tmp_path / "data.csv")
    recorded(page, 4)
    assert colours_of_classes(page)[0] == {"y": chips[0], "x": chips[1]}
    assert page.locator(".chips .class1").inner_text() == "y"


def test_words_of_the_address_that_javascript_has_too_are_unknown(page, server):
    page.goto(server.address + "#preset=constructor&lang=constructor")
    recorded(page, 9)
    assert page.locator("html").get_attribute("lang") == "en"


def test_after_an_error_no_recording_stays_under_the_name_of_another_rule(page, server):
    page.goto(server.address)
    recorded(page, 9)
    page.locator(".live select").nth(1).select_option("eps-kozinec")
    until(page, "linsepLab.scenes[0].run.title() === 'eps-kozinec'")
    page.locator(".options input").first.fill("5")
    page.locator(".options input").first.press("Enter")
    until(page, "document.querySelector('.note').textContent.includes('tol: expected')")
    settle(page)
    assert page.evaluate("linsepLab.scenes[0].run.pending") and page.locator(".certificate").inner_text() == ""


def test_no_drawn_point_leaves_the_picture(page, server):
    page.goto(server.address)
    recorded(page, 9)
    x, y = place_of(page, 6.4, 4.8)
    page.mouse.click(x, y)
    recorded(page, 10)
    page.set_viewport_size({"width": 1400, "height": 500})
    page.wait_for_timeout(300)
    settle(page)
    x0, x1, y0, y1 = page.evaluate("linsepLab.scenes[0].views.plane.axes.box")
    assert all(x0 <= x <= x1 and y0 <= y <= y1 for x, y in page.evaluate("linsepLab.scenes[0].run.X"))


def test_draw_move_relabel_delete_and_switch_rules(page, server):
    page.goto(server.address)
    recorded(page, 9)
    page.keyboard.press("End")
    assert show_w(page) == golden.W
    page.keyboard.press("2")
    page.mouse.click(*place_of(page, 3.0, 0.0))
    recorded(page, 10)
    page.mouse.move(*place_of(page, 4.5, 1.0))
    page.mouse.down()
    page.mouse.move(*place_of(page, 4.0, 2.0), steps=6)
    page.mouse.up()
    until(page, "Math.abs(linsepLab.scenes[0].run.X[5][1] - 2) < 0.05")
    page.locator("[data-tool=relabel]").click()
    page.locator("[data-klass='2']").click()
    page.mouse.click(*place_of(page, 5.5, 0.5))
    until(page, "linsepLab.scenes[0].run.kind === 'machine'")
    page.locator("[data-tool=remove]").click()
    page.mouse.click(*place_of(page, 5.5, 0.5))
    until(page, "linsepLab.scenes[0].run.n === 9 && linsepLab.scenes[0].run.T > 0")
    page.locator(".live select").nth(1).select_option("eps-kozinec")
    until(page, "linsepLab.scenes[0].run.ruleClass() === 'Kozinec'")
    page.locator(".live select").nth(2).select_option("relaxation")
    until(page, "linsepLab.scenes.length === 2")


def test_gaussians_are_dragged_and_stretched(page, server):
    page.goto(server.address)
    recorded(page, 9)
    page.locator(".live select").nth(0).select_option("Gaussians to drag")
    recorded(page, 4)

    def drag(begin, end):
        page.mouse.move(*begin)
        page.mouse.down()
        page.mouse.move(*end, steps=4)
        page.mouse.up()

    drag(place_of(page, 0.0, 0.0), place_of(page, -1.0, -1.0))
    until(page, "Math.abs(linsepLab.scenes[0].run.gaussians?.means[0][0] + 1) < 0.05")
    settle(page)
    before = page.evaluate("linsepLab.scenes[0].run.gaussians.covariances[0]")
    end = page.evaluate("linsepLab.handles(linsepLab.scenes[0].run)[0]")
    x, y = place_of(page, *end)
    drag((x, y), place_of(page, -1 + 2 * (end[0] + 1), -1 + 2 * (end[1] + 1)))
    determinant = "(([[a, b], [, d]]) => a * d - b * b)(linsepLab.scenes[0].run.gaussians.covariances[0])"
    until(page, f"{determinant} > 3.9 * given", np.linalg.det(np.array(before)))  # the last recording of the drag
    after = page.evaluate("linsepLab.scenes[0].run.gaussians.covariances[0]")
    old, new = (np.sort(np.linalg.eigvalsh(np.array(each))) for each in (before, after))
    assert new[0] == pytest.approx(old[0], rel=0.05) and new[1] == pytest.approx(4 * old[1], rel=0.1)
    page.keyboard.press("2")
    page.mouse.click(*place_of(page, 9.0, 2.0))
    recorded(page, 5)
    until(page, "location.hash.includes('gaussians=1') && decodeURIComponent(location.hash).split(';').length === 5")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    recorded(page, 5)
    assert page.evaluate("linsepLab.scenes[0].run.gaussians.covariances[0]") == after


@pytest.mark.parametrize("name", ["S1, nine points", "Gaussians to drag"])
def test_the_picture_stays_in_its_place_while_python_is_at_work(page, server, name):
    page.goto(server.address)
    recorded(page, 9)
    page.locator(".live select").nth(0).select_option(name)
    count = len(PRESETS[name]["X"])
    recorded(page, count)

    def place():
        settle(page)
        box = page.evaluate("linsepLab.scenes[0].views.plane.axes.box")
        return box, page.locator(".plane canvas").bounding_box()

    before, held, free = place(), [], []
    page.route("**/record", lambda route: route.continue_() if free else held.append(route))

    def release():
        free.append(True)
        while not held:
            page.wait_for_timeout(10)
        held.pop().continue_()

    page.mouse.click(*place_of(page, 4.0, 2.0))
    until(page, "document.querySelector('.note').textContent.startsWith('Python is recording')")
    assert place() == before and formula(page) == "" == page.locator(".weights .caption").inner_text()
    page.mouse.click(*place_of(page, 2.0, 1.0))  # while Python is at work
    shown = "linsepLab.scenes[0].run"
    assert page.evaluate(f"[{shown}.n, {shown}.T, Boolean({shown}.gaussians)]") == [count + 1, 0, count == 4]
    release()
    recorded(page, count + 2)
    assert place() == before
    page.locator("[data-tool=remove]").click()
    free.clear()
    for point in [(4.0, 2.0), (2.0, 1.0)]:  # the second one is not yet where the drawn recording has it
        page.mouse.click(*place_of(page, *point))
    release()
    recorded(page, count)
    assert page.evaluate(f"{shown}.X") == PRESETS[name]["X"] and place() == before


def test_the_lectures_data_are_offered_each_with_a_rule(page, server):
    page.goto(server.address)
    recorded(page, 9)
    for name, rows in {
        "S0, lifting": 7, "XOR": 4, "a tiny margin": 8, "two Gaussians": 40, "three classes": 27, "short words": 6,
    }.items():  # fmt: skip
        page.locator(".live select").nth(0).select_option(name)
        recorded(page, rows)
        assert not page.locator(".note.bad").is_visible() or page.locator(".note").inner_text() == ""
    page.locator(".live select").nth(0).select_option("two Gaussians")
    recorded(page, 40)
    page.locator(".live select").nth(1).select_option("structural risk")
    until(page, "linsepLab.scenes[0].run.kind === 'ladder'")


def test_a_link_makes_the_scene_again(page, server):
    page.goto(server.address)
    recorded(page, 9)
    page.mouse.click(*place_of(page, 3.0, 0.0))
    recorded(page, 10)
    page.keyboard.press("End")
    until(page, "location.hash.includes('points') && location.hash.includes('step=')")
    link, w = page.url, show_w(page)
    page.goto("about:blank")
    page.goto(link)
    recorded(page, 10)
    until(page, "linsepLab.frame > 0")
    assert show_w(page) == w


def test_csv_by_paste_and_file(page, server, tmp_path):
    page.goto(server.address)
    recorded(page, 9)
    page.locator("[data-tool=paste]").click()
    page.locator("dialog textarea").fill(f"a;b;kind\n0;0;no\n1;0;no\n3;3;{HOSTILE}\n4;3;{HOSTILE}")
    page.locator("dialog .main").click()
    recorded(page, 4)
    assert page.evaluate("linsepLab.scenes[0].run.data.columns") == ["a", "b"]
    assert page.evaluate("window.hacked") is None
    for said, expected in {
        "0,0,a\n1,nan,b": "Line 2: expected 2 numbers and a label, got “nan”.",
        "0,0,a\n1,b": "Line 2: expected 2 numbers and a label, got “1,b”.",
        "text": "Line 1: expected 1 numbers and a label, got “text”.",
        "\n".join(f"{k},0,{k % 2}" for k in range(2001)): "The lab takes up to 2000 points, got 2001.",
    }.items():
        (tmp_path / "data.csv").write_text(said)
        page.locator("input[type=file]").set_input_files(tmp_path / "data.csv")
        until(page, "document.querySelector('.note').textContent === given", expected)
    with open(tmp_path / "large.csv", "wb") as file:
        file.truncate(100_000_000)
    page.locator("input[type=file]").set_input_files(tmp_path / "large.csv")
    until(page, "document.querySelector('.note').textContent.startsWith('The file has 100.0 MB')")
    page.evaluate(
        "document.body.dispatchEvent(new ClipboardEvent('paste', {bubbles: true, clipboardData: (() => {"
        "const data = new DataTransfer(); data.setData('text/plain', '0,0,1\\n'.repeat(1e6)); return data; })()}))"
    )
    until(page, "document.querySelector('.note').textContent === 'The lab takes up to 2000 points, got 1000000.'")
    recording = record("kozinec", **S1)
    recording.save(tmp_path / "s1.json")
    page.locator("input[type=file]").set_input_files(tmp_path / "s1.json")
    until(page, "linsepLab.scenes[0].run.ruleClass() === 'Kozinec'")
    assert exported(page, "code").decode() == recording.code()
    forged = recording.content | {"rule": {"name": "__import__('os').system", "parameters": {}}}
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    page.locator("input[type=file]").set_input_files(tmp_path / "forged.json")
    until(page, "document.querySelector('.note.bad')?.textContent.startsWith('rule: expected the name of an est')")
    (tmp_path / "one.csv").write_text("0,0,a\n1,1,a")
    page.locator("input[type=file]").set_input_files(tmp_path / "one.csv")
    until(page, "document.querySelector('.note').textContent.startsWith('Expected two classes')")


def test_the_curves_come_back_when_there_is_something_to_show(page, server):
    page.goto(server.address)
    recorded(page, 9)
    charts = "[...document.querySelectorAll('.charts .view')].filter((each) => each.offsetParent).length"
    until(page, f"{charts} === 3")
    page.locator("[data-tool=clear]").click()
    until(page, f"{charts} === 0")
    page.mouse.click(*place_of(page, 1.0, 3.0))
    page.keyboard.press("2")
    page.mouse.click(*place_of(page, 5.0, 1.0))
    recorded(page, 2)
    until(page, f"{charts} === 3")


@pytest.mark.parametrize("width", [360, 820])
def test_nothing_is_wider_than_a_phone_or_a_tablet(browser, server, width):
    context = browser.new_context(viewport={"width": width, "height": 900}, has_touch=True, locale="cs-CZ")
    page = context.new_page()
    page.goto(server.address + "#beside=relaxation")
    recorded(page, 9)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("[data-tool=remove]").tap()
    page.touchscreen.tap(*place_of(page, 5.5, 0.5))
    recorded(page, 8)
    page.locator("[data-tool=add]").tap()
    page.touchscreen.tap(*place_of(page, 3.0, 0.5))
    recorded(page, 9)
    box = page.locator(".plane canvas").first.bounding_box()
    assert box["height"] < 1.2 * box["width"] + 60
    context.close()


def test_an_endless_rule_stops_at_its_budget_and_says_so(page, server):
    page.goto(server.address + "#preset=XOR&rule=perceptron+with+margin")
    recorded(page, 4)
    assert page.evaluate("linsepLab.scenes[0].run.T") > 0 and not page.locator(".note.bad").count()
    page.goto("about:blank")
    page.goto(server.address + "#preset=XOR&rule=relaxation")
    recorded(page, 4)
    said = page.locator(".certificate").inner_text()
    assert "The recording ends here at its budget; the rule would go on." in said


@pytest.fixture
def customers(tmp_path, monkeypatch):
    """A model that `linsep fit` made, and its table, in which two rows are equal but for their label."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    cell = ["plain", HOSTILE.replace('"', "'")]
    rows = [
        f"{a:.2f},{b:.2f},{cell[k % 50 == 7]},{'left' if a + 0.3 * e > 0 else 'stayed'}"
        for k, (a, b, e) in enumerate(rng.normal(size=(200, 3)))
    ]
    rows += ["9.00,9.00,plain,left", "9.00,9.00,plain,stayed"]
    Path("t.csv").write_text("\n".join([f"a,b{HOSTILE},kind,out", *rows]).replace('"', "'"))
    assert run(["fit", "t.csv", "-t", "out", "-o", "t.linsep", "-q"]) == 0
    return "t.linsep", ("t.csv",)


def test_the_engineers_view_shows_rows_of_the_table_and_runs_none_of_it(page, customers):
    model, data = customers
    site = _view(
        model, data, {"kind": None, "separator": None, "memory": 10**9}, Output("lab", as_json=False, quiet=True)
    )
    running = LabServer(site=site)
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        page.goto(running.address)
        until(page, "window.linsepView?.axes")
        assert "all 202 rows are drawn" in page.locator(".plane .caption").inner_text()
        assert "errs on at least 1 of them" in page.locator(".listed.opposites").inner_text()
        assert [page.locator(f".listed.opposites tr[data-row='{row}']").count() for row in (201, 202)] == [1, 1]
        x, y = page.evaluate("linsepView.axes.at(linsepView.points.find(({ row }) => row === 202).at)")
        box = page.locator(".plane canvas").bounding_box()
        page.mouse.click(box["x"] + x, box["y"] + y)
        until(page, "document.querySelectorAll('.card dd').length === 4")
        chosen = page.evaluate("linsepView.chosen")
        assert chosen in (201, 202) and "9" in page.locator(".card").inner_text()
        page.locator(".listed.violators .rowbutton").first.focus()
        page.keyboard.press("Enter")
        until(page, "linsepView.chosen === linsepView.content.violators.rows[0].row")
        until(page, "location.hash.includes('row=')")
        link = page.url
        page.goto("about:blank")
        page.goto(link)
        until(page, "document.querySelectorAll('.card dd').length === 4")
        page.evaluate("linsepView.choose(8)")
        until(page, "document.querySelector('.card').textContent.includes('<img src=x')")
        page.locator("[data-toggle=language]").click()
        assert "Nejhorší řádky" in page.locator(".listed.violators").inner_text()
        assert page.evaluate("window.hacked") is None and page.locator("img").count() == 0
        svg = page.evaluate("linsepView.toSvg()")
        assert svg.startswith("<svg") and svg.count("<path") > 50
    finally:
        running.shutdown()
        running.server_close()


def test_a_widget_in_a_notebook_records_what_is_dragged(page, tmp_path):
    """The module that anywidget loads, in a page whose model is the widget itself: only the kernel is missing."""
    widgets = pytest.importorskip("linsep.lab.widget", reason="no anywidget here: pip install anywidget")
    widget = show(record("perceptron", **S1), height=880)
    assert isinstance(widget, widgets.LabWidget)
    answers = []
    widget.send = answers.append

    def ask(message):
        widget._handle_custom_msg(message, [])
        return answers.pop()

    page.expose_function("askPython", ask)
    host = """<!doctype html><meta charset="utf-8"><div id="cell"></div><script type="module">
    const values = JSON.parse(document.getElementById("state").textContent), listeners = [];
    const model = { get: (name) => values[name], on: (name, each) => listeners.push(each), off: () => {},
      send: (message) => window.askPython(message).then((found) => listeners.forEach((each) => each(found))) };
    const { default: module } = await import("./widget.js");
    module.render({ model, el: document.getElementById("cell") });
    </script>"""
    state = (
        f'<script type="application/json" id="state">{embed({"page": widget.page, "height": widget.height})}</script>'
    )
    page.route(
        "http://notebook.test/**",
        lambda route: route.fulfill(
            body=widget._esm if route.request.url.endswith("widget.js") else state + host,
            content_type="text/javascript" if route.request.url.endswith("widget.js") else "text/html",
        ),
    )
    page.goto("http://notebook.test/")
    page.wait_for_selector("iframe[title='linsep lab']")
    inside = page.frames[1]
    until(inside, "window.linsepLab?.scenes[0]?.views.plane.axes")
    assert inside.evaluate("[linsepLab.scenes[0].run.n, linsepLab.scenes[0].run.T]") == [9, 3] and not answers
    assert inside.evaluate("(() => { try { return parent.document.title } catch { return 'closed' } })()") == "closed"
    frame = page.locator("iframe").bounding_box()
    canvas = inside.evaluate("(({ x, y }) => [x, y])(linsepLab.scenes[0].views.plane.canvas.getBoundingClientRect())")
    begin, end = inside.evaluate("[[4.5, 1], [4, 2]].map((x) => linsepLab.scenes[0].views.plane.axes.at(x))")
    page.mouse.move(frame["x"] + canvas[0] + begin[0], frame["y"] + canvas[1] + begin[1])
    page.mouse.down()
    page.mouse.move(frame["x"] + canvas[0] + end[0], frame["y"] + canvas[1] + end[1], steps=5)
    page.mouse.up()
    until(inside, "Math.abs(linsepLab.scenes[0].run.X[5][1] - 2) < 0.05 && linsepLab.scenes[0].run.T > 0")
    page.wait_for_timeout(300)  # the last recording of the drag
    shown = inside.evaluate("linsepLab.scenes[0].run.content")
    assert widget.recordings[0].content == shown
    assert shown["updates"]["w"] == record("perceptron", shown["data"]["X"], S1["y"]).content["updates"]["w"]


def test_every_button_has_a_name_and_pictures_are_described(page, server):
    page.goto(server.address)
    recorded(page, 9)
    names = page.evaluate(
        "[...document.querySelectorAll('button, select, input, canvas')].filter((e) => e.offsetParent).map((e) =>"
        " e.getAttribute('aria-label') || e.textContent.trim() || e.title || (e.labels?.length ? 'label' : ''))"
    )
    assert all(names) and len(names) > 20
    page.keyboard.press("ArrowRight")
    settle(page)
    said = page.locator(".plane canvas").get_attribute("aria-label")
    assert said == "Data space: update 1 of 3; x1 is visited; w = (−0.5, −3, −1); 4 of 9 on the wrong side"


def test_the_modules_are_javascript():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node here")
    front = Path(sys.modules["linsep.lab.page"].__file__).parent / "front"
    for file in sorted(front.glob("*.js")):
        command = [node, "--check", "--input-type=module", "-"]
        done = subprocess.run(command, input=file.read_bytes(), capture_output=True)
        assert done.returncode == 0, (file.name, done.stderr.decode())
