"""A schema that was drafted from records knows them again, whatever they come in."""

import importlib.util
import pickle

import numpy as np
import pandas as pd
import pytest

import capsules
import dperm

pytestmark = pytest.mark.filterwarnings("ignore::dperm.PrivacyLeakWarning")


def _containers(people, folder):
    """The same records, however they come: as `draft` may have them, and as `fit` may."""
    X, path = people.drop(columns="ill"), folder / "people.csv"
    people.to_csv(path, index=False)
    people.to_csv(folder / "people.csv.gz", index=False, sep=";", compression="gzip")
    columns = [("age", "int64", people.age.tolist()), ("dose", "float64", [None if v != v else v for v in people.dose]),
               ("job", ("dictionary", "int8", "string", ["judge", "nurse"]), people.job.tolist()),
               ("smoker", "bool", people.smoker.tolist())]
    drafted = {"frame": people, "arrow": capsules.Table(columns + [("ill", "string", people.ill.tolist())], batch=7),
               "csv": path, "semicolons, packed": folder / "people.csv.gz"}
    fitted = {"frame": X, "arrow": capsules.Table(columns), "lists": [list(row) for row in X.itertuples(index=False)],
              "objects": X.to_numpy(dtype=object), "texts": X.astype({"age": str, "smoker": object}).fillna(""),
              "categories": X.astype({"job": "category"}), "floats": X.astype({"age": float})[::-1]}
    for name in ("polars", "pyarrow"):
        if importlib.util.find_spec(name):
            library = importlib.import_module(name)
            fitted[name] = library.from_pandas(X) if name == "polars" else library.Table.from_pandas(X)
    return drafted, fitted


@pytest.mark.parametrize("draft", ["frame", "arrow", "csv", "semicolons, packed"])
def test_a_draft_knows_its_records_in_any_container(draft, tmp_path):
    rng = np.random.default_rng(4)
    people = pd.DataFrame({"age": rng.integers(20, 70, 80), "dose": rng.uniform(0, 1, 80), "job": ["nurse", "judge"] * 40,
                           "smoker": rng.uniform(size=80) > 0.5, "ill": ["no", "yes", "yes", "no"] * 20})
    people.loc[3, "dose"] = np.nan
    drafted, fitted = _containers(people, tmp_path)
    schema = dperm.Schema.draft(drafted[draft], label="ill", positive=["yes"])
    y = people.ill.to_numpy()
    for name, X in fitted.items():
        for known in (schema, pickle.loads(pickle.dumps(schema))):
            with pytest.raises(ValueError, match="the schema was drafted from these very records"):
                dperm.LogisticRegression(1.0, schema=known).fit(X, y)
            with pytest.warns(dperm.PrivacyLeakWarning, match="the schema was drafted from these very records"):
                found = dperm.LogisticRegression(1.0, schema=known, random_state=1).fit(X, y).privacy_
            assert "ranges of columns" in found.reason, name
    for name, X in _containers(people.assign(age=[21, *people.age[1:]], dose=people.dose[::-1].to_numpy()), tmp_path)[1].items():
        assert dperm.LogisticRegression(1.0, schema=schema).fit(X, y).privacy_.private, name


def test_a_stream_that_can_be_read_once_is_enough():
    class Once(capsules.Table):
        used = False

        def __arrow_c_stream__(self, requested_schema=None):
            assert not self.used, "read twice"
            self.used = True
            return super().__arrow_c_stream__(requested_schema)

    columns = [("age", "int64", [i % 9 for i in range(40)]), ("ill", "string", ["no", "yes"] * 20)]
    schema = dperm.Schema.draft(Once(columns), label="ill")
    with pytest.raises(ValueError, match="the schema was drafted from these very records"):
        dperm.LogisticRegression(1.0, schema=schema).fit(Once(columns))
