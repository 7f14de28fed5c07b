"""Files for public hosting: workflows that call `.ci/run`, and templates of a screen each."""

import re
import subprocess
import sys
import tomllib

import pytest

from tests.locations import CHECKOUT

yaml = pytest.importorskip("yaml", reason="needs PyYAML: pip install 'jaxgames[dev]'")

HOSTING = CHECKOUT / ".github"
WORKFLOWS = sorted((HOSTING / "workflows").glob("*.yml"))
FORMS = [HOSTING / "ISSUE_TEMPLATE" / name for name in ("bug.yml", "idea.yml")]
RUN = CHECKOUT / ".ci" / "run"


def read(path):
    return yaml.safe_load(path.read_text("utf-8"))


def commands():
    return [
        step["run"]
        for path in WORKFLOWS
        for job in read(path)["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]


def test_every_step_of_a_workflow_is_a_group_of_the_checks():
    groups = re.search(r"^    (lint \|.*)\) ;;$", RUN.read_text("utf-8"), re.MULTILINE)[1]
    called = [re.fullmatch(r"\.ci/run (\w+)", command)[1] for command in commands()]
    assert set(called) <= set(groups.split(" | "))
    assert {"lint", "tests", "wheel", "docs", "slow_tests"} <= set(called)


def test_the_tests_run_on_every_python_that_the_package_names():
    jobs = read(HOSTING / "workflows" / "checks.yml")["jobs"]
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert jobs["tests"]["strategy"]["matrix"]["python"] == named


def test_workflows_may_only_read_and_end_in_time():
    for path in WORKFLOWS:
        workflow = read(path)
        assert workflow["permissions"] == {"contents": "read"}
        assert all(job["timeout-minutes"] <= 360 for job in workflow["jobs"].values())


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("github-workflows", WORKFLOWS),
        ("github-issue-forms", FORMS),
        ("github-issue-config", [HOSTING / "ISSUE_TEMPLATE" / "config.yml"]),
    ],
)
def test_files_follow_their_schemas(schema, paths):
    pytest.importorskip("check_jsonschema", reason="pip install check-jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", f"--builtin-schema=vendor.{schema}"]
    done = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_templates_fit_on_a_screen():
    for path in (*FORMS, HOSTING / "pull_request_template.md"):
        assert len(path.read_text("utf-8").splitlines()) <= 40


def test_an_unknown_group_of_checks_is_named_before_anything_is_installed():
    done = subprocess.run(["bash", str(RUN), "test"], capture_output=True, text=True)
    assert done.returncode == 2 and "unknown group 'test'; there are lint, tests" in done.stderr
