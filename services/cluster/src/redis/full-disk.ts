// Whether a failure comes from a disk without room: told by the system, or in the words of a server.
import { storageProblem } from '@atoll/kernel/db/storage-problem'

const full = /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i

export const tellsOfFullDisk = (error: unknown, words = error instanceof Error ? error.message : ''): boolean =>
  storageProblem(error) === 'full' || full.test(words)
