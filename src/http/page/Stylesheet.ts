/** How pages look: one column that fits every screen, in light and in dark, in the colour of the instance. */
import { type Accent, backgrounds } from "./Accent.ts"
import { type Html, html } from "./Html.ts"

export const stylesheet = ({ dark, fill, light, onFill }: Accent): Html => html`
:root{color-scheme:light dark;--fill:${fill};--on-fill:${onFill};
--accent:${light};--card:${backgrounds.light};--ground:#f2f4f3;--text:#1a1d1b;--quiet:#565d59;--line:#d5dad7;--edge:#7b837f;--bad:#b3261e;--bad-ground:#fdf1f0}
@media (prefers-color-scheme:dark){:root{
--accent:${dark};--card:${backgrounds.dark};--ground:#121513;--text:#eceeed;--quiet:#a9b0ac;--line:#343a37;--edge:#89918d;--bad:#ffb4ab;--bad-ground:#371b19}}
*{box-sizing:border-box}
html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;background:var(--ground);color:var(--text);-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:30rem;padding:clamp(1rem,6vh,4rem) 1rem 3rem;overflow-wrap:anywhere}
header{display:flex;align-items:center;gap:.75rem;margin:0 .25rem 1rem;color:var(--quiet)}
header img{flex:none;width:2.5rem;height:2.5rem;border-radius:.5rem}
header p{margin:0;font-weight:600;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
main{background:var(--card);border:1px solid var(--line);border-radius:.875rem;padding:clamp(1.25rem,5vw,2rem)}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1rem;margin:1.75rem 0 .5rem}
p{margin:0 0 1rem}
ul{margin:0 0 1rem;padding-left:1.25rem}
li{margin:.375rem 0}
dl{margin:0 0 1rem}
dt{color:var(--quiet);font-size:.9375rem}
dd{margin:0 0 .5rem}
code{font-family:ui-monospace,"Cascadia Mono",Menlo,monospace;font-size:.92em}
a{color:var(--accent);text-underline-offset:.15em}
label{display:block;font-weight:600;margin:0 0 .375rem}
input{font:inherit;display:block;width:100%;min-height:2.75rem;padding:.5rem .75rem;margin:0 0 1.125rem;border:1px solid var(--edge);border-radius:.5rem;background:var(--card);color:inherit}
input[aria-invalid]{border:2px solid var(--bad)}
.code{font-family:ui-monospace,"Cascadia Mono",Menlo,monospace;font-size:1.375rem;letter-spacing:.12em;text-align:center;text-transform:uppercase}
button,.button{font:inherit;font-weight:600;display:block;width:100%;min-height:2.75rem;padding:.5rem 1rem;margin:0 0 .75rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--fill);color:var(--on-fill);text-align:center;text-decoration:none;cursor:pointer}
button.other,.button.other{background:transparent;border-color:var(--edge);color:inherit}
button.plain{display:inline;width:auto;min-height:0;padding:0;margin:0;border:0;background:none;color:var(--accent);font-weight:inherit;text-decoration:underline;text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.error{border-left:.25rem solid var(--bad);background:var(--bad-ground);border-radius:.25rem;padding:.75rem 1rem;margin:0 0 1.25rem}
.error p,.box p{margin:0}
.hint{color:var(--quiet);font-size:.9375rem;margin:0 0 1rem}
.box{border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem;margin:0 0 1rem}
.address{font-family:ui-monospace,"Cascadia Mono",Menlo,monospace;font-size:.9375rem;color:var(--quiet)}
.address strong{color:var(--text)}
.or{border-top:1px solid var(--line);margin:1.25rem 0;padding-top:1.25rem}
.or>:first-child{margin-top:0}
.or>:last-child{margin-bottom:0}
form+.hint{margin-top:1rem}
footer{margin:1.25rem 0 0;padding-top:1rem;border-top:1px solid var(--line);color:var(--quiet);font-size:.9375rem}
footer form{display:inline}
.actions{margin:1.5rem 0 1rem}
main>:last-child,form>:last-child{margin-bottom:0}
@media (min-width:30rem){.actions{display:flex;gap:.75rem}.actions button{margin:0}}
`
