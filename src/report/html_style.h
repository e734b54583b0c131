// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

// The style sheet of the report. States differ in sign and weight, not in colour alone.
inline constexpr char kReportStyle[] = R"css(
:root { --page: #fbfbfa; --card: #ffffff; --ink: #1d2129; --soft: #5d6675; --line: #e1e3e8;
  --good: #17753f; --bad: #b3261e; --open: #8a6100; --none: #6b7280; --bad-soft: #fdeceb;
  --good-soft: #e7f4ec; --code: #f3f4f6; --accent: #2f5bb7; }
@media (prefers-color-scheme: dark) {
:root { --page: #14171c; --card: #1c2027; --ink: #e6e8ec; --soft: #9aa4b2; --line: #323843;
  --good: #6cc892; --bad: #ff8a80; --open: #e5b95c; --none: #8f99a8; --bad-soft: #3a2224;
  --good-soft: #1d3327; --code: #252a33; --accent: #8fb2ff; } }
* { box-sizing: border-box; }
html { color-scheme: light dark; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 0.75rem; }
a { color: var(--accent); }
p { margin: 0.35rem 0; }
.soft { color: var(--soft); }
code, pre { font: 0.86em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { background: var(--code); border-radius: 6px; padding: 0.7rem 0.9rem; margin: 0.6rem 0;
  overflow-x: auto; }
.totals { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.5rem 0 0.75rem; }
.total { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 0.6rem 1rem; min-width: 8rem; }
.total b { display: block; font-size: 1.6rem; line-height: 1.2; }
.bar { display: flex; height: 8px; border-radius: 4px; overflow: hidden; background: var(--line); }
.bar span { display: block; }
.agrees { color: var(--good); } .disagrees { color: var(--bad); font-weight: 700; }
.known, .suspect, .undecided { color: var(--open); } .unsupported { color: var(--none); }
.bad-input, .defect { color: var(--bad); font-weight: 700; }
.bar .agrees { background: var(--good); } .bar .disagrees { background: var(--bad); }
.bar .known, .bar .suspect, .bar .undecided { background: var(--open); } .bar .unsupported { background: var(--none); }
.bar .bad-input, .bar .defect { background: var(--bad); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px;
  background: var(--card); }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
.scroll table { width: 100%; }
th, td { text-align: left; padding: 0.28rem 0.7rem; white-space: nowrap; vertical-align: top;
  border-bottom: 1px solid var(--line); }
tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 600; position: sticky; top: 0; }
td.fits { background: var(--good-soft); }
td.heat-1 { background: color-mix(in srgb, var(--bad) 12%, var(--card)); }
td.heat-2 { background: color-mix(in srgb, var(--bad) 22%, var(--card)); }
td.heat-3 { background: color-mix(in srgb, var(--bad) 32%, var(--card)); }
td.heat-4 { background: color-mix(in srgb, var(--bad) 42%, var(--card)); }
td[class^="heat"] span, td[class^="heat"] a { color: var(--ink); }
td.wrap { white-space: normal; overflow-wrap: anywhere; }
td span + span { margin-left: 0.5em; }
.wrap { overflow-wrap: anywhere; }
[hidden] { display: none !important; }
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0.75rem 0; }
.tools input { flex: 1 1 14rem; min-width: 8rem; }
.tools select { max-width: 14rem; }
input, select, button { font: inherit; color: var(--ink); background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; padding: 0.3rem 0.6rem; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.copy { float: right; font-size: 0.8rem; margin: 0.25rem; padding: 0.1rem 0.5rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.group { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  border-left: 4px solid var(--bad); padding: 0.7rem 1.1rem; margin: 0 0 0.75rem; }
.group[data-known] { border-left-color: var(--open); }
.group > summary > h3 { display: inline; font-size: 1.05rem; margin: 0 0.6rem 0 0; }
.new { background: var(--accent); color: var(--card); border-radius: 4px; padding: 0 0.4rem;
  font-size: 0.8rem; font-weight: 600; }
.trend { display: block; width: 100%; max-width: 46rem; height: auto; }
.trend text { fill: var(--soft); font-size: 11px; }
.trend .rule { stroke: var(--line); }
.trend polyline, .key polyline { fill: none; stroke: currentColor; stroke-width: 2; }
.trend circle { fill: currentColor; }
.line-bad { color: var(--bad); } .line-groups { color: var(--accent); }
.line-known { color: var(--open); }
.line-groups polyline { stroke-dasharray: 7 3; } .line-known polyline { stroke-dasharray: 2 3; }
.key { width: 28px; height: 8px; }
.legend { color: var(--soft); display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; }
.group:target, .item:target { outline: 2px solid var(--accent); outline-offset: 2px; }
.finding { margin: 0.6rem 0; }
.finding h4 { margin: 0 0 0.3rem; font-size: 0.95rem; }
.finding h4 a { color: inherit; text-decoration: none; }
.other { border-top: 1px solid var(--line); padding: 0.35rem 0; }
.facts { overflow-x: auto; }
.facts th { color: var(--soft); font-weight: 500; padding-left: 0; }
.facts td, .facts th { border: 0; padding-top: 0.1rem; padding-bottom: 0.1rem;
  white-space: normal; overflow-wrap: anywhere; }
.facts th { min-width: 7rem; }
pre.replay { white-space: pre-wrap; overflow-wrap: anywhere; }
.grids { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: flex-start;
  overflow-x: auto; margin: 0.4rem 0; }
caption { text-align: left; color: var(--soft); font-size: 0.85rem; }
.grid td { border: 1px solid var(--line); padding: 0.05rem 0.35rem; text-align: right;
  font: 0.8rem/1.4 ui-monospace, Menlo, Consolas, monospace; }
.grid td.off { background: color-mix(in srgb, var(--bad) 30%, var(--card)); font-weight: 700; }
.grid td.open { background: color-mix(in srgb, var(--open) 25%, var(--card)); }
.histogram th, .histogram td { border: 0; padding: 0.05rem 0.4rem; font-weight: 400; }
.histogram span { display: inline-block; height: 0.7rem; background: var(--bad); }
.graph { overflow-x: auto; margin: 0.6rem 0; }
.graph svg { max-width: 100%; height: auto; }
.graph svg text { fill: var(--ink); }
.graph svg path, .graph svg polygon, .graph svg ellipse { stroke: var(--soft); }
.graph svg polygon[fill="black"] { fill: var(--soft); }
.graph svg .marked polygon { stroke: var(--bad); }
.graph svg polygon[fill="white"] { fill: none; stroke: none; }
@media (max-width: 40rem) {
  body { padding: 1rem 0.75rem 3rem; }
  h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
  .totals { display: grid; grid-template-columns: repeat(2, 1fr); gap: 0.4rem; }
  .total { min-width: 0; padding: 0.4rem 0.5rem; font-size: 0.85rem; }
  .total b { font-size: 1.2rem; }
  .group { padding: 0.6rem 0.7rem; }
  .facts tr { display: flex; gap: 0.6rem; }
  .facts th { flex: 0 0 6.5rem; min-width: 0; }
  .graph svg { max-width: 32rem; }
  .trend text { font-size: 20px; }
  .tools select, .tools button { flex: 1 1 45%; max-width: none; }
  .scroll td.wrap { min-width: 12rem; } }
)css";

}  // namespace assay
