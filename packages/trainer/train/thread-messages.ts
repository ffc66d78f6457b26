// What the trainer and its threads say to one another.
import type { PassOptions } from '../step/pass.ts'
import type { Row, RowResult } from '../step/row.ts'

export interface ThreadData {
  options: PassOptions
  /** The adapter as it stands; all threads read the same. */
  parameters: Float32Array
  /** Of `Pause`. */
  pause: Int32Array | undefined
}

export type ThreadTask =
  | { kind: 'learn'; rows: Row[]; scale: number }
  | { kind: 'evaluate'; rows: Row[] }
  | { kind: 'end' }

export type ThreadAnswer =
  /** Once, at its start: where it leaves its gradients. */
  { kind: 'ready'; gradients: Float32Array } | { kind: 'done'; result: RowResult }
