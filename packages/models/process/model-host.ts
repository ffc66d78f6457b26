// Where a model runs, as those see it who speak to it: a process or a thread.
import type { ModelProblem } from '../problem.ts'

export interface ModelHost<Send, Receive> {
  readonly hasEnded: boolean
  /** Throws when it has ended. */
  send(message: Send): void
  onMessage(listener: (message: Receive) => void): void
  /** Called once, also when it has ended already. */
  onEnd(listener: (problem: ModelProblem) => void): void
  stop(): Promise<void>
}
