// Loading the code leaves garbage that V8 keeps until there is work: 18 of 94 MB were measured. A server gives it back
// once, soon after the start. Each thread does it for itself.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** After the work that follows every start. */
const delayMs = 1_000

export function settleMemorySoon(): void {
  setTimeout(settleMemory, delayMs).unref()
}

function settleMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // Compiled code is kept under the flags it was made with: later code must find the same ones.
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
