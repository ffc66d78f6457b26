// Configs: files for tasks that may be read again.
import type { Ids } from '@atoll/kernel/ids/ids'
import { DataObjects } from '../../swarm/data-objects.ts'
import type { KeptConfig } from '../../swarm/store/objects.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import type { Filters } from '../query/schema.ts'
import type { SecretSpec } from '../secrets/schema.ts'
import type { Config } from './schema.ts'

export class Configs {
  readonly #objects: DataObjects

  constructor(swarm: Pick<Swarm, 'membership'>, ids: Pick<Ids, 'hex'>) {
    this.#objects = new DataObjects('config', swarm, ids)
  }

  list(filters: Filters): Config[] {
    return this.#objects.list(filters).map((config) => this.#view(config))
  }

  inspect(id: string): Config {
    return this.#view(this.#objects.find(id))
  }

  create(spec: SecretSpec): Promise<string> {
    return this.#objects.create(spec)
  }

  update(id: string, version: number, spec: SecretSpec): Promise<void> {
    return this.#objects.update(id, version, spec)
  }

  remove(id: string): Promise<void> {
    return this.#objects.remove(id)
  }

  #view(config: KeptConfig): Config {
    const { data: _, ...told } = config
    return { ...told, Spec: { ...told.Spec, Data: this.#objects.data(config).toString('base64') } }
  }
}
