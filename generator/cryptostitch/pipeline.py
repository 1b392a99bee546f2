"""The whole compiler as one list: template in, kernel out.

render -> parse -> order -> legalize -> allocate -> verify   a stream becomes a program
weave -> bind -> frame -> verify                             programs become a kernel
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from .core import catalog
from .core.accesses import shared_by
from .core.catalog import Algorithm, Form
from .core.errors import DoesNotFit, RowError, TemplateError, UnknownName
from .core.ir import RDX, XMM0, Reg
from .core.isa import GENERALS, ISAS
from .core.kernel import Kernel
from .core.kinds import KINDS
from .core.names import WEAVE, StreamName, kernel_name, target_name
from .core.own import OwnRows
from .core.program import Part, Program, Recipe
from .core.row_rules import FRAMED, broken_base_rule
from .core.stream import Stream
from .cpus.recipes import WeaveSettings, shipped
from .frontend.parse import parse
from .frontend.render import render
from .passes.allocate import Uses, allocate, body_cost
from .passes.frame import frame
from .passes.legalize import legalize
from .passes.order import ordered
from .passes.verify import verify_kernel, verify_program

INFINITE = float("inf")
MOST_BODIES = 8  # of a part in one iteration, to make bytes equal
Given = tuple[Sequence[Algorithm], Sequence[Path | str]]
"""What is added to the project's own: algorithms and template roots."""


class Generator:
    """A catalogue, the template roots that it reads, and everything compiled so far.

    ``algorithms`` are added to the project's own; ``roots`` are searched before its templates. ``proves``: False leaves
    the proofs of programs to the caller (the ladder makes them one by one). Not thread-safe.
    """

    def __init__(self, algorithms: Sequence[Algorithm] = (), roots: Sequence[Path | str] = (), proves: bool = True):
        # rows of a user's folder stay what they are: they know how to get to another process
        self.given = algorithms if isinstance(algorithms, OwnRows) else tuple(algorithms), tuple(roots)
        self.proves = proves
        self.algorithms = {a.name: a for a in (*catalog.ALGORITHMS, *algorithms)}
        for row in self.given[0]:
            if row.base and row.base not in self.algorithms:
                raise UnknownName("algorithm", row.base, self.algorithms)
            if row.base and (why := broken_base_rule(row.record, self.algorithms[row.base].record)):
                raise RowError(f"{row.name}, with the base {row.base}: {why}")
        self.forms: dict[str, tuple[Algorithm, Form]] = {
            f.name: (a, f) for a in self.algorithms.values() for f in a.forms
        }
        self.roots = tuple(Path(r) for r in roots)
        self._streams: dict = {}
        self._legal: dict = {}
        self._programs: dict = {}
        self._verified: dict[int, Program] = {}

    # ---- streams

    def form(self, name: StreamName) -> tuple[Algorithm, Form]:
        if name.form not in self.forms:
            raise UnknownName("stream", str(name), self.stream_names())
        return self.forms[name.form]

    def forms_of(self, row: Algorithm) -> list[Form]:
        """Returns the texts that compute the row's algorithm: its own, or those of its base that serve other rows."""
        return [form for form in self.algorithms[row.base].forms if form.shared] if row.base else list(row.forms)

    def forms_named(self, name: str) -> list[Form]:
        """Returns the texts that are meant by the name of a text, an algorithm or a suite."""
        if name in self.forms:
            return [self.forms[name][1]]
        rows = self.algorithms.values()
        named = [row for row in rows if name.replace("-", "_") in (row.name, row.suite.replace("-", "_"))]
        return [form for row in named for form in self.forms_of(row)]

    def named_pairs(self) -> list[tuple[Form, Form]]:
        """Returns the texts that rows say they are stitched with, each pair once, what writes first. Raises
        UnknownName, and RowError where both write."""
        found: list[tuple[Form, Form]] = []
        for row in self.algorithms.values():
            others: list[Form] = []
            for name in row.pairs or ():
                if not (meant := self.forms_named(name)):
                    known = [*self.forms, *(other.suite for other in self.algorithms.values())]
                    raise UnknownName("stream, algorithm or suite", name, known)
                others += [form for form in meant if form.paired or form.name == name]
            for own, other in itertools.product(row.forms, others):
                writes = [KINDS[self.forms[form.name][0].kind].writes for form in (own, other)]
                if all(writes):
                    raise RowError(f"{row.name}: pairs: {own.name} and {other.name} both write")
                pair = (other, own) if writes[1] else (own, other)
                if pair not in found and pair[::-1] not in found:
                    found.append(pair)
        return found

    def ways(self, first: Form, second: Form, isas: Sequence[str] = tuple(ISAS)) -> list[list[tuple[StreamName, str]]]:
        """Returns the ways to stitch the two on these instruction sets: equal lanes, through memory and, where the
        first writes and there is one, through the hand-over buffer."""
        writes = KINDS[self.forms[first.name][0].kind].writes
        by = self.blocks_beside(first, second) if writes else 0
        found = []
        for fi, si in itertools.product(isas, isas):
            # what only reads has no side: a stream in general registers goes with one in vectors of any width
            if (fi, si) not in catalog.PAIRED_ISAS and (writes or (fi != si and "scalar" not in (fi, si))):
                continue
            for lanes in sorted(set(first.lanes.get(fi, ())) & set(second.lanes.get(si, ()))):
                for hand in (False, True) if writes and (fi, lanes) in catalog.HAND_OVER else (False,):
                    found.append(
                        [
                            (StreamName(first.name, lanes, by, hand=hand), fi),
                            (StreamName(second.name, lanes, hand=hand), si),
                        ]
                    )
        return found

    def stream_names(self) -> list[str]:
        """Returns the names of every stream of the catalogue, without the options _by, _1key and _hand."""
        return sorted(
            {f"{f.name}_x{lanes}" for _, f in self.forms.values() for many in f.lanes.values() for lanes in many}
        )

    def blocks(self, name: StreamName, isa: str) -> int:
        """Blocks of 16 bytes per lane and iteration: what the name says, else the algorithm's usual number, or the
        form's first where it does not have that."""
        algorithm, form = self.form(name)
        usual = algorithm.bytes // 16
        had = form.by.get((isa, name.lanes)) or (usual,)
        return name.by or (usual if usual in had else had[0])

    def virtual(self, name: StreamName, isa: str) -> Stream:
        """The parsed stream before legalization: the meaning that everything later is checked against."""
        key = (name, isa)
        if key not in self._streams:
            algorithm, form = self.form(name)
            if name.lanes not in form.lanes.get(isa, ()):
                raise UnknownName(
                    "stream", f"{name}@{isa}", [f"{form.name}_x{n}@{i}" for i, many in form.lanes.items() for n in many]
                )
            by = self.blocks(name, isa)
            parameters = dict(algorithm.parameters_of(form, isa, by), one_key=name.one_key, hand=name.hand)
            rendered = render(form.template, ISAS[isa], name.lanes, parameters, self.roots)
            self._streams[key] = parse(
                rendered,
                ISAS[isa],
                name=str(name),
                algorithm=algorithm.name,
                bytes_per_iteration=16 * by,
                public=KINDS[algorithm.kind].public,
            )
            for each in self._streams[key].fields:
                if not KINDS[algorithm.kind].fills(each.name):
                    del self._streams[key]
                    raise TemplateError(
                        form.template,
                        f"nobody fills the field '{each.name}': for the kind {algorithm.kind} the library fills "
                        + ", ".join(sorted(KINDS[algorithm.kind].fields)),
                    )
        return self._streams[key]

    def program(self, name: StreamName, isa: str, budget: int | None = None, order: int = 0) -> Program:
        """The stream compiled to a register budget (None: the whole register file), in an order of passes/order.py."""
        key = (name, isa, budget, order)
        if key not in self._programs:
            if (name, isa, order) not in self._legal:
                legal = legalize(ordered(self.virtual(name, isa), order))
                self._legal[name, isa, order] = legal, Uses(legal)
            legal, uses = self._legal[name, isa, order]
            try:
                program = allocate(legal, budget, uses)
                self._programs[key] = replace(program, name=f"{program.name}~{order}") if order else program
            except DoesNotFit as error:
                self._programs[key] = error
        if isinstance(self._programs[key], DoesNotFit):
            raise self._programs[key]
        return self._programs[key]

    def _verify(self, name: StreamName, isa: str, budget: int | None, order: int) -> Program:
        """The program, proved once; the budgets that are only tried are not."""
        program = self.program(name, isa, budget, order)
        if self.proves and id(program) not in self._verified:
            self._verified[id(program)] = verify_program(self.virtual(name, isa), program)
        return program

    # ---- kernels

    def kernel(self, recipe: Recipe, abi: str = "sysv") -> Kernel:
        """The framed kernel, proved to run exactly its programs."""
        return verify_kernel(frame(recipe, abi))

    def equal_bytes(self, parts: Sequence[tuple[StreamName, str]]) -> list[int]:
        """Bodies of each part that take the same number of bytes of a message, at most MOST_BODIES."""
        sizes = []
        for name, isa in parts:
            row = self.form(name)[0]
            streams = self._splits(name, isa)
            whole = 16 * self.blocks(streams[0][0] if streams else name, isa)
            sizes.append(whole * row.block_bytes // row.bytes if row.padding in FRAMED else whole)
        common = math.lcm(*sizes)
        return [common // size for size in sizes] if common // min(sizes) <= MOST_BODIES else [1] * len(sizes)

    def message_share(self, recipe: Recipe) -> float:
        """How much of what the recipe's first part reads is the message: all, but where a hash's padding makes a frame
        of each block."""
        return self._message_share(recipe.parts[0])

    def message_bytes(self, part: Part) -> int:
        """Bytes of a message that a part of a recipe takes in an iteration of the kernel."""
        return round(part.program.contract.bytes * part.ratio * self._message_share(part))

    def _message_share(self, part: Part) -> float:
        row = self.algorithms[part.program.algorithm]
        return row.block_bytes / row.bytes if row.padding in FRAMED else 1

    def recipe(self, name: str) -> Recipe:
        """Returns the recipe of a kernel's name, with the budgets that cost least; of another weave, as the shipped
        recipe has them."""
        if name in self.tuned:
            return self.default_recipe(self.tuned[name].parts(), tuned=name)
        if WEAVE in name:
            raise UnknownName("kernel", name, self.kernel_names())
        parts, target = kernel_name(name)
        for isas in itertools.product(*(self._isas(p, target) for p in parts)):
            recipe = self.stitch([(p, i) for p, i in zip(parts, isas)])
            if recipe.target == target:
                return recipe
        raise UnknownName("kernel", name, self.kernel_names())

    def _isas(self, part: StreamName, target: str) -> list[str]:
        _, form = self.form(part)
        level = target.split("_")[0]
        found = [
            i for i in form.lanes if self._splits(part, i) and ISAS[i].level <= ISAS.get(level, ISAS["scalar"]).level
        ]
        return sorted(found, key=lambda i: -ISAS[i].level)

    def _splits(self, part: StreamName, isa: str) -> list[tuple[StreamName, int]]:
        """The streams, each with its number of groups, that give ``part`` its lanes on ``isa``; the widest stream comes
        first."""
        _, form = self.form(part)
        return [
            (part.with_lanes(lanes), part.lanes // lanes)
            for lanes in sorted(form.lanes.get(isa, ()), reverse=True)
            if part.lanes % lanes == 0 and (part.lanes == lanes or part.lanes // lanes in form.groups)
        ]

    def _split(self, parts: Sequence[tuple[StreamName, str]]) -> list[tuple[StreamName, int, str]]:
        """(stream, groups, ISA) of each part. Each group of one part works with one group of the other, so their
        numbers are equal."""
        for options in itertools.product(*(self._splits(part, isa) for part, isa in parts)):
            if len({groups for _, groups in options}) == 1:
                return [(stream, groups, isa) for (stream, groups), (_, isa) in zip(options, parts)]
        raise UnknownName("kernel", "+".join(f"{part}@{isa}" for part, isa in parts), self.stream_names())

    def stitch(
        self,
        parts: Sequence[tuple[StreamName, str]],
        *,
        ratios: Sequence[int] | None = None,
        leads: Sequence[int] | None = None,
        lags: Sequence[int] | None = None,
        budgets: Sequence[int] | None = None,
        orders: Sequence[int] | None = None,
        strategy: str = "",
        static: bool = False,
    ) -> Recipe:
        """Makes one kernel of one to four parts (each a stream name with its total lanes, and an ISA). Raises
        DoesNotFit when the windows do not fit. ``lags``: by default, what follows a part that writes runs one iteration
        behind it and reads what it wrote; a cipher behind a checksum, which reads what it reads, runs one behind that,
        because it may overwrite its input. ``strategy``: by default the catalogue's.

        ``orders``: windows for passes/order.py, of each part; 0: as its text has it.
        """
        split = self._split(parts)
        if sum(groups for _, groups, _ in split) > 4:
            raise DoesNotFit(f"{'+'.join(str(p) for p, _ in parts)}: a kernel holds at most 4 streams")
        budgets = list(budgets or self._budgets(split))
        orders = orders or self.orders(parts)
        if lags is None:
            kinds = [self.form(name)[0].kind for name, _ in parts]
            follows = [
                KINDS[kind].writes and (name.hand or kind != "cipher_dec") for (name, _), kind in zip(parts, kinds)
            ]
            overwrites = [KINDS[kind].writes and "checksum" in kinds[:n] for n, kind in enumerate(kinds)]
            lags = [catalog.PAIR_LAG * (any(follows[:n]) or overwrites[n]) for n in range(len(parts))]
        chosen = []
        for i, ((stream, groups, isa), budget) in enumerate(zip(split, budgets)):
            program = self._verify(stream, isa, budget, orders[i])
            part = Part(program, (ratios or [1] * len(parts))[i], (leads or [0] * len(parts))[i], lags[i])
            chosen += [part] * groups
        generals = sum(p.program.window.generals for p in chosen) + 1 + self._is_named(split, RDX)
        if generals > GENERALS:
            raise DoesNotFit(f"{'+'.join(str(p) for p, _ in parts)}: {generals} general registers, {GENERALS} exist")
        target = target_name(
            [p.program.isa for p in chosen], set().union(*(p.program.contract.features for p in chosen))
        )
        name = "+".join(str(p) for p, _ in parts) + "@" + target
        if not strategy:
            strategy = "sequential" if catalog.SEQUENTIAL & {p.form for p, _ in parts} else "proportional"
        return Recipe(name, target, tuple(chosen), strategy, static)

    def stitch_as(self, settings: WeaveSettings) -> Recipe:
        """Raises DoesNotFit."""
        return self.stitch(
            settings.parts(),
            ratios=settings.ratios,
            leads=settings.leads,
            lags=settings.lags,
            budgets=settings.budgets,
            orders=settings.orders,
            strategy=settings.strategy,
        )

    def orders(self, parts: Sequence[tuple[StreamName, str]]) -> list[int]:
        """The windows that ``stitch`` orders the streams of each part with."""
        return [self._order(stream, isa, len(parts) > 1) for stream, _, isa in self._split(parts)]

    def _order(self, name: StreamName, isa: str, paired: bool) -> int:
        windows = catalog.ORDERS.get((name.form, isa, name.lanes)) or catalog.ORDERS.get((name.form, isa)) or (0, 0)
        return windows[paired]

    def budgets(self, parts: Sequence[tuple[StreamName, str]]) -> list[int]:
        """The registers that ``stitch`` gives one stream of each part. Raises DoesNotFit."""
        return self._budgets(self._split(parts))

    def _budgets(self, split: Sequence[tuple[StreamName, int, str]]) -> list[int]:
        """Shares out the registers so that instructions and memory accesses of all bodies together, in the order of
        their texts, are fewest."""
        vector = [part for part in split if ISAS[part[2]].words == "v"]
        words = 0
        if len(vector) < len(split):  # a scalar part gets what the others leave; the counter takes one
            words = (
                GENERALS - 1 - sum(groups * self.program(stream, isa).window.generals for stream, groups, isa in vector)
            )
            words -= self._is_named(split, RDX)
        if not vector:
            return self._shares(split, words)
        if len(split) > 2:
            return self._several(split, words)
        isa = vector[0][2]
        total = ISAS[isa].vectors - self._is_named(split, XMM0)
        if len(vector) == 1:
            return [total // vector[0][1] if ISAS[i].words == "v" else words for _, _, i in split]
        (first, n, _), (second, m, _) = vector

        @functools.cache
        def score(b: int) -> float:
            rest = (total - n * b) // m
            return n * self._cost(first, isa, b) + m * self._cost(second, isa, rest) if b > 0 and rest > 0 else INFINITE

        # Downhill from a cipher that has room for its chains, or for the blocks that it decrypts side by side, and
        # little else.
        most = (total - m) // n
        b = min(4 if self.form(first)[0].kind == "cipher_dec" else 6, most)
        b = next((c for c in range(b, most + 1) if score(c) < INFINITE), b)
        while (best := min((c for c in (b, b - 1, b + 1) if 1 <= c <= most), key=score)) != b:
            b = best
        if score(b) == INFINITE:
            raise DoesNotFit(f"{first} and {second} do not fit the {total} vector registers of {isa}")
        return [b, (total - n * b) // m]

    def _several(self, split: Sequence[tuple[StreamName, int, str]], words: int) -> list[int]:
        """Returns the register budgets of three or four parts. Vector parts share the vector registers, scalar ones
        ``words``."""
        budgets = [0] * len(split)
        isa = max((i for _, _, i in split), key=lambda i: ISAS[i].vectors)
        for on_vectors, total in ((True, ISAS[isa].vectors - self._is_named(split, XMM0)), (False, words)):
            places = [n for n, part in enumerate(split) if (ISAS[part[2]].words == "v") == on_vectors]
            if places:
                for place, budget in zip(places, self._downhill([split[n] for n in places], total)):
                    budgets[place] = budget
        return budgets

    def _downhill(self, split: Sequence[tuple[StreamName, int, str]], total: int) -> list[int]:
        """Distributes registers: begins with the fewest that each part can run with, and gives the next one to the part
        that it saves most."""

        def cost(n: int, budget: int) -> float:
            stream, groups, isa = split[n]
            return groups * self._cost(stream, isa, budget)

        most = [total // groups for _, groups, _ in split]
        budgets = [next((b for b in range(1, m + 1) if cost(n, b) < INFINITE), total + 1) for n, m in enumerate(most)]
        while True:
            left = total - sum(groups * b for (_, groups, _), b in zip(split, budgets))
            if left < 0:
                names = " and ".join(str(stream) for stream, _, _ in split)
                raise DoesNotFit(f"{names} do not fit {total} registers of {split[0][2]}")
            open_to = [n for n, (_, groups, _) in enumerate(split) if groups <= left]
            if not open_to:
                return budgets
            # of a few registers at once: one alone may save nothing
            gains = {
                (n, step): (cost(n, budgets[n]) - cost(n, budgets[n] + step)) / (step * split[n][1])
                for n in open_to
                for step in range(1, min(4, left // split[n][1]) + 1)
            }
            n, step = max(gains, key=lambda key: (gains[key], -key[1]))
            if gains[n, step] <= 0:
                return budgets
            budgets[n] += step

    def _is_named(self, split: Sequence[tuple[StreamName, int, str]], reg: Reg) -> bool:
        """Whether any of the streams names the shared register."""
        return any(reg in shared_by(self.virtual(stream, isa).code) for stream, _, isa in split)

    def _shares(self, split: Sequence[tuple[StreamName, int, str]], words: int) -> list[int]:
        """Distributes general registers among scalar parts. A share is at most what a stream uses; the rest is left to
        the next."""
        if len(split) != 2:
            return [words // groups for _, groups, _ in split]
        (first, n, isa), (second, m, other) = split

        def score(b: int) -> tuple[float, int]:
            return n * self._cost(first, isa, b) + m * self._cost(second, other, (words - n * b) // m), -b

        best = min(range(1, words // n), key=score)
        if score(best)[0] == INFINITE:
            raise DoesNotFit(f"{first} and {second} do not fit {words} general registers")
        return [best, (words - n * best) // m]

    def _cost(self, stream: StreamName, isa: str, budget: int) -> float:
        """INFINITE where the stream does not fit."""
        try:
            return body_cost(self.program(stream, isa, budget))
        except DoesNotFit:
            return INFINITE

    # ---- the default pack

    @property
    def default_weaves(self) -> list[tuple[list[tuple[StreamName, str]], bool, str]]:
        """(parts with their ISAs, also shipped as an object, "" or its name in ``tuned``) of every kernel: the default
        weaves, then those of recipes."""
        return [(parts, static, "") for parts, static in self.default_parts] + [
            (settings.parts(), False, name) for name, settings in self.tuned.items()
        ]

    def default_recipe(self, parts: Sequence[tuple[StreamName, str]], static: bool = False, tuned: str = "") -> Recipe:
        """Makes one of ``default_weaves``. Raises DoesNotFit. A ``tuned`` name without a recipe stands for the default
        weave."""
        return (
            replace(self.stitch_as(self.tuned[tuned]), name=tuned)
            if tuned in self.tuned
            else self.stitch(parts, static=static, ratios=self._ratios(parts))
        )

    def _ratios(self, parts: Sequence[tuple[StreamName, str]]) -> list[int] | None:
        """Bodies of each part, where a row names the pair: blocks of one's own may have any size."""
        named = len(parts) == 2 and any(self.form(name)[0].pairs is not None for name, _ in parts)
        return self.equal_bytes(parts) if named else None

    @functools.cached_property
    def tuned(self) -> dict[str, WeaveSettings]:
        """The weaves that the default pack carries beside default ones, by name."""
        return {
            name: settings
            for name, settings in shipped().items()
            if all(stream.form in self.forms for stream, _ in settings.parts())
        }

    @functools.cached_property
    def default_parts(self) -> list[tuple[list[tuple[StreamName, str]], bool]]:
        """(parts with their ISAs, also shipped as an object) of every kernel that the catalogue's rules give."""
        singles: list[tuple[list[tuple[StreamName, str]], bool]] = []
        pairs: list[tuple[list[tuple[StreamName, str]], bool]] = []
        for algorithm, form in self.forms.values():
            for isa, many in form.lanes.items() if form.alone else ():
                for lanes in many:
                    for groups in (
                        form.groups
                        if algorithm.kind in catalog.GROUPED_KINDS and lanes == max(many) and isa in form.grouped
                        else (1,)
                    ):
                        blocks = form.by.get((isa, lanes), (0,))
                        for one_key, by in itertools.product(self._key_options(algorithm, lanes), blocks):
                            rare = lanes > 1 and algorithm.key_bytes not in catalog.STATIC_KEY_BYTES
                            static = groups == 1 and by in blocks[: form.objects] and not rare
                            static = static and isa in (form.object_isas or form.lanes)
                            usual = by in (0, algorithm.bytes // 16)
                            part = StreamName(form.name, lanes * groups, 0 if usual else by, one_key)
                            singles.append(([(part, isa)], static and algorithm.kind not in catalog.NEVER_STATIC))
        paired = [forms for forms in self.forms.values() if forms[1].paired]
        for cipher, hash_ in itertools.product(paired, paired):
            if cipher[0].pairs is not None or hash_[0].pairs is not None:
                continue
            if cipher[0].kind == "cipher_enc" and hash_[0].kind == "hash":
                pairs += self._pairs(cipher[1], hash_[1])
            elif cipher[0].kind == "cipher_dec" and hash_[0].kind == "hash":
                pairs += self._opening_pairs(cipher[1], hash_[1])
            elif (cipher[0].kind, hash_[0].kind) in catalog.PAIRED_KINDS or (
                cipher[1].name,
                hash_[1].name,
            ) in catalog.PAIRED_FORMS:
                pairs += self._equal_pairs(cipher, hash_)
            pairs += self._chosen_pairs(cipher, hash_)
        for pair in self.named_pairs():
            pairs += [(parts, False) for parts in self.ways(*pair)]
        for first, first_isa, second, second_isa, lanes in catalog.BOTH:
            if {first, second} <= set(self.forms):
                by = self.blocks_beside(self.forms[second][1], self.forms[first][1])
                parts = [(StreamName(first, lanes), first_isa), (StreamName(second, lanes, by), second_isa)]
                pairs.append((parts, False))
        for form_name, sum_name, isa, by in catalog.CHECKED:
            if {form_name, sum_name} <= set(self.forms):
                whole = [(StreamName(name, 1, by), isa) for name in (form_name, sum_name)]
                pairs += [(whole, False), (whole[::-1], False)]
        alone = catalog.NUMBERS_ALONE
        for radix, isa, lanes in catalog.NUMBERS_BESIDE:
            for name in (a.name for a in self.algorithms.values() if a.arithmetic and a.suite not in alone):
                if {f"{name}{radix}", f"{name}64"} <= set(self.forms):
                    beside = StreamName(f"{name}64", 1), "scalar"
                    pairs.append(([(StreamName(f"{name}{radix}", lanes), isa), beside], False))
        return singles + pairs

    @staticmethod
    def _key_options(algorithm: Algorithm, lanes: int) -> tuple[bool, ...]:
        return (False, True) if algorithm.kind in catalog.SHARED_KEYS and lanes > 1 else (False,)

    def blocks_beside(self, cipher: Form, hash_: Form) -> int:
        """The cipher's blocks per iteration that make the bytes of the hash's; 0 when its usual amount does."""
        wanted = self.forms[hash_.name][0].bytes
        return 0 if wanted == self.forms[cipher.name][0].bytes else wanted // 16

    def _pairs(self, cipher: Form, hash_: Form) -> Iterable[tuple[list[tuple[StreamName, str]], bool]]:
        algorithm, by = self.forms[cipher.name][0], self.blocks_beside(cipher, hash_)
        for (ci, many), hi in itertools.product(cipher.lanes.items(), hash_.lanes):
            if (ci, hi) not in catalog.PAIRED_ISAS:
                continue
            for lanes in sorted(set(many) & set(hash_.lanes[hi])):
                for groups in sorted(set(cipher.groups) & set(hash_.groups)) if ISAS[ci].vectors >= 32 else (1,):
                    for one_key, hand in itertools.product(self._key_options(algorithm, lanes), (False, True)):
                        if (hand and (ci, lanes) not in catalog.HAND_OVER) or groups > (
                            catalog.PAIR_GROUPS if hand else 1
                        ):
                            continue
                        chosen = catalog.CHOSEN_PAIRS.get(hash_.name)
                        if chosen is not None and (one_key or (hi, lanes * groups, hand) not in chosen):
                            continue
                        parts = [
                            (StreamName(cipher.name, lanes * groups, by, one_key, hand), ci),
                            (StreamName(hash_.name, lanes * groups, hand=hand), hi),
                        ]
                        chosen_static = (hash_.name, hi, lanes * groups, hand) in catalog.STATIC_PAIRS
                        yield parts, chosen_static and not one_key and algorithm.key_bytes in catalog.STATIC_KEY_BYTES

    @staticmethod
    def _opening_pairs(cipher: Form, hash_: Form) -> Iterable[tuple[list[tuple[StreamName, str]], bool]]:
        for name, isa, lanes, hand in sorted(catalog.OPENING):
            if name == hash_.name and lanes in cipher.lanes.get(isa, ()):
                yield [(StreamName(form.name, lanes, hand=hand), isa) for form in (cipher, hash_)], False

    @staticmethod
    def _chosen_pairs(
        first: tuple[Algorithm, Form], second: tuple[Algorithm, Form]
    ) -> Iterable[tuple[list[tuple[StreamName, str]], bool]]:
        (writer, cipher), (reader, hash_) = first, second
        for kind, name, isa, lanes in catalog.CHOSEN_KINDS:
            same_cipher = reader.kind == "hash" or reader.block_cipher == writer.block_cipher
            if (kind, name) == (writer.kind, hash_.name) and same_cipher:
                yield [(StreamName(form.name, lanes), isa) for form in (cipher, hash_)], False

    @staticmethod
    def _equal_pairs(
        first: tuple[Algorithm, Form], second: tuple[Algorithm, Form]
    ) -> Iterable[tuple[list[tuple[StreamName, str]], bool]]:
        """Yields every number of lanes and of blocks that both have, on the same instruction set, or beside one in
        general registers."""

        def shapes(algorithm: Algorithm, form: Form) -> set[tuple[str, int, int]]:
            usual = algorithm.bytes // 16
            return {
                (isa, lanes, by)
                for isa, many in form.lanes.items()
                for lanes in many
                for by in form.by.get((isa, lanes), (usual,))
                if by > 1
            }

        for (one, *shape), (other, *others) in itertools.product(sorted(shapes(*first)), sorted(shapes(*second))):
            lanes, by = shape
            if (
                shape == others
                and lanes in catalog.PAIRED_KINDS.get((first[0].kind, second[0].kind), (lanes,))
                and (one == other or (other, one) in catalog.PAIRED_ISAS)
            ):
                yield (
                    [
                        (StreamName(form.name, lanes, by * (16 * by != algorithm.bytes)), isa)
                        for (algorithm, form), isa in ((first, one), (second, other))
                    ],
                    False,
                )
        for isa, lanes, by in sorted(shapes(*first)):
            if lanes in second[1].lanes.get("scalar", ()) and catalog.BESIDE_VECTORS.get(isa) == by:
                yield (
                    [
                        (StreamName(form.name, lanes, by * (16 * by != algorithm.bytes)), i)
                        for (algorithm, form), i in ((first, isa), (second, "scalar"))
                    ],
                    False,
                )

    def default_recipes(self, progress=None, processes: int = 1) -> list[Recipe]:
        """Returns every kernel of the default pack, compiled and proved, sorted by name; pairs whose registers do not
        fit are left out.

        ``progress(done, total, name)`` is told now and then. ``processes`` share the work; the result is the same for
        any number.
        """
        work = collections.defaultdict(list)
        weaves = self.default_weaves
        for parts, static, tuned in weaves:
            work[parts[-1][0].form, parts[-1][1]].append((parts, static, tuned))
        batches = sorted(work.values(), key=len, reverse=True)
        made: list[Recipe] = []
        with _pool(processes) as run:
            for done in run(functools.partial(_compile, self.given), batches):
                made += done
                if progress:
                    progress(len(made), len(weaves), done[-1].name if done else "")
        return sorted(made, key=lambda r: r.name)

    def kernel_names(self) -> list[str]:
        """The names of the default pack's kernels, without compiling them."""
        names = []
        for parts, _ in self.default_parts:
            features = set().union(*(self.virtual(stream, isa).features for stream, _, isa in self._split(parts)))
            names.append("+".join(str(p) for p, _ in parts) + "@" + target_name([i for _, i in parts], features))
        return sorted([*names, *self.tuned])


def _compile(given: tuple, batch: list) -> list[Recipe]:
    generator, made = Generator(*given), []
    for parts, static, tuned in batch:
        try:
            recipe = generator.default_recipe(parts, static, tuned)
        except DoesNotFit:
            continue
        generator.kernel(recipe)
        made.append(recipe)
    return made


@contextlib.contextmanager
def _pool(processes: int):
    """Yields a function like map that works in this process or in several."""
    if processes <= 1:
        yield map
        return
    with concurrent.futures.ProcessPoolExecutor(processes) as pool:
        yield lambda function, items: (
            f.result() for f in concurrent.futures.as_completed([pool.submit(function, i) for i in items])
        )
