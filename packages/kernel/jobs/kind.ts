import type { JobKind } from './jobs.ts'

export interface RegisteredKind extends JobKind<unknown> {
  /** Set for periodic kinds: they begin again instead of ending. */
  periodMs?: number
}
