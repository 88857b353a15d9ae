"""What is checked: scenarios for every queue, and mutants that a scenario must find out.

A scenario is a script for the owner and one for each of two thieves (letters: head of relacy.cpp).
`left` is the most items that may be the owner's alone when everybody has stopped. `growths` is how
often a queue that grows is given memory. `steps` are protocol steps switched off to put a thief into
a state where it stays for ever. `version_bits` is how many bits of a version are enough for the
scenario; one bit less is not.
"""
import pathlib
import re
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Scenario:
    name: str
    owner: str
    thieves: tuple
    why: str
    left: int = 40
    blocks: int = 2
    entries: int = 2
    growths: int = 1
    steps: tuple = ()
    version_bits: int = 38
    tools: tuple = ("relacy", "genmc")


@dataclass(frozen=True)
class Mutant:
    site: str       # site=order or site=0
    scenario: str   # which finds it out
    tool: str       # relacy, rc11, imm: the weakest tool that does; none: see why
    why: str = ""


# The client of the paper's Fig. 9, cut to two blocks of two: fill, full, wrap around, drain.
GENERAL = [
    Scenario("drain", "pppd", ("2", "1"), "two thieves and the owner want one block, nothing wraps"),
    Scenario("reuse", "ppppp", ("2", ""), "a block comes back that a thief has taken"),
    Scenario("take", "pppggp", ("2", ""), "the owner takes a block back and writes to it"),
    Scenario("wrap", "pppppppgd", ("2", "2"), "thieves empty a block, the owner reuses it"),
    Scenario("turns", "pppggpppgd", ("11", "2"), "the owner goes up and down across one border", tools=("relacy",)),
    Scenario("batch", "pppppgpgd", ("4", "2"), "claims of more than there is", tools=("relacy",)),
    Scenario("early", "ppegpppegpgd", ("2", "w1"), "early grants, taken back and added to"),
]
LEFT = [
    Scenario("left", "ppppppp", ("22", "1"), "what is granted stays within thieves' reach", left=2),
]

STOPPED = ("bwos.pass_at_once",)
SCENARIOS = {
    "bwos": GENERAL + LEFT + [
        Scenario("redeem", "ppeggp", ("1", ""), "an early grant is used up, its slots come back"),
        Scenario("more", "ppegpppd", ("2", "2"), "a granted part of the top block grows"),
        Scenario("stale", "pppp!Bp!Epp", ("A2!C2!", "D2!"),
                 "a thief comes to a block whose former number was dead", left=2),
        Scenario("stopped", "ppppppp", ("22", "2"),
                 "thieves stopped for ever right after their claims", left=2, steps=STOPPED),
        Scenario("deep", "pppp!Bpp!Dpp!Fp!Hp", ("A2!C2!E2!", "G2!"),
                 "the owner moves base, two rounds up", left=2, steps=STOPPED, tools=("relacy",)),
        Scenario("restored", "pppp!Bp!gg!Eppp", ("A2!C2", "D2!"),
                 "a takeover comes too late", left=2, steps=STOPPED),
        Scenario("ring", "pppppppp!Bpppd", ("A22!", "2"),
                 "base is an old number while the ring goes round", blocks=4, tools=("relacy",)),
        Scenario("again", "pppggpppgd", ("2", ""), "one block is granted twice", version_bits=1),
        Scenario("thrice", "pppggppggpp", ("2", ""), "one block is granted three times",
                 version_bits=2, tools=("relacy",)),
        Scenario("bits3", "pppggppggppggppggpp", ("2", ""), "one block is granted five times",
                 version_bits=3, tools=("relacy",)),
    ],
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
    "abp": [
        Scenario("drain", "ppgd", ("1", "1"), "the last item, wanted by three"),
        Scenario("full", "pppppgpd", ("2", "1"), "full and round the ring", blocks=2, entries=1, tools=("relacy",)),
        Scenario("reuse", "ppp", ("1", ""), "a slot comes back that a thief has taken", blocks=2, entries=1),
        Scenario("again", "pgpgpd", ("1", "1"), "get lowers bottom before a thief sees the put"),
        Scenario("turns", "pppggpppd", ("11", "2"), "up and down", tools=("relacy",)),
    ],
    "chase_lev": [
        Scenario("drain", "ppgd", ("1", "1"), "the last item, wanted by three"),
        Scenario("grow", "pppgd", ("2", "1"), "full: a larger buffer", blocks=2, entries=1, tools=("relacy",)),
        Scenario("larger", "ppp", ("1", ""), "full: a larger buffer", blocks=2, entries=1),
        Scenario("again", "pgpgpd", ("1", "1"), "get lowers bottom before a thief sees the put"),
        Scenario("twice", "pppppgd", ("1", ""), "a thief looks at a buffer that was replaced twice",
                 blocks=2, entries=1, growths=2, tools=("relacy",)),
        Scenario("no_memory", "yyn!gpgpgd", ("A2", "A1"), "full without memory, and on from there",
                 blocks=2, entries=1, growths=0, tools=("relacy",)),
        Scenario("exhausted", "yyyyn!ggppd", ("A2", "A1"), "full when the memory ends",
                 blocks=2, entries=1, tools=("relacy",)),
    ],
}
SCENARIOS["abp_sc"] = SCENARIOS["abp"]
SCENARIOS["ring"] = [
    *SCENARIOS["abp"],
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

IMM = "RC11 and Relacy know no load buffering: only IMM lets the read pass the claim"
DEPENDENT = ("the stores that must stay below it are behind a branch on what it reads: enough in IMM "
             "and on hardware; RC11 knows no load buffering; C11 itself promises nothing for branches")
FENCES = ("the full fences order claims already in RC11 and IMM; C11 as of 2011, for which Lê et al. "
          "prove their orders, needs it")
NEWEST = "Relacy gives a seq_cst load of `bottom` the newest value, whatever was acquired before it"
RENEWED = ("only load buffering lets a count come before the renewal that its claim depends on, and IMM "
           "keeps dependencies: no checker here shows it")

MUTANTS = {
    "bwos": [
        Mutant("bwos.grant=relaxed", "drain", "relacy"),
        Mutant("bwos.grant_more=relaxed", "more", "relacy"),
        Mutant("bwos.see=relaxed", "wrap", "relacy"),
        Mutant("bwos.claim=relaxed", "reuse", "imm", IMM),
        Mutant("bwos.takeover=relaxed", "redeem", "none", DEPENDENT),
        Mutant("bwos.reclaim=relaxed", "reuse", "none", DEPENDENT),
        Mutant("bwos.restore=relaxed", "restored", "rc11",
               "Relacy's release sequences include later plain stores, as C++ had before C++20"),
        Mutant("bwos.base_set_owner=relaxed", "deep", "relacy"),
        Mutant("bwos.base_set_thief=relaxed", "stale", "relacy"),
        Mutant("bwos.base_get=relaxed", "stale", "relacy"),
        Mutant("bwos.private=0", "stale", "relacy"),
        Mutant("bwos.base_past=0", "stopped", "relacy"),
        Mutant("bwos.restore=0", "restored", "relacy"),
        Mutant("bwos.recheck=0", "ring", "relacy"),
        Mutant("bwos.dead=0", "wrap", "relacy",
               "a thief takes 'index at limit' for 'dead' while the owner has taken the block over"),
        Mutant("bwos.full=0", "wrap", "relacy"),
        Mutant("bwos.version=0", "again", "relacy", "an index that comes back without a version"),
        Mutant("version_bits=1", "thrice", "relacy", "a version that comes back"),
        Mutant("version_bits=2", "bits3", "relacy", "a version that comes back"),
    ],
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
    "abp": [
        Mutant("abp.put_fence=relaxed", "drain", "relacy"),
        Mutant("abp.put_fence=0", "drain", "rc11",
               "a release store in place of the fence: get's relaxed stores break its sequence"),
        Mutant("abp.put_top=relaxed", "reuse", "none", DEPENDENT),
        Mutant("abp.get_fence=acq_rel", "drain", "relacy"),
        Mutant("abp.steal_fence=acq_rel", "drain", "relacy"),
        Mutant("abp.steal_bottom=relaxed", "drain", "relacy"),
        Mutant("abp.claim=acq_rel", "drain", "none", FENCES),
        Mutant("abp.claim=relaxed", "reuse", "imm", IMM),
        Mutant("abp.claim_last=acq_rel", "drain", "none", FENCES),
        Mutant("abp.last=0", "drain", "relacy"),
    ],
    "chase_lev": [
        Mutant("chase_lev.put_fence=relaxed", "drain", "relacy"),
        Mutant("chase_lev.put_top=relaxed", "larger", "none", DEPENDENT),
        Mutant("chase_lev.get_fence=acq_rel", "drain", "relacy"),
        Mutant("chase_lev.steal_fence=acq_rel", "drain", "relacy"),
        Mutant("chase_lev.steal_bottom=relaxed", "drain", "relacy"),
        Mutant("chase_lev.claim=acq_rel", "drain", "none", FENCES),
        Mutant("chase_lev.claim_last=acq_rel", "drain", "none", FENCES),
        Mutant("chase_lev.buffer_set=relaxed", "larger", "relacy",
               "a growing buffer published relaxed: new pointer, old contents"),
        Mutant("chase_lev.buffer_get=relaxed", "larger", "relacy"),
        Mutant("chase_lev.copy=0", "larger", "relacy"),
        Mutant("memory.kept=0", "twice", "relacy", "a replaced buffer is reused at once"),
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


def find(queue, name):
    """The scenario of that name."""
    return next(s for s in SCENARIOS[queue] if s.name == name)


ROOT = pathlib.Path(__file__).resolve().parents[2]


def lock_free_queues():
    """{queue: header} of those whose protocol has to be checked."""
    return {queue: f"{folder}/{queue}.h" for folder in ("marker/queue", "bench/rivals")
            for queue in re.findall(r'(?:X|RIVAL)\((\w+), "[\w-]+", LOCK_FREE',
                                    (ROOT / folder / "list.h").read_text(encoding="utf-8"))}


HEADERS = lock_free_queues() | {queue: f"bench/rivals/{queue}.h" for queue in LOCKED}
for table in (SCENARIOS, MUTANTS):
    if set(table) != set(HEADERS):
        raise SystemExit("cases.py and the lists of queues differ: "
                         f"{sorted(set(table) ^ set(HEADERS))}")
