// Fetches a file over several connections into a part file, or over one where a server knows no ranges.

import { type HubClient, networkProblem } from './hub-client.ts'
import type { PartFile } from './part-file.ts'
import type { Run } from './pieces.ts'
import { ChangedProblem, ModelFileProblem, PassingProblem } from './problem.ts'
import { checkPart, etagOf, type RemoteFile, throwForStatus } from './remote-file.ts'
import { type Patience, persist } from './retry.ts'
import type { ModelSource } from './source.ts'

export interface Download {
  client: HubClient
  source: ModelSource
  remote: RemoteFile
  part: PartFile
  connections: number
  patience: Patience
  signal: AbortSignal
  /** Bytes that arrived; negative when some have to come again. */
  onBytes(count: number): void
}

/** Servers that know no ranges and tell no size could go on forever. */
const maxUnknownBytes = 2 ** 38

export async function download(job: Download): Promise<void> {
  if (!job.remote.ranges) return fetchWhole(job)
  const failed = new AbortController()
  const signal = AbortSignal.any([job.signal, failed.signal])
  let first: unknown
  const work = async (): Promise<void> => {
    try {
      for (let run = next(); run; run = next()) await fetchRun({ ...job, signal }, run)
    } catch (error) {
      first ??= error
      failed.abort()
    }
  }
  const next = (): Run | undefined => (signal.aborted ? undefined : job.part.pieces.take(job.connections))
  await Promise.all(Array.from({ length: job.connections }, work))
  if (first !== undefined) throw first
  job.signal.throwIfAborted()
}

/** A connection that breaks goes on at the byte where it broke. */
async function fetchRun(job: Download, run: Run): Promise<void> {
  const { client, source, remote, part, signal } = job
  let at = run.start
  const attempt = async (): Promise<void> => {
    const answer = await client.get(source.url, signal, [at, run.end - 1])
    throwForStatus(answer, source, client)
    try {
      checkPart(answer, remote, at)
      for await (const chunk of answer.response as AsyncIterable<Buffer>) {
        if (at + chunk.length > run.end) throw new PassingProblem('the server sent more than it was asked for')
        await part.write(chunk, at, run.start)
        at += chunk.length
        job.onBytes(chunk.length)
      }
    } catch (error) {
      throw readProblem(error, job)
    } finally {
      answer.response.destroy()
    }
    if (at < run.end) throw new PassingProblem(`${source.url.host} cut the connection`)
  }
  await persist(attempt, signal, job.patience, () => at)
}

/** From the start each time, since nothing else can be asked for. */
async function fetchWhole(job: Download): Promise<void> {
  const { client, source, remote, part, signal } = job
  const most = remote.bytes ?? maxUnknownBytes
  let at = 0
  const attempt = async (): Promise<void> => {
    job.onBytes(-at)
    at = 0
    const answer = await client.get(source.url, signal)
    throwForStatus(answer, source, client)
    try {
      if (etagOf(answer) !== remote.etag) throw new ChangedProblem('the file changed on the server')
      for await (const chunk of answer.response as AsyncIterable<Buffer>) {
        if (at + chunk.length > most) throw new PassingProblem('the server sent more than it said')
        await part.write(chunk, at)
        at += chunk.length
        job.onBytes(chunk.length)
      }
    } catch (error) {
      throw readProblem(error, job)
    } finally {
      answer.response.destroy()
    }
    if (remote.bytes !== undefined && at < remote.bytes)
      throw new PassingProblem(`${source.url.host} cut the connection`)
  }
  await persist(attempt, signal, job.patience)
  await part.end(at)
}

/** The disk's failures are final, the network's pass. */
function readProblem(error: unknown, { source, signal }: Download): unknown {
  if (signal.aborted || error instanceof ChangedProblem) return error
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC')
    return new ModelFileProblem('the disk is full. Free some space; the same command then goes on.')
  return ['write', 'fsync', 'fdatasync', 'open', 'rename'].includes(syscall) ? error : networkProblem(error, source.url)
}
