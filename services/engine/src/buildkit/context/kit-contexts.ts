// What a build is made from when its client offers it: folders, an archive on its standard input, or an address.
import { posix } from 'node:path'
import type { BuildContexts, NamedContext } from '../../build/contexts.ts'
import { readIgnorePatterns } from '../../build/dockerfile/ignore-file.ts'
import { fetchRemoteContext } from '../../build/remote-context.ts'
import { codes, GrpcFailure } from '../../grpc/status.ts'
import type { BuildWorkspace } from '../../images/build-store.ts'
import { readInLayers } from '../../runtime/oci/layered-files.ts'
import type { DockerfileText } from '../build-failure.ts'
import type { KeptFolders } from '../session/kept-folders.ts'
import { type FetchedFolder, type FolderRequest, fetchFolder, pullUpload } from '../session/offered-files.ts'
import type { Session } from '../session/sessions.ts'
import type { StatusFeed } from '../status/status-feed.ts'
import { Vertex } from '../status/vertex.ts'

export interface SourceSettings {
  /** Empty: the client's folder. */
  address: string
  /** The client's names for its folders. */
  contextKey: string
  dockerfileKey: string
  /** The Dockerfile lies in a folder of the client's even if the context does not. */
  hasOwnDockerfile: boolean
  filename: string
  /** Addresses of further contexts, by name. */
  named: ReadonlyMap<string, string>
}

export interface ContextParts {
  workspace: BuildWorkspace
  session(): Promise<Session>
  /** A whole archive that came with another request. */
  upload?: (folder: string, workspace: BuildWorkspace) => Promise<void>
  /** Of a repository. */
  keepsGitDir: boolean
  kept: KeptFolders
  feed: StatusFeed
  now(): number
  signal: AbortSignal
}

const maxDockerfileBytes = 2 * 1024 * 1024
const maxIgnoreBytes = 2 * 1024 * 1024

export class KitContexts implements BuildContexts {
  readonly named: ReadonlyMap<string, NamedContext>
  readonly #settings: SourceSettings
  readonly #parts: ContextParts
  readonly #loaded = new Map<string, Promise<string>>()
  /** `<Dockerfile>.dockerignore`, which goes before the context's own. */
  #ownIgnore: string | undefined
  #paths: readonly string[] | undefined
  readonly #fetched: FetchedFolder[] = []

  constructor(settings: SourceSettings, parts: ContextParts) {
    this.#settings = settings
    this.#parts = parts
    this.named = new Map(
      [...settings.named].map(([name, address]) => [name.toLowerCase(), this.#namedContext(name, address)]),
    )
  }

  async dockerfile(): Promise<DockerfileText> {
    const { filename, address, hasOwnDockerfile } = this.#settings
    if (address !== '' && !hasOwnDockerfile) return this.#dockerfileIn(await this.folder(), filename)
    return this.#drawn(`[internal] load build definition from ${filename}`, async (vertex) => {
      const names = [filename, `${filename}.dockerignore`]
      const isUsual = filename === 'Dockerfile'
      const folder = await this.#fetch(vertex, 'dockerfile', {
        name: this.#settings.dockerfileKey,
        paths: isUsual ? [...names, 'dockerfile'] : names,
      })
      const found = await this.#dockerfileIn(folder, filename)
      this.#ownIgnore = await readInLayers([folder], `${filename}.dockerignore`, maxIgnoreBytes)
      return found
    })
  }

  /** From now on it is known what steps need of the context (undefined: everything). It begins to come. */
  begin(paths: readonly string[] | undefined): void {
    this.#paths = paths
    if (paths?.length !== 0) this.folder().catch(() => {})
  }

  async folder(of: 'dockerfile' | 'trigger' = 'dockerfile'): Promise<string> {
    const { address } = this.#settings
    if (address !== '') return this.#once('context', () => this.#remote(address, 'context'))
    const paths = of === 'trigger' ? undefined : this.#paths
    if (paths?.length === 0) return this.#once('nothing', () => this.#parts.workspace.folder('nothing'))
    return this.#once(paths === undefined ? 'whole' : 'part', () => this.#local(paths))
  }

  async #local(paths: readonly string[] | undefined): Promise<string> {
    const excludes = await this.#excludes(this.#settings.contextKey, this.#ownIgnore)
    return this.#drawn('[internal] load build context', (vertex) =>
      this.#fetch(vertex, 'context', { name: this.#settings.contextKey, excludes, paths }, true),
    )
  }

  async #excludes(name: string, own?: string): Promise<string[]> {
    if (own !== undefined) return readIgnorePatterns(own)
    return this.#drawn('[internal] load .dockerignore', async (vertex) => {
      const folder = await this.#fetch(vertex, 'context', { name, paths: ['.dockerignore'] })
      return readIgnorePatterns((await readInLayers([folder], '.dockerignore', maxIgnoreBytes)) ?? '')
    })
  }

  /** Files that come again with the next build are kept for it. */
  async keepForNext(): Promise<void> {
    for (const fetched of this.#fetched) await fetched.keep()
  }

  async #fetch(vertex: Vertex, what: string, request: FolderRequest, isKept = false): Promise<string> {
    const { workspace, session, signal } = this.#parts
    const counter = new TransferFigure(vertex, `transferring ${what}:`)
    const onBytes = (bytes: number) => counter.add(bytes)
    const kept = isKept ? this.#parts.kept : undefined
    const fetched = await fetchFolder(await session(), workspace, request, { signal, onBytes, kept })
    this.#fetched.push(fetched)
    await counter.done()
    return fetched.folder
  }

  /** An archive or a repository somewhere; one of the client's own that it sends when asked. */
  #remote(address: string, name: string): Promise<string> {
    const { workspace, session, signal, upload } = this.#parts
    return this.#drawn(`[internal] load remote build ${name}`, async (vertex) => {
      const [, path] = /^https?:\/\/buildkit-session(\/.*)$/.exec(address) ?? []
      if (upload === undefined && path === undefined) {
        return fetchRemoteContext(workspace, address, { signal, keepsGitDir: this.#parts.keepsGitDir })
      }
      const folder = await workspace.folder('remote')
      if (path === undefined) await upload?.(folder, workspace)
      else {
        const counter = new TransferFigure(vertex, 'transferring context:')
        const tar = pullUpload(await session(), path, { signal, onBytes: (bytes) => counter.add(bytes) })
        await workspace.unpack(tar, folder)
        await counter.done()
      }
      return folder
    })
  }

  #namedContext(name: string, address: string): NamedContext {
    const [, image] = /^docker-image:\/\/(.+)$/.exec(address) ?? []
    if (image !== undefined) return { image }
    const [, folder] = /^local:(.+)$/.exec(address) ?? []
    if (folder !== undefined) return { folder: () => this.#once(`named ${name}`, () => this.#namedFolder(folder)) }
    if (/^(https?|git|ssh):\/\/|^git@/.test(address)) {
      return { folder: () => this.#once(`named ${name}`, () => this.#remote(address, `context ${name}`)) }
    }
    const kind = address.split(':', 1)[0]
    throw new GrpcFailure(codes.invalidArgument, `build context ${name}: ${kind} is not a kind of context known here`)
  }

  async #namedFolder(name: string): Promise<string> {
    const excludes = await this.#excludes(name)
    return this.#drawn(`[context ${name}] load from client`, (vertex) =>
      this.#fetch(vertex, name, { name, excludes }, true),
    )
  }

  async #dockerfileIn(folder: string, filename: string): Promise<DockerfileText> {
    const path = posix.normalize(`/${filename}`).slice(1)
    for (const name of filename === 'Dockerfile' ? [path, 'dockerfile'] : [path]) {
      const text = await readInLayers([folder], name, maxDockerfileBytes)
      if (text !== undefined) return { name, text }
    }
    throw new GrpcFailure(codes.unknown, `failed to read dockerfile: open ${filename}: no such file or directory`)
  }

  #once(key: string, load: () => Promise<string>): Promise<string> {
    const known = this.#loaded.get(key) ?? load()
    this.#loaded.set(key, known)
    return known
  }

  #drawn<T>(name: string, work: (vertex: Vertex) => Promise<T>): Promise<T> {
    return drawn(new Vertex(this.#parts.feed, name, [], this.#parts.now), work)
  }
}

/** Something that is done, as a vertex of its own. */
export async function drawn<T>(vertex: Vertex, work: (vertex: Vertex) => Promise<T>): Promise<T> {
  await vertex.start()
  try {
    const result = await work(vertex)
    await vertex.complete()
    return result
  } catch (error) {
    await vertex.complete(error instanceof Error ? error.message : 'failed')
    throw error
  }
}

const figureEveryMs = 100

/** Counts bytes, and tells of them now and then. */
class TransferFigure {
  readonly #vertex: Vertex
  readonly #id: string
  #bytes = 0
  #toldAt = 0

  constructor(vertex: Vertex, id: string) {
    this.#vertex = vertex
    this.#id = id
  }

  add(bytes: number): void {
    this.#bytes += bytes
    if (Date.now() - this.#toldAt < figureEveryMs) return
    this.#toldAt = Date.now()
    void this.#vertex.figure(this.#id, { current: this.#bytes })
  }

  done(): Promise<void> {
    return this.#vertex.figure(this.#id, { current: this.#bytes, isDone: true })
  }
}
