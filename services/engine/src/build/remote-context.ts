// Contexts that lie elsewhere: repositories, archives, and texts that are the Dockerfile itself.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { invalidParameter } from '../errors.ts'
import type { BuildWorkspace } from '../images/build-store.ts'
import { fetchGit, readGitAddress } from './git-source.ts'

const maxDockerfileBytes = 2 * 1024 * 1024
const connectSeconds = 30

interface RemoteOptions {
  signal: AbortSignal
  keepsGitDir: boolean
}

/** Returns the folder that it is in. */
export async function fetchRemoteContext(
  workspace: BuildWorkspace,
  remote: string,
  options: RemoteOptions,
): Promise<string> {
  const repository = readGitAddress(remote)
  if (repository !== undefined) return fetchGit(workspace, repository, options)
  if (!/^https?:\/\//i.test(remote) || !URL.canParse(remote)) {
    throw invalidParameter(
      `remote ${remote.slice(0, 200)}: only repositories of git, and http and https addresses of tars and Dockerfiles are built from`,
    )
  }
  const folder = await workspace.folder('remote')
  const response = await answerOf(remote, options.signal)
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
  const body = Readable.fromWeb(response.body as ReadableStream)
  if (type === 'text/plain') await writeFile(join(folder, 'Dockerfile'), await dockerfileFrom(body, remote))
  else await workspace.unpack(body, folder)
  return folder
}

async function dockerfileFrom(body: Readable, remote: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > maxDockerfileBytes) {
      throw invalidParameter(`${remote}: a Dockerfile of more than ${maxDockerfileBytes} bytes`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
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
