// How the page at /docs looks, light and dark.
export const docsStyle = `
:root { --back: #fff; --panel: #f6f7f9; --text: #1c2330; --faint: #66708a; --line: #dde1e9; --accent: #0b63ce;
  --get: #0b7a4b; --post: #0b63ce; --put: #9a5b00; --patch: #9a5b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --back: #12151c; --panel: #1a1f2a; --text: #e4e8f0; --faint: #97a1b8;
  --line: #2b3242; --accent: #6aa9ff; --get: #4cc38a; --post: #6aa9ff; --put: #e0a64b; --patch: #e0a64b; --delete: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 1rem; align-items: center; padding: .6rem 1.2rem;
  background: var(--back); border-bottom: 1px solid var(--line); }
h1 { font-size: 1.1rem; margin: 0; white-space: nowrap; } small { color: var(--faint); font-weight: normal; }
input { flex: 1; max-width: 34rem; padding: .45rem .7rem; font: inherit; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: 6px; }
input:focus-visible, summary:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
#layout { display: flex; align-items: flex-start; }
nav { position: sticky; top: 3.6rem; width: 15rem; max-height: calc(100vh - 4rem); overflow: auto; padding: 1rem 1.2rem; }
nav a { display: flex; justify-content: space-between; padding: .15rem 0; color: var(--text); }
main { flex: 1; min-width: 0; max-width: 62rem; padding: 0 1.2rem 6rem; }
h2 { font-size: 1rem; margin: 1.6rem 0 .5rem; scroll-margin-top: 4rem; }
details.operation { border: 1px solid var(--line); border-radius: 8px; margin: .4rem 0; background: var(--panel); scroll-margin-top: 4rem; }
details.operation > summary { display: flex; gap: .8rem; align-items: baseline; padding: .45rem .8rem; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.method { width: 4.2rem; font: 600 .78rem ui-monospace, monospace; text-transform: uppercase; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.path { font: .88rem ui-monospace, monospace; overflow-wrap: anywhere; }
.summary { margin-left: auto; color: var(--faint); text-align: right; }
.inside { padding: .2rem .8rem .9rem; border-top: 1px solid var(--line); }
h3 { font-size: .82rem; margin: .9rem 0 .3rem; color: var(--faint); font-weight: 600; }
.field { padding: .1rem 0 .1rem .9rem; border-left: 2px solid var(--line); margin-left: .15rem; }
.field > summary { cursor: pointer; list-style: none; } .field > summary::after { content: ' ▸'; color: var(--faint); }
.field[open] > summary::after { content: ' ▾'; }
.name { font: .85rem ui-monospace, monospace; } .type { color: var(--faint); font-size: .85rem; } .needed { color: var(--delete); font-size: .8rem; }
pre { position: relative; margin: 0; padding: .7rem .9rem; overflow: auto; background: var(--back); border: 1px solid var(--line); border-radius: 6px;
  font: .82rem/1.5 ui-monospace, monospace; }
button { font: inherit; font-size: .8rem; color: var(--accent); background: none; border: 1px solid var(--line); border-radius: 5px; cursor: pointer; margin: .3rem 0; }
@media (max-width: 50rem) { nav { display: none; } .summary { display: none; } }
`
