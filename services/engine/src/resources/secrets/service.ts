// Secrets: what is in one is given to tasks alone, never to callers.
import type { Ids } from '@atoll/kernel/ids/ids'
import { DataObjects } from '../../swarm/data-objects.ts'
import type { KeptSecret } from '../../swarm/store/objects.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import type { Filters } from '../query/schema.ts'
import type { Secret, SecretSpec } from './schema.ts'

export class Secrets {
  readonly #objects: DataObjects

  constructor(swarm: Pick<Swarm, 'membership'>, ids: Pick<Ids, 'hex'>) {
    this.#objects = new DataObjects('secret', swarm, ids)
  }

  list(filters: Filters): Secret[] {
    return this.#objects.list(filters).map(secretView)
  }

  inspect(id: string): Secret {
    return secretView(this.#objects.find(id))
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
}

const secretView = ({ data: _, ...secret }: KeptSecret): Secret => secret
