// How often a response is tried again whose server was killed, or whose work broke off for no reason that can be told.
import type { Progress } from '../state.ts'

/** Attempts in a row that have kept nothing: what ends them is likely the response itself. */
const maxFruitless = 5
/** All of one response, whatever they have kept. */
const maxInAll = 100

/** `attempt` counts from 1. */
export const mayTry = (attempt: number, { keptBy = 0 }: Pick<Progress, 'keptBy'>): boolean =>
  attempt <= maxInAll && attempt - keptBy <= maxFruitless
