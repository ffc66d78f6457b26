import type { ProjectCaller } from '../../callers.ts'
import type { BatchRow } from './store.ts'

/** In whose name a batch's lines are run. */
export const callerOf = (batch: Pick<BatchRow, 'caller'>): ProjectCaller => JSON.parse(batch.caller) as ProjectCaller
