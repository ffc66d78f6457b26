// Fields of containers come in the same few places: in what creates one, and in what is told of it.
import type { Change, RouteName } from './change.ts'
import { without } from './shape.ts'

export const create: RouteName = 'POST /containers/create'
export const inspect: RouteName = 'GET /containers/:id/json'
export const list: RouteName = 'GET /containers/json'
export const update: RouteName = 'POST /containers/:id/update'
export const commit: RouteName = 'POST /commit'

/** Fields below `HostConfig` that are new: neither taken from older callers nor shown to them. */
export function newHostConfig(
  change: Pick<Change, 'since' | 'summary' | 'requirements'>,
  ...names: [string, ...string[]]
): Change {
  const drop = without(...names.map((name) => `HostConfig.${name}`))
  return { ...change, routes: [create, inspect], body: drop, answer: drop }
}

/** Fields of `Config`, which stand at the top of a request. */
export function newConfig(
  change: Pick<Change, 'since' | 'summary' | 'requirements'>,
  ...names: [string, ...string[]]
): Change {
  return {
    ...change,
    routes: [create, commit, inspect],
    body: without(...names),
    answer: without(...names.map((name) => `Config.${name}`)),
  }
}
