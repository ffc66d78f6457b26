// What a client asks of the Dockerfile frontend, by its attributes.
import type { BuildOptions } from '../../build/options.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import { parsePlatform } from '../../images/platform.ts'
import type { HostSettings } from '../../resources/containers/schema.ts'
import type { SourceSettings } from '../context/kit-contexts.ts'

export interface FrontendOrder {
  options: BuildOptions
  source: SourceSettings
  /** Attributes that mean nothing here; clients are told. */
  unknown: string[]
}

export const refusal = (message: string): GrpcFailure => new GrpcFailure(codes.unimplemented, message)
const invalid = (message: string): GrpcFailure => new GrpcFailure(codes.invalidArgument, message)

/** Those that are read below, and those that only describe where the sources came from. */
const known: ReadonlySet<string> = new Set([
  ...['filename', 'target', 'no-cache', 'image-resolve-mode', 'platform', 'add-hosts', 'force-network-mode'],
  ...['shm-size', 'ulimit', 'cgroup-parent', 'context', 'contextkey', 'dockerfilekey', 'cache-from', 'cache-imports'],
  ...['frontend.caps', 'cmdline', 'source', 'multi-platform', 'hostname', 'contextsubdir'],
])
const knownPrefixes = ['build-arg:', 'label:', 'context:', 'local-sessionid:', 'vcs:', 'input-metadata:', 'attest:']

export function readFrontendAttrs(attrs: ReadonlyMap<string, string>, cacheFrom: readonly string[]): FrontendOrder {
  refuse(attrs)
  const text = (name: string) => attrs.get(name) ?? ''
  const noCache = attrs.get('no-cache')
  const options: BuildOptions = {
    isBuildKit: true,
    buildArgs: withPrefix(attrs, 'build-arg:'),
    labels: withPrefix(attrs, 'label:'),
    target: text('target'),
    platform: platformOf(text('platform')),
    names: [],
    isCacheOff: noCache === '',
    uncachedStages: new Set(list(noCache ?? '').map((name) => name.toLowerCase())),
    pulls: text('image-resolve-mode') === 'pull',
    cacheFrom: [...cacheFrom, ...list(text('cache-from'))],
    networkMode: text('force-network-mode'),
    extraHosts: list(text('add-hosts')).map((host) => host.replace('=', ':')),
    limits: limitsOf(text),
  }
  const isKnown = (name: string) => known.has(name) || knownPrefixes.some((prefix) => name.startsWith(prefix))
  return { options, source: sourceOf(attrs), unknown: [...attrs.keys()].filter((name) => !isKnown(name)) }
}

function sourceOf(attrs: ReadonlyMap<string, string>): SourceSettings {
  return {
    address: attrs.get('context') ?? '',
    contextKey: attrs.get('contextkey') || 'context',
    dockerfileKey: attrs.get('dockerfilekey') || 'dockerfile',
    hasOwnDockerfile: attrs.has('dockerfilekey'),
    filename: attrs.get('filename') || 'Dockerfile',
    named: new Map(Object.entries(withPrefix(attrs, 'context:'))),
  }
}

/** What cannot be done is said, not left out. */
function refuse(attrs: ReadonlyMap<string, string>): void {
  const request = attrs.get('requestid')
  if (request !== undefined)
    throw refusal(`${request}: this engine builds Dockerfiles, and answers no questions about them`)
  const attest = [...attrs].find(([name, value]) => name.startsWith('attest:') && !isHarmless(value))
  if (attest !== undefined) throw refusal(`${attest[0]}: this engine makes no attestations`)
  if (attrs.get('multi-platform') === 'true') throw refusal('multi-platform: an image of this engine has one platform')
  if (attrs.has('hostname')) throw refusal('hostname: steps of a build have no host name of choice')
  if (attrs.has('contextsubdir')) throw refusal('contextsubdir: name the folder in the address of the context')
  const syntax = attrs.get('build-arg:BUILDKIT_SYNTAX')
  if (syntax !== undefined && !/^(docker\.io\/)?docker\/dockerfile(-upstream)?([:@]|$)/.test(syntax)) {
    throw refusal(`BUILDKIT_SYNTAX=${syntax}: this engine builds Dockerfiles only`)
  }
}

/** Asked for by clients on their own account, and only where it costs nothing. */
const isHarmless = (value: string): boolean => /(^|,)(disabled|inline-only)=true(,|$)/.test(value)

const withPrefix = (attrs: ReadonlyMap<string, string>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    [...attrs].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), value]),
  )

const list = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)

function platformOf(text: string): BuildOptions['platform'] {
  const platforms = list(text)
  if (platforms.length > 1) throw refusal(`platforms ${text}: this engine builds for one platform at a time`)
  return platforms[0] === undefined ? undefined : parsePlatform(platforms[0])
}

function limitsOf(text: (name: string) => string): HostSettings {
  const shm = text('shm-size')
  if (!/^\d*$/.test(shm)) throw invalid(`shm-size: ${shm} is no number of bytes`)
  const ulimits = list(text('ulimit')).map((each) => {
    const [, Name, soft, hard = soft] = /^([a-z]+)=(-?\d+)(?::(-?\d+))?$/.exec(each) ?? []
    if (Name === undefined) throw invalid(`ulimit: ${each} is none`)
    return { Name, Soft: Number(soft), Hard: Number(hard) }
  })
  const parent = text('cgroup-parent')
  return {
    ...(Number(shm) > 0 && { ShmSize: Number(shm) }),
    ...(ulimits.length > 0 && { Ulimits: ulimits }),
    ...(parent !== '' && { CgroupParent: parent }),
  }
}
