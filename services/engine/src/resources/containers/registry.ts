// All containers in memory: by id, by name, by the beginning of an id.
import { conflict, invalidParameter, noSuchContainer } from '../../errors.ts'
import type { Container } from './container.ts'
import { parseLink } from './link.ts'

export class Registry {
  readonly #byId = new Map<string, Container>()
  /** Also names that are being given just now. */
  readonly #idByName = new Map<string, string>()
  #sorted: readonly Container[] | undefined
  #version = 0

  /** Grows with every change of any container. */
  get version(): number {
    return this.#version
  }

  changed(): void {
    this.#version++
  }

  add(container: Container): void {
    this.#byId.set(container.id, container)
    this.#idByName.set(container.record.name, container.id)
    this.#sorted = undefined
    this.#version++
  }

  delete(container: Container): void {
    this.#byId.delete(container.id)
    this.release(container.record.name, container.id)
    this.#sorted = undefined
    this.#version++
  }

  /** Nobody else gets the name from here on. */
  reserve(name: string, id: string): void {
    const owner = this.#idByName.get(name)
    if (owner !== undefined) throw nameTaken(name, owner)
    this.#idByName.set(name, id)
  }

  isTaken(name: string): boolean {
    return this.#idByName.has(name)
  }

  release(name: string, id: string): void {
    if (this.#idByName.get(name) === id) this.#idByName.delete(name)
  }

  /** The newest first. */
  get all(): readonly Container[] {
    this.#sorted ??= [...this.#byId.values()].sort(
      ({ record: a }, { record: b }) =>
        Date.parse(b.created) - Date.parse(a.created) || (a.created < b.created ? 1 : -1),
    )
    return this.#sorted
  }

  has(id: string): boolean {
    return this.#byId.has(id)
  }

  find(asked: string): Container | undefined {
    const exact = this.#byId.get(asked)
    if (exact !== undefined) return exact
    const named = this.#idByName.get(asked.replace(/^\//, ''))
    if (named !== undefined) return this.#byId.get(named)
    return this.#findByLink(asked) ?? this.#findByPrefix(asked)
  }

  /** `parent/alias`: the container that the parent's link leads to. */
  #findByLink(asked: string): Container | undefined {
    const [parent = '', alias, ...more] = asked.replace(/^\//, '').split('/')
    if (!alias || more.length > 0) return undefined
    const links = (this.find(parent)?.record.hostConfig.Links ?? []).map(parseLink)
    const link = links.find((each) => each.alias === alias)
    return link && this.find(link.name)
  }

  get(asked: string): Container {
    const found = this.find(asked)
    if (found === undefined) throw noSuchContainer(asked)
    return found
  }

  #findByPrefix(prefix: string): Container | undefined {
    if (!/^[0-9a-f]{1,63}$/.test(prefix)) return undefined
    let found: Container | undefined
    for (const [id, container] of this.#byId) {
      if (!id.startsWith(prefix)) continue
      if (found !== undefined) throw invalidParameter(`Multiple IDs found with provided prefix: ${prefix}`)
      found = container
    }
    return found
  }
}

const nameTaken = (name: string, owner: string) =>
  conflict(
    `Conflict. The container name "/${name}" is already in use by container "${owner}". You have to remove (or rename) that container to be able to reuse that name.`,
  )
