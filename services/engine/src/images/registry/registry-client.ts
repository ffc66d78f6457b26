// Registries over their HTTP interface (version 2): images are pulled, pushed and looked at, and credentials tried.
import type { Clock } from '@atoll/kernel/clock/clock'
import { notFound } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { ImageBlobs } from '../image-intake.ts'
import type {
  Distribution,
  ImageRegistry,
  ProgressMessage,
  PullOptions,
  PushOptions,
  RegistryAuth,
  SearchHit,
  SearchOptions,
} from '../image-registry.ts'
import type { ImageConfig, Platform } from '../images.ts'
import {
  canonicalName,
  familiarRepository,
  parseReference,
  type Reference,
  repositoryOf,
  withLatest,
} from '../reference.ts'
import { BlobSources } from './blob-sources.ts'
import { describeImage } from './distribution.ts'
import { type Endpoint, hostOfAddress, pullEndpoints, pushEndpoints, searchEndpoints } from './endpoints.ts'
import { plainError, pullError, RegistryProblem, searchError } from './failure.ts'
import { type Login, logIn } from './login.ts'
import { progressOf, type Report } from './progress.ts'
import { findImage, nameOf, type PullWork, statusLine, takeImage } from './pull.ts'
import { pushImage, repositoryLine } from './push.ts'
import { choosePushTarget, type PushTarget } from './push-target.ts'
import { searchIndex, searchRegistry } from './search.ts'
import { RegistrySession } from './session.ts'
import { type Patience, type RegistrySettings, usualPatience } from './settings.ts'
import { NamedLocks, Slots } from './slots.ts'
import { listTags } from './tags.ts'
import { Wire } from './wire.ts'

interface RegistryClientOptions {
  blobs: ImageBlobs
  hostPlatform: Platform
  settings: RegistrySettings
  clock: Clock
  /** Learns of what was pulled and pushed. */
  events?: Pick<EngineEvents, 'emit'>
  patience?: Patience
}

const unpacksAtOnce = 2

export class RegistryClient implements ImageRegistry {
  readonly #options: RegistryClientOptions
  readonly #wire: Wire
  readonly #sources = new BlobSources()
  readonly #downloads: Slots
  readonly #uploads: Slots
  readonly #unpacks = new Slots(unpacksAtOnce)
  readonly #blobsComing = new NamedLocks()
  readonly #blobsGoing = new NamedLocks()

  constructor(options: RegistryClientOptions) {
    this.#options = options
    this.#wire = new Wire(options.patience ?? usualPatience)
    this.#downloads = new Slots(options.settings.layersDownAtOnce)
    this.#uploads = new Slots(options.settings.layersUpAtOnce)
  }

  async *pull(reference: string, options: PullOptions): AsyncGenerator<ProgressMessage> {
    const wanted = whichOne(parseReference(reference), options.tag, options.isAll === true)
    const work = async (report: Report, signal: AbortSignal): Promise<void> => {
      try {
        await this.#pull(wanted, { ...options, signal }, report)
      } catch (problem) {
        throw pullError(problem, canonicalName(wanted), repositoryOf(wanted))
      }
    }
    yield* progressOf(work, options.signal) // ENG-412
  }

  async *push(reference: string, options: PushOptions): AsyncGenerator<ProgressMessage> {
    const { tag: _, digest: __, ...repository } = parseReference(reference)
    const targets = await this.#pushTargets(repository, options)
    const work = async (report: Report, signal: AbortSignal): Promise<void> => {
      try {
        await this.#push(repository, targets, { ...options, signal }, report)
      } catch (problem) {
        throw plainError(problem)
      }
    }
    yield* progressOf(work, options.signal) // ENG-411
  }

  async distribution(
    reference: string,
    { auth, signal }: { auth?: RegistryAuth; signal: AbortSignal },
  ): Promise<Distribution> {
    const wanted = withLatest(parseReference(reference))
    try {
      return await this.#atFirst(pullEndpoints(wanted.registry, this.#options.settings), (endpoint) =>
        this.#open(endpoint, wanted, 'pull', auth, signal).then((session) => describeImage(session, wanted, signal)),
      )
    } catch (problem) {
      throw plainError(problem)
    }
  }

  /** Tries credentials. Throws 401 when they are not taken. */
  async logIn(auth: RegistryAuth, signal: AbortSignal): Promise<Login> {
    const { settings, clock } = this.#options
    const registry = hostOfAddress(auth.serveraddress || 'docker.io')
    try {
      return await this.#atFirst(pushEndpoints(registry, settings), (endpoint) =>
        logIn({ wire: this.#wire, clock, endpoint, auth }, signal),
      )
    } catch (problem) {
      throw plainError(problem)
    }
  }

  async search(word: string, { host, limit, auth, signal }: SearchOptions): Promise<SearchHit[]> {
    const { settings, clock } = this.#options
    let isUnknownToMirrors = false
    const ask = async (endpoint: Endpoint): Promise<SearchHit[]> => {
      const search = host === undefined && !endpoint.isMirror ? searchIndex : searchRegistry
      const hits = await search({ wire: this.#wire, clock, endpoint, auth }, { word, limit }, signal)
      if (hits.length > 0 || !endpoint.isMirror) return hits
      isUnknownToMirrors = true
      throw new RegistryProblem('NOT_FOUND', 'the mirror has nothing like it')
    }
    const endpoints = host === undefined ? searchEndpoints(settings) : pushEndpoints(host, settings)
    try {
      const hits = await this.#atFirst(endpoints, ask)
      return hits.map((hit) => ({ ...hit, name: familiarRepository(`${host ?? 'docker.io'}/${hit.name}`) }))
    } catch (problem) {
      if (isUnknownToMirrors && problem instanceof RegistryProblem) return []
      throw searchError(problem, host ?? 'docker.io')
    }
  }

  /** For what is no image: `use` speaks to the first address of the registry that works. */
  async inRepository<T>(
    reference: Reference,
    actions: 'pull' | 'pull,push',
    { auth, signal }: { auth: RegistryAuth | undefined; signal: AbortSignal },
    use: (session: RegistrySession) => Promise<T>,
  ): Promise<T> {
    const { settings } = this.#options
    const endpoints =
      actions === 'pull' ? pullEndpoints(reference.registry, settings) : pushEndpoints(reference.registry, settings)
    return this.#atFirst(endpoints, async (endpoint) =>
      use(await this.#open(endpoint, reference, actions, auth, signal)),
    )
  }

  close(): void {
    this.#wire.close()
  }

  async #pull(wanted: Reference, { isAll, platform, auth, signal }: PullOptions, report: Report): Promise<void> {
    const { blobs, hostPlatform, settings } = this.#options
    const { work, tags, first } = await this.#atFirst(pullEndpoints(wanted.registry, settings), async (endpoint) => {
      const session = await this.#open(endpoint, wanted, 'pull', auth, signal)
      const work: PullWork = {
        blobs,
        hostPlatform,
        session,
        platform,
        report,
        signal,
        sources: this.#sources,
        downloads: this.#downloads,
        unpacks: this.#unpacks,
        locks: this.#blobsComing,
        onTaken: (reference, config) => this.#tell('pull', reference, config),
      }
      const [tag, ...tags] = isAll === true ? await listTags(session, wanted.path, signal) : [wanted.tag]
      const first = await findImage(work, tag === undefined ? wanted : { ...wanted, tag })
      return { work, tags, first }
    })
    let isNew = await takeImage(work, first)
    for (const tag of tags) {
      if (tag === undefined) continue
      const isNewToo = await takeImage(work, await findImage(work, { ...wanted, tag }))
      isNew ||= isNewToo
    }
    const name = isAll === true ? familiarRepository(repositoryOf(wanted)) : nameOf(wanted)
    report({ status: statusLine(name, isNew) })
  }

  async #pushTargets(repository: Reference, { tag, platform }: PushOptions): Promise<Map<string, PushTarget>> {
    const { blobs, hostPlatform } = this.#options
    const tags = tag === undefined || tag === '' ? blobs.tags(repositoryOf(repository)) : [tag]
    const name = familiarRepository(repositoryOf(repository))
    if (tags.length === 0) throw notFound(`An image does not exist locally with the tag: ${name}`)
    const targets = new Map<string, PushTarget>()
    for (const one of tags) {
      const reference = parseReference(`${repositoryOf(repository)}:${one}`)
      targets.set(one, await choosePushTarget(blobs, reference, platform, hostPlatform))
    }
    return targets
  }

  async #push(
    repository: Reference,
    targets: ReadonlyMap<string, PushTarget>,
    { auth, signal }: PushOptions,
    report: Report,
  ): Promise<void> {
    const { blobs, settings } = this.#options
    report({ status: repositoryLine(repository) })
    const session = await this.#atFirst(pushEndpoints(repository.registry, settings), (endpoint) =>
      this.#open(endpoint, repository, 'pull,push', auth, signal),
    )
    const work = {
      blobs,
      session,
      report,
      signal,
      sources: this.#sources,
      uploads: this.#uploads,
      locks: this.#blobsGoing,
    }
    for (const [tag, target] of targets) {
      await pushImage(work, { ...repository, tag }, target)
      this.#tell('push', { ...repository, tag }, await blobs.readConfig(target.imageId))
    }
  }

  #tell(action: 'pull' | 'push', reference: Reference, { config }: ImageConfig): void {
    const name = familiarRepository(repositoryOf(reference))
    this.#options.events?.emit('image', action, nameOf(reference), { ...config?.Labels, name })
  }

  #open(
    endpoint: Endpoint,
    { path }: Reference,
    actions: string,
    auth: RegistryAuth | undefined,
    signal: AbortSignal,
  ): Promise<RegistrySession> {
    const { clock } = this.#options
    const scopes = [`repository:${path}:${actions}`]
    return RegistrySession.open({ wire: this.#wire, clock, endpoint, auth, scopes }, signal)
  }

  /**
   * Mirrors come before the registry they mirror, and encrypted before open: one that does not work is passed over. What
   * a registry itself refuses stays refused: credentials are not tried again in the open.
   */
  async #atFirst<T>(endpoints: readonly Endpoint[], use: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    let failure: unknown
    for (const endpoint of endpoints) {
      try {
        return await use(endpoint)
      } catch (problem) {
        failure = problem
        if (!(problem instanceof RegistryProblem)) break
        if (!endpoint.isMirror && problem.code !== 'UNREACHABLE') break
      }
    }
    throw failure
  }
}

/** The tag or digest beside a reference wins over the one in it; with a digest the tag says nothing. */
function whichOne(reference: Reference, beside: string | undefined, isAll: boolean): Reference {
  const { registry, path } = reference
  if (isAll) return { registry, path }
  const other = beside === undefined || beside === '' ? reference : besides(reference, beside)
  const { digest, tag } = withLatest(other)
  return digest === undefined ? { registry, path, ...(tag !== undefined && { tag }) } : { registry, path, digest }
}

const besides = (reference: Reference, beside: string): Reference =>
  parseReference(`${repositoryOf(reference)}${beside.includes(':') ? '@' : ':'}${beside}`)
