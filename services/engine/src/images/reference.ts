// Names of images, read as the docker client writes them: `busybox` is `docker.io/library/busybox:latest`.
import { invalidParameter } from '../errors.ts'

export interface Reference {
  /** `docker.io`, `localhost:5000` */
  registry: string
  /** `library/busybox` */
  path: string
  tag?: string
  digest?: string
}

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const pathForm = new RegExp(`^${component}(?:/${component})*$`)
const label = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const registryForm = new RegExp(`^(?:${label}(?:\\.${label})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?$`)
const tagForm = /^[\w][\w.-]{0,127}$/
const digestForm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/
const idForm = /^[a-f0-9]{64}$/
const maxNameLength = 255

const invalid = (): Error => invalidParameter('invalid reference format')

/** Throws 400 for what no client could mean. A tag is not added. */
export function parseReference(text: string): Reference {
  if (text === '' || text.length > 1_024) throw invalid()
  if (idForm.test(text)) {
    throw invalidParameter(`invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`)
  }
  const at = text.indexOf('@')
  const digest = at < 0 ? undefined : text.slice(at + 1)
  if (digest !== undefined && !digestForm.test(digest)) throw invalid()
  const named = at < 0 ? text : text.slice(0, at)
  const colon = named.lastIndexOf(':')
  const hasTag = colon > named.lastIndexOf('/')
  const tag = hasTag ? named.slice(colon + 1) : undefined
  if (tag !== undefined && !tagForm.test(tag)) throw invalid()
  const { registry, path } = splitRegistry(hasTag ? named.slice(0, colon) : named)
  if (path !== path.toLowerCase()) {
    throw invalidParameter('invalid reference format: repository name must be lowercase')
  }
  if (!registryForm.test(registry) || !pathForm.test(path)) throw invalid()
  if (registry.length + 1 + path.length > maxNameLength) {
    throw invalidParameter(`repository name must not be more than ${maxNameLength} characters`)
  }
  return { registry, path, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) }
}

export function isReference(text: string): boolean {
  try {
    parseReference(text)
    return true
  } catch {
    return false
  }
}

function splitRegistry(name: string): { registry: string; path: string } {
  const slash = name.indexOf('/')
  const first = name.slice(0, Math.max(slash, 0))
  const isRegistry = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase())
  const registry = !isRegistry || first === 'index.docker.io' ? 'docker.io' : first
  const path = isRegistry ? name.slice(slash + 1) : name
  return { registry, path: registry === 'docker.io' && !path.includes('/') ? `library/${path}` : path }
}

/** `latest` where neither a tag nor a digest says which. */
export const withLatest = (reference: Reference): Reference =>
  reference.tag === undefined && reference.digest === undefined ? { ...reference, tag: 'latest' } : reference

/** `docker.io/library/busybox` */
export const repositoryOf = ({ registry, path }: Reference): string => `${registry}/${path}`

/** `docker.io/library/busybox:latest`, or with `@sha256:…` when a digest is all there is. */
export function canonicalName(reference: Reference): string {
  const { tag, digest } = withLatest(reference)
  return tag === undefined ? `${repositoryOf(reference)}@${digest}` : `${repositoryOf(reference)}:${tag}`
}

/** For a name that an image is given: it must not be read as a digest later. */
export function checkNewName(reference: Reference): void {
  if (reference.digest !== undefined) throw invalidParameter('refusing to create a tag with a digest reference')
  if (familiarRepository(repositoryOf(reference)) === 'sha256') {
    throw invalidParameter('refusing to create an ambiguous tag using digest algorithm as name')
  }
}

/** As people write it: `busybox`, `localhost:5000/a/b`. */
export function familiarRepository(repository: string): string {
  const rest = repository.startsWith('docker.io/') ? repository.slice('docker.io/'.length) : repository
  return rest === repository || !rest.startsWith('library/') || rest.indexOf('/', 'library/'.length) >= 0
    ? rest
    : rest.slice('library/'.length)
}

/** `docker.io/library/busybox:latest` → `busybox:latest`; the same with a digest. */
export function familiarName(canonical: string): string {
  const { repository, rest } = splitCanonical(canonical)
  return familiarRepository(repository) + rest
}

/** The repository, and `:tag` or `@digest`. */
export function splitCanonical(canonical: string): { repository: string; rest: string } {
  const at = canonical.indexOf('@')
  const end = at >= 0 ? at : canonical.lastIndexOf(':')
  return { repository: canonical.slice(0, end), rest: canonical.slice(end) }
}
