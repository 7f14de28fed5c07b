"""Reading optimised programs: loops, copies, gathers, bytes, and the time model on them."""

import jax
import jax.numpy as jnp
import pytest

from benchmarks.ahead_of_time import examine, hlo, time_model
from benchmarks.ahead_of_time.targets import Chip
from benchmarks.ahead_of_time.traffic import moved_bytes

CHIP = Chip(1e9, 1e9, 1e12, 1e9, 1e-6)

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
  %constant.1 = s32[]{:T(128)} constant(0)
  %zero = s32[]{:T(128)} copy(%constant.1)
  %start = (s32[], f32[16,3], f32[1000000], s32[16,3]) tuple(%zero, %x, %table.1, %places.1)
  %loop = (s32[], f32[16,3]{1,0:T(8,128)}) while(%start), condition=%condition, body=%body
  ROOT %y = f32[16,3]{1,0:T(8,128)} get-tuple-element(%loop), index=1
}
"""
TILES = 16 * 128 * 4  # the bytes of 16 x 3 numbers in main memory


def test_a_loop_is_described_by_one_round():
    loop, outside = examine.loops(hlo.Module(TEXT))
    assert outside == {
        "in": "", "rounds": [], "kernels": 0, "copies": 0, "prefetches": 0, "gathers": 0,
        "scatters": 0, "bytes": 0,
    }  # fmt: skip
    assert loop == {
        "in": "main",
        "rounds": [7],
        "kernels": 2,  # the fusion and the all-reduce; the scalar addition is none
        "copies": 1,
        "prefetches": 0,
        "gathers": 1,
        "scatters": 0,
        # Of the table, only what is looked up counts.
        "bytes": 3 * TILES + 2 * TILES + 2 * TILES,
    }


@pytest.mark.parametrize(
    ("line", "is_prefetch"),
    [
        ("%a = (f32[8]{0:S(1)}, f32[8]{0}, u32[]{:S(2)}) copy-start(%x)", True),
        ("%a = (f32[8]{0}, f32[8]{0:S(1)}, u32[]{:S(2)}) copy-start(%x)", True),
        ("%a = ((f32[8]{0}), f32[4]{0:S(1)}, u32[]{:S(2)}) slice-start(%x), slice={[0:4]}", True),
        ("%a = (f32[8,8]{0,1}, f32[8,8]{1,0}, u32[]{:S(2)}) copy-start(%x)", False),
        ("%a = f32[8]{0:S(1)} copy(%x)", False),
    ],
)
def test_a_prefetch_is_started_between_the_memory_and_the_chip(line, is_prefetch):
    module = hlo.Module(f"ENTRY %main (x: f32[8]) -> f32[8] {{\n  {line}\n}}\n")
    (one,) = module.computations["main"]
    assert one.is_prefetch == is_prefetch


def test_rounds_multiply_in_the_model():
    found = time_model.estimate(hlo.Module(TEXT), flops=7e6, chip=CHIP)
    assert found.kernel_seconds == pytest.approx(7 * 3e-6)
    assert found.byte_seconds == pytest.approx(7 * 7 * TILES / 1e9)
    assert found.link_seconds == 0
    assert found.flop_seconds == pytest.approx(7e-6)
    # The gather, the copy and the all-reduce.
    assert found.operation_seconds == pytest.approx(7 * 3 * 16 * 3 / 1e9)
    assert found.seconds == pytest.approx(found.kernel_seconds + found.byte_seconds)
    assert (found.dominant, found.unknown_loops) == ("bytes", 0)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("%limit = s32[]{:T(128)} constant(7)", "%limit = s32[] add(%number, %number)"),
        ("%constant.1 = s32[]{:T(128)} constant(0)", "%constant.1 = s32[] parameter(1)"),
        ("%next = s32[] add(%index, %one)", "%next = s32[] subtract(%index, %one)"),
        ("%one = s32[] constant(1)", "%one = s32[] constant(2)"),
        ("direction=LT", "direction=GT"),
        (
            "ROOT %less = pred[] compare(%number, %limit), direction=LT",
            "%less = pred[] compare(%number, %limit), direction=LT\n"
            "  ROOT %both = pred[] and(%less, %less)",
        ),
    ],
)
def test_a_loop_without_a_certain_end_counts_once_and_is_marked(was, becomes):
    assert was in TEXT
    text = TEXT.replace(was, becomes)
    found = time_model.estimate(hlo.Module(text), flops=0, chip=CHIP)
    assert found.unknown_loops == 1
    assert found.kernel_seconds == pytest.approx(3e-6)


BRANCHES = """
HloModule jit_f

%idle (x.1: f32[16]) -> f32[16] {
  ROOT %x.1 = f32[16]{0} parameter(0)
}

%busy (x.2: f32[16]) -> f32[16] {
  %x.2 = f32[16]{0} parameter(0)
  %once = f32[16]{0} sine(%x.2)
  ROOT %twice = f32[16]{0} sine(%once)
}

ENTRY %main (p: pred[], x: f32[16]) -> f32[16] {
  %p = pred[] parameter(0)
  %x = f32[16]{0} parameter(1)
  ROOT %y = f32[16]{0} conditional(%p, %x, %x), branch_computations={%idle, %busy}
}
"""
# A fusion of 51 operations on a million elements.
MANY = "\n%many (q: f32[1000000]) -> f32[1000000] {\n  %q = f32[1000000]{0} parameter(0)\n" + (
    "".join(f"  %s{i} = f32[1000000]{{0}} sine(%q)\n" for i in range(50))
    + "  ROOT %last = f32[1000000]{0} sine(%q)\n}\n"
)


@pytest.mark.parametrize(
    "named",
    [
        "branch_computations={%idle, %busy}",
        "true_computation=%idle, false_computation=%busy",
    ],
)
def test_the_slowest_branch_counts(named):
    text = BRANCHES.replace("branch_computations={%idle, %busy}", named)
    assert time_model.estimate(hlo.Module(text), 0, CHIP).kernel_seconds == pytest.approx(2e-6)


def test_sums_over_chips_take_time_on_their_links():
    linked = CHIP._replace(link_bytes_per_second=1e6)
    assert examine.collectives(hlo.Module(TEXT)) == {"all-reduce": {"count": 1, "bytes": 192}}
    found = time_model.estimate(hlo.Module(TEXT), flops=0, chip=linked)
    assert found.link_seconds == pytest.approx(7 * 2 * 16 * 3 * 4 / 1e6)
    assert found.dominant == "links"
    without = time_model.estimate(hlo.Module(TEXT), flops=0, chip=CHIP)
    assert found.seconds == pytest.approx(without.seconds + found.link_seconds)


def test_rounds_of_loops_inside_of_loops_multiply_in_their_order():
    # The loop of seven rounds, in a branch of another loop whose rounds are not certain.
    outer = """
%outer (s: f32[16,3]) -> f32[16,3] {
  %s = f32[16,3]{1,0:T(8,128)} parameter(0)
  %large = f32[1000000]{0:T(1024)} copy(%s)
  ROOT %either = f32[16,3]{1,0:T(8,128)} conditional(%s, %s, %s), branch_computations={%inner, %id}
}

%id (t: f32[16,3]) -> f32[16,3] {
  ROOT %t = f32[16,3]{1,0:T(8,128)} parameter(0)
}

%until (v: f32[16,3]) -> pred[] {
  %v = f32[16,3]{1,0:T(8,128)} parameter(0)
  ROOT %stop = pred[] custom-call(%v), custom_call_target="stop"
}

ENTRY %all (w: f32[16,3]) -> f32[16,3] {
  %w = f32[16,3]{1,0:T(8,128)} parameter(0)
  ROOT %z = f32[16,3]{1,0:T(8,128)} while(%w), condition=%until, body=%outer
}
"""
    text = TEXT.replace("ENTRY %main", "%inner") + outer
    loops = examine.loops(hlo.Module(text))
    assert [loop["rounds"] for loop in loops] == [[None], [None, 7], []]
    many = text.replace("constant(7)", "constant(700)")
    (loop, _) = examine.loops(hlo.Module(TEXT.replace("constant(0)", "constant(5)")))
    assert loop["rounds"] == [2]  # a counter that starts later
    loops = examine.loops(hlo.Module(many))
    assert [loop["rounds"] for loop in loops] == [[None, 700], [None], []]


@pytest.mark.parametrize(
    ("dtype", "sizes", "tiles", "padded"),
    [
        ("f32", (5, 16, 3), "T(8,128)", 5 * 16 * 128 * 4),
        ("s8", (3, 1024), "T(8,128)(4,1)S(1)", 8 * 1024),
        ("f32", (2, 16384), "T(2,128)", 2 * 16384 * 4),
        ("f32", (1000,), "T(1024)", 1024 * 4),
        ("f32", (16, 3), "", 16 * 3 * 4),
        ("s32", (), "T(128)", 128 * 4),
    ],
)
def test_minor_axes_fill_whole_tiles(dtype, sizes, tiles, padded):
    order = tuple(reversed(range(len(sizes))))
    assert hlo.Shape(dtype, sizes, order, tiles).padded_bytes == padded


def test_small_arrays_that_padding_makes_large_count():
    text = TEXT.replace("16,3", "4096,3")
    carried = "(s32[], f32[4096,3]{1,0:T(8,128)}) while"
    assert carried in text
    assert examine.padding(hlo.Module(text)) == pytest.approx(1 - 3 / 128)
    assert examine.padding(hlo.Module(text.replace("T(", "S("))) is None


def _one(line, operands):
    """Returns a module whose entry has the operands and one more instruction."""
    given = "\n".join(f"  %{name} = {kind} parameter(0)" for name, kind in operands.items())
    text = (
        f"HloModule one\n\nENTRY %main (x: f32[1]) -> f32[1] {{\n{given}\n  ROOT %y = {line}\n}}\n"
    )
    module = hlo.Module(text)
    return module, module.computations["main"][-1]


BIG = {"x": "f32[1000000]{0}", "i": "s32[]", "u": "f32[10]{0}", "n": "s32[10,1]{1,0}"}


@pytest.mark.parametrize(
    ("line", "moved"),
    [
        ("(f32[10]{0:T(128)S(1)}, f32[10]{0}, u32[]) copy-start(%u)", 40),  # to the chip's memory
        ("f32[10]{0:T(128)} copy(%u)", 40 + 512),
        ("f32[10]{0:T(128)S(1)} dynamic-slice(%x, %i), dynamic_slice_sizes={10}", 512),
        ("f32[1000000]{0:T(128)S(1)} dynamic-update-slice(%x, %u, %i)", 40),
        ("(f32[1000000]{0}, f32[1000000]{0}, u32[]) copy-start(%x)", 8_000_000),
        ("((f32[1000000]{0}), f32[10]{0}, s32[]) slice-start(%x), slice={[0:10]}", 80),
        ("f32[10]{0} slice(%x), slice={[0:10]}", 80),
        ("f32[10]{0} dynamic-slice(%x, %i), dynamic_slice_sizes={10}", 80),
        ("f32[1000000]{0} dynamic-update-slice(%x, %u, %i)", 80),
        ("f32[1000000]{0} scatter(%x, %n, %u), to_apply=%add", 80),
        ("(f32[10]{0}, f32[40]{0}) all-gather-start(%u), dimensions={0}", 200),
        ("f32[10]{0} all-reduce-start(%u), to_apply=%add", 80),
        ("(f32[10]{0}, f32[10]{0}, u32[], u32[]) collective-permute-start(%u)", 80),
        ("f32[10]{0} copy(%u)", 80),
    ],
)
def test_bytes_are_those_that_are_read_and_written(line, moved):
    module, one = _one(line, BIG)
    assert moved_bytes(module, "main", one) == moved


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("((f32[40]{0}), f32[10]{0}) reduce-scatter-start(%u)", "reduce-scatter"),
        ("((f32[10]{0}), f32[10]{0}) all-to-all-start(%u)", "all-to-all"),
        ("f32[10]{0} ragged-all-to-all(%u)", "ragged-all-to-all"),
        ("f32[10]{0} collective-broadcast(%u)", "collective-broadcast"),
        ("f32[10]{0} reduce-scatter-done(%u)", None),
        ("f32[10]{0} all-to-all-done(%u)", None),
        ("f32[10]{0} dynamic-slice-done(%u)", None),
        ("f32[10]{0} copy-done(%u)", None),
    ],
)
def test_what_is_started_is_counted_once(line, kind):
    module, _ = _one(line, BIG)
    assert examine.collectives(module) == ({kind: {"count": 1, "bytes": 40}} if kind else {})
    assert len(list(module.kernels("main"))) == bool(kind)


FUSION = """
HloModule fused

%inner (a: f32[1000000], b: f32[10], i: s32[]) -> (f32[1000000], f32[10]) {
  %a = f32[1000000]{0} parameter(0)
  %b = f32[10]{0} parameter(1)
  %i = s32[] parameter(2)
  %sum = f32[10]{0} add(%b, %b)
  %seen = f32[1000,1000]{1,0} bitcast(%a)
  %part = f32[1,10]{1,0} dynamic-slice(%seen, %i, %i), dynamic_slice_sizes={1,10}
  %flat = f32[10]{0} bitcast(%part)
  %new = f32[1000000]{0} dynamic-update-slice(%a, %sum, %i)
  %named = f32[1000000]{0} bitcast(%new)
  ROOT %both = (f32[1000000]{0}, f32[10]{0}) tuple(%named, %flat)
}

ENTRY %main (a: f32[1000000], b: f32[10], i: s32[]) -> f32[1000000] {
  %a = f32[1000000]{0} parameter(0)
  %b = f32[10]{0} parameter(1)
  %i = s32[] parameter(2)
  ROOT %y = (f32[1000000]{0}, f32[10]{0}) fusion(%a, %b, %i), kind=kLoop, calls=%inner
}
"""


# Changes of the fusion and the bytes that it moves: it reads 10 elements of the array,
# b and i, and writes 10 elements twice.
FUSIONS = {
    "only what is overwritten and looked up": ("", "", 40 + 40 + 4 + 40 + 40),
    "what stays on the chip is not written": (
        "ROOT %y = (f32[1000000]{0}", "ROOT %y = (f32[1000000]{0:T(1024)S(1)}", 40 + 40 + 4 + 40
    ),
    "all of an array that is read": (
        "%flat = f32[10]{0} bitcast(%part)", "%flat = f32[10]{0} negate(%a)", 4_000_000 + 124
    ),
}  # fmt: skip


@pytest.mark.parametrize(("was", "becomes", "moved"), FUSIONS.values(), ids=FUSIONS)
def test_bytes_of_a_fusion(was, becomes, moved):
    assert was in FUSION
    module = hlo.Module(FUSION.replace(was, becomes, 1) if was else FUSION)
    one = module.computations["main"][-1]
    assert moved_bytes(module, "main", one) == moved
    # The sum and the update of 10 elements each, and 10 that are looked up or computed.
    assert module.num_operations("main", one) >= 30


def test_a_reduction_computes_with_every_element():
    module, one = _one("f32[4]{0} reduce(%x, %i), dimensions={0}, to_apply=%add", BIG)
    assert module.num_operations("main", one) == 1_000_000
    line = "f32[100]{0} reduce-window(%x, %i), window={size=3x3 stride=1x1}, to_apply=%add"
    module, one = _one(line, BIG)
    assert module.num_operations("main", one) == 900


def test_calls_are_part_of_what_calls_them():
    body = "%again (p: f32[16,3]) -> f32[16,3] {\n" + "".join(
        f"  %c{i} = f32[16,3]{{1,0}} copy(%p)\n" for i in range(3)
    )
    text = TEXT.replace("%body (arg", body + "}\n\n%body (arg").replace(
        "copy(%found), metadata", "call(%found), to_apply=%again, metadata"
    )
    loop, _ = examine.loops(hlo.Module(text))
    assert (loop["kernels"], loop["copies"]) == (2, 3)


def test_the_branch_of_most_seconds_counts_not_the_one_of_most_kernels():
    text = BRANCHES.replace("f32[16]", "f32[1000000]").replace(
        "ROOT %x.1 = f32[1000000]{0} parameter(0)",
        "%x.1 = f32[1000000]{0} parameter(0)\n"
        "  ROOT %z = f32[1000000]{0} fusion(%x.1, %x.1, %x.1, %x.1), kind=kLoop, calls=%many",
    )
    found = time_model.estimate(hlo.Module(text + MANY), 0, CHIP)
    assert found.kernel_seconds == pytest.approx(1e-6)


def test_exchange_with_the_host_is_found_in_all_that_a_loop_uses():
    call = 'custom-call(%found), custom_call_target="xla_ffi_python_gpu_callback", metadata'
    text = TEXT.replace("copy(%found), metadata", call)
    assert examine.host_transfers_in_loops(hlo.Module(text)) == 1
    hidden = TEXT.replace(
        "ROOT %gather.1 =", f"%callback = f32[16,3]{{1,0}} {call}={{}}\n  ROOT %gather.1 ="
    )
    assert examine.host_transfers_in_loops(hlo.Module(hidden)) == 1
    assert examine.host_transfers_in_loops(hlo.Module(TEXT)) == 0


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
    (loop,) = [loop for loop in examine.loops(hlo.Module(text)) if loop["rounds"] == [13]]
    assert loop["kernels"] >= 1
    assert loop["bytes"] >= 2 * 64 * 64 * 4
