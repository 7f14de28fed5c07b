"""Claims of the report about valid moves and training, beside our findings."""

import math
from collections.abc import Callable, Mapping, Sequence

from papers.onitama_report.study import report
from papers.onitama_report.study.curves import FAST, Training
from papers.onitama_report.study.moves import MovesResult, summary
from papers.onitama_report.study.verdicts import Verdict, estimate

ENOUGH = 0.6  # wins with which the opponent rises
LEARNED = 0.05  # rise of the win rate from the first tenth of a training to the last
MISSING = "not tested: not among --runs"
NO_DEPTH_2 = "not testable: no learner got to depth 2"
TOO_SHORT = f"not testable: fewer than {report.WINDOW} games at depth 1"


def of_moves(found: Mapping[str, MovesResult]) -> list[Verdict]:
    """Returns the findings about the number of valid moves, for each rule for equal moves."""
    verdicts = []
    for ties, of_both in found.items():
        moves, error = summary(of_both.actor)
        # The report states no error: we take that of its number of turns if they vary like ours.
        both = error * math.sqrt(1 + of_both.actor.sum() / report.TURNS)
        close = abs(moves.mean - report.MOVES.mean) <= 1.96 * both
        ours = f"{moves.mean:.3f} ± {1.96 * error:.3f} (over games)"
        verdicts.append(_of_moves("mean", ties, report.MOVES.mean, ours, close))
        for name in ("median", "mode", "most"):
            stated, value = getattr(report.MOVES, name), getattr(moves, name)
            verdicts.append(_of_moves(name, ties, stated, f"{value:.0f}", value == stated))
    return verdicts


def _of_moves(name: str, ties: str, theirs: float, ours: str, holds: bool) -> Verdict:
    name = "maximum" if name == "most" else name
    return Verdict(f"valid moves, {name} (equal moves: {ties})", f"{theirs:g}", ours, [holds])


def of_training(found: Sequence[Training]) -> list[Verdict]:
    """Returns the findings about the training of 10,000 episodes, for each actor."""
    return [
        *_of_products(found, "", MISSING),
        *(_beats_depth_1(name, _of(found, name)) for name in report.PLAIN),
        *_judged_each(
            "win rate at depth 2 (confirmed below 0.15)",
            "almost 0",
            report.PLAIN,
            found,
            lambda training: training.wins_deeper,
            lambda rate: rate < 0.15,
        ),
        *_judged_each(
            "valid rate at the end",
            "0.1 to 0.65",
            report.PLAIN,
            found,
            lambda training: training.valid_rate,
            lambda rate: 0.1 <= rate <= 0.65,
        ),
    ]


def of_raw(found: Sequence[Training]) -> list[Verdict]:
    """Returns the findings about products of A and V, where both losses see the raw policy."""
    return _of_products(found, "judged before the mask: ", "not tested: not among --raw")


def _of_products(found: Sequence[Training], how: str, missing: str) -> list[Verdict]:
    return [
        *_judged_each(
            f"{how}valid rate at the end (confirmed from {FAST} on)",
            "about 1",
            report.MULTIPLIED,
            found,
            lambda training: training.valid_rate,
            lambda rate: rate >= FAST,
            missing,
        ),
        *_judged_each(
            f"{how}best win rate at depth 1, never above {ENOUGH}",
            "0.1 to 0.5",
            report.MULTIPLIED,
            found,
            lambda training: training.best_wins,
            lambda rate: rate <= ENOUGH,
            missing,
            TOO_SHORT,
        ),
    ]


def _beats_depth_1(name: str, found: Sequence[Training]) -> Verdict:
    claim = f"beats depth 1: `{name}`"
    if not found:
        return Verdict(claim, "yes", "-", [], MISSING)
    # A learner with too few games for a win rate has shown nothing, unless its opponent rose.
    known = [x for x in found if math.isfinite(x.deeper_after) or not math.isnan(x.best_wins)]
    if not known:
        return Verdict(claim, "yes", "-", [], TOO_SHORT + _unfinished(found))
    after = [training.deeper_after for training in known if math.isfinite(training.deeper_after)]
    best = [training.best_wins for training in known if not math.isnan(training.best_wins)]
    ours = f"{len(after)} of {len(known)} learners"
    if best:
        ours += f"; best win rate {estimate(best, '.2f')}"
    if after:
        ours += f"; after {estimate(after, ',.0f')} episodes"
    holds = [math.isfinite(training.deeper_after) for training in known]
    return Verdict(claim, "yes", ours + _unfinished(found), holds)


def of_extended(found: Sequence[Training]) -> list[Verdict]:
    """Returns the findings about the long training of `val_branch_actions`."""
    missing = "not tested: no run is named by --extended"
    return [
        _judged(
            "long training: win rate at depth 2 at the end (confirmed from 0.4 to 0.6)",
            "about 0.5",
            found,
            lambda training: training.last_wins_deeper,
            lambda rate: 0.4 <= rate <= ENOUGH,
            missing,
            "not testable: no training ends at depth 2",
        ),
        _judged(
            "long training: deepest opponent",
            "2",
            found,
            lambda training: training.deepest if training.deepest > 1 else math.nan,
            lambda depth: depth == 2,
            missing,
        ),
        _judged(
            "long training: valid rate at the end",
            "0.2 to 0.45",
            found,
            lambda training: training.valid_rate,
            lambda rate: 0.2 <= rate <= 0.45,
            missing,
        ),
    ]


def of_wrong_rollout(found: Sequence[Training], right: Sequence[Training]) -> list[Verdict]:
    """Returns the findings about transitions that end right after the learner's own move.

    Args:
        found: trainings with such transitions.
        right: trainings with transitions that end at the next move, for comparison.
    """
    claim = "wrong rollout: win rate from the first tenth of the training to the last"
    claim += f" (learned: {LEARNED:+} or depth 2)"
    if not found:
        missing = "not tested: no run is named by --wrong-rollout"
        return [Verdict(claim, "nothing is learned", "-", [], missing)]
    verdicts = []
    for name in sorted({training.architecture for training in found}):
        # A very short training has no game in its first tenth.
        own = [x for x in _of(found, name) if not math.isnan(_gain(x))]
        others = [x for x in _of(right, name) if not math.isnan(_gain(x))]
        if not own:
            short = "not testable: too few games" + _unfinished(_of(found, name))
            verdicts.append(Verdict(f"{claim}: `{name}`", "nothing is learned", "-", [], short))
            continue
        ours = _gains(own) + _unfinished(own)
        if others:
            ours += f"; with the right one {_gains(others)}"
        holds = [not _has_learned(training) for training in own]
        verdicts.append(Verdict(f"{claim}: `{name}`", "nothing is learned", ours, holds))
    return verdicts


def _has_learned(training: Training) -> bool:
    return training.deepest > 1 or _gain(training) >= LEARNED


def _gain(training: Training) -> float:
    return training.last_wins - training.first_wins


def _gains(found: Sequence[Training]) -> str:
    text = estimate([_gain(training) for training in found], "+.3f")
    deeper = sum(training.deepest > 1 for training in found)
    return f"{text}, depth 2 in {deeper} of {len(found)}" if deeper else text


def _of(found: Sequence[Training], architecture: str) -> list[Training]:
    return [training for training in found if training.architecture == architecture]


def _judged_each(
    claim: str,
    theirs: str,
    architectures: Sequence[str],
    found: Sequence[Training],
    value: Callable[[Training], float],
    holds: Callable[[float], bool],
    missing: str = MISSING,
    unknown: str = NO_DEPTH_2,
) -> list[Verdict]:
    """Returns a finding for the learners of each architecture."""
    return [
        _judged(f"{claim}: `{name}`", theirs, _of(found, name), value, holds, missing, unknown)
        for name in architectures
    ]


def _judged(
    claim: str,
    theirs: str,
    found: Sequence[Training],
    value: Callable[[Training], float],
    holds: Callable[[float], bool],
    missing: str = MISSING,
    unknown: str = NO_DEPTH_2,
) -> Verdict:
    """Returns the finding for some learners, or the reason why there is none."""
    known = [value(training) for training in found if not math.isnan(value(training))]
    if not known:
        return Verdict(claim, theirs, "-", [], unknown if found else missing)
    ours = estimate(known, ".0f" if all(type(x) is int for x in known) else ".2f")
    if len(known) < len(found):
        ours += f"; {len(known)} of {len(found)} learners"
    return Verdict(claim, theirs, ours + _unfinished(found), [holds(x) for x in known])


def _unfinished(found: Sequence[Training]) -> str:
    """Returns the progress of incomplete trainings, as text."""
    parts = [f"{x.episodes:,} of {x.goal:,} episodes" for x in found if x.episodes < x.goal]
    return f"; after {', '.join(parts)}" if parts else ""
