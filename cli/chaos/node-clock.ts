// The clock of one node, which can jump: Debian's faketime stands between the node and the kernel's. Time namespaces would
// not do, since they have no wall clock of their own. What counts elapsed time is left alone, as a jump leaves it alone.
import { globSync, writeFileSync } from 'node:fs'

const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

/** How long a node may go on with the clock that it had: asking at each look would make it slow. */
const lookEverySeconds = 1

export class NodeClock {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    this.set(0)
  }

  /** Ahead of the machine's; behind it where negative. */
  set(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  }

  /** For the node's process. */
  get env(): Record<string, string> {
    if (library === undefined) throw new Error('A clock that jumps needs faketime.')
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: String(lookEverySeconds),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }
}
