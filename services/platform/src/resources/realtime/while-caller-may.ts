// A session outlives the request that opened it: its caller is looked at again when it uses models.
import type { Clock } from '@atoll/kernel/clock/clock'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Inference } from '../../inference/inference.ts'

/** A turn uses several models within a moment. */
const believedMs = 5_000

/** For one session. Throws 401 once its key, or what the key is for, has ended. */
export function whileCallerMay(
  inference: Inference,
  { stillMay, clock }: { stillMay(): Promise<boolean>; clock: Clock },
): Inference {
  let checkedAt = clock.now()
  return {
    async resolve(caller, id, port, endpoint) {
      if (clock.now() - checkedAt >= believedMs) {
        if (!(await stillMay())) throw realtimeErrors.endedKey()
        checkedAt = clock.now()
      }
      return inference.resolve(caller, id, port, endpoint)
    },
    meter: (caller, model, demand) => inference.meter(caller, model, demand),
  }
}
