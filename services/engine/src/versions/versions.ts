// Serves callers of older versions: requests climb through the changes to today's form, answers climb down.
import type { AnyCallers, Route } from '@atoll/kernel/http/route'
import type { Versions } from '@atoll/kernel/http/routing/versions'
import { kernelErrors } from '../errors.ts'
import type { Change } from './change.ts'
import { changes } from './changes.ts'
import { encodeNames } from './names-in-paths.ts'
import { inPlainText, jsonErrorsSince } from './plain-errors.ts'
import { isBefore, takeVersion } from './version.ts'

const concerns = ({ routes }: Change, { method, path }: Route<AnyCallers>): boolean =>
  routes === undefined || routes.some((name) => name === `${method} ${path}`)

/** What has to be done for callers of one version at one route. */
interface RouteChanges {
  isMissing: boolean
  queries: NonNullable<Change['query']>[]
  bodies: NonNullable<Change['body']>[]
  answers: NonNullable<Change['answer']>[]
}

function changesFor(version: string, route: Route<AnyCallers>): RouteChanges {
  const own = changes.filter((change) => concerns(change, route))
  const later = own.filter(({ since }) => isBefore(version, since))
  // What is gone by now goes first, the newest change first: older rules must not judge it.
  const passed = own.filter(({ since }) => !isBefore(version, since)).reverse()
  return {
    isMissing: later.some(({ isNew }) => isNew) || passed.some(({ isGone }) => isGone),
    queries: [...passed.map(({ laterQuery }) => laterQuery), ...later.map(({ query }) => query)].filter(isGiven),
    bodies: [...passed.map(({ laterBody }) => laterBody), ...later.map(({ body }) => body)].filter(isGiven),
    answers: later
      .map(({ answer }) => answer)
      .filter(isGiven)
      .reverse(),
  }
}

const isGiven = <T>(value: T | undefined): value is T => value !== undefined

/** `/networks/` has been the list of networks since 1.25 (ENG-455). */
const listAddress = (url: string, version: string): string =>
  !url.startsWith('/networks/') || isBefore(version, '1.25') ? url : url.replace(/^\/networks\/(?=\?|$)/, '/networks')

const waysBefore = (version: string): ReadonlySet<string> =>
  new Set(changes.flatMap(({ since, way }) => (way !== undefined && isBefore(version, since) ? [way] : [])))

/** What is frozen stays as it is: its older form is made once, and frozen too. */
const madeOlder = new WeakMap<object, Map<RouteChanges, unknown>>()

function older(value: unknown, route: RouteChanges): unknown {
  const make = () => route.answers.reduce((told, change) => change(told), structuredClone(value))
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return make()
  const forms = madeOlder.get(value) ?? new Map<RouteChanges, unknown>()
  madeOlder.set(value, forms)
  const known = forms.get(route)
  if (known !== undefined) return known
  const made = Object.freeze(make())
  forms.set(route, made)
  return made
}

export function engineVersions(): Versions {
  const known = new WeakMap<Route<AnyCallers>, Map<string, RouteChanges>>()
  const knownWays = new Map<string, ReadonlySet<string>>()
  const changesOf = (version: string, route: Route<AnyCallers>): RouteChanges => {
    const byVersion = known.get(route) ?? new Map<string, RouteChanges>()
    const found = byVersion.get(version) ?? changesFor(version, route)
    known.set(route, byVersion.set(version, found))
    return found
  }
  return {
    read(url) {
      const { url: rest, version } = takeVersion(url)
      return { url: encodeNames(listAddress(rest, version)), version }
    },
    admit(route, version) {
      if (changesOf(version, route).isMissing) throw kernelErrors.unknownUrl(route.method, route.path)
    },
    query: (route, version, query) => changesOf(version, route).queries.reduce((asked, change) => change(asked), query),
    body: (route, version, body) => changesOf(version, route).bodies.reduce((asked, change) => change(asked), body),
    answer(route, version, { status, value }) {
      const { answers } = changesOf(version, route)
      if (answers.length === 0) return { status, value }
      return { status, value: older(value, changesOf(version, route)) }
    },
    error: (version, error) => (isBefore(version, jsonErrorsSince) ? inPlainText(error) : error),
    ways(version) {
      const ways = knownWays.get(version) ?? waysBefore(version)
      knownWays.set(version, ways)
      return ways
    },
  }
}
