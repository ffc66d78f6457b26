// Shows how far an action is: one line that is written over on a terminal, a line for every change elsewhere.

import type { ActionObject } from '@atoll/cluster/resources/actions/schema'
import { ProgressLine, type ProgressOutput } from '../progress-line.ts'

/** What the steps of an upgrade do. */
export const stepWords: Record<string, string> = {
  snapshot: 'copies the data',
  canary: 'tries the new modules on the copy',
  replicas: 'builds replicas with the new modules',
  handover: 'makes such a replica the master; clients wait for a moment',
  rebuild: 'replaces the old master',
  verify: 'compares modules and keys of all shards',
  roles: 'gives the shards their roles back',
  finish: 'removes the copy',
  rolling_back: 'puts everything back',
  discard: 'begins again without the data',
}

export class ActionProgress {
  readonly #line: ProgressLine
  #shown = ''

  constructor(output: ProgressOutput) {
    this.#line = new ProgressLine(output)
  }

  show(action: ActionObject): void {
    const text = this.#text(action)
    if (text === this.#shown) return
    this.#shown = text
    this.#line.show(text)
  }

  /** A line that stays. */
  note(text: string): void {
    this.#line.note(text)
  }

  /** Ends a line that was to be written over. */
  close(): void {
    this.#line.close()
  }

  #text({ progress, state, status, pending_ops }: ActionObject): string {
    const shards = Object.entries(pending_ops)
      .filter(([, { status_description }]) => status_description !== 'done' || !this.#line.isTerminal)
      .map(([uid, { op_name, status_description }]) => `shard ${uid}: ${op_name} ${status_description}`)
    const share = `${this.#line.bar(progress / 100)}${String(Math.round(progress)).padStart(3)}%`
    return [`  ${share}`, (state ?? status).padEnd(9), ...shards].join('  ').trimEnd()
  }
}
