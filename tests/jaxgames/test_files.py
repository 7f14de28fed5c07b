from jaxgames import files


def test_results_are_as_open_to_others_as_other_files(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    files.replace(tmp_path / "results.json", "{}")
    assert (tmp_path / "results.json").stat().st_mode == plain.stat().st_mode
