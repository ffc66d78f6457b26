// Before 1.31, what callers of a swarm did wrong was told as a fault of the server.
import { HttpError } from '@atoll/kernel/http/error'
import { systemError } from '../errors.ts'

/** ENG-496, ENG-497, ENG-501, ENG-615 */
export async function refusing<T>(ways: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isRefusal = error instanceof HttpError && [400, 404, 409].includes(error.status)
    if (isRefusal && ways.has('swarm-refusals-are-faults')) throw systemError(error.message)
    throw error
  }
}
