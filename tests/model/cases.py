# SPDX-License-Identifier: MIT
"""What is checked: scenarios for every queue of the library, and mutants that a scenario must find out.

A scenario is a script for the owner and one for each of two thieves (letters: head of relacy.cpp).
`left` is the most items that may be the owner's alone when everybody has stopped. `growths` is how
often a queue that grows is given memory. `steps` are protocol steps switched off to put a thief into
a state where it stays for ever. `version_bits` is how many bits of a version are enough for the
scenario; one bit less is not.
"""
import pathlib
import re
from dataclasses import dataclass


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

# Items of two words, in the form that shares by itself: see bwos_pair.h.
SCENARIOS["bwos_pair"] = [s for s in SCENARIOS["bwos"]
                          if s.name in ("drain", "reuse", "take", "wrap", "turns", "batch", "early", "left", "redeem",
                                        "more", "again", "thrice", "bits3")]
SCENARIOS["bwos_fifo_pair"] = GENERAL + [
    Scenario("left", "ppppppp", ("22", "1"), "what is granted stays within thieves' reach", left=4, blocks=4),
    Scenario("again", "ppeggpppp", ("1", ""), "a slot that a thief took from comes back"),
]

IMM = "RC11 and Relacy know no load buffering: only IMM lets the read pass the claim"
DEPENDENT = ("the stores that must stay below it are behind a branch on what it reads: enough in IMM "
             "and on hardware; RC11 knows no load buffering; C11 itself promises nothing for branches")
FENCES = ("the full fences order claims already in RC11 and IMM; C11 as of 2011, for which Lê et al. "
          "prove their orders, needs it")

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
    "abp": [
        Mutant("chase_lev.put_fence=relaxed", "drain", "relacy"),
        Mutant("chase_lev.put_fence=0", "drain", "rc11",
               "a release store in place of the fence: get's relaxed stores break its sequence"),
        Mutant("chase_lev.put_top=relaxed", "reuse", "none", DEPENDENT),
        Mutant("chase_lev.get_fence=acq_rel", "drain", "relacy"),
        Mutant("chase_lev.steal_fence=acq_rel", "drain", "relacy"),
        Mutant("chase_lev.steal_bottom=relaxed", "drain", "relacy"),
        Mutant("chase_lev.claim=acq_rel", "drain", "none", FENCES),
        Mutant("chase_lev.claim=relaxed", "reuse", "imm", IMM),
        Mutant("chase_lev.claim_last=acq_rel", "drain", "none", FENCES),
        Mutant("chase_lev.last=0", "drain", "relacy"),
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
}
MUTANTS["bwos_pair"] = [m for m in MUTANTS["bwos"] if m.scenario in ("drain", "reuse", "wrap", "again", "thrice", "bits3")
                        and m.tool != "none"] + [
    Mutant("bwos.last_slot=0", "left", "relacy", "the top block granted whole: thieves move base past it"),
]
MUTANTS["bwos_fifo_pair"] = [
    Mutant("bwos_fifo.grant=relaxed", "early", "relacy"),
    Mutant("bwos_fifo.see=relaxed", "early", "relacy"),
    Mutant("bwos_fifo.takeover=0", "early", "relacy"),
    Mutant("bwos_fifo.full=0", "wrap", "relacy"),
]


def find(queue, name):
    """The scenario of that name."""
    return next(s for s in SCENARIOS[queue] if s.name == name)


ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = {queue: f"tests/model/{queue}.h" for queue in ("bwos_pair", "bwos_fifo_pair")}


def know(folder, others=()):
    """Reads the list of that folder: each queue whose protocol has to be checked, and others, must have cases."""
    listed = re.findall(r'(?:X|RIVAL)\((\w+), "[\w-]+", LOCK_FREE', (ROOT / folder / "list.h").read_text(encoding="utf-8"))
    HEADERS.update({queue: f"{folder}/{queue}.h" for queue in (*listed, *others)})
    for table in (SCENARIOS, MUTANTS):
        if set(table) != set(HEADERS):
            raise SystemExit(f"the cases and {folder}/list.h differ: {sorted(set(table) ^ set(HEADERS))}")


know("marker/queue")
