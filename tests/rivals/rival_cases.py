# SPDX-License-Identifier: MIT
"""The scenarios and mutants of the rivals' queues, as in tests/model/cases.py: who imports this has both."""
from dataclasses import replace

import cases
from cases import DEPENDENT, GENERAL, IMM, LEFT, Mutant, Scenario

SCENARIOS = {
    "bwos_paper": GENERAL + LEFT + [
        Scenario("rounds", "ppppppgppp", ("222", "11"), "a thief looks at a block of a later round",
                 left=2, tools=("relacy",)),
        Scenario("late", "pppp!gggppp", ("A11", "A11"), "a takeover comes too late", left=2, blocks=4,
                 steps=("bwos_paper.pass_at_once",), tools=("relacy",)),
    ],
    # Early grants: of two full blocks this queue's thieves see next to nothing.
    "bwos_fifo": [
        Scenario("drain", "ppegd", ("1", "1"), "two thieves and the owner want what was granted early"),
        Scenario("reuse", "ppppp", ("2", "1"), "a block comes back that thieves have taken"),
        Scenario("take", "ppegpgp", ("1", "1"), "the owner takes a block over and goes on"),
    ] + [s for s in GENERAL if s.name not in ("drain", "reuse", "take")] + [
        Scenario("left", "ppppppp", ("22", "1"), "what is granted stays within thieves' reach",
                 left=4, blocks=4),
        Scenario("three", "pppppppppgd", ("22", "2"), "more than one block between get and put",
                 blocks=4, tools=("relacy",)),
        Scenario("again", "ppeggpppp", ("1", ""), "a slot that a thief took from comes back"),
    ],
}
SCENARIOS["abp_sc"] = cases.SCENARIOS["abp"]
SCENARIOS["ring"] = [
    *cases.SCENARIOS["abp"],
    Scenario("lower", "pppggp", ("2", ""), "thieves read what get has stored in bottom", tools=("relacy",)),
]
# FIFO rings: from thieves' front to back.
FIFO = [
    Scenario("drain", "ppgd", ("1", "1"), "the last item, wanted by three"),
    Scenario("reuse", "pppppp", ("2", ""), "a slot comes back that a thief has taken", blocks=2, entries=1),
    Scenario("half", "ppppgpd", ("4", "1"), "a thief takes half, the owner goes on", tools=("relacy",)),
    Scenario("wrap", "ppgppgppgd", ("2", "1"), "full and round the ring", blocks=2, entries=1, tools=("relacy",)),
    Scenario("again", "pgpgpd", ("1", "1"), "empty in between"),
    Scenario("room", "yyggyyggyy", ("", ""), "what was got makes room", blocks=2, entries=1),
]
NEXT = [
    Scenario("slot", "p", ("1", "1"), "the slot is all there is"),
    Scenario("kick", "ppp", ("1", "1"), "items move from the slot into the ring"),
    Scenario("tight", "ppppp", ("1", "1"), "the ring is full, the slot is not", blocks=2, entries=1, tools=("relacy",)),
    Scenario("place", "pppggpp", ("1", ""), "a place comes round that a thief has not emptied", blocks=2,
             entries=1),
]
SCENARIOS["tokio"] = FIFO
SCENARIOS["go"] = FIFO + NEXT
SCENARIOS["kotlin"] = FIFO + NEXT
SCENARIOS["eigen"] = [
    *FIFO,
    Scenario("turns", "pppggpppd", ("11", "2"), "up and down", tools=("relacy",)),
    Scenario("behind", "pppppgpp", ("21", "1"), "two thieves, one after the other", blocks=2, entries=1,
             tools=("relacy",)),
]
SCENARIOS["bbq"] = [*GENERAL, *LEFT,
    Scenario("last", "ppgd", ("1", "1"), "the last item, wanted by three"),
    Scenario("turn", "ppppppp", ("21", "21"), "two thieves go on to the next block", tools=("relacy",)),
    FIFO[-1],
    Scenario("small", "ppppp", ("2", "1"), "blocks of one item", blocks=2, entries=1),
]

# Small enough for GenMC, which the scenarios named in TOO_LONG are not; of `room` there is but one
# execution.
SCENARIOS["ring"] += [
    Scenario("round", "pppgpd", ("2", ""), "full and round the ring", blocks=2, entries=1),
    Scenario("pair", "pppgpp", ("1", "1"), "two thieves, a slot comes back", blocks=2, entries=1),
]
SCENARIOS["tokio"] = FIFO + [
    Scenario("round", "ppgppd", ("2", "1"), "two thieves, full and round the ring", blocks=2, entries=1),
    Scenario("busy", "ppppd", ("2", "1"), "a thief comes while another takes half"),
]
SCENARIOS["go"] += [Scenario("batch", "ppppgd", ("4", ""), "half of the ring, then the slot")]
SCENARIOS["kotlin"] += [
    Scenario("round", "ppgppd", ("2", "1"), "two thieves, full and round the ring", blocks=2, entries=1),
    Scenario("batch", "ppppgd", ("2", ""), "two claims in a row, the owner goes on"),
]
SCENARIOS["eigen"] += [
    Scenario("pair", "ppp", ("1", "1"), "two thieves, the owner only puts"),
    Scenario("batch", "pppgpd", ("2", ""), "half from the back, the owner at the front"),
    Scenario("round", "pppgpp", ("2", ""), "full and round the ring, from both ends", blocks=2, entries=1),
]
SCENARIOS["bbq"] += [
    Scenario("next", "pppd", ("2", ""), "owner and thief go on to the next block"),
    Scenario("round", "pppgpd", ("2", ""), "blocks of one item, round the ring", blocks=2, entries=1),
    Scenario("pair", "ppppp", ("2", "2"), "two thieves empty a block, the owner opens it anew"),
]
TOO_LONG = {
    "ring": ("full", "turns", "room"),
    "tokio": ("wrap", "room"),
    "go": ("room",),
    "kotlin": ("half", "room"),
    "eigen": ("half", "wrap", "again", "turns", "behind", "room"),
    "bbq": ("drain", "wrap", "turns", "batch", "early", "left", "turn", "room"),
}
for queue, names in TOO_LONG.items():
    SCENARIOS[queue] = [replace(s, tools=("relacy",) if s.name in names else ("relacy", "genmc"))
                        for s in SCENARIOS[queue]]

# Pools: an array or bwos for each worker, and a locked queue for work from outside (o: a thief offers
# an item, with GenMC only). Under locks there is nothing for Relacy, which does not know pthreads.
LOCKED = ("pool", "pool_bwos")
POOL = [
    Scenario("drain", "ppgd", ("1", "1"), "the last item, wanted by three"),
    Scenario("outside", "pd", ("o", "1"), "work from outside, which the owner and a thief want"),
    Scenario("offered", "ppgg", ("o1", "2"), "who has offered steals, too"),
    Scenario("round", "pppgpd", ("2", ""), "full and round the ring", blocks=2, entries=1),
]
SCENARIOS["pool"] = [replace(s, tools=("genmc",)) for s in POOL]
SCENARIOS["pool_bwos"] = [replace(s, tools=("genmc",)) for s in [
    Scenario("drain", "pppd", ("2", "1"), "two thieves and the owner want one block"),
    *POOL[1:3],
    Scenario("reuse", "ppppp", ("2", "o"), "a block comes back that a thief has taken"),
    Scenario("granted", "ppegd", ("1", "o"), "an early grant, and work from outside"),
]]

NEWEST = "Relacy gives a seq_cst load of `bottom` the newest value, whatever was acquired before it"
RENEWED = ("only load buffering lets a count come before the renewal that its claim depends on, and IMM "
           "keeps dependencies: no checker here shows it")

MUTANTS = {
    "bwos_paper": [
        Mutant("bwos_paper.grant=relaxed", "drain", "relacy"),
        Mutant("bwos_paper.claim=relaxed", "wrap", "relacy",
               "a thief pairs a new index with old items"),
        Mutant("bwos_paper.finish=relaxed", "wrap", "relacy"),
        Mutant("bwos_paper.reclaim=relaxed", "wrap", "relacy"),
        Mutant("bwos_paper.round=0", "rounds", "relacy"),
        Mutant("bwos_paper.count=0", "wrap", "relacy"),
        Mutant("bwos_paper.owned=0", "wrap", "relacy", "as bwos.dead=0"),
        Mutant("bwos_paper.restore=0", "late", "relacy"),
    ],
    "bwos_fifo": [
        Mutant("bwos_fifo.grant=relaxed", "drain", "relacy"),
        Mutant("bwos_fifo.see=relaxed", "take", "relacy"),
        Mutant("bwos.claim=relaxed", "again", "imm", IMM),
        Mutant("bwos_fifo.takeover=relaxed", "again", "none", DEPENDENT),
        Mutant("bwos_fifo.takeover=0", "take", "relacy"),
        Mutant("bwos_fifo.full=0", "reuse", "relacy"),
    ],
    "abp_sc": [],
    "pool": [
        Mutant("mutex.lock=0", "drain", "rc11", "the owner and thieves in one deque"),
        Mutant("global.lock=0", "outside", "rc11", "two in the global queue"),
    ],
    "pool_bwos": [
        Mutant("bwos.grant=relaxed", "drain", "rc11"),
        Mutant("bwos.see=relaxed", "granted", "rc11"),
        Mutant("global.lock=0", "outside", "rc11", "two in the global queue"),
    ],
    "ring": [
        Mutant("ring.put_bottom=relaxed", "drain", "relacy"),
        Mutant("ring.put_top=relaxed", "reuse", "none", DEPENDENT),
        Mutant("ring.get_bottom=acq_rel", "drain", "relacy"),
        Mutant("ring.get_bottom=relaxed", "drain", "relacy"),
        Mutant("ring.get_top=acquire", "drain", "relacy"),
        Mutant("ring.steal_top=acquire", "drain", "rc11", NEWEST),
        Mutant("ring.steal_top=relaxed", "drain", "rc11", NEWEST),
        Mutant("ring.steal_bottom=acquire", "drain", "relacy"),
        Mutant("ring.steal_bottom=relaxed", "drain", "relacy"),
        Mutant("ring.claim=acq_rel", "drain", "relacy"),
        Mutant("ring.claim_last=relaxed", "lower", "rc11", NEWEST),
        Mutant("ring.last=0", "drain", "relacy"),
    ],
    "tokio": [
        Mutant("tokio.put_tail=relaxed", "drain", "relacy"),
        Mutant("tokio.steal_tail=relaxed", "drain", "relacy"),
        Mutant("tokio.get=relaxed", "drain", "relacy"),
        Mutant("tokio.steal_head=relaxed", "drain", "relacy"),
        Mutant("tokio.put_head=relaxed", "reuse", "relacy"),
        Mutant("tokio.finish=relaxed", "reuse", "relacy"),
        Mutant("tokio.busy=0", "reuse", "relacy", "the owner overwrites what a thief is reading"),
        Mutant("tokio.alone=0", "busy", "relacy", "two thieves at once"),
    ],
    "go": [
        Mutant("go.put_tail=relaxed", "kick", "relacy"),
        Mutant("go.steal_tail=relaxed", "kick", "relacy"),
        Mutant("go.get=relaxed", "drain", "relacy"),
        Mutant("go.steal_head=relaxed", "drain", "relacy"),
        Mutant("go.put_head=relaxed", "reuse", "none", DEPENDENT),
        Mutant("go.claim=relaxed", "place", "imm", IMM),
        Mutant("go.fill=relaxed", "tight", "relacy"),
        Mutant("go.kick=relaxed", "slot", "relacy"),
        Mutant("go.steal_next=relaxed", "slot", "relacy"),
        Mutant("go.full=0", "wrap", "relacy"),
        Mutant("go.claim_own=0", "drain", "relacy"),
    ],
    "kotlin": [
        Mutant("kotlin.produce=relaxed", "kick", "relacy"),
        Mutant("kotlin.consume=relaxed", "kick", "relacy"),
        Mutant("kotlin.fill=relaxed", "tight", "relacy"),
        Mutant("kotlin.kick=relaxed", "slot", "relacy"),
        Mutant("kotlin.steal_next=relaxed", "slot", "relacy"),
        Mutant("kotlin.emptied=0", "place", "relacy", "a place is filled before its item was taken"),
        Mutant("kotlin.empty=0", "room", "relacy", "a place is never emptied"),
        Mutant("kotlin.claim_own=0", "drain", "relacy"),
    ],
    "eigen": [
        Mutant("eigen.ready=relaxed", "drain", "relacy"),
        Mutant("eigen.claim=relaxed", "drain", "relacy"),
        Mutant("eigen.free=relaxed", "reuse", "relacy"),
        Mutant("eigen.put_state=relaxed", "reuse", "relacy"),
        Mutant("eigen.lock=relaxed", "pair", "relacy"),
        Mutant("eigen.unlock=relaxed", "pair", "relacy"),
        Mutant("eigen.lock=0", "pair", "relacy", "two thieves at once"),
        Mutant("eigen.full=0", "reuse", "relacy"),
    ],
    "bbq": [
        Mutant("bbq.commit=relaxed", "last", "relacy"),
        Mutant("bbq.items=relaxed", "last", "relacy"),
        Mutant("bbq.consume=relaxed", "reuse", "relacy"),
        Mutant("bbq.open=relaxed", "reuse", "relacy"),
        Mutant("bbq.stale=0", "last", "relacy", "a claim seen before the put that it follows"),
        Mutant("bbq.turn=relaxed", "small", "none", RENEWED),
        Mutant("bbq.reserved=relaxed", "small", "none", RENEWED),
        Mutant("bbq.renew=0", "room", "relacy", "a block is never consumed again"),
        Mutant("bbq.full=0", "small", "relacy"),
    ],
}

cases.SCENARIOS.update(SCENARIOS)
cases.MUTANTS.update(MUTANTS)
cases.know("bench/rivals", LOCKED)
