// What a build is made from: a tar with the request, or one that lies elsewhere; and the Dockerfile in it.
import { rm } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import { type IgnorePatterns, readIgnoreFile } from '../../build/dockerfile/ignore-file.ts'
import { fetchRemoteContext } from '../../build/remote-context.ts'
import { invalidParameter } from '../../errors.ts'
import type { BuildWorkspace } from '../../images/build-store.ts'
import { findInLayers, readInLayers } from '../../runtime/oci/layered-files.ts'

const maxDockerfileBytes = 2 * 1024 * 1024
const maxIgnoreBytes = 2 * 1024 * 1024

export interface BuildContext {
  folder: string
  dockerfile: string
}

interface Asked {
  body: Readable
  remote: string
  /** Path of the Dockerfile; empty: the usual one. */
  dockerfile: string
  /** Of a repository. */
  keepsGitDir: boolean
  signal: AbortSignal
}

export async function openContext(workspace: BuildWorkspace, asked: Asked): Promise<BuildContext> {
  const folder = await filesOf(workspace, asked)
  const { path, text } = await readDockerfileIn(folder, asked.dockerfile)
  await leaveOut(folder, path)
  return { folder, dockerfile: text }
}

async function filesOf(workspace: BuildWorkspace, { body, remote, signal, keepsGitDir }: Asked): Promise<string> {
  if (remote !== '') {
    body.resume()
    return fetchRemoteContext(workspace, remote, { signal, keepsGitDir })
  }
  const folder = await workspace.folder('context')
  await workspace.unpack(body, folder)
  return folder
}

async function readDockerfileIn(folder: string, asked: string): Promise<{ path: string; text: string }> {
  const path = posix.normalize(`/${asked || 'Dockerfile'}`).slice(1)
  // A lower-case name is as good where none was asked for.
  const candidates = asked === '' || asked === 'Dockerfile' ? [path, 'dockerfile'] : [path]
  for (const candidate of candidates) {
    const text = await readInLayers([folder], candidate, maxDockerfileBytes)
    if (text === '') throw invalidParameter(`the Dockerfile (${candidate}) cannot be empty`)
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
