// The cluster as a whole.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { ClusterObject } from './schema.ts'
import { keptBeginning } from './store.ts'

interface Parts {
  db: Database
  clock: Clock
  name: string
  release: string
  /** Where endpoints of databases listen. */
  host: string
}

export class ClusterItself {
  readonly #parts: Parts
  readonly #beganAt: number

  private constructor(parts: Parts, beganAt: number) {
    this.#parts = parts
    this.#beganAt = beganAt
  }

  static async open(parts: Parts): Promise<ClusterItself> {
    const now = parts.clock.now()
    return new ClusterItself(parts, await parts.db.transaction((tx) => keptBeginning(tx, now)))
  }

  get(): ClusterObject {
    const { name, release, host } = this.#parts
    return {
      name,
      software_version: release,
      created_time: new Date(this.#beganAt).toISOString(),
      endpoint_host: host,
      nodes_count: 1,
      rack_aware: false,
    }
  }
}
