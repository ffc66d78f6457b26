// Looks at both sides of a change: what a caller of the version before it gets, and one of the version that has it.
import { expect } from 'vitest'
import type { Json, RouteName } from '../change.ts'

export interface Seen {
  query: Record<string, Json>
  body: Json
  ways: string[]
}

export interface Answered {
  status: number
  headers: Headers
  text: string
  /** What reached the handler. */
  seen: Seen
}

interface Asked {
  query?: Record<string, string>
  body?: Json
}

export const versionBefore = (version: string): string => `1.${Number(version.slice(2)) - 1}`

/** Creating a container without saying anything is refused in every version. */
const bodyOf = (route: RouteName): Json => (route === 'POST /containers/create' ? {} : undefined)

export class Boundary {
  readonly #url: string
  readonly #since: string

  constructor(url: string, since: string) {
    this.#url = url
    this.#since = since
  }

  async call(version: string, route: RouteName, { query = {}, body = bodyOf(route) }: Asked = {}): Promise<Answered> {
    const [method = '', path = ''] = route.split(' ')
    const place = path.replace(/:\w+/g, 'x')
    const response = await fetch(`${this.#url}/v${version}${place}?${new URLSearchParams(query)}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const seen = response.headers.get('x-seen')
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      seen: JSON.parse(seen === null ? '{}' : Buffer.from(seen, 'base64').toString()),
    }
  }

  /** The request before the change, and with it. */
  async #both(route: RouteName, asked?: Asked): Promise<[Answered, Answered]> {
    const older = await this.call(versionBefore(this.#since), route, asked)
    return [older, await this.call(this.#since, route, asked)]
  }

  /** What of a body reaches the handler at a place: `HostConfig.Mounts.0.Type`. */
  async body(route: RouteName, body: Json, place: string, before: Json, since: Json): Promise<void> {
    const [older, newer] = await this.#both(route, { body })
    expect(valueAt(older.seen.body, place), `${route} ${place} before ${this.#since}`).toEqual(before)
    expect(valueAt(newer.seen.body, place), `${route} ${place} in ${this.#since}`).toEqual(since)
  }

  /** A field that is taken from its version on. */
  async takes(route: RouteName, place: string, value: Json, base: object = {}): Promise<void> {
    await this.body(route, withValueAt(base, place, value), place, undefined, value)
  }

  async query(route: RouteName, query: Record<string, string>, name: string, before: Json, since: Json): Promise<void> {
    const [older, newer] = await this.#both(route, { query })
    expect(older.seen.query[name], `${route} ${name} before ${this.#since}`).toEqual(before)
    expect(newer.seen.query[name], `${route} ${name} in ${this.#since}`).toEqual(since)
  }

  async asks(route: RouteName, name: string, value = 'x'): Promise<void> {
    await this.query(route, { [name]: value }, name, undefined, value)
  }

  async filters(route: RouteName, ...names: string[]): Promise<void> {
    for (const name of names) {
      const given = JSON.stringify({ [name]: ['x'], other: ['y'] })
      const [older, newer] = await this.#both(route, { query: { filters: given } })
      expect(JSON.parse(String(older.seen.query.filters))).toEqual({ other: ['y'] })
      expect(JSON.parse(String(newer.seen.query.filters))).toEqual(JSON.parse(given))
    }
  }

  async tells(route: RouteName, place: string, before: Json, since: Json): Promise<void> {
    const [older, newer] = await this.#both(route)
    expect(valueAt(JSON.parse(older.text), place), `${route} ${place} before ${this.#since}`).toEqual(before)
    expect(valueAt(JSON.parse(newer.text), place), `${route} ${place} in ${this.#since}`).toEqual(since)
  }

  /** Fields that are shown from their version on. */
  async shows(route: RouteName, ...places: string[]): Promise<void> {
    const [older, newer] = await this.#both(route)
    for (const place of places) {
      expect(valueAt(JSON.parse(older.text), place), `${route} ${place} before ${this.#since}`).toBeUndefined()
      expect(valueAt(JSON.parse(newer.text), place), `${route} ${place} in ${this.#since}`).toBeDefined()
    }
  }

  /** `Type Action` of the events of a stream. */
  async events(...names: string[]): Promise<void> {
    const [older, newer] = await this.#both('GET /events')
    for (const name of names) {
      expect(eventNames(older)).not.toContain(name)
      expect(eventNames(newer)).toContain(name)
    }
    expect(eventNames(older)).toContain('container start')
  }

  async status(route: RouteName, before: number, since: number, asked?: Asked): Promise<void> {
    const [older, newer] = await this.#both(route, asked)
    expect([older.status, newer.status], route).toEqual([before, since])
  }

  async way(name: string, route: RouteName = 'POST /containers/create'): Promise<void> {
    const [older, newer] = await this.#both(route)
    expect([older.seen.ways.includes(name), newer.seen.ways.includes(name)]).toEqual([true, false])
  }

  async socketWay(name: string): Promise<void> {
    const older = await this.#socketWays(versionBefore(this.#since))
    const newer = await this.#socketWays(this.#since)
    expect([older.includes(name), newer.includes(name)]).toEqual([true, false])
  }

  #socketWays(version: string): Promise<string[]> {
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/v${version}/containers/x/attach/ws`)
    return new Promise((resolve, reject) => {
      socket.addEventListener('error', () => reject(new Error('The socket failed')))
      socket.addEventListener('message', ({ data }) => {
        resolve(JSON.parse(String(data)))
        socket.close()
      })
    })
  }
}

const eventNames = ({ text }: Answered): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ Type, Action }: { Type: string; Action: string }) => `${Type} ${Action}`)

function valueAt(value: Json, place: string): Json {
  let found = value
  for (const step of place.split('.')) found = (found as Record<string, Json> | undefined)?.[step]
  return found
}

/** A copy with a value set; numbers are places in lists. */
function withValueAt(base: object, place: string, value: Json): Json {
  const copy = structuredClone(base) as Record<string, Json>
  const steps = place.split('.')
  const last = steps.pop() ?? ''
  let parent = copy
  for (const [index, step] of steps.entries()) {
    const isList = /^\d+$/.test(steps[index + 1] ?? last)
    parent[step] ??= isList ? [] : {}
    parent = parent[step] as Record<string, Json>
  }
  parent[last] = value
  return copy
}
