/* SPDX-License-Identifier: MIT */
#include "bench/report/frame.h"

#include <inttypes.h>

#include "bench/report/html.h"

/* Text has a contrast of 4.5 : 1 and more, what is drawn one of 3 : 1, on light and on dark. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c2430;--soft:#4a5563;--paper:#fff;--line:#d9dee4;"
    "--bad:#fbe9eb;--badge:#b23a48;--roots:#9a63c8;--trace:#4f6f8f;--idle:#b8860b;--away:#eceef1;"
    "--frontier:#6f97b8;--e0:#1b6ca8;--e1:#b85a12;--e2:#2b7d48;--e3:#b23a48;--e4:#7a5ba6;"
    "--e5:#7d5f38;--e6:#56697a;--e7:#806b10;--e8:#1c7a7a;--e9:#ab3f7b}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6eaef;--soft:#a9b4c0;--paper:#14181d;"
    "--line:#39424d;--bad:#3a2024;--badge:#f08a94;--roots:#c39be8;--trace:#8fb0d1;--idle:#e6bd55;"
    "--away:#252c34;--frontier:#6f97b8;--e0:#6cb0e6;--e1:#f0a060;--e2:#6fce8d;--e3:#f08a94;"
    "--e4:#bda2e6;--e5:#cfae84;--e6:#a9bccd;--e7:#d9c25e;--e8:#5fcaca;--e9:#ee93c4}}"
    "body{font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:var(--ink);"
    "background:var(--paper);max-width:1000px;margin:0 auto;padding:2rem 1.25rem 4rem}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}"
    "h2{font-size:1.35rem;margin:2.6rem 0 .5rem;border-bottom:1px solid var(--line);"
    "padding-bottom:.25rem}"
    "h3{font-size:1.08rem;margin:2rem 0 .2rem;overflow-wrap:anywhere}"
    "h3,code,tr.graph td{font-family:ui-monospace,Consolas,monospace}"
    "h4{font-size:.9rem;margin:1rem 0 .2rem;color:var(--soft);font-weight:600}"
    "p,li{max-width:75ch}"
    ".sub,.small{color:var(--soft)}"
    ".small{font-size:.88rem;margin:.2rem 0}"
    ".bad{background:var(--bad);border-left:4px solid var(--badge);padding:.6rem 1rem}"
    ".key{max-width:none}"
    ".key span{display:inline-block;margin-right:1.1rem}"
    ".key i{display:inline-block;width:.8em;height:.8em;margin-right:.35em;border-radius:2px}"
    "svg{width:100%;max-width:640px;height:auto;display:block;margin:.2rem 0 .4rem}"
    "svg.mark{display:inline-block;width:.95em;height:.95em;margin:0 .4em 0 0;"
    "vertical-align:-.1em}"
    "svg text{font:12.5px system-ui,sans-serif;fill:var(--ink)}"
    "svg .name,svg .end{text-anchor:end}"
    "svg .tick{text-anchor:middle;font-size:11.5px}"
    "svg .tick,svg .value,svg .end{fill:var(--soft)}"
    ".grid{stroke:var(--line)}"
    ".one{stroke:var(--ink);stroke-dasharray:3 3}"
    ".whisker{stroke:var(--ink)}"
    ".curve{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.22rem .7rem;text-align:right;white-space:nowrap}"
    "th{border-bottom:2px solid var(--ink);vertical-align:bottom}"
    "td{border-bottom:1px solid var(--line)}"
    "th:first-child,td:first-child{text-align:left}"
    ".left{text-align:left}"
    "tbody+tbody tr:first-child td{border-top:1px solid var(--soft)}"
    "tr.graph td{font-weight:600;padding-top:.9rem;border-bottom-color:var(--soft)}"
    "dl{display:grid;grid-template-columns:fit-content(40%) 1fr;gap:.2rem 1rem;margin:.5rem 0}"
    "dt{font-weight:600;overflow-wrap:anywhere}"
    "dd{margin:0;overflow-wrap:anywhere}";

void td_frame_begin(FILE *out, const char *heading, const struct td_host *host) {
  fprintf(out,
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<title>Tidemark: %s</title>\n<style>%s</style></head><body>\n"
          "<h1>%s</h1>\n<p class=\"sub\">Tidemark %s, %s, ",
          heading, style, heading, host->version, host->time);
  td_html_text(out, host->cpu);
}

void td_frame_noise(FILE *out, const struct td_host *host) {
  if (td_noise_is_loud(&host->noise, host->hardware_threads))
    fputs(
        "<p class=\"bad\"><strong>A noisy run:</strong> others used the processors meanwhile (see "
        "“The machine”). Measure again on a quiet machine before you believe it.</p>\n",
        out);
}

void td_frame_end(FILE *out, const struct td_host *host) {
  fputs("<h2>The machine</h2>\n<dl>\n<dt>processor</dt><dd>", out);
  td_html_text(out, host->cpu);
  fprintf(out, ": %u core%s in %u package%s, %u hardware thread%s, %u of them allowed</dd>\n",
          host->cores, td_plural(host->cores), host->packages, td_plural(host->packages),
          host->hardware_threads, td_plural(host->hardware_threads), host->cpus_allowed);
  fprintf(out,
          "<dt>caches</dt><dd>L1 %" PRIu64 " KiB, L2 %" PRIu64 " KiB, L3 %" PRIu64 " MiB</dd>\n"
          "<dt>memory</dt><dd>%.1f GiB in %u NUMA node%s, transparent huge pages: ",
          host->l1_bytes >> 10, host->l2_bytes >> 10, host->l3_bytes >> 20,
          (double)host->memory_bytes / (double)(1u << 30), host->numa_nodes,
          td_plural(host->numa_nodes));
  td_html_text(out, host->huge_pages);
  fputs("</dd>\n<dt>system</dt><dd>", out);
  td_html_text(out, host->kernel);
  fputs("</dd>\n<dt>compiler</dt><dd>", out);
  td_html_text(out, host->compiler);
  fprintf(
      out,
      "</dd>\n<dt>tidemark</dt><dd>%s</dd>\n<dt>measured</dt><dd>%s</dd>\n<dt>meanwhile</dt><dd>",
      host->version, host->time);
  td_noise_print(&host->noise, host->hardware_threads, out);
  fputs("</dd>\n</dl>\n</body></html>\n", out);
}
