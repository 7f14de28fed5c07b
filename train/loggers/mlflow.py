"""MLflow. Its variables say where: `MLFLOW_TRACKING_URI`, `MLFLOW_EXPERIMENT_NAME`."""

import io
import os
import re
import time
from collections.abc import Mapping

from mlflow.entities import Metric, Param
from mlflow.tracking import MlflowClient
from PIL import Image

from train.loggers import LoggedRun

_EXPERIMENT = "jaxgames"
_IDENTITY = "jaxgames.run"
_NOT_IN_NAMES = re.compile(r"[^\w\-. /]")  # the `:` and `=` of an agent spec, for instance
_MOST_PARAMS = 100  # of one request
_LONGEST_PARAM = 500


class MlflowLogger:
    """A run there; later sessions go on with it."""

    takes_pictures = True

    def __init__(self, run: LoggedRun):
        self._client = MlflowClient()
        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", _EXPERIMENT)
        experiment = self._client.get_experiment_by_name(name)
        number = (
            self._client.create_experiment(name) if experiment is None else experiment.experiment_id
        )
        there = self._client.search_runs([number], f"tags.`{_IDENTITY}` = '{run.identity}'")
        if there:
            self._id = there[0].info.run_id
            self._client.update_run(self._id, status="RUNNING")
            return
        tags = {_IDENTITY: run.identity}
        new = self._client.create_run(number, run_name=run.directory.name, tags=tags)
        self._id = new.info.run_id
        params = [Param(name, str(value)[:_LONGEST_PARAM]) for name, value in run.settings.items()]
        for start in range(0, len(params), _MOST_PARAMS):
            self._client.log_batch(self._id, params=params[start : start + _MOST_PARAMS])

    def log(self, iteration: int, numbers: Mapping[str, float]) -> None:
        """Adds the numbers of an iteration."""
        now = round(1000 * time.time())
        metrics = [Metric(_name(name), value, now, iteration) for name, value in numbers.items()]
        self._client.log_batch(self._id, metrics=metrics)

    def log_picture(self, iteration: int, name: str, png: bytes) -> None:
        """Adds a picture."""
        image = Image.open(io.BytesIO(png))
        self._client.log_image(self._id, image, key=_name(name), step=iteration)

    def close(self) -> None:
        """Says that the session has ended."""
        self._client.set_terminated(self._id)


def _name(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name)
