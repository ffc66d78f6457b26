import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Tx } from '@atoll/kernel/db/database'
import type { Making } from '@atoll/kernel/ids/new-object'
import { type KeyMatch, revokeKeys } from './store.ts'

/** Ends every matching key for good; tells how many there were. */
export const endKeys = (tx: Tx, making: Making, match: KeyMatch): Promise<number> =>
  revokeKeys(tx, match, unixSeconds(making.clock))
