// Which processes run in a container.
import { conflict } from '../../../errors.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ContainerRecord } from '../record.ts'
import { checkArguments, processTable } from './process-table.ts'
import type { TopProcesses } from './schema.ts'

const defaultArguments = '-ef'

export interface TopParts {
  /** Throws noSuchContainer. */
  find(idOrName: string): ContainerRecord
  runtime: Pick<Runtime, 'processes'>
  emit(container: ContainerRecord, action: string, attributes?: Record<string, string>): void
}

export class Top {
  readonly #parts: TopParts

  constructor(parts: TopParts) {
    this.#parts = parts
  }

  async list(idOrName: string, psArguments: string | undefined): Promise<TopProcesses> {
    const args = checkArguments(psArguments || defaultArguments)
    const container = this.#parts.find(idOrName)
    const { id, state } = container
    if (state.status === 'restarting') {
      throw conflict(`Container ${id} is restarting, wait until the container is running`)
    }
    if (state.status !== 'running' && state.status !== 'paused') throw conflict(`container ${id} is not running`)
    const table = await processTable(args, await this.#parts.runtime.processes(id))
    this.#parts.emit(container, 'top')
    return table
  }
}
