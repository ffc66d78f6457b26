// A blob from a registry into a file: goes on where an earlier try stopped, and never past the size it should have.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm, stat, truncate } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Descriptor } from '../image-intake.ts'
import { nonsense, RegistryProblem, unreachable } from './failure.ts'
import type { RegistrySession } from './session.ts'
import type { WireAnswer } from './wire.ts'

const maxTriesWithoutGain = 5

interface Download {
  session: RegistrySession
  /** `library/busybox` */
  path: string
  blob: Pick<Descriptor, 'digest' | 'size'>
  /** What is in it already is taken for the beginning of the blob. */
  file: string
  signal: AbortSignal
  onProgress(bytes: number): void
  onRetry(delaySeconds: number): void
}

/** The file has the blob's size then; whether it is the blob, its digest will tell. */
export async function downloadBlob(download: Download): Promise<void> {
  const { blob, file, session, signal } = download
  let furthest = await lengthOf(file)
  for (let tries = 1; ; tries++) {
    try {
      return await tryOnce(download)
    } catch (problem) {
      signal.throwIfAborted()
      if (!(problem instanceof RegistryProblem) || !problem.isPassing) throw problem
      const length = await lengthOf(file)
      if (length > furthest) tries = 1
      furthest = Math.max(furthest, length)
      if (tries >= maxTriesWithoutGain) {
        throw new RegistryProblem(
          problem.code,
          `download of ${blob.digest} stopped after ${length} of ${blob.size} bytes: ${problem.message}`,
        )
      }
      const delayMs = session.wire.patience.backoffMs * 2 ** (tries - 1)
      download.onRetry(Math.ceil(delayMs / 1000))
      await sleep(delayMs, undefined, { signal })
    }
  }
}

async function tryOnce(download: Download): Promise<void> {
  const { blob, file, session, path, signal } = download
  const have = await usableLength(file, blob.size)
  if (have === blob.size && have > 0) return
  const to = `/v2/${path}/blobs/${blob.digest}`
  const headers = { ...(have > 0 && { range: `bytes=${have}-` }), 'accept-encoding': 'identity' }
  const answer = await session.sendRaw({ method: 'GET', to, headers, signal })
  if (answer.status === 416) {
    answer.body.destroy()
    await rm(file, { force: true })
    throw new RegistryProblem('UNEXPECTED', 'the registry cannot go on where the download stopped', true)
  }
  if (answer.status >= 400) throw await session.refusalOf(answer)
  const start = answer.status === 206 ? have : 0
  checkLength(answer, start, blob)
  if (start === 0 && have > 0) await truncate(file, 0)
  await receive(download, answer, start)
}

/** The server may know that it has something else than the manifest says: then there is no use in reading it. */
function checkLength({ headers, status, body }: WireAnswer, start: number, { digest, size }: Download['blob']): void {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '')
  const isOdd = status === 206 && Number(range?.[1]) !== start
  const length = headers['content-length']
  const whole = length === undefined || headers['content-encoding'] !== undefined ? undefined : start + Number(length)
  if (!isOdd && (whole === undefined || whole === size)) return
  body.destroy()
  if (isOdd) throw nonsense(`the registry sent another part of ${digest} than it was asked for`)
  throw nonsense(`layer verification failed: the registry has ${whole} bytes of ${digest}, its manifest says ${size}`)
}

async function receive({ blob, file, signal, onProgress }: Download, answer: WireAnswer, start: number): Promise<void> {
  let length = start
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of answer.body) {
      length += chunk.length
      if (length > blob.size) throw nonsense(`the registry sends more than the ${blob.size} bytes of ${blob.digest}`)
      onProgress(length)
      yield chunk
    }
  }
  try {
    await append(counted(), file)
  } catch (problem) {
    signal.throwIfAborted()
    if (length > blob.size) await rm(file, { force: true })
    throw isOfDisk(problem) ? problem : unreachable({ method: 'GET', url: answer.url }, problem)
  }
  signal.throwIfAborted()
  if (length < blob.size) throw unreachable({ method: 'GET', url: answer.url }, new Error('unexpected EOF'))
}

/** What has come when a connection breaks is written all the same: the next try goes on from there. */
async function append(chunks: AsyncIterable<Buffer>, file: string): Promise<void> {
  const sink = createWriteStream(file, { flags: 'a' })
  const written = finished(sink)
  written.catch(() => {}) // heard of below
  try {
    for await (const chunk of chunks) {
      if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), written])
    }
  } finally {
    sink.end()
    await written
  }
}

const isOfDisk = (problem: unknown): boolean => {
  const { code, syscall } = problem as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT' || syscall === 'open' || syscall === 'write'
}

/** More than the whole blob can be no beginning of it. */
async function usableLength(file: string, size: number): Promise<number> {
  const length = await lengthOf(file)
  if (length <= size) return length
  await truncate(file, 0)
  return 0
}

async function lengthOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw problem
  }
}
