/* SPDX-License-Identifier: MIT */
/* What an interpreter allocates, without the interpreter: a frame for every call, arguments in
 * conses, closures over frames, and now and then a chain of thousands of frames that are all alive.
 * Definitions live long; some are replaced, and variables that they close over are assigned to.
 *
 * Where memory is freed by hand, frames and closures count their holders. No frame holds a list
 * that leads back to it, so counting suffices; lists have one owner, a frame or a closure. */
#include "bench/gcbench/child/work.h"

#define LIVE_BYTES_PER_DEFINITION (UINT64_C(600) << 4) /* about 600 for a definition, of a 16th */
#define CONSTANTS_MIN 8u
#define CONSTANTS_RANGE 9u
#define SCOPES_MAX 3u
#define STEPS 8u
#define FIB_MIN 3u
#define FIB_RANGE 6u
#define DEPTH_MIN 2000u
#define DEPTH_RANGE 4000u
#define OPERATIONS_PER_TURN 10u
#define TURNS_PER_ASSIGNMENT 4u
#define TURNS_PER_DEFINITION 16u
#define TURNS_PER_RECURSION 256u

struct cons {
  struct closure *head; /* or NULL */
  struct cons *tail;
  uint64_t number;
};
struct closure {
  struct frame *scope;
  struct cons *constants;
  uint32_t code, holders;
};
struct frame {
  struct frame *parent; /* the scope around this one */
  struct frame *caller; /* NULL where the stack of C knows it */
  struct cons *arguments, *variable;
  uint64_t holders;
};
struct machine {
  struct memory *memory;
  struct closure **definitions;
  uint32_t count;
  uint64_t state;
};

/* ---- Values and their holders ---------------------------------------------------------- */

static struct frame *hold(struct frame *frame) {
  if (!MEMORY_COLLECTS && frame) frame->holders++;
  return frame;
}

static void drop_closure(struct memory *memory, struct closure *closure);

static void drop_list(struct memory *memory, struct cons *list) {
  if (MEMORY_COLLECTS) return;
  for (struct cons *cons = list, *tail; cons; cons = tail) {
    tail = cons->tail;
    if (cons->head) drop_closure(memory, cons->head);
    memory_free(memory, cons);
  }
}

static void drop_frame(struct memory *memory, struct frame *frame) {
  if (MEMORY_COLLECTS) return;
  while (frame && --frame->holders == 0) {
    struct frame *parent = frame->parent;
    drop_list(memory, frame->arguments);
    drop_list(memory, frame->variable);
    memory_free(memory, frame);
    frame = parent;
  }
}

static void drop_closure(struct memory *memory, struct closure *closure) {
  if (MEMORY_COLLECTS || --closure->holders > 0) return;
  drop_frame(memory, closure->scope);
  drop_list(memory, closure->constants);
  memory_free(memory, closure);
}

/* Takes over the caller's hold on head and tail. */
static struct cons *cons_new(struct memory *memory, struct closure *head, struct cons *tail,
                             uint64_t number) {
  struct cons *cons = memory_new(memory, MEMORY_TREE, sizeof *cons);
  *cons = (struct cons){.head = head, .tail = tail, .number = number};
  return cons;
}

static struct cons *numbers_new(struct memory *memory, unsigned count, uint64_t *state) {
  struct cons *list = NULL;
  while (count-- > 0)
    list = cons_new(memory, NULL, list, gcbench_below(state, 1000));
  return list;
}

/* Takes over the arguments. */
static struct frame *frame_new(struct memory *memory, struct frame *parent, struct frame *caller,
                               struct cons *arguments) {
  struct frame *frame = memory_new(memory, MEMORY_ENTRY, sizeof *frame);
  *frame = (struct frame){
      .parent = hold(parent), .caller = caller, .arguments = arguments, .holders = 1};
  return frame;
}

/* Takes over the constants. */
static struct closure *closure_new(struct memory *memory, struct frame *scope, uint32_t code,
                                   struct cons *constants) {
  struct closure *closure = memory_new(memory, MEMORY_TREE, sizeof *closure);
  *closure =
      (struct closure){.scope = hold(scope), .constants = constants, .code = code, .holders = 1};
  return closure;
}

static uint64_t add_up(const struct cons *list) {
  uint64_t sum = 0;
  for (const struct cons *cons = list; cons; cons = cons->tail)
    sum += cons->number;
  return sum;
}

/* ---- Code ------------------------------------------------------------------------------ */

enum code { CODE_FIB, CODE_MAP, CODE_PIPE, CODES_OF_DEFINITIONS, CODE_ADD = CODES_OF_DEFINITIONS };

static uint64_t run(struct machine *machine, struct closure *self, struct frame *frame);

/* Takes over the arguments, not the closure. */
static uint64_t call(struct machine *machine, struct closure *closure, struct cons *arguments) {
  struct frame *frame = frame_new(machine->memory, closure->scope, NULL, arguments);
  uint64_t value = run(machine, closure, frame);
  drop_frame(machine->memory, frame);
  return value;
}

static uint64_t call_with(struct machine *machine, struct closure *closure, uint64_t number) {
  return call(machine, closure, cons_new(machine->memory, NULL, NULL, number));
}

/* (lambda (x …) (+ x … y …)), where y … are the variables of all scopes around. */
static uint64_t run_add(const struct frame *frame) {
  uint64_t sum = 0;
  for (const struct frame *scope = frame; scope; scope = scope->parent)
    sum += add_up(scope->arguments) + add_up(scope->variable);
  return sum;
}

static uint64_t run_fib(struct machine *machine, struct closure *self, const struct frame *frame) {
  uint64_t number = frame->arguments->number;
  if (number < 2) return number;
  uint64_t one = call_with(machine, self, number - 1);
  return one + call_with(machine, self, number - 2);
}

/* (set! variable (map (lambda (x) …) constants)), with a closure over this frame. */
static uint64_t run_map(struct machine *machine, struct closure *self, struct frame *frame) {
  struct memory *memory = machine->memory;
  struct closure *function = closure_new(memory, frame, CODE_ADD, NULL);
  struct cons *results = NULL;
  for (const struct cons *at = self->constants; at; at = at->tail)
    results = cons_new(memory, NULL, results, call_with(machine, function, at->number));
  drop_closure(memory, function);
  memory_write(memory, frame, &frame->variable, results);
  return add_up(results);
}

/* A list of closures, each over a scope of its own, that a value goes through. */
static uint64_t run_pipe(struct machine *machine, struct frame *frame) {
  struct memory *memory = machine->memory;
  struct cons *steps = NULL;
  for (unsigned i = 0; i < STEPS; i++) {
    struct frame *scope = frame_new(memory, frame, NULL, cons_new(memory, NULL, NULL, i));
    steps = cons_new(memory, closure_new(memory, scope, CODE_ADD, NULL), steps, i);
    drop_frame(memory, scope);
  }
  uint64_t value = 0;
  for (const struct cons *step = steps; step; step = step->tail)
    value =
        call(machine, step->head,
             cons_new(memory, NULL, cons_new(memory, NULL, NULL, step->number), value & 0xffff));
  drop_list(memory, steps);
  return value;
}

static uint64_t run(struct machine *machine, struct closure *self, struct frame *frame) {
  switch (self->code) {
  case CODE_FIB:
    return run_fib(machine, self, frame);
  case CODE_MAP:
    return run_map(machine, self, frame);
  case CODE_PIPE:
    return run_pipe(machine, frame);
  default:
    return run_add(frame);
  }
}

/* A recursion that is not a tail call, on a control stack in the heap: every frame refers to its
 * caller's, and a list of results grows while they return. */
static uint64_t recurse(struct machine *machine, struct closure *closure) {
  struct memory *memory = machine->memory;
  uint32_t depth = DEPTH_MIN + gcbench_below(&machine->state, DEPTH_RANGE);
  struct frame *top = NULL;
  for (uint32_t i = 0; i < depth; i++)
    top = frame_new(memory, closure->scope, top, cons_new(memory, NULL, NULL, i));
  struct cons *results = NULL;
  for (struct frame *frame = top, *caller; frame; frame = caller) {
    caller = frame->caller;
    uint64_t before = results ? results->number : 0;
    results = cons_new(memory, NULL, results, before * 3 + frame->arguments->number);
    drop_frame(memory, frame);
  }
  uint64_t sum = add_up(results);
  drop_list(memory, results);
  return sum;
}

/* ---- The program ----------------------------------------------------------------------- */

static struct closure *definition_new(struct machine *machine) {
  struct memory *memory = machine->memory;
  uint64_t *state = &machine->state;
  struct frame *scope = NULL;
  for (uint32_t scopes = 1 + gcbench_below(state, SCOPES_MAX); scopes > 0; scopes--) {
    struct frame *inner = frame_new(memory, scope, NULL, numbers_new(memory, 2, state));
    drop_frame(memory, scope);
    scope = inner;
  }
  struct cons *constants =
      numbers_new(memory, CONSTANTS_MIN + gcbench_below(state, CONSTANTS_RANGE), state);
  uint32_t code = gcbench_below(state, CODES_OF_DEFINITIONS);
  struct closure *closure = closure_new(memory, scope, code, constants);
  drop_frame(memory, scope);
  return closure;
}

static void define(struct machine *machine, uint32_t at) {
  struct closure **slot = &machine->definitions[at], *before = *slot;
  memory_write(machine->memory, machine->definitions, slot, definition_new(machine));
  if (before) drop_closure(machine->memory, before);
}

static void assign(struct machine *machine, const struct closure *closure) {
  struct frame *scope = closure->scope;
  struct cons *before = scope->variable;
  struct cons *list =
      numbers_new(machine->memory, 1 + gcbench_below(&machine->state, 4), &machine->state);
  memory_write(machine->memory, scope, &scope->variable, list);
  drop_list(machine->memory, before);
}

static uint64_t take_turn(struct machine *machine, uint64_t number) {
  uint32_t at = gcbench_below(&machine->state, machine->count);
  if (number % TURNS_PER_DEFINITION == 0) define(machine, at);
  struct closure *closure = machine->definitions[at];
  if (number % TURNS_PER_ASSIGNMENT == 0) assign(machine, closure);
  if (number % TURNS_PER_RECURSION == 0) return recurse(machine, closure);
  return call_with(machine, closure, FIB_MIN + gcbench_below(&machine->state, FIB_RANGE));
}

/* Adds up what the definitions hold, and ends them. */
static uint64_t end(struct machine *machine) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < machine->count; i++) {
    struct closure *closure = machine->definitions[i];
    sum = sum * 31 + add_up(closure->constants) + run_add(closure->scope);
    drop_closure(machine->memory, closure);
  }
  memory_free(machine->memory, machine->definitions);
  return sum;
}

uint64_t gcbench_work_interp(struct memory *memory, const struct gcbench_share *share) {
  uint64_t count = share->live_bytes / LIVE_BYTES_PER_DEFINITION / share->mutators;
  struct machine machine = {
      .memory = memory, .state = gcbench_seed(share), .count = count > 0 ? (uint32_t)count : 1};
  machine.definitions =
      memory_new_zeroed(memory, MEMORY_REFS, machine.count * sizeof(struct closure *));
  for (uint32_t i = 0; i < machine.count; i++)
    define(&machine, i);
  uint64_t sum = 0, turns = gcbench_part(share, share->operations / OPERATIONS_PER_TURN);
  for (uint64_t i = 0; i < turns; i++)
    sum = sum * 31 + take_turn(&machine, i);
  return sum * 31 + end(&machine);
}
