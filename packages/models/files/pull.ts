// Brings a model into the folder: fetched, checked, and only then given its name.
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '@atoll/kernel/blobs/durable-folders'
import { GgufProblem } from '../gguf/problem.ts'
import { readGguf } from '../gguf/read.ts'
import { download } from './download.ts'
import { HubClient, shownUrl } from './hub-client.ts'
import { withLock } from './lock.ts'
import { readOrigin, sha256Of, writeOrigin } from './origin.ts'
import { discardPart, PartFile } from './part-file.ts'
import { type ModelPaths, modelPaths } from './paths.ts'
import { ChangedProblem, ModelFileProblem } from './problem.ts'
import { probe, type RemoteFile } from './remote-file.ts'
import { type Patience, persist } from './retry.ts'
import { type ModelSource, modelSource } from './source.ts'

export interface PullOptions {
  folder: string
  hub: string
  token?: string | undefined
  env?: Readonly<Record<string, string | undefined>>
  /** What the file is to be called. */
  name?: string | undefined
  /** In hexadecimal; what the hub says of the file must agree. */
  sha256?: string | undefined
  connections?: number
  signal?: AbortSignal
  progress?: PullProgress
  patience?: Patience
  stallMs?: number
}

export interface PullProgress {
  /** What will be fetched: `done` of `bytes` are there from an earlier attempt. */
  begin(file: string, bytes: number | undefined, done: number): void
  bytes(count: number): void
  checking(): void
  note(text: string): void
}

export interface Pulled {
  path: string
  bytes: number
  sha256: string
  /** It was there already: nothing was fetched. */
  present: boolean
}

const defaultConnections = 4
const maxConnections = 16
/** What else the machine may write meanwhile. */
const spareBytes = 64 * 1024 * 1024
/** A file that changes more often than this while it is fetched cannot be had. */
const maxBeginnings = 3
const silent: PullProgress = { begin() {}, bytes() {}, checking() {}, note() {} }

interface Pull extends PullOptions {
  source: ModelSource
  paths: ModelPaths
  client: HubClient
  signal: AbortSignal
  progress: PullProgress
}

/** `what` is a name of the catalogue, `owner/repository/file.gguf`, or a URL. */
export async function pull(what: string, options: PullOptions): Promise<Pulled> {
  const sha256 = checkedSha256(options.sha256)
  const { connections = defaultConnections } = options
  if (!Number.isInteger(connections) || connections < 1 || connections > maxConnections) {
    throw new ModelFileProblem(`connections must be a whole number from 1 to ${maxConnections}`)
  }
  const source = modelSource(what, options.hub, options.name)
  const paths = modelPaths(options.folder, source.file)
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const client = new HubClient(options)
  const { signal = new AbortController().signal, progress = silent } = options
  try {
    return await withLock(paths.lock, source.file, () =>
      pullAnew({ ...options, sha256, connections, source, paths, client, signal, progress }),
    )
  } finally {
    client.close()
  }
}

async function pullAnew(job: Pull): Promise<Pulled> {
  for (let beginnings = 1; ; beginnings++) {
    try {
      return await pullOnce(job)
    } catch (error) {
      if (!(error instanceof ChangedProblem)) throw error
      await discardPart(job.paths)
      if (beginnings >= maxBeginnings) throw new ModelFileProblem(`${error.message}, again and again. Try later.`)
      job.progress.note(`${error.message}: starting anew`)
    }
  }
}

async function pullOnce(job: Pull): Promise<Pulled> {
  const { client, source, signal } = job
  const remote = await persist(() => probe(client, source, signal), signal, { ...job.patience, tries: 4 })
  const wanted = wantedSha256(job, remote)
  return (await alreadyThere(job, remote, wanted)) ?? (await fetchAndInstall(job, remote, wanted))
}

function checkedSha256(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{64}$/i.test(text)) return text?.toLowerCase()
  throw new ModelFileProblem('a SHA-256 checksum has 64 hexadecimal digits')
}

function wantedSha256({ sha256, source }: Pull, remote: RemoteFile): string | undefined {
  if (sha256 === undefined || remote.sha256 === undefined || sha256 === remote.sha256) return sha256 ?? remote.sha256
  throw new ModelFileProblem(`${shownUrl(source.url)} has the checksum ${remote.sha256}, not ${sha256}`)
}

async function alreadyThere(job: Pull, remote: RemoteFile, wanted: string | undefined): Promise<Pulled | undefined> {
  const { paths, source, signal, progress } = job
  const size = await stat(paths.model).then(
    (found) => found.size,
    () => undefined,
  )
  if (size === undefined) return undefined
  const origin = await readOrigin(paths.origin)
  const found = { path: paths.model, bytes: size, present: true }
  if (size === remote.bytes) {
    const noted =
      wanted === undefined ? origin?.etag !== undefined && origin.etag === remote.etag : origin?.sha256 === wanted
    if (origin && noted) return { ...found, sha256: origin.sha256 }
    progress.checking()
    const sha256 = wanted === undefined ? undefined : await sha256Of(paths.model, signal)
    if (sha256 !== undefined && sha256 === wanted) {
      await noteOrigin(job, remote, sha256, size)
      return { ...found, sha256 }
    }
  }
  throw new ModelFileProblem(
    `${paths.model} is there already, and is not the file at ${shownUrl(source.url)}. Remove it first (./atoll models rm ${source.file}), or pull under another name (--name FILE.gguf).`,
  )
}

async function fetchAndInstall(job: Pull, remote: RemoteFile, wanted: string | undefined): Promise<Pulled> {
  const { paths, source, signal, progress, client, connections = defaultConnections, patience = {} } = job
  await mustHaveRoom(job, remote)
  const part = await PartFile.open(paths, remote)
  try {
    progress.begin(source.file, remote.bytes, part.pieces.doneBytes)
    const onBytes = (count: number): void => progress.bytes(count)
    await download({ client, source, remote, part, connections, patience, signal, onBytes })
    progress.checking()
    await part.sync()
  } finally {
    await part.close()
  }
  const sha256 = await checkPartFile(job, wanted)
  const bytes = (await stat(paths.part)).size
  await noteOrigin(job, remote, sha256, bytes)
  await rename(paths.part, paths.model)
  await syncFolder(dirname(paths.model))
  await rm(paths.partState, { force: true })
  return { path: paths.model, bytes, sha256, present: false }
}

/** What is not the file it should be goes: to keep it would only fail again. */
async function checkPartFile({ paths, source, signal }: Pull, wanted: string | undefined): Promise<string> {
  const sha256 = await sha256Of(paths.part, signal)
  const at = shownUrl(source.url)
  if (wanted !== undefined && sha256 !== wanted) {
    await discardPart(paths)
    throw new ModelFileProblem(
      `what came from ${at} has the checksum ${sha256}, not ${wanted}: it was removed. Try again.`,
    )
  }
  try {
    await readGguf(paths.part)
  } catch (error) {
    if (!(error instanceof GgufProblem)) throw error
    await discardPart(paths)
    throw new ModelFileProblem(`${at} cannot be used: ${error.message}. It was removed.`)
  }
  return sha256
}

const noteOrigin = (
  { paths, source }: Pull,
  { etag, commit }: RemoteFile,
  sha256: string,
  bytes: number,
): Promise<void> => writeOrigin(paths.origin, { url: shownUrl(source.url), sha256, bytes, etag, commit })

async function mustHaveRoom({ folder, paths }: Pull, { bytes }: RemoteFile): Promise<void> {
  if (bytes === undefined) return
  const { bavail, bsize } = await statfs(folder)
  const there = await stat(paths.part).then(
    (found) => found.blocks * 512,
    () => 0,
  )
  const needed = Math.max(0, bytes - there) + spareBytes
  if (bavail * bsize >= needed) return
  const megabytes = (count: number): string => `${Math.ceil(count / 1e6).toLocaleString('en')} MB`
  throw new ModelFileProblem(
    `${folder} has ${megabytes(bavail * bsize)} left, and ${megabytes(needed)} are needed. Free some space, or choose another folder with --data.`,
  )
}
