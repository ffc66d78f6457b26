// All networks, in memory: reads are answered from here.
import { invalidParameter, noSuchNetwork } from '../errors.ts'
import { bridgeNameOf, defaultBridge, isBridged, type NetworkRecord, scopeOf } from './network-record.ts'

export class NetworkRegistry {
  readonly #byId = new Map<string, NetworkRecord>()
  readonly #byName = new Map<string, NetworkRecord>()

  get all(): NetworkRecord[] {
    return [...this.#byId.values()]
  }

  get ofSwarm(): NetworkRecord[] {
    return this.all.filter((record) => scopeOf(record) === 'swarm')
  }

  /** Names of their interfaces on this machine. */
  get bridges(): Set<string> {
    return new Set(this.all.filter(({ driver }) => isBridged(driver)).map(bridgeNameOf))
  }

  add(record: NetworkRecord): void {
    this.#byId.set(record.id, record)
    this.#byName.set(record.name, record)
  }

  remove(record: NetworkRecord): void {
    this.#byId.delete(record.id)
    this.#byName.delete(record.name)
  }

  named(name: string): NetworkRecord | undefined {
    return this.#byName.get(name)
  }

  /** By id, name or the beginning of an id, in this order. ENG-442 */
  find(text: string): NetworkRecord {
    const name = text === '' || text === 'default' ? defaultBridge : text
    const exact = this.#byId.get(name) ?? this.#byName.get(name)
    if (exact !== undefined) return exact
    const matches = this.all.filter(({ id }) => id.startsWith(name))
    const [match] = matches
    if (match === undefined) throw noSuchNetwork(text)
    if (matches.length > 1) {
      throw invalidParameter(`network ${text} is ambiguous (${matches.length} matches found based on ID prefix)`)
    }
    return match
  }
}
