// What the trainer and its threads say to one another.
import type { PassOptions } from '../step/pass-parts.ts'
import type { Row, RowResult } from '../step/row.ts'
import type { Share } from './batches.ts'

export interface ThreadData {
  options: PassOptions
  /** The adapter as it stands; all threads read the same. */
  parameters: Float32Array
  /** Of `Pause`. */
  pause: Int32Array | undefined
}

/** What the gradients of a step are multiplied by. */
export interface Scales {
  /** For what is learnt. */
  scale: number
  /** For what the model is reminded of. */
  reminderScale: number
}

export type ThreadTask = ({ kind: 'learn' } & Share & Scales) | { kind: 'evaluate'; rows: Row[] } | { kind: 'end' }

export type ThreadAnswer =
  /** Once, at its start: where it leaves its gradients. */
  { kind: 'ready'; gradients: Float32Array } | { kind: 'done'; result: RowResult }
