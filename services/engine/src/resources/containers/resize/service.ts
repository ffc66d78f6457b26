// Terminals of containers follow the window of whoever looks at them.
import { conflict } from '../../../errors.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ContainerRecord } from '../record.ts'
import type { ResizeQuery } from './schema.ts'

export interface ResizeParts {
  /** Throws noSuchContainer. */
  find(idOrName: string): ContainerRecord
  runtime: Pick<Runtime, 'resize'>
  emit(container: ContainerRecord, action: string, attributes?: Record<string, string>): void
}

export class Resizing {
  readonly #parts: ResizeParts

  constructor(parts: ResizeParts) {
    this.#parts = parts
  }

  async resize(idOrName: string, { h, w }: ResizeQuery): Promise<void> {
    const container = this.#parts.find(idOrName)
    const { status } = container.state
    if (status !== 'running' && status !== 'paused') throw conflict(`container ${container.id} is not running`)
    // A window of no size is one that is not known yet. Without a terminal there is nothing to resize, and no harm.
    if (container.config.Tty === true && h > 0 && w > 0) await this.#parts.runtime.resize(container.id, h, w)
    this.#parts.emit(container, 'resize', { height: String(h), width: String(w) })
  }
}
