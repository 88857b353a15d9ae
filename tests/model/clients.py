# SPDX-License-Identifier: MIT
"""What is checked beside the queues: markers and their queues together, and parking.

A client is a small marking by several markers around the shipped headers (marking.h, parking.h). Relacy
and GenMC have clients of their own, since what one finishes the other may not. A mutant names the
client that finds it out with each tool; "": that tool cannot, or nothing small enough to finish
does, and `why` says which.
"""
from dataclasses import dataclass


@dataclass(frozen=True)
class Marking:
    """Queue, overflow, stealing, early grants, flags, termination: see the head of marking.h."""
    name: str
    modes: str
    graph: str  # children of each object, digits, separated by commas
    roots: str  # objects of each root slice
    why: str
    chunks: int = 8  # Relacy: of each marker that visits regions
    looks: int = 3  # Relacy: how often a helper looks; GenMC: it joins once at most
    first: int = 1  # GenMC: root slices that marker 0 takes before the others begin; -1: they begin
                    # before the phase
    wish: int = 0   # GenMC: the helper wishes for an early grant first
    steps: tuple = ()  # GenMC: steps left out, that the search may finish
    bound: int = 0  # Relacy: with --full, every execution of at most `bound` forced switches
    meet: str = "joined,stolen,alone,granted"  # Relacy: what executions must meet


UNWATCHED = ("idle.watch",)  # everybody sleeps at once


@dataclass(frozen=True)
class Parking:
    """Sleeping and waking, the end of a phase, a change of configuration: see parking.h."""
    name: str
    script: str
    why: str
    items: int = 1
    helpers: int = 1
    helper: str = "HELP"  # GenMC: what a helper does
    closed: int = 0       # GenMC: as helpers are started
    many: int = 0         # Relacy: an item is done only when all take part
    idle: int = 0         # Relacy: helpers that sleep in vain retire, marker/helpers.c starts others
    steps: tuple = ()     # GenMC: steps left out, that the search may finish
    meet: str = "helped,recruited,slept,changed"  # Relacy: what executions must meet


@dataclass(frozen=True)
class Stopping:
    """Mutators that log what they write to, and collections that stop them: see stopping.h. A letter
    a step: s safepoint, i where a signal may come, t tell of a write, w write, d let the own
    reference go, c look at what was written, b a blocking section, u and x (GenMC) tell of and write the
    slot that all share. Collections: y young, f full."""
    name: str
    mutators: tuple
    why: str
    collections: str = "y"
    signalled: int = 0  # a bit for each mutator that a signal stops
    meet: str = "polled,logged"  # Relacy: what executions must meet


@dataclass(frozen=True)
class Doors:
    """Threads that a signal stops, with mutators in two heaps, collections of both and forks: see the
    head of doors.cpp. Only for Relacy."""
    name: str
    threads: tuple
    stoppers: tuple
    why: str
    meet: str = "stopped,putoff,door,behind,waited"


@dataclass(frozen=True)
class Beside:
    """Mutators that move references while one marker marks: see the heads of beside.cpp and, for
    GenMC, of beside.c, where n has the cell's number and p is a stop."""
    name: str
    graph: str  # the child of each object; "-": none; ".": a free cell
    roots: str
    mutators: tuple
    why: str
    marker: str = "q"
    rounds: int = 2  # times that the program goes on after stop 2
    young: int = 0   # the heap bears young objects before and after; 2: and meanwhile
    dying: int = -1  # this object has a finalizer
    bound: int = 0   # as of Marking
    meet: str = "kept,again"


@dataclass(frozen=True)
class Region:
    """Chunks that are thrown to regions and taken from them: see regions.c. Only for GenMC."""
    name: str
    owner: str     # what marker 0 does
    helpers: tuple # what the others do
    targets: str   # the object of each reference, a digit each
    children: str  # the reference of each object, "-" if there is none
    why: str


@dataclass(frozen=True)
class Mutant:
    site: str
    relacy: str
    genmc: str
    why: str = ""
    model: str = "rc11"  # imm: only that model finds it; none: neither does


RELACY = {
    "marking": [
        Marking("pair", "od", "12,3,3,", "0", "one shared child, one marker without a queue", bound=2),
        Marking("late", "oo", "123,,,", "0", "no overflow: helpers come for early grants", bound=2),
        Marking("star", "uo", "12345,,,,,", "0", "the queue overflows", bound=1,
                meet="joined,stolen,alone,granted,deferred,walked,foreign"),
        Marking("walk", "od", ",,014567,,,,,", "23", "the queue overflows while a page is walked",
                meet="joined,stolen,alone,granted,deferred,walked,foreign"),
        Marking("dense", "uod", "12345,2,3,0,,", "0,5", "three markers, three modes",
                meet="joined,stolen,alone,granted,deferred,walked,foreign"),
        Marking("grow", "ooo", "1234,567,2345,01,567,,,", "0,2", "three queues, granted early and again"),
        Marking("both", "dd", ",", "0,1", "two markers set one flag",
                meet="joined,alone,walked"),
        Marking("visit", "rr", "45,,,,167,,23,", "0,4", "both visit regions",
                meet="joined,alone,visited"),
        Marking("unload", "su", "45,,,,167,,23,", "0,4", "one gives up visiting, both take chunks",
                meet="joined,stolen,visited,unloaded"),
        Marking("one", "ro", "1456,57,0,,2367,,23,", "0,4", "a pool of one chunk", chunks=1,
                meet="joined,deferred,walked,visited,short"),
        Marking("short", "ro", "1456,7,0,,2367,,23,", "0,4", "the pool ends while an object is scanned",
                chunks=3, meet="joined,walked,visited,short"),
        Marking("mixed", "rso", "1456,57,0,,2367,,23,", "0,4", "three modes, and a pool of few chunks",
                chunks=3, meet="joined,stolen,walked,visited,unloaded,short,taken"),
    ],
    "parking": [
        Parking("phase", "or", "a phase and its end", items=2),
        Parking("change", "or2r", "the configuration is made anew", items=2),
        Parking("fewer", "o1r2r", "a helper is left out, and comes back", items=2),
        Parking("two", "or3", "two helpers", items=2, helpers=2),
        Parking("all", "o2r3r", "two helpers, one left out", items=2, helpers=2),
        Parking("retire", "cre2cre2", "a helper retires, and another takes its place", items=2, idle=1,
                meet="helped,recruited,slept,changed,retired,restarted"),
        Parking("retire_two", "cre3", "two helpers, of whom some retire", items=2, helpers=2, idle=1,
                meet="helped,recruited,slept,retired"),
        Parking("chain", "or3r", "many markers, each wakes others", items=3, helpers=2, many=1,
                meet="helped,slept,changed,recruited"),
        Parking("tree", "or", "one more", items=4, helpers=3, many=1,
                meet="helped,slept,changed,recruited"),
        Parking("left_out", "o2r3r", "many markers, one left out", items=3, helpers=2, many=1,
                meet="helped,slept,recruited"),
    ],
    "stopping": [
        Stopping("poll", ("stwsdsc",), "one that polls, and a young collection"),
        Stopping("signal", ("itiwidic",), "one that a signal stops between any two steps", signalled=1,
                 meet="signalled,putoff,logged"),
        Stopping("again", ("itiwidic",), "young, full and young again", collections="yfy", signalled=1,
                 meet="signalled,putoff,logged"),
        Stopping("block", ("stwdbc",), "a blocking section while there is a stop"),
        Stopping("twice", ("twdbc", "twdbc"), "two write into one object", meet="logged,twice"),
        Stopping("half", ("t", "twd"), "one is stopped while it logs, the other finds that done",
                 signalled=1, meet="logged,twice,putoff"),
        Stopping("mixed", ("stwsdsc", "itiwidic"), "one polls, a signal stops the other",
                 collections="yfy", signalled=2, meet="polled,signalled,putoff,logged,twice"),
    ],
    "doors": [
        Doors("forks", ("pip",), ("ff",), "two forks", meet="putoff,door,behind,waited"),
        Doors("both", ("pip",), ("cf",), "a collection and a fork"),
        Doors("way", ("pap",), ("cC", "f"), "both heaps are collected, and a fork, while it allocates"),
        Doors("block", ("ibp",), ("cC", "f"), "the same, with a blocking section"),
        Doors("cross", ("pi", "cp"), ("C",), "two heaps are collected at once, by one of them and another",
              meet="stopped,putoff"),
        Doors("itself", ("pi", "cpf"), ("Cf",), "a thread collects and forks, and so does another"),
        Doors("each", ("iCbp", "pfip"), ("c",), "each thread stops the other"),
        Doors("again", ("pdip", "pBp"), ("cC",), "one leaves a heap and comes back; those that wait are let "
              "go and stopped again", meet="stopped,putoff,released"),
        Doors("leave", ("pdp",), ("cC", "f"), "the same with a fork", meet="stopped,putoff,door,waited"),
        Doors("suspend", ("pip",), ("sfS", "f"), "a thread is suspended while others fork",
              meet="stopped,putoff,door,behind"),
        Doors("lock", ("f",), ("sS",), "a thread is suspended while it forks", meet="putoff"),
        Doors("other", ("pCp",), ("sCS", "f"), "a thread is suspended in one heap while it collects the other",
              meet="stopped,putoff,door"),
    ],
    "beside": [
        Beside("move", "123--", "04", ("l0z0s4d",), "the only reference goes from slot to stack to slot",
               bound=2),
        Beside("defer", "123--", "04", ("l0z0s4d",), "the same, and the marker flags that page, too",
               marker="d", bound=2),
        Beside("slot", "1-23--", "025", ("l0z0s5d", "l2z2fs0d"), "two overwrite one slot",
               meet="kept,again,freed"),
        Beside("page", "23--01--", "4567", ("l4z4s6d", "l5z5s7d"), "two flag one page"),
        Beside("slab", "1-3-02--", "4567", ("l4z4s6d", "l5z5s7d"), "two flag pages of one slab"),
        Beside("born", "12-4--..", "035", ("l0nz0s5d", "l3nz3s0d"), "new objects refer to old ones",
               meet="kept,again,freed,born"),
        Beside("rest", "12-4--..", "035", ("l0nz0s5d", "l3nz3s0d"), "the same, and stop 2 marks the rest",
               rounds=0, meet="kept,rest,freed,born"),
        Beside("weak", "1-3-", "01", ("ddddw2s1d", "z0"), "the only reference is weak",
               meet="kept,again,revived"),
        Beside("dying", "1-34--", "0", ("l0ddw2d",), "an object with a finalizer dies, or is revived before",
               dying=2, bound=2, meet="again,queued,revived,freed"),
        Beside("young", "12-4--..", "035", ("l0nz0s5d", "l3nz3s0d"), "new ones again, between young collections",
               marker="d", young=1, meet="kept,again,freed,born,logged"),
        Beside("meanwhile", "12-4--.", "035", ("l0nz0s5dyl5fndys0",), "the young are collected beside the marker",
               young=2, bound=2, meet="kept,born,logged,young"),
        Beside("reborn", "3-.10", "01", ("l0ndynl0s4dynd",), "their cells lie among those that are being marked",
               marker="d", young=2, bound=2, meet="born,young,reborn"),
    ],
}

GENMC = {
    "beside": [
        Beside("stay", "2--", "0", ("l0z0",), "the only reference goes from a slot to the stack"),
        Beside("move", "2-3--", "04", ("l0z0s4d",), "and to another slot, with what it leads to"),
        Beside("again", "2-3--", "04", ("l0z0ps4d",), "the same, and a stop in between"),
        Beside("slot", "2--", "0", ("l0z0", "z0"), "two overwrite one slot"),
        Beside("born", "2---", "0", ("l0n3z0",), "a new object has the only reference"),
    ],
    "marking": [
        Marking("begin", "dd", ",", "0", "helpers look while the phase is being prepared", first=-1),
        Marking("flags", "dd", "1,", "0", "flags and termination, no queue"),
        Marking("same", "dd", ",", "0,0", "both make one object deferred"),
        Marking("twice", "dd", ",", "01", "one flag is set twice and taken between", first=0),
        # Nobody has a queue there, so that nothing hangs on the answer.
        Marking("both", "dd", ",", "0,1", "two markers set one flag", first=0,
                steps=("marking.alone",)),
        Marking("bytes", "od", ",", "0,0", "the race for a mark byte: one queues, one makes it deferred",
                first=0),
        Marking("three", "ddd", ",", "0", "three markers, flags and termination"),
        Marking("early", "oo", "12,,34,,", "0", "an early grant, and one that grows", wish=1),
        Marking("star", "oo", "12345,,,,,", "0", "overflow, stealing, flags and the end together"),
        Marking("all", "oo", "12345,,,,,", "0", "the same, and both want the root slice", first=0),
        Marking("untested", "uo", "12345,,,,,", "0", "the same, references queued untested"),
    ],
    "parking": [
        Parking("end", "PHASE", "the end of a phase wakes who waits for it", items=2, helper="JOIN",
                steps=UNWATCHED),
        Parking("watch", "PHASE", "the same, with watching", helper="JOIN"),
        Parking("helper", "PHASE QUIT", "a helper that sleeps is recruited", steps=UNWATCHED),
        Parking("change", "CONFIGURE(2) QUIT", "the configuration is made anew", steps=UNWATCHED),
        Parking("fewer", "CONFIGURE(1) QUIT", "a helper is left out", steps=UNWATCHED),
        Parking("open", "OPEN QUIT", "helpers are started and ended", closed=1, steps=UNWATCHED),
    ],
    "stopping": [
        Stopping("poll", ("stwsdsc",), "one that polls, and a young collection"),
        Stopping("signal", ("itiwidic",), "one that a signal stops between any two steps", signalled=1),
        Stopping("block", ("twdbc",), "a blocking section while there is a stop"),
        Stopping("again", ("twsdc",), "two young collections", collections="yy"),
        Stopping("full", ("twsdc",), "a full one, and a young one", collections="fy"),
        Stopping("twice", ("twd", "twd"), "two write into one object"),
        Stopping("half", ("t", "twd"), "one is stopped while it logs, the other finds that done",
                 signalled=1),
        Stopping("shared", ("uxd", "uxd"), "two write into one slot, atomically"),
    ],
    "regions": [
        Region("hand", "THROW(0, 1) LOOK", ("THROW(1, 1) LOOK",), "00", "-",
               "two markers throw to one region and visit it"),
        Region("scan", "THROW(0, 1) LOOK", ("LOOK",), "02", "1--",
               "a visit throws a reference to another region"),
        Region("single", "THROW(0, 1) THROW(1, 1) LOOK", ("LOOK_SINGLE",), "01", "--",
               "one takes all, one single chunks"),
        Region("pop", "THROW(0, 2) THROW(2, 1) LOOK_SINGLE", ("LOOK_SINGLE",), "010", "--",
               "both take single chunks"),
    ],
}

FIRST = "what Relacy reads of a count is always the newest"
MANY = "GenMC has no clients in which many wait for each other"
IDLE = "GenMC's clients have no threads that begin again"
REGIONS = "GenMC has regions by themselves only: regions.c"
SEVERAL = "takes more than two blocks' worth of early grants: too long for GenMC"

MUTANTS = {
    "marking": [
        Mutant("bwos.grant=relaxed", "star", "star"),
        Mutant("bwos.grant_more=relaxed", "grow", "early"),
        Mutant("bwos.see=relaxed", "star", "star"),
        Mutant("bwos.private=0", "walk", "star"),
        Mutant("bwos.dead=0", "star", "star"),
        Mutant("bwos.full=0", "star", "star"),
        Mutant("bwos.version=0", "grow", "", SEVERAL),
        Mutant("term.start=relaxed", "star", "begin"),
        Mutant("term.join=release", "star", "star"),
        Mutant("term.join=relaxed", "star", "star"),
        Mutant("term.join=acquire", "", "star", "a compare-and-swap continues the release sequence of "
               "those before it whatever its own order", "none"),
        Mutant("term.leave=acquire", "star", "star"),
        Mutant("term.leave=release", "star", "star"),
        Mutant("term.leave=relaxed", "star", "star"),
        Mutant("term.over=relaxed", "star", "star"),
        Mutant("term.ask=0", "star", "star", "a marker joins a phase that is over"),
        Mutant("term.join_first=0", "late", "star", "a marker takes before it joins"),
        Mutant("term.hold=0", "star", "star", "a marker leaves with stolen items in hand"),
        Mutant("flag.store=relaxed", "dense", "star"),
        Mutant("flag.take=relaxed", "dense", "star"),
        Mutant("flag.always=0", "dense", "twice", "the flag is tested before it is set"),
        Mutant("flag.last=0", "dense", "star", "the flag is set before the byte"),
        Mutant("flag.announce=0", "dense", "flags", "nobody is told that there are flags"),
        Mutant("flag.whole=0", "both", "both", "a store hides what another's exchange released"),
        Mutant("marking.defer=0", "star", "star", "what does not fit into the queue is dropped"),
        Mutant("marking.look=0", "", "star", "nobody looks at other queues: each marker empties its own, "
               "only parallelism is lost", "none"),
        Mutant("marking.alone=0", "", "star", "a marker that is alone looks nevertheless: only time is "
               "lost", "none"),
        Mutant("marking.drain=0", "star", "star", "a marker leaves with items in its queue"),
        Mutant("marking.grant=0", "star", "early", "an early grant that is not published"),
        Mutant("marking.see_flags=0", "dense", "flags", "a marker leaves without a look at flags"),
        Mutant("marking.keep=0", "dense", "star", "a deferred object is taken and unmarked"),
        Mutant("region.push=relaxed", "visit", "", REGIONS),
        Mutant("region.take=relaxed", "visit", "", REGIONS),
        Mutant("region.claim=relaxed", "", "", "an object is scanned twice, no more: region.cpp, where "
               "marks have to be exact, finds it", "none"),
        Mutant("region.leave=relaxed", "", "", "the same", "none"),
        Mutant("regions.announce=0", "unload", "", "nobody is told that chunks wait: " + REGIONS),
        Mutant("regions.defer=0", "one", "", "a reference without a chunk is dropped: " + REGIONS),
        Mutant("regions.defer_chunk=0", "short", "", "so is a full chunk: " + REGIONS),
        Mutant("regions.defer_fresh=0", "one", "", "so are new objects: " + REGIONS),
        Mutant("regions.close=0", "visit", "", "a marker leaves with open chunks: " + REGIONS),
        Mutant("regions.look=0", "unload", "", "a marker leaves without a look at regions: " + REGIONS),
    ],
    "stopping": [
        Mutant("tell=0", "poll", "poll", "a store without the barrier"),
        Mutant("late=0", "poll", "poll", "a collection between the barrier and the store"),
        Mutant("inside=0", "half", "half", "a thread is stopped when it has logged by half"),
        Mutant("byte=0", "", "poll", "the object does not become pending: for Relacy flag and byte are one"),
        Mutant("flag=0", "poll", "poll", "the page is not flagged"),
        Mutant("slab=0", "", "poll", "nor the slab: not in Relacy's log"),
        Mutant("wake=0", "signal", "signal", "nobody is woken at the gate"),
        Mutant("fetch_or(&mutator->state)=acquire", "poll", "poll", "stopped without what it logged"),
        Mutant("fetch_or(&mutator->state)=release", "", "poll", "counts down before the count is there: "
               + FIRST),
        Mutant("fetch_add(&m->state)=acquire", "", "poll", "the same"),
        Mutant("fetch_add(&m->state)=release", "block", "block", "finds it safe without what it did"),
        Mutant("fetch_sub(&world->awaited, 1)=acquire", "poll", "poll", "the last to stop hides itself"),
        Mutant("fetch_sub(&world->awaited, 1)=release", "", "twice", "the last to stop hides others: a "
               "count continues the release sequence of those before it", "none"),
        Mutant("fetch_sub(&world->awaited, safe)=relaxed", "", "twice", "the same", "none"),
        Mutant("load(&world->awaited, memory_order_acquire)=relaxed", "poll", "poll"),
        Mutant("fetch_and(&m->state)=relaxed", "poll", "poll", "goes on without what was collected"),
        Mutant("cas(&mutator->state)=relaxed", "poll", "poll", "the same"),
        Mutant("cas(&world->gate)=relaxed", "poll", "poll", "sleeps after the last resume"),
        Mutant("load(&world->gate, memory_order_acquire)=relaxed", "poll", "poll", "the same"),
        Mutant("load(&mutator->state, memory_order_acquire)=relaxed", "", "signal", "who stands still "
               "acquires again; only a fork is answered without, and there is none here", "none"),
    ],
    "doors": [
        Mutant("put_off=0", "forks", "", "a handler finds the thread half safe, and both count"),
        Mutant("asked=0", "forks", "", "a fork that was put off is answered by nobody"),
        Mutant("unlock=0", "lock", "", "a suspended thread keeps the locks of its fork"),
        Mutant("wake=0", "both", "", "nobody is woken at the gate"),
        Mutant("load(&mutator->state, memory_order_acquire)=relaxed", "both", "", "a fork is answered "
               "without what was there before it"),
        Mutant("fetch_or(&mutator->state)=acquire", "both", "", "stopped without what it did"),
        Mutant("fetch_add(&m->state)=release", "both", "", "finds it safe without what it did"),
        Mutant("fetch_sub(&world->awaited, 1)=acquire", "both", "", "the last to stop hides itself"),
        Mutant("fetch_and(&m->state)=relaxed", "both", "", "goes on without what was collected"),
        Mutant("cas(&mutator->state)=relaxed", "both", "", "the same"),
        Mutant("cas(&world->gate)=relaxed", "both", "", "sleeps after the last resume"),
    ],
    "beside": [
        Mutant("barrier_first=0", "move", "stay", "the store comes before the barrier"),
        Mutant("together=0", "slot", "", "stop 1 comes between the barrier and the store"),
        Mutant("whoever_holds=0", "move", "stay", "only what an unmarked object refers to is kept"),
        Mutant("born=0", "born", "born", "new objects are born white"),
        Mutant("cleared=0", "dying", "", "weak references to what dies with a finalizer are not cleared"),
        Mutant("resurrected=0", "dying", "", "what dies with a finalizer is not marked"),
        Mutant("awaited=0", "dying", "", "nor does anybody mark what it reaches"),
        Mutant("noted=0", "meanwhile", "", "what is written into old objects is not noted"),
        Mutant("ended=0", "meanwhile", "", "what is young in stop 2 is not made old"),
        Mutant("single=0", "reborn", "", "the next byte is written with that of a dead young object"),
        Mutant("whites_live=0", "reborn", "", "white objects die with the young ones"),
        Mutant("kept=0", "weak", "", "what comes out of a weak reference is not kept"),
        Mutant("look=0", "move", "stay", "nobody looks whether slabs were told of something"),
        Mutant("look=0", "rest", "", "nor in the last stop"),
        Mutant("slabs_first=0", "move", "stay", "what slabs were told is taken when flags have been looked at"),
        Mutant("byte_first=0", "move", "", "the flag comes before the byte"),
        Mutant("flag_first=0", "move", "", "the slab is told before the flag"),
        Mutant("flag_whole=0", "defer", "", "a store hides what the marker's flag released, or is hidden"),
        Mutant("flag_whole=0", "page", "", "or another mutator's"),
        Mutant("slab_whole=0", "slab", "", "a store hides which flags another has set"),
        Mutant("exchange(&space->flags[page], 1)=relaxed", "move", "stay"),
        Mutant("exchange(&space->flags[page], 0)=relaxed", "move", "stay"),
        Mutant("exchange(told)=relaxed", "move", "stay"),
        Mutant("exchange(&space->logged_slabs[i])=relaxed", "move", "stay"),
        Mutant("one_byte=0", "young", "", "the byte that barriers go by in a cycle is not set"),
        Mutant("switched=0", "young", "", "or they go by those of objects"),
    ],
    "regions": [
        Mutant("region.push=relaxed", "", "hand", "a chunk comes without its references"),
        Mutant("region.take=relaxed", "", "hand", "the same"),
        Mutant("region.claim=relaxed", "", "hand", "marks come without those of the owner before"),
        Mutant("region.leave=relaxed", "", "hand", "the same"),
        Mutant("regions.claim=0", "", "hand", "a region is visited without a claim"),
        Mutant("regions.look=0", "", "hand", "a marker leaves without a look at regions"),
        Mutant("term.leave=relaxed", "", "hand", "the end comes without what others did"),
    ],
    "parking": [
        Mutant("load(word)=relaxed", "phase", "end", "the sleeper looks before it reads the futex word"),
        Mutant("fetch_add(word)=relaxed", "phase", "end", "the word changes before what it tells of"),
        Mutant("load(&set->closed)=acquire", "change", "change"),
        Mutant("store(&set->closed)=release", "change", "change"),
        Mutant("store(&marker->awake)=release", "change", "change", "a helper wakes and then looks at "
               "`closed`"),
        Mutant("load(&helper->awake)=acquire", "change", "change"),
        Mutant("store(&marker->awake)=relaxed", "change", "change", "and falls asleep when it has looked"),
        Mutant("load(&set->quit)=relaxed", "", "open", "the futex word is read before it and was raised "
               "after `quit`", "none"),
        Mutant("store(&t->active)=relaxed", "phase", "end"),
        Mutant("fetch_sub(&t->active)=acquire", "phase", "end"),
        Mutant("fetch_sub(&t->active)=release", "phase", "end"),
        Mutant("load(&t->active)=relaxed", "phase", "end"),
        Mutant("wake=0", "phase", "end", "the word changes and nobody is woken"),
        Mutant("compare=0", "phase", "end", "the futex sleeps without comparing: a lost wake-up"),
        Mutant("quiet=0", "change", "change", "the configuration changes under the helpers"),
        Mutant("idle.told=0", "chain", "", "a sleeper's bit is taken, and nobody tells it: " + MANY),
        Mutant("idle.bit=0", "chain", "", "a sleeper does not say so: " + MANY),
        Mutant("idle.awake=0", "chain", "", "a helper finds the configuration closed, and has a bit still: "
               + MANY),
        Mutant("retire_says=0", "retire", "", "a helper retires and passes for awake: " + IDLE),
        Mutant("start_says=0", "retire", "", "a helper starts and passes for asleep: " + IDLE),
    ],
}


def find(clients, name):
    """The client of that name."""
    return next(c for c in clients if c.name == name)


def relacy_arguments(client):
    """The command line of the program of its group."""
    if isinstance(client, Beside):
        return [*(word for script in client.mutators for word in ("--mutator", script)),
                "--graph", client.graph, "--roots", client.roots, "--marker", client.marker,
                "--rounds", str(client.rounds),
                "--young", str(client.young), "--dying", str(client.dying)]
    if isinstance(client, Stopping):
        return [*(word for script in client.mutators for word in ("--mutator", script)),
                "--collections", client.collections, "--signalled", str(client.signalled)]
    if isinstance(client, Doors):
        return [*(word for script in client.threads for word in ("--thread", script)),
                *(word for script in client.stoppers for word in ("--stopper", script))]
    if isinstance(client, Marking):
        return ["--modes", client.modes, "--graph", client.graph, "--roots", client.roots,
                "--looks", str(client.looks), "--chunks", str(client.chunks)]
    return ["--script", client.script, "--items", str(client.items), "--helpers", str(client.helpers),
            "--idle", str(client.idle), "--many", str(client.many)]


STEPS = {"s": "SAFEPOINT", "i": "SIGNAL", "t": "TELL", "w": "STORE", "d": "DROP", "c": "CHECK", "b": "BLOCK",
         "u": "TELL_SHARED", "x": "STORE_SHARED"}


BESIDE = {"l": "LOAD", "z": "CLEAR", "s": "STORE", "n": "NEW", "d": "DROP", "p": "STOP"}


def beside_script(script):
    """Steps, with the number of an object behind some."""
    return "".join(f"({c}) " if c.isdigit() else f" {BESIDE[c]} " for c in script).replace(" (", "(")


def sets(text):
    """Lists of digits as bytes of bits: "12,3" is byte 0 with bits 1 and 2, byte 1 with bit 3."""
    lists = text.split(",")
    return f"UINT64_C({sum(1 << (8 * i + int(d)) for i, one in enumerate(lists) for d in one):#x})"


def genmc_source(program, client, mutant):
    """The C program of a client."""
    if program == "marking":
        lines = {
            "MODEL_MARKERS": len(client.modes),
            "MODEL_MODES": hex(sum(ord(mode) << 8 * i for i, mode in enumerate(client.modes))),
            "MODEL_GRAPH": sets(client.graph), "MODEL_ROOTS": sets(client.roots),
            "MODEL_SLICES": len(client.roots.split(",")),
            "MODEL_PAGES": (len(client.graph.split(",")) + 1) // 2,
            "MODEL_FIRST": client.first, "MODEL_WISH": client.wish,
        }
        for step in client.steps:
            lines["SKIPPED_" + step.replace(".", "_")] = "~, 0"
    elif program == "stopping":
        cases = "".join(f"case {i}: {' '.join(STEPS[step] for step in script)} break; "
                        for i, script in enumerate(client.mutators))
        lines = {
            "MODEL_MUTATORS": len(client.mutators), "MODEL_SIGNALLED": client.signalled,
            "MODEL_SCRIPTS": cases,
            "MODEL_COLLECTIONS": " ".join({"y": "YOUNG", "f": "FULL"}[c] for c in client.collections),
        }
    elif program == "beside":
        cases = "".join(f"case {i}: {beside_script(script)} break; "
                        for i, script in enumerate(client.mutators))
        lines = {
            "MODEL_MUTATORS": len(client.mutators), "MODEL_SCRIPTS": cases,
            "MODEL_STOPS": client.mutators[0].count("p"),
            "MODEL_GRAPH": "{" + ",".join(client.graph).replace("-", "NONE") + "}",
            "MODEL_ROOTS": "{" + ",".join(client.roots) + "}",
        }
    elif program == "regions":
        cases = "".join(f"case {i}: {script} break; " for i, script in enumerate(client.helpers))
        lines = {
            "MODEL_OWNER": client.owner, "MODEL_HELPERS": cases, "MODEL_COUNT": len(client.helpers),
            "MODEL_TARGETS": "{" + ",".join(client.targets) + "}",
            "MODEL_CHILDREN": "{" + ",".join(client.children).replace("-", "NONE") + "}",
        }
    else:
        lines = {
            "MODEL_SCRIPT": client.script, "MODEL_ITEMS": client.items,
            "MODEL_HELPERS": client.helpers, "MODEL_HELPER": client.helper,
            "MODEL_CLOSED": client.closed,
        }
        for step in client.steps:
            lines["SKIPPED_" + step.replace(".", "_")] = "~, 0"
    if mutant:
        site, value = mutant.split("=")
        if value == "0":
            lines["SKIPPED_" + site.replace(".", "_")] = "~, 0"
        elif program not in ("parking", "stopping", "beside"):
            lines["MUTANT_" + site.replace(".", "_")] = "~, __ATOMIC_" + value.upper()
        else:
            lines["MUTANT_SITE"] = f'"{site}"'
            lines["MUTANT_ORDER"] = "__ATOMIC_" + value.upper()
    return "".join(f"#define {name} {value}\n" for name, value in lines.items()) + \
        f'#include "tests/model/{program}.c"\n'
