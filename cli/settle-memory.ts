// Loading the code leaves garbage that V8 keeps until there is work: 18 of 94 MB were measured. An idle server gives
// it back once, right after the start.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export function settleMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
