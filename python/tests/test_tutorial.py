"""The tutorial, docs/tutorial.ipynb: its cells run in order and print what the notebook says that they print.

Numbers in the outputs of cells with the tag "noise" are those of one draw, and any number will do there; all other
outputs are compared letter by letter. Run as a program this writes the outputs anew, without pictures.
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import warnings

import pytest

import dperm

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorial.ipynb"
NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d*)?(e[-+]?\d+)?")


def read():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(cell, names):
    """What a cell prints, and what its last line shows, as Jupyter would have it."""
    body = ast.parse("".join(cell["source"]), filename=f"cell {cell['id']}").body
    shown = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), f"cell {cell['id']}", "exec"), names)
        value = None if shown is None else eval(compile(shown, f"cell {cell['id']}", "eval"), names)
    return printed.getvalue(), None if value is None else repr(value)


def run_all(notebook, folder):
    """What each cell of code shows, run in this folder in one namespace. It must not warn of what harms privacy."""
    import matplotlib.pyplot as plt

    names, before, known = {"__name__": "__main__"}, os.getcwd(), tempfile.tempdir
    os.chdir(folder)
    tempfile.tempdir = str(folder)
    try:
        with warnings.catch_warnings():
            for category in (dperm.PrivacyLeakWarning, dperm.NotPrivateWarning):
                warnings.simplefilter("error", category)
            return {cell["id"]: run(cell, names) for cell in code_cells(notebook)}, names
    finally:
        os.chdir(before)
        tempfile.tempdir = known
        os.environ.pop("DPERM_LEDGER", None)
        plt.close("all")


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    pytest.importorskip("matplotlib")
    return run_all(read(), tmp_path_factory.mktemp("day"))


def stored(cell):
    """The outputs in the file: what was printed, what was shown."""
    texts = {"stream": "", "execute_result": None}
    for output in cell["outputs"]:
        text = output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
        texts[output["output_type"]] = "".join(text)
    return texts["stream"], texts["execute_result"]


def numberless(text):
    return text and " ".join(NUMBER.sub("#", text).split())


def test_every_cell_shows_what_the_notebook_has(day):
    for cell in code_cells(read()):
        there, here = stored(cell), day[0][cell["id"]]
        if "noise" in cell["metadata"].get("tags", []):
            there, here = map(numberless, there), map(numberless, here)
        assert list(here) == list(there), f"cell {cell['id']}"


def test_what_the_day_leaves_behind(day):
    names = day[1]
    assert names["holds"] and names["model"].privacy_.private and names["clinic"].privacy_.private
    assert "A. Person" in names["card"] and "before we saw any record" in names["card"]
    assert names["model"].model_.evaluation["rows"] == 4000 and names["clinic"].model_.evaluation["rows"] == 1600


def test_pictures_are_drawn(day):
    drawn = [cell["id"] for cell in code_cells(read()) if "ax = " in "".join(cell["source"])]
    assert len(drawn) >= 3 and day[1]["ax"].lines


def test_the_file_is_a_notebook_that_anybody_may_have():
    text, notebook = NOTEBOOK.read_text(encoding="utf-8"), read()
    assert text == json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"] == {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                                    "language_info": {"name": "python"}}
    cells = notebook["cells"]
    assert 25 <= len(cells) <= 45 and len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        code = {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        assert cell["cell_type"] in ("code", "markdown") and set(cell) == {"cell_type", "id", "metadata", "source"} | code
        assert re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", cell["id"]) and cell["source"]
        assert all(line.endswith("\n") for line in cell["source"][:-1]) and not cell["source"][-1].endswith("\n")
        assert all(len(line.rstrip("\n")) <= 120 for line in cell["source"]), cell["id"]
        assert cell.get("execution_count") is None
        for output in cell.get("outputs", []):  # texts alone: no picture, no page, no trace of an error
            known = {"stream": {"name", "text"}, "execute_result": {"data", "execution_count", "metadata"}}
            assert set(output) == {"output_type"} | known[output["output_type"]]
            assert output.get("name", "stdout") == "stdout" and set(output.get("data", ["text/plain"])) == {"text/plain"}
    assert len(text) < 40_000 and not re.search(r"/(tmp|home|root|work)/", text)


def test_its_links_lead_somewhere():
    words = "".join("".join(cell["source"]) for cell in read()["cells"] if cell["cell_type"] == "markdown")
    links = re.findall(r"\]\(([^)#]+)\)", words)
    assert links and all((NOTEBOOK.parent / link).exists() for link in links)


def write():
    notebook = read()
    with tempfile.TemporaryDirectory() as folder:
        found, _ = run_all(notebook, folder)
    for cell in code_cells(notebook):
        (printed, shown), cell["outputs"] = found[cell["id"]], []
        if printed:
            cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
        if shown is not None:
            cell["outputs"].append({"data": {"text/plain": shown.splitlines(keepends=True)}, "execution_count": None,
                                    "metadata": {}, "output_type": "execute_result"})
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write())
