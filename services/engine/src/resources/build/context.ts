// What a build is made from: a tar with the request, or one that lies elsewhere; and the Dockerfile in it.
import { rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { type IgnorePatterns, readIgnoreFile } from '../../build/dockerfile/ignore-file.ts'
import { invalidParameter } from '../../errors.ts'
import type { BuildWorkspace } from '../../images/build-store.ts'
import { findInLayers, readInLayers } from '../../runtime/oci/layered-files.ts'

const maxDockerfileBytes = 2 * 1024 * 1024
const maxIgnoreBytes = 2 * 1024 * 1024
const connectSeconds = 30

export interface BuildContext {
  folder: string
  dockerfile: string
}

interface Asked {
  body: Readable
  remote: string
  /** Path of the Dockerfile; empty: the usual one. */
  dockerfile: string
  signal: AbortSignal
}

export async function openContext(workspace: BuildWorkspace, asked: Asked): Promise<BuildContext> {
  const folder = await workspace.folder('context')
  if (asked.remote === '') await workspace.unpack(asked.body, folder)
  else {
    asked.body.resume()
    await fetchContext(workspace, folder, asked)
  }
  const { path, text } = await readDockerfileIn(folder, asked.dockerfile)
  await leaveOut(folder, path)
  return { folder, dockerfile: text }
}

async function readDockerfileIn(folder: string, asked: string): Promise<{ path: string; text: string }> {
  const path = posix.normalize(`/${asked || 'Dockerfile'}`).slice(1)
  // A lower-case name is as good where none was asked for.
  const candidates = asked === '' || asked === 'Dockerfile' ? [path, 'dockerfile'] : [path]
  for (const candidate of candidates) {
    const text = await readInLayers([folder], candidate, maxDockerfileBytes)
    if (text !== undefined) return { path: candidate, text }
  }
  throw invalidParameter(`Cannot locate specified Dockerfile: ${asked || 'Dockerfile'}`)
}

/** Clients leave ignored files out by themselves, but for these two: the builder has to read them first. */
async function leaveOut(folder: string, dockerfile: string): Promise<void> {
  const text = await readInLayers([folder], '.dockerignore', maxIgnoreBytes)
  if (text === undefined) return
  const patterns: IgnorePatterns = readIgnoreFile(text)
  for (const path of [dockerfile, '.dockerignore']) {
    // By where it really is: a link may not lead a removal out of the context.
    const found = patterns.ignores(path) ? await findInLayers([folder], path) : undefined
    if (found?.kind === 'file') await rm(found.file, { force: true })
  }
}

/** A tar, or a text that is the Dockerfile itself. */
async function fetchContext(workspace: BuildWorkspace, folder: string, { remote, signal }: Asked): Promise<void> {
  if (!/^https?:\/\//i.test(remote) || /\.git(#.*)?$/.test(remote) || !URL.canParse(remote)) {
    throw invalidParameter(
      `remote ${remote.slice(0, 200)}: only http and https addresses of tars and Dockerfiles are built from; clone a repository first and send its files`,
    )
  }
  const response = await answerOf(remote, signal)
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
  const body = Readable.fromWeb(response.body as ReadableStream)
  if (type !== 'text/plain') return void (await workspace.unpack(body, folder))
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > maxDockerfileBytes)
      throw invalidParameter(`${remote}: a Dockerfile of more than ${maxDockerfileBytes} bytes`)
    pieces.push(piece)
  }
  await writeFile(join(folder, 'Dockerfile'), Buffer.concat(pieces))
}

async function answerOf(remote: string, signal: AbortSignal): Promise<Response> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  const timer = setTimeout(stop, connectSeconds * 1_000)
  signal.addEventListener('abort', stop)
  try {
    const response = await fetch(remote, { signal: controller.signal })
    if (!response.ok || response.body === null) throw invalidParameter(`${remote} answered ${response.status}`)
    return response
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof TypeError) && !controller.signal.aborted) throw error
    throw invalidParameter(`${remote} cannot be fetched: ${error instanceof Error ? error.message : 'no answer'}`)
  } finally {
    clearTimeout(timer)
  }
}
