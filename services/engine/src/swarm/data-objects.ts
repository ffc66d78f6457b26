// Secrets and configs follow the same rules: data that is sealed where it is kept, of which only labels can change.
import type { Ids } from '@atoll/kernel/ids/ids'
import { conflict, invalidParameter } from '../errors.ts'
import { hasLabel, refuseUnknown } from '../resources/nodes/node-filters.ts'
import type { Filters } from '../resources/query/schema.ts'
import type { SecretSpec } from '../resources/secrets/schema.ts'
import { findObject } from './find-object.ts'
import { swarmId } from './identity/tokens.ts'
import { type Membership, places } from './membership.ts'
import type { KeptSecret, KeptVolume } from './store/objects.ts'
import type { Swarm } from './swarm.ts'
import { outOfSequence } from './versioned.ts'

type DataKind = 'secret' | 'config'

const namePattern = /^[a-zA-Z0-9](?:[a-zA-Z0-9-_.]{0,62}[a-zA-Z0-9])?$/
const nameWords =
  'invalid name, only 64 [a-zA-Z0-9-_.] characters allowed, and the start and end character must be [a-zA-Z0-9]'
const maxBytes: Record<DataKind, number> = { secret: 500 * 1024, config: 1000 * 1024 }
const templatingDriver = 'golang'

export class DataObjects {
  readonly #kind: DataKind
  readonly #swarm: Pick<Swarm, 'membership'>
  readonly #ids: Pick<Ids, 'hex'>

  constructor(kind: DataKind, swarm: Pick<Swarm, 'membership'>, ids: Pick<Ids, 'hex'>) {
    this.#kind = kind
    this.#swarm = swarm
    this.#ids = ids
  }

  get #membership(): Membership {
    return this.#swarm.membership
  }

  list(filters: Filters): KeptSecret[] {
    refuseUnknown(filters, ['id', 'label', 'name', 'names'])
    const { id = [], label = [], name = [], names = [] } = filters
    return this.#membership.store
      .all(this.#kind)
      .filter(
        ({ ID, Spec }) =>
          (id.length === 0 || id.some((start) => ID.startsWith(start))) &&
          (name.length === 0 || name.some((part) => Spec.Name.startsWith(part))) &&
          (names.length === 0 || names.includes(Spec.Name)) &&
          label.every((asked) => hasLabel(Spec.Labels, asked)),
      )
  }

  /** By id, name or the beginning of an id, in this order. */
  find(asked: string): KeptSecret {
    const all: readonly KeptSecret[] = this.#membership.store.all(this.#kind)
    return findObject(this.#kind, all, asked, ({ Spec }) => Spec.Name)
  }

  data({ ID, data }: KeptSecret): Buffer {
    return this.#membership.sealing.open(data, places[this.#kind](ID))
  }

  async create({ Name = '', Labels = {}, Data = '', Driver, Templating }: SecretSpec): Promise<string> {
    const { store, sealing } = this.#membership
    if (!namePattern.test(Name)) throw invalidParameter(nameWords)
    const bytes = this.#readData(Data, Driver?.Name !== undefined)
    if (Templating?.Name !== undefined && Templating.Name !== templatingDriver) {
      throw invalidParameter(`invalid Templating driver "${Templating.Name}": ${templatingDriver} is the only one`)
    }
    const ID = swarmId(this.#ids.hex())
    const Spec = { Name, Labels, ...(Driver === undefined ? {} : { Driver }), ...(Templating ? { Templating } : {}) }
    const fresh = { Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' }
    const object = { ID, ...fresh, Spec, data: sealing.seal(bytes, places[this.#kind](ID)) }
    if (!(await store.commit([{ kind: this.#kind, object, index: 0 }]))) {
      throw conflict(`${this.#kind} ${Name} already exists`)
    }
    return ID
  }

  async update(asked: string, version: number, spec: SecretSpec): Promise<void> {
    const found = this.find(asked)
    const { Spec } = found
    const isSame = (given: unknown, kept: unknown): boolean =>
      given === undefined || JSON.stringify(given) === JSON.stringify(kept)
    const isLabelsOnly =
      (spec.Name === undefined || spec.Name === '' || spec.Name === Spec.Name) &&
      (spec.Data === undefined || spec.Data === '' || decode(spec.Data)?.equals(this.data(found)) === true) &&
      isSame(spec.Driver, Spec.Driver) &&
      isSame(spec.Templating, Spec.Templating)
    if (!isLabelsOnly) throw invalidParameter('only updates to Labels are allowed')
    if (found.Version.Index !== version) throw outOfSequence()
    const object = { ...found, Spec: { ...Spec, Labels: spec.Labels ?? {} } }
    if (!(await this.#membership.store.commit([{ kind: this.#kind, object, index: version }]))) throw outOfSequence()
  }

  async remove(asked: string): Promise<void> {
    const { store } = this.#membership
    const { ID, Spec } = this.find(asked)
    const users = store.all('service').filter(({ Spec: { TaskTemplate } }) => {
      const { Secrets = [], Configs = [] } = TaskTemplate?.ContainerSpec ?? {}
      const used = this.#kind === 'secret' ? Secrets.map((one) => one.SecretID) : Configs.map((one) => one.ConfigID)
      return used.includes(ID)
    })
    if (users.length > 0) {
      const names = users.map((service) => service.Spec.Name).join(', ')
      throw invalidParameter(
        `${this.#kind} '${Spec.Name}' is in use by the following service${users.length > 1 ? 's' : ''}: ${names}`,
      )
    }
    const volumes = this.#kind === 'secret' ? store.all('volume').filter((each) => usesSecret(each, ID, Spec.Name)) : []
    if (volumes.length > 0) {
      throw invalidParameter(
        `secret '${Spec.Name}' is in use by volumes: ${volumes.map(({ name }) => name).join(', ')}`,
      )
    }
    await store.commit([], [{ kind: this.#kind, id: ID }])
  }

  /** `isElsewhere`: it comes from an external store. */
  #readData(text: string, isElsewhere: boolean): Buffer {
    const bytes = decode(text)
    if (bytes === undefined) throw invalidParameter(`invalid ${this.#kind} data: it is not base64`)
    const max = maxBytes[this.#kind]
    if (isElsewhere && bytes.length === 0) return bytes
    if (isElsewhere) throw invalidParameter(`${this.#kind} data must be empty when a driver is named`)
    if (bytes.length === 0 || bytes.length > max) {
      throw invalidParameter(`${this.#kind} data must be larger than 0 and less than ${max} bytes`)
    }
    return bytes
  }
}

const usesSecret = ({ Spec }: KeptVolume, id: string, name: string): boolean =>
  (Spec.Secrets ?? []).some(({ Secret }) => Secret === id || Secret === name)

/** Both alphabets; undefined where it is none. */
function decode(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined
}
