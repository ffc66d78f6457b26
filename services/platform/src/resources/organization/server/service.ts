// The server itself, as administrators see it: its configuration without secrets, and its machine.
import type { ServerCheck, ServerChecks, ServerSetting, ServerSettings } from './schema.ts'

/** What whoever starts the server knows of it. */
export interface ServerFacts {
  settings(): Omit<ServerSetting, 'object'>[]
  /** May take seconds. */
  checks(): Promise<Omit<ServerCheck, 'object'>[]>
}

export class Server {
  readonly #facts: ServerFacts
  /** The machine is looked at once for all who ask meanwhile. */
  #looking: ReturnType<ServerFacts['checks']> | undefined

  constructor(facts: ServerFacts) {
    this.#facts = facts
  }

  settings(): ServerSettings {
    const data = this.#facts.settings().map((one) => ({ object: 'organization.server.setting' as const, ...one }))
    return { object: 'list', data }
  }

  async checks(): Promise<ServerChecks> {
    this.#looking ??= this.#facts.checks().finally(() => {
      this.#looking = undefined
    })
    const found = await this.#looking
    return { object: 'list', data: found.map((one) => ({ object: 'organization.server.check' as const, ...one })) }
  }
}
