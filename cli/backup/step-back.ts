// A backup may take long; who is served beside it must not wait for it.
import { readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { stepBackTo } from '@atoll/kernel/turns/step-back'

/**
 * A low priority for every thread there is; later ones get it from these. Disks go by it too, where they have priorities.
 * Not the lowest: beside ten that compute, that is a seven-hundredth of a core, and a backup would hardly end. This one
 * is a hundredth, and others were seen to wait as little for it.
 */
export function stepBack(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority
  // On Linux a priority is a thread's: that of the process alone would leave out those who write and compress.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
  for (const thread of threads) stepBackTo(PRIORITY_BELOW_NORMAL, thread)
}
