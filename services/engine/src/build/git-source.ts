// Repositories as contexts and as sources of ADD: `https://host/project.git#branch:folder`, fetched by the git program.
import { spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidParameter, systemError } from '../errors.ts'
import type { BuildWorkspace } from '../images/build-store.ts'
import { findInLayers } from '../runtime/oci/layered-files.ts'

export interface GitAddress {
  url: string
  /** A branch, a tag or a commit; empty: what the repository is at. */
  ref: string
  /** Inside of it; empty: all of it. */
  folder: string
}

interface GitOptions {
  signal: AbortSignal
  keepsGitDir: boolean
}

const timeoutMs = 15 * 60_000
/** One file of a repository, packs included, in blocks of 512 bytes. */
const maxFileBlocks = (8 * 1024 ** 3) / 512
const maxWords = 8 * 1024

/** Undefined: it is no address of a repository. */
export function readGitAddress(text: string): GitAddress | undefined {
  const [address = '', fragment = ''] = splitAt(text, '#')
  const isGit =
    /^git:\/\//i.test(address) ||
    /^ssh:\/\//i.test(address) ||
    /^git@[\w.-]+:/.test(address) ||
    (/^https?:\/\//i.test(address) && /\.git\/?$/.test(address))
  if (!isGit) return undefined
  const [ref = '', folder = ''] = splitAt(fragment, ':')
  return { url: address, ref, folder }
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Returns a folder with the files. */
export async function fetchGit(
  workspace: BuildWorkspace,
  { url, ref, folder }: GitAddress,
  { signal, keepsGitDir }: GitOptions,
): Promise<string> {
  if (ref.startsWith('-') || url.startsWith('-') || /[\s\0]/.test(ref + url))
    throw invalidParameter(`${url}#${ref} is no repository`)
  const place = await workspace.folder('repository')
  const [files, home] = [join(place, 'files'), join(place, 'home')]
  for (const each of [files, home]) await mkdir(each)
  const git = (...args: string[]) => runGit(args, { files, home, signal })
  await git('init', '--quiet', '--template=')
  await git('remote', 'add', 'origin', url)
  const commit = await fetchRef(git, ref || 'HEAD')
  await git('-c', 'advice.detachedHead=false', 'checkout', '--quiet', commit)
  await git('submodule', 'update', '--quiet', '--init', '--recursive', '--depth=1')
  if (!keepsGitDir) await rm(join(files, '.git'), { recursive: true, force: true })
  if (folder === '') return files
  // By where it really is: a link may not lead out of the repository.
  const found = await findInLayers([files], folder)
  const [inside] = found?.kind === 'folder' ? found.folders : []
  if (inside === undefined) throw invalidParameter(`${url}: there is no folder ${folder} in it`)
  return inside
}

const isCommit = (ref: string): boolean => /^[0-9a-f]{7,64}$/i.test(ref)

/** As little as possible; servers that give out no single commits are asked for more. Returns what was meant. */
async function fetchRef(git: (...args: string[]) => Promise<void>, ref: string): Promise<string> {
  try {
    await git('fetch', '--quiet', '--depth=1', '--no-tags', '--', 'origin', ref)
    return 'FETCH_HEAD'
  } catch (error) {
    if (isCommit(ref)) {
      await git('fetch', '--quiet', '--tags', '--', 'origin', '+refs/heads/*:refs/remotes/origin/*')
      return ref
    }
    if (!(error instanceof Error) || !error.message.includes('shallow')) throw error
    await git('fetch', '--quiet', '--no-tags', '--', 'origin', ref)
    return 'FETCH_HEAD'
  }
}

async function runGit(
  args: readonly string[],
  { files, home, signal }: { files: string; home: string; signal: AbortSignal },
): Promise<void> {
  const limited = ['-c', `ulimit -f ${maxFileBlocks}; exec git "$@"`, 'git', ...args]
  const child = spawn('/bin/sh', limited, {
    cwd: files,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    signal,
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: home,
      // Nothing is asked of anybody, nothing of this machine's settings or files is used.
      ...{ GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' },
      ...{ GIT_ALLOW_PROTOCOL: 'http:https:git:ssh', GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' },
    },
  })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-maxWords)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(error.name === 'AbortError' ? signal.reason : systemError(error.message)))
    child.once('close', resolve)
  })
  signal.throwIfAborted()
  if (code === 127) throw invalidParameter('repositories are fetched by git, and there is no git on this machine')
  if (code !== 0) throw invalidParameter(`git ${args[0]} failed: ${words.trim().split('\n').slice(-3).join('; ')}`)
}
