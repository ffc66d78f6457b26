// A runtime that notes down what it was asked to do. What becomes of a run is the test's to say.
import type { Database, Tx } from '@atoll/kernel/db/database'
import type { AgentAction } from '../actions.ts'
import type { AgentRuntime, ClaimedDelivery, SystemEvent } from '../ports.ts'

export class NotingRuntime implements AgentRuntime {
  readonly events: SystemEvent[] = []
  readonly runs: ClaimedDelivery[] = []
  readonly dead: string[] = []
  readonly #db: Database
  /** Replaced by tests; ends well unless told. */
  onRun: (delivery: ClaimedDelivery) => Promise<void> = (delivery) => this.succeed(delivery)
  onCheck: (action: AgentAction) => void = () => {}

  constructor(db: Database) {
    this.#db = db
  }

  async addEvents(tx: Tx, events: readonly SystemEvent[]): Promise<void> {
    this.#db.afterCommit(tx, () => this.events.push(...events))
  }

  check(action: AgentAction): void {
    this.onCheck(action)
  }

  async run(delivery: ClaimedDelivery): Promise<void> {
    this.runs.push(delivery)
    await this.onRun(delivery)
  }

  succeed(delivery: ClaimedDelivery): Promise<void> {
    return this.#db.transaction((tx) => delivery.finish(tx, { state: 'succeeded', summary: delivery.action.message }))
  }

  async died(tx: Tx, { id }: Pick<ClaimedDelivery, 'id'>): Promise<void> {
    this.#db.afterCommit(tx, () => this.dead.push(id))
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}
}
