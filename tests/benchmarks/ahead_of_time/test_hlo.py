"""Reading optimised programs: loops, copies, gathers, bytes, and the time model on them."""

import jax
import jax.numpy as jnp
import pytest

from benchmarks.ahead_of_time import examine, hlo, time_model
from benchmarks.ahead_of_time.targets import Chip

CHIP = Chip(1e9, 1e9, 1e12, 1e9, 1e-6, (8, 128))

# Two gathers from a table in a fusion, one copy, one all-reduce, seven rounds.
TEXT = """
HloModule jit_f

%fused (param_0: f32[1000000], param_1: s32[16,3]) -> f32[16,3] {
  %param_0 = f32[1000000]{0:T(1024)} parameter(0)
  %param_1 = s32[16,3]{1,0:T(8,128)} parameter(1)
  ROOT %gather.1 = f32[16,3]{1,0:T(8,128)} gather(%param_0, %param_1), offset_dims={}
}

%body (arg: (s32[], f32[16,3], f32[1000000], s32[16,3])) -> (s32[], f32[16,3]) {
  %arg = (s32[], f32[16,3]{1,0}, f32[1000000]{0}, s32[16,3]{1,0}) parameter(0)
  %index = s32[] get-tuple-element(%arg), index=0
  %table = f32[1000000]{0:T(1024)} get-tuple-element(%arg), index=2
  %places = s32[16,3]{1,0:T(8,128)} get-tuple-element(%arg), index=3
  %one = s32[] constant(1)
  %next = s32[] add(%index, %one)
  %found = f32[16,3]{1,0:T(8,128)} fusion(%table, %places), kind=kLoop, calls=%fused
  %copied = f32[16,3]{1,0:T(8,128)} copy(%found), metadata={op_name="jit(f)/copy"}
  %summed = f32[16,3]{1,0:T(8,128)} all-reduce(%copied), to_apply=%add
  ROOT %result = (s32[], f32[16,3], f32[1000000], s32[16,3]) tuple(%next, %summed, %table, %places)
}

%condition (arg.1: (s32[], f32[16,3])) -> pred[] {
  %arg.1 = (s32[], f32[16,3]{1,0}, f32[1000000]{0}, s32[16,3]{1,0}) parameter(0)
  %limit = s32[]{:T(128)} constant(7)
  %number = s32[] get-tuple-element(%arg.1), index=0
  ROOT %less = pred[] compare(%number, %limit), direction=LT
}

ENTRY %main (x: f32[16,3]) -> f32[16,3] {
  %x = f32[16,3]{1,0:T(8,128)} parameter(0)
  %start = (s32[], f32[16,3], f32[1000000], s32[16,3]) tuple(%zero, %x, %table.1, %places.1)
  %loop = (s32[], f32[16,3]{1,0:T(8,128)}) while(%start), condition=%condition, body=%body
  ROOT %y = f32[16,3]{1,0:T(8,128)} get-tuple-element(%loop), index=1
}
"""
ROW = 16 * 3 * 4


def test_a_loop_is_described_by_one_round():
    (loop,) = examine.loops(hlo.Module(TEXT))
    assert loop == {
        "in": "main",
        "rounds": 7,
        "kernels": 2,  # the fusion and the all-reduce; the scalar addition is none
        "copies": 1,
        "gathers": 1,
        "scatters": 0,
        # Of the table, only what is looked up counts.
        "bytes": 3 * ROW + 2 * ROW + 2 * ROW,
    }


def test_rounds_multiply_in_the_model():
    found = time_model.estimate(hlo.Module(TEXT), flops=7e6, chip=CHIP)
    assert found.kernel_seconds == pytest.approx(7 * 3e-6)
    assert found.byte_seconds == pytest.approx(7 * 7 * ROW / 1e9)
    assert found.flop_seconds == pytest.approx(7e-6)
    # The gather, the copy and the all-reduce.
    assert found.operation_seconds == pytest.approx(7 * 3 * 16 * 3 / 1e9)
    assert found.seconds == pytest.approx(found.kernel_seconds + found.byte_seconds)
    assert (found.dominant, found.unknown_loops) == ("kernels", 0)


def test_a_loop_without_a_known_end_counts_once_and_is_marked():
    text = TEXT.replace("%limit = s32[]{:T(128)} constant(7)", "%limit = s32[] add(%a, %b)")
    found = time_model.estimate(hlo.Module(text), flops=0, chip=CHIP)
    assert found.unknown_loops == 1
    assert found.kernel_seconds == pytest.approx(3e-6)


@pytest.mark.parametrize(
    "named",
    [
        "branch_computations={%idle, %busy}",
        "true_computation=%idle, false_computation=%busy",
    ],
)
def test_the_slowest_branch_counts(named):
    text = f"""
HloModule jit_f

%idle (x.1: f32[16]) -> f32[16] {{
  ROOT %x.1 = f32[16]{{0}} parameter(0)
}}

%busy (x.2: f32[16]) -> f32[16] {{
  %x.2 = f32[16]{{0}} parameter(0)
  %once = f32[16]{{0}} sine(%x.2)
  ROOT %twice = f32[16]{{0}} sine(%once)
}}

ENTRY %main (p: pred[], x: f32[16]) -> f32[16] {{
  %p = pred[] parameter(0)
  %x = f32[16]{{0}} parameter(1)
  ROOT %y = f32[16]{{0}} conditional(%p, %x, %x), {named}
}}
"""
    assert time_model.estimate(hlo.Module(text), 0, CHIP).kernel_seconds == pytest.approx(2e-6)


def test_collectives_are_counted_with_their_bytes():
    assert examine.collectives(hlo.Module(TEXT)) == {"all-reduce": {"count": 1, "bytes": ROW}}


def test_two_minor_axes_fill_whole_tiles():
    shape = hlo.Shape("f32", (5, 16, 3), (2, 1, 0), "T(8,128)")
    assert hlo.padded_bytes(shape, (8, 128)) == 5 * 16 * 128 * 4
    batch_last = hlo.Shape("s8", (3, 1024), (1, 0), "T(8,128)")
    assert hlo.padded_bytes(batch_last, (8, 128)) == 8 * 1024


def test_flops_of_scans_products_and_convolutions():
    def f(x, w, image, kernel):
        y, _ = jax.lax.scan(lambda y, _: (y @ w, None), x, length=5)
        return y, jax.lax.conv(image, kernel, (1, 1), "SAME")

    x, w = jnp.zeros((3, 4)), jnp.zeros((4, 4))
    image, kernel = jnp.zeros((2, 6, 5, 5)), jnp.zeros((8, 6, 3, 3))
    jaxpr = jax.make_jaxpr(f)(x, w, image, kernel)
    products, convolutions = 5 * 2 * 3 * 4 * 4, 2 * (2 * 8 * 5 * 5) * 6 * 9
    assert time_model.count_flops(jaxpr.jaxpr, 1) == products + convolutions


def test_a_compiled_program_of_this_machine_is_read():
    """The loop and its rounds are found in what the installed XLA writes."""

    def f(x):
        return jax.lax.fori_loop(0, 13, lambda i, x: jnp.sin(x) + jnp.roll(x, i), x)

    text = jax.jit(f).lower(jnp.zeros((64, 64))).compile().as_text()
    (loop,) = [loop for loop in examine.loops(hlo.Module(text)) if loop["rounds"] == 13]
    assert loop["kernels"] >= 1
    assert loop["bytes"] >= 2 * 64 * 64 * 4
