// Loading the code leaves garbage that V8 keeps until there is work: 18 of 94 MB were measured. A server gives it back
// once, soon after the start. Each thread does it for itself.

/** After the work that follows every start. */
const delayMs = 1_000

/** Where `./atoll` has started it: V8 lets itself be asked by a flag alone. */
export function settleMemorySoon(): void {
  setTimeout(() => void globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }), delayMs).unref()
}
