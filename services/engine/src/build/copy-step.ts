// COPY and ADD: which files, from where, to where.
import { writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { invalidParameter } from '../errors.ts'
import type { BuildWorkspace, CopyFrom, CopyOrder, CopyRequest, ListedPath } from '../images/build-store.ts'
import { resolveUser } from '../runtime/oci/users.ts'
import { workingFolder } from './config-steps.ts'
import type { Copy } from './dockerfile/dockerfile.ts'
import { expandWord } from './dockerfile/expand.ts'
import { IgnorePatterns } from './dockerfile/ignore-file.ts'
import { readPathPattern } from './dockerfile/path-pattern.ts'
import type { TemplateForm } from './dockerfile/template.ts'
import { download } from './download.ts'
import { BuildFailure } from './failure.ts'
import { fetchGit, readGitAddress } from './git-source.ts'
import type { StageState } from './stage-state.ts'

interface CopyParts {
  workspace: BuildWorkspace
  state: StageState
  /** The context, or what `--from` names. */
  from: CopyFrom
  isContext: boolean
  isBuildKit: boolean
  form: TemplateForm
  signal: AbortSignal
}

/** What has to be done, one after the other. */
export async function planCopy(copy: Copy, parts: CopyParts): Promise<{ requests: CopyRequest[]; words: string }> {
  const expand = (text: string) => expandWord(text, parts.state.values, parts.form)
  const destination = destinationOf(expand(copy.destination), parts.state)
  const common = {
    owner: copy.chown === '' ? undefined : await ownerOf(expand(copy.chown), parts),
    mode: copy.chmod === '' ? undefined : modeOf(expand(copy.chmod)),
  }
  const written = copy.sources.flatMap((source) => ('path' in source ? [expand(source.path)] : []))
  const requests: CopyRequest[] = []
  const urls = copy.kind === 'ADD' ? written.filter(isAddress) : []
  const paths = written.filter((path) => !urls.includes(path))
  const outside = parts.isContext && !parts.isBuildKit ? paths.find(isOutside) : undefined
  if (outside !== undefined) {
    throw new BuildFailure(`${copy.kind} failed: forbidden path outside the build context: ${outside} ()`)
  }
  if (paths.length > 0) {
    const orders = await ordersFor(paths, destination, copy, parts, expand)
    const unpacks = copy.kind === 'ADD' && copy.unpacks !== false
    requests.push({ from: parts.from, orders, ...common, keepsOwner: !parts.isContext, unpacks })
  }
  for (const url of urls) requests.push({ ...(await fetched(url, destination, copy, parts)), ...common })
  const documents = await heredocRequest(copy, destination, parts)
  if (documents !== undefined) requests.push({ ...documents, ...common })
  const count = requests.reduce((sum, { orders }) => sum + orders.filter(({ kind }) => kind === 'copy').length, 0)
  if (count === 0) throw new BuildFailure(`${copy.kind} failed: no source files were specified`)
  if (count > 1 && !destination.endsWith('/')) {
    throw new BuildFailure(
      `When using ${copy.kind} with more than one source file, the destination must be a directory and end with a /`,
    )
  }
  return { requests, words: destination }
}

/** Absolute; with a slash at its end where it must be a folder. */
function destinationOf(text: string, state: StageState): string {
  if (text === '') throw new BuildFailure('the destination is empty')
  const path = workingFolder(state.workingDir, text)
  const isFolder = /(^|\/)\.?$/.test(text)
  return isFolder && path !== '/' ? `${path}/` : path
}

/** Inside the source, whatever it says: no slash before it, no `..` in it. */
const insideSource = (path: string): string => posix.normalize(`/${path}`).replace(/^\/+|\/+$/g, '') || '.'

/** BuildKit takes what would lead out as if it did not. */
const isOutside = (path: string): boolean => /^\.\.(\/|$)/.test(posix.normalize(path))

const hasWildcard = (path: string): boolean => /[*?[]/.test(path)

async function ordersFor(
  paths: readonly string[],
  destination: string,
  copy: Copy,
  { workspace, from }: CopyParts,
  expand: (text: string) => string,
): Promise<CopyOrder[]> {
  const excludes = copy.excludes.map(expand)
  const needsList = excludes.length > 0 || copy.keepsParents || paths.some(hasWildcard)
  const listed = needsList ? await workspace.list(from) : []
  const orders: CopyOrder[] = paths.flatMap((path) =>
    matching(path, listed).map((found) => ({
      kind: 'copy' as const,
      path: found,
      destination: copy.keepsParents ? parentOf(path, found, destination, listed) : destination,
    })),
  )
  return [...orders, ...excluded(excludes, orders, listed)]
}

function matching(path: string, listed: readonly ListedPath[]): string[] {
  const inside = insideSource(path.replace('/./', '/'))
  if (!hasWildcard(inside)) return [inside]
  const pattern = readPathPattern(inside, { hasFolders: true })
  return listed.filter((each) => pattern.matches(each.path)).map((each) => each.path)
}

/** `--parents`: the path is kept, from `/./` on where it has one. */
function parentOf(written: string, found: string, destination: string, listed: readonly ListedPath[]): string {
  const pivot = written.indexOf('/./')
  const before = pivot === -1 ? '' : `${insideSource(written.slice(0, pivot))}/`
  const kept = found.startsWith(before) ? found.slice(before.length) : found
  const isFolder = found === '.' || listed.some((each) => each.path === found && each.isFolder)
  return posix.join(destination, isFolder ? kept : posix.dirname(kept), '/')
}

/** Patterns of `--exclude` are seen from each source, as .dockerignore is from the context. */
function excluded(
  patterns: readonly string[],
  orders: readonly CopyOrder[],
  listed: readonly ListedPath[],
): CopyOrder[] {
  if (patterns.length === 0) return []
  const ignore = new IgnorePatterns(patterns.map((pattern) => pattern.replace(/^\//, '')))
  return orders.flatMap((order) => {
    if (order.kind !== 'copy') return []
    const prefix = order.path === '.' ? '' : `${order.path}/`
    return listed
      .filter(({ path }) => path.startsWith(prefix) && ignore.ignores(path.slice(prefix.length)))
      .map(({ path }): CopyOrder => ({ kind: 'exclude', path }))
  })
}

const isAddress = (text: string): boolean => /^(https?|git|ssh):\/\/|^git@/i.test(text)

async function fetched(url: string, destination: string, copy: Copy, { workspace, signal }: CopyParts) {
  const repository = readGitAddress(url)
  if (repository !== undefined) {
    const files = await fetchGit(workspace, repository, { signal, keepsGitDir: copy.keepsGitDir === true })
    return { from: { folder: files }, orders: [{ kind: 'copy' as const, path: '.', destination }] }
  }
  if (!/^https?:/i.test(url)) throw new BuildFailure(`ADD ${url}: this is fetched over http and https, or by git`)
  const folder = await workspace.folder('download')
  const name = await download(url, folder, { checksum: copy.checksum, signal })
  const order: CopyOrder = { kind: 'copy', path: name, destination }
  return { from: { folder }, orders: [order], unpacks: copy.unpacks === true }
}

async function heredocRequest(copy: Copy, destination: string, { workspace, state, form }: CopyParts) {
  const documents = copy.sources.flatMap((source) => ('heredoc' in source ? [source.heredoc] : []))
  if (documents.length === 0) return undefined
  const folder = await workspace.folder('documents')
  const orders: CopyOrder[] = []
  for (const [at, { name, content, isExpanded }] of documents.entries()) {
    const text = isExpanded ? expandWord(content, state.values, { ...form, hasQuotes: false }) : content
    await writeFile(join(folder, String(at)), text, { mode: 0o644 })
    const file = destination.endsWith('/') ? posix.join(destination, insideSource(name)) : destination
    orders.push({ kind: 'copy', path: String(at), destination: file })
  }
  return { from: { folder }, orders }
}

const maxIdentityBytes = 8 * 1024 * 1024

/** `user`, `user:group`, numbers or names. A number alone is the group, too. */
export async function ownerOf(
  text: string,
  { workspace, state }: Pick<CopyParts, 'workspace' | 'state'>,
): Promise<{ uid: number; gid: number }> {
  const read = async (path: string) => (await workspace.read(state.layers, path, maxIdentityBytes)) ?? ''
  const user = /^\d+$/.test(text) ? `${text}:${text}` : text
  const { uid, gid } = resolveUser(user, [], { passwd: await read('/etc/passwd'), group: await read('/etc/group') })
  return { uid, gid }
}

/** Octal, or as for chmod: `u=rwX,go=rX`. */
function modeOf(text: string): string {
  const change = '[ugoa]*([-+=]([rwxXst]*|[ugo]))+'
  if (new RegExp(`^(0?[0-7]{3,4}|${change}(,${change})*)$`).test(text)) return text
  throw invalidParameter(
    `invalid chmod parameter: '${text}'. it should be octal string and between 0 and 07777, or symbolic such as u=rwX,go=rX`,
  )
}
