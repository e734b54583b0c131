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
td.fails { background: var(--bad-soft); } td.fits { background: var(--good-soft); }
td.wrap { white-space: normal; overflow-wrap: anywhere; }
td span + span { margin-left: 0.5em; }
.finding { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  border-left: 4px solid var(--bad); padding: 0.9rem 1.1rem; margin: 0 0 1rem; }
.finding h3 { margin: 0 0 0.3rem; font-size: 1.05rem; }
.finding th { color: var(--soft); font-weight: 500; padding-left: 0; }
.finding td, .finding th { border: 0; padding-top: 0.1rem; padding-bottom: 0.1rem;
  white-space: normal; overflow-wrap: anywhere; }
.graph { overflow-x: auto; margin: 0.6rem 0; }
.graph svg { max-width: 100%; height: auto; }
.graph svg text { fill: var(--ink); }
.graph svg path, .graph svg polygon, .graph svg ellipse { stroke: var(--soft); }
.graph svg polygon[fill="black"] { fill: var(--soft); }
.graph svg polygon[fill="white"] { fill: none; stroke: none; }
)css";

}  // namespace assay
