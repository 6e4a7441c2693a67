// SPDX-License-Identifier: BSD-2-Clause
// The report's style sheet.  Text and lines keep a contrast of at least 4.5 and 3 to 1 on their
// ground, in light and dark; print is always light.
#include "lab/report.h"

#include <stddef.h>

// clang-format off
const char *const report_style[] = {
":root{--ground:#fff;--soft:#f4f6f9;--text:#171c22;--muted:#515b68;--rule:#d5dae1;"
"--grid:#dfe4ea;--base:#5a6675;--dot:#1d5fc4;--good:#11663c;--bad:#b0261c;--even:#285a8f;"
"--unsure:#7a5200;--band:#dfe9f6;--noise:#8a6d1c}\n",
"@media (prefers-color-scheme:dark){:root{--ground:#11151a;--soft:#1a2028;--text:#e7ebf0;"
"--muted:#a5afbc;--rule:#343d49;--grid:#2a323c;--base:#a9b4c2;--dot:#82b4ff;--good:#6cd49c;"
"--bad:#ff988c;--even:#93c0f0;--unsure:#e5bd6a;--band:#1d2f45;--noise:#d8b45a}}\n",
"@media print{:root{--ground:#fff;--soft:#fff;--text:#000;--muted:#444;--rule:#bbb;"
"--grid:#ddd;--base:#5a6675;--dot:#1d5fc4;--good:#11663c;--bad:#b0261c;--even:#285a8f;"
"--unsure:#7a5200;--band:#e6edf6;--noise:#8a6d1c}}\n",
"*{box-sizing:border-box}\n",
"html{color-scheme:light dark;-webkit-text-size-adjust:100%}\n",
"body{margin:0;background:var(--ground);color:var(--text);"
"font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Liberation Sans\",sans-serif}\n",
"main{max-width:1080px;margin:0 auto;padding:24px 24px 64px}\n",
"header{color:var(--muted);font-size:14px;border-bottom:1px solid var(--rule);"
"padding-bottom:10px;overflow-wrap:anywhere}\n",
".mark{font-weight:700;color:var(--text);margin-right:8px}\n",
"time{float:right;font-variant-numeric:tabular-nums}\n",
"section{margin-top:44px}\n",
"h1{font-size:27px;line-height:1.25;margin:26px 0 10px;text-wrap:balance;overflow-wrap:anywhere}\n",
"h2{font-size:20px;margin:0 0 12px}\n",
"h3{font-size:15px;margin:22px 0 8px;overflow-wrap:anywhere}\n",
"p{max-width:75ch;margin:0 0 12px}\n",
"code,pre{font-family:ui-monospace,\"DejaVu Sans Mono\",\"Liberation Mono\",Menlo,monospace;"
"font-size:13px}\n",
"code{overflow-wrap:anywhere}\n",
".answer{margin-top:0}\n",
".verdict{font-size:19px;max-width:none;overflow-wrap:anywhere}\n",
".aa{color:var(--muted)}\n",
".words{margin:18px 0 0;padding:0 0 0 18px;max-width:95ch}\n",
".words li{margin-bottom:8px;overflow-wrap:anywhere}\n",
".words small{font-size:13px}\n",
".badge{border:1.5px solid;border-radius:4px;padding:0 8px;font-weight:700;white-space:nowrap;"
"font-size:14px}\n",
".badge.faster{color:var(--good)}.badge.slower,.badge.invalid{color:var(--bad)}"
".badge.equivalent{color:var(--even)}.badge.inconclusive{color:var(--unsure)}\n",
".key{color:var(--muted);font-size:14px}\n",
"svg{display:block;overflow:visible}\n",
".grid{stroke:var(--grid);fill:none;vector-effect:non-scaling-stroke}\n",
".grid.zero{stroke:var(--muted)}\n",
"rect.margin,.swatch.margin{fill:var(--band);background:var(--band)}\n",
"line.noise{stroke:var(--noise);stroke-dasharray:4 3;stroke-width:1.5}\n",
"line.ci{stroke-width:3.5;stroke:currentColor}\n",
"circle.effect{fill:currentColor;stroke:var(--ground);stroke-width:1.5}\n",
".ci.faster,.effect.faster{color:var(--good)}.ci.slower,.effect.slower{color:var(--bad)}"
".ci.equivalent,.effect.equivalent{color:var(--even)}"
".ci.inconclusive,.effect.inconclusive{color:var(--unsure)}\n",
".axis text,.ylabels text{fill:var(--muted);font-size:12px;text-anchor:middle;"
"font-variant-numeric:tabular-nums}\n",
".ylabels text{text-anchor:end}\n",
".key{margin-top:8px;max-width:95ch}\n",
".swatch{display:inline-block;width:22px;height:12px;vertical-align:-1px;margin-right:2px}\n",
".swatch.margin{outline:1px solid var(--rule)}\n",
".swatch.noise{height:0;border-top:2px dashed var(--noise);vertical-align:4px}\n",
".swatch.median{width:3px;height:14px;background:var(--text);vertical-align:-2px}\n",
".swatch.dot{width:9px;height:9px;border-radius:5px;background:var(--dot);vertical-align:0}\n",
".swatch.dot.base{background:var(--base)}\n",
".swatch.dot.void{background:none;border:2px solid var(--bad)}\n",
".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(340px,100%),1fr));"
"gap:0 40px}\n",
"dl{display:grid;grid-template-columns:max-content 1fr;gap:5px 16px;margin:0 0 8px;"
"font-size:15px;align-content:start}\n",
"dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}\n",
".scroll{overflow-x:auto}\n",
"table{border-collapse:collapse;font-size:14px;line-height:1.4;min-width:100%}\n",
"th,td{padding:6px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule)}\n",
"thead th{color:var(--muted);font-weight:600;vertical-align:bottom;border-bottom-color:var(--muted)}\n",
"thead tr:first-child th[colspan]{text-align:center;border-bottom-color:var(--rule)}\n",
"tbody th{font-weight:600;overflow-wrap:anywhere;min-width:8em}\n",
".figures td,.figures thead th{text-align:right;white-space:nowrap;"
"font-variant-numeric:tabular-nums}\n",
".figures .text,.figures thead .text{text-align:left;white-space:normal}\n",
".account th,.account td{padding:6px 7px;font-size:13px}\n",
".account td.reasons{white-space:nowrap}\n",
".strong{font-weight:700}\n",
".none{color:var(--muted);font-style:italic;text-align:left!important}\n",
"small{color:var(--muted);font-weight:400;font-size:12px}\n",
".settings td code{white-space:nowrap}\n",
"pre.value{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;max-height:16em;overflow:auto}\n",
"details{margin:14px 0}\n",
"summary{cursor:pointer;color:var(--even);font-weight:600;font-size:15px;padding:4px 0}\n",
":focus-visible{outline:2px solid var(--dot);outline-offset:2px}\n",
".strips{display:grid;grid-template-columns:fit-content(300px) 1fr max-content;"
"gap:0 14px}\n",
".strips .label,.strips .number{align-self:center}\n",
".strips .plot{height:100%;min-height:44px}\n",
".strips .label{overflow-wrap:anywhere;font-size:14px;font-weight:600;"
"line-height:1.3}\n",
".strips .number{font-variant-numeric:tabular-nums;text-align:right;font-size:14px}\n",
".strips .plot{border-bottom:1px solid var(--rule)}\n",
".forest{border-top:1px solid var(--rule);margin-top:16px}\n",
".forest .label{font-weight:400;padding:7px 0}\n",
".forest .label b{font-weight:600}\n",
".forest .badge{margin-bottom:3px;display:inline-block}\n",
"circle.run{fill:var(--dot);fill-opacity:.75;stroke:var(--ground);stroke-width:.75}\n",
".baseline circle.run,.again circle.run{fill:var(--base)}\n",
".plot circle.run.void{fill:none;stroke:var(--bad);stroke-width:1.7}\n",
"line.median{stroke:var(--text);stroke-width:2.5}\n",
".panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(310px,100%),1fr));"
"gap:22px 28px}\n",
"figure{margin:0;min-width:0}\n",
"figcaption{font-size:14px;font-weight:600;overflow-wrap:anywhere}\n",
".frame{display:flex;margin-top:4px}.frame .ylabels{flex:none}\n",
".box{flex:1;min-width:0;padding:6px 0}\n",
".xlabels{display:flex;justify-content:space-between;margin-left:44px;font-size:12px;"
"color:var(--muted);font-variant-numeric:tabular-nums}\n",
".lines path{fill:none;vector-effect:non-scaling-stroke}\n",
".lines .steady{stroke:var(--dot);stroke-width:1.3;stroke-opacity:.55}\n",
".baseline .lines .steady,.again .lines .steady{stroke:var(--base)}\n",
".lines .rough{stroke:var(--muted);stroke-width:1.2;stroke-dasharray:2 3}\n",
".lines .steady.void,.lines .rough.void{stroke:var(--bad)}\n",
".minis{display:grid;grid-template-columns:repeat(auto-fill,minmax(112px,1fr));gap:12px 16px}\n",
".mini figcaption{font-weight:400;font-size:12px;color:var(--muted);"
"font-variant-numeric:tabular-nums}\n",
".mini .lines .steady{stroke-opacity:1}\n",
".ministat{margin:0 0 18px}\n",
".ministat pre,pre.command{background:var(--soft);border:1px solid var(--rule);border-radius:4px;"
"padding:12px 14px;overflow-x:auto;line-height:1.3;margin:6px 0 12px}\n",
"pre.command{white-space:pre-wrap;overflow-wrap:anywhere}\n",
"@media (max-width:640px){main{padding:16px 16px 48px}h1{font-size:22px}.verdict{font-size:17px}"
"time{float:none;display:block}.strips{grid-template-columns:1fr max-content;gap:0 10px}"
".strips .label,.strips .number{align-self:center}\n",
".strips .plot{height:100%;min-height:44px}\n",
".strips .label{grid-column:1/-1;max-width:none;margin-top:10px}.strips>div:empty{display:none}"
"dl{grid-template-columns:1fr}dd{margin-bottom:6px}.axis .odd{display:none}}\n",
"@media print{main{max-width:none;padding:0}section{margin-top:24px}"
".whole,figure,tr,.forest,li{break-inside:avoid}h2,h3{break-after:avoid}.scroll{overflow:visible}"
"table{font-size:11px}th,td{padding:3px 5px}body{font-size:13px}.ministat pre{white-space:pre-wrap}"
"details:not([open]){display:none}}\n",
NULL};
// clang-format on
