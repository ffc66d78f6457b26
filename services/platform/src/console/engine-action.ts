// What a request to the engine does, in the words of the audit log. Nothing of its body is told: that may hold secrets.
import type { ForwardedRequest } from '@atoll/kernel/http/forward/forwarding'

export interface EngineAction {
  /** What it is done to: a container's id or name as the request has it. Absent for all of a kind. */
  id?: string
  object: string
  action: string
  parameters?: Record<string, string>
}

/** They change nothing, or only how a terminal is drawn. */
const silent = new Set(['wait', 'resize'])
const reading = new Set(['GET', 'HEAD'])

/** Those that say what is done; build arguments and the like stay out. */
const toldParameters = ['name', 'force', 'v', 'signal', 't', 'fromImage', 'tag', 'repo', 'path', 'filters']
const maxLetters = 256

/** Of all things of a kind: `POST /containers/prune`. */
const collective = new Set(['create', 'prune', 'load', 'init', 'join', 'leave', 'update', 'unlock'])

/** Undefined for what only reads. */
export function engineActionOf({ method, path, search }: ForwardedRequest): EngineAction | undefined {
  if (reading.has(method)) return undefined
  const [object = '', ...rest] = segmentsOf(path)
  const last = rest.at(-1) ?? ''
  if (silent.has(last)) return undefined
  const isCollective = rest.length === 1 && method !== 'DELETE' && collective.has(last)
  const hasVerb = !isCollective && rest.length > 1 && method !== 'DELETE'
  // An image's name may have slashes of its own.
  const id = isCollective ? '' : rest.slice(0, hasVerb ? -1 : undefined).join('/')
  const parameters = parametersOf(search)
  return {
    ...(id === '' ? {} : { id: shortened(id) }),
    object: shortened(object.replace(/s$/, '')),
    action: shortened(isCollective || hasVerb ? last : method === 'DELETE' ? 'remove' : method.toLowerCase()),
    ...(parameters === undefined ? {} : { parameters }),
  }
}

/** Without the version of the interface that clients may begin with. */
const segmentsOf = (path: string): string[] =>
  path
    .replace(/^\/v\d+\.\d+(?=\/)/, '')
    .split('/')
    .slice(1)
    .map(decoded)

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function parametersOf(search: string): Record<string, string> | undefined {
  const given = new URLSearchParams(search)
  const told = toldParameters.flatMap((name) => {
    const value = given.get(name)
    return value === null ? [] : [[name, shortened(value)] as const]
  })
  return told.length === 0 ? undefined : Object.fromEntries(told)
}

const shortened = (text: string): string => text.slice(0, maxLetters)
