/* SPDX-License-Identifier: MIT */
#include "workloads/import_gzip.h"

#include <inttypes.h>
#include <stdlib.h>

#include "workloads/allowance.h"

/* zlib's largest window, and 16 for "gzip's header and nothing else". */
#define WINDOW_BITS (MAX_WBITS + 16)

bool td_gzip_is(const uint8_t *bytes, size_t length) {
  return length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static voidpf allocate(voidpf unused, uInt count, uInt bytes) {
  (void)unused;
  return calloc(count, bytes);
}

static void release(voidpf unused, voidpf memory) {
  (void)unused;
  free(memory);
}

bool td_gzip_open(struct td_import_gzip *gzip, struct td_import_input *input) {
  *gzip = (struct td_import_gzip){
      .input = input,
      .packed = malloc(TD_GZIP_BUFFER_BYTES),
      .stream = {.zalloc = allocate, .zfree = release},
  };
  if (gzip->packed && inflateInit2(&gzip->stream, WINDOW_BITS) == Z_OK) return true;
  free(gzip->packed);
  gzip->packed = NULL;
  return td_thg_fail_memory(input->error, input->name, "decompressing");
}

void td_gzip_close(struct td_import_gzip *gzip) {
  if (!gzip->packed) return;
  inflateEnd(&gzip->stream);
  free(gzip->packed);
  gzip->packed = NULL;
}

void td_gzip_restart(struct td_import_gzip *gzip) {
  inflateReset(&gzip->stream);
  gzip->stream.avail_in = 0;
  gzip->expanded = 0;
  gzip->in_member = gzip->had_member = false;
}

static bool bad(struct td_import_gzip *gzip, const char *what) {
  uint64_t offset = gzip->input->offset - gzip->stream.avail_in;
  return td_thg_fail(gzip->input->error, TD_THG_BAD_INPUT, offset,
                     "%s: offset %" PRIu64 ": gzip: %s", gzip->input->name, offset, what);
}

/* Makes packed bytes available.  *at_end: there are no more. */
static bool refill(struct td_import_gzip *gzip, bool *at_end) {
  size_t got = 0;
  *at_end = false;
  if (gzip->stream.avail_in > 0) return true;
  if (!td_input_read(gzip->input, gzip->packed, TD_GZIP_BUFFER_BYTES, &got)) return false;
  gzip->stream.next_in = gzip->packed;
  gzip->stream.avail_in = (uInt)got;
  *at_end = got == 0;
  return true;
}

static bool check_expansion(struct td_import_gzip *gzip) {
  const struct td_import_input *input = gzip->input;
  uint64_t allowed = td_allowance_bytes(td_input_seen(input));
  if (gzip->expanded <= allowed) return true;
  return td_thg_fail(input->error, TD_THG_BAD_INPUT, 0,
                     "%s: gzip: %" PRIu64 " bytes expand to more than the %" PRIu64
                     " allowed (256 MiB and %u times their length): unpack it with gunzip first",
                     input->name, td_input_seen(input), allowed, TD_THG_ALLOWANCE_RATIO);
}

/* Tapes and disk images fill up with zeros behind the last member. */
static void skip_zeros(struct td_import_gzip *gzip) {
  while (gzip->stream.avail_in > 0 && *gzip->stream.next_in == 0) {
    gzip->stream.next_in++;
    gzip->stream.avail_in--;
  }
}

/* Unpacks once; what there is may yield nothing yet. */
static bool step(struct td_import_gzip *gzip) {
  int result = inflate(&gzip->stream, Z_NO_FLUSH);
  if (result == Z_MEM_ERROR) {
    return td_thg_fail_memory(gzip->input->error, gzip->input->name, "decompressing");
  }
  if (result == Z_STREAM_END) {
    inflateReset(&gzip->stream); /* it keeps next_in and avail_in: another member may follow */
    gzip->in_member = false;
    gzip->had_member = true;
    return true;
  }
  gzip->in_member = true;
  if (result == Z_OK || result == Z_BUF_ERROR) return true;
  return bad(gzip, gzip->stream.msg ? gzip->stream.msg : "damaged");
}

bool td_gzip_read(struct td_import_gzip *gzip, uint8_t *buffer, size_t room, size_t *got) {
  *got = 0;
  while (*got == 0 && room > 0) {
    bool at_end;
    if (!refill(gzip, &at_end)) return false;
    if (at_end) return gzip->in_member ? bad(gzip, "the file is cut short") : true;
    if (gzip->had_member && !gzip->in_member) skip_zeros(gzip);
    if (gzip->stream.avail_in == 0) continue;
    gzip->stream.next_out = buffer;
    gzip->stream.avail_out = (uInt)room;
    if (!step(gzip)) return false;
    *got = room - gzip->stream.avail_out;
  }
  gzip->expanded += *got;
  return check_expansion(gzip);
}
