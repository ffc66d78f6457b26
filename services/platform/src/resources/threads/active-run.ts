// What threads and messages must know of runs. The runs service is made after them and registers itself.
import type { Queries } from '@atoll/kernel/db/database'

export interface ActiveRuns {
  /** The id of the run that holds the thread. `queries` is the transaction that asks: read through nothing else. */
  activeRun(threadId: string, queries: Queries): Promise<string | undefined>
}
