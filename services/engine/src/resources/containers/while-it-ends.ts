// Between the end of a container's process and the engine's hearing of it, its files cannot be reached through it.
import { isConflict } from '../../errors.ts'
import type { ContainerRecord } from './record.ts'

export interface EndingParts {
  find(idOrName: string): ContainerRecord
  /** Resolves when the container no longer has the process that it is known to have. */
  ended(record: ContainerRecord): Promise<void>
}

/** What cannot reach the process is done once more with the container at rest, or with its next process. */
export async function evenWhileItEnds<T>(
  { find, ended }: EndingParts,
  name: string,
  work: (record: ContainerRecord) => Promise<T>,
): Promise<T> {
  const record = find(name)
  try {
    return await work(record)
  } catch (error) {
    if (record.state.pid === 0 || !isConflict(error)) throw error
    await ended(record)
    return work(find(record.id))
  }
}
