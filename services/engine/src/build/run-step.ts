// RUN: the command, what it finds around it, and what is mounted for it.
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { BuildWorkspace, CopyFrom } from '../images/build-store.ts'
import type { HostSettings } from '../resources/containers/schema.ts'
import { cacheKey } from './cache-key.ts'
import { workingFolder } from './config-steps.ts'
import type { Run, RunMount } from './dockerfile/dockerfile.ts'
import { expandWord } from './dockerfile/expand.ts'
import { chomped, readHeredocMark } from './dockerfile/heredocs.ts'
import type { TemplateForm } from './dockerfile/template.ts'
import { BuildFailure } from './failure.ts'
import type { BuildOptions } from './options.ts'
import { isProxyArg, type StageState } from './stage-state.ts'

export interface RunParts {
  workspace: BuildWorkspace
  state: StageState
  form: TemplateForm
  options: BuildOptions
  /** A stage or an image by its name; empty: the context. */
  source(name: string): Promise<CopyFrom>
  /** Where `type=cache` mounts are kept from build to build. */
  cacheFolder: string
}

export interface PlannedRun {
  argv: string[]
  env: string[]
  key: string
  hostConfig: HostSettings
  createdBy: string
  /** Paths inside. */
  mountedOn: string[]
}

type Mount = NonNullable<HostSettings['Mounts']>[number]

export async function planRun(run: Run, parts: RunParts): Promise<PlannedRun> {
  const { state, options } = parts
  if (run.security === 'insecure') throw new BuildFailure('RUN --security=insecure is not allowed by this engine')
  const script = await scriptOf(run, parts)
  const mounts = await Promise.all(run.mounts.map((mount) => planMount(mount, parts)))
  const network = run.network === '' || run.network === 'default' ? options.networkMode : run.network
  const declared = state.argVariables()
  const proxies = Object.entries(options.buildArgs).flatMap(([name, value]) =>
    isProxyArg(name) && value !== null && !state.args.has(name) ? [`${name}=${value}`] : [],
  )
  const kept = declared.filter((line) => !isProxyArg(line.split('=', 1)[0] ?? ''))
  const { config } = state
  return {
    argv: script.argv,
    env: [...declared, ...proxies],
    key: cacheKey('run', {
      ...{ on: state.chainId, argv: script.argv, script: script.file?.content, network },
      ...{ env: config.Env ?? [], args: kept.toSorted(), user: config.User ?? '', folder: state.workingDir },
      ...{ mounts: mounts.map(({ identity }) => identity), hosts: options.extraHosts },
    }),
    hostConfig: {
      ...options.limits,
      NetworkMode: network === '' ? 'default' : network,
      ExtraHosts: [...options.extraHosts],
      LogConfig: { Type: 'none', Config: {} },
      Mounts: [...mounts.map(({ mount }) => mount), ...(script.mount === undefined ? [] : [script.mount])],
    },
    mountedOn: mounts.map(({ mount }) => mount.Target ?? '/'),
    createdBy: [...(kept.length > 0 ? [`|${kept.length}`, ...kept] : []), ...script.argv].join(' '),
  }
}

interface Script {
  argv: string[]
  file?: { content: string }
  mount?: Mount
}

/** A here-document is the script itself, or goes to the shell along with the line. */
async function scriptOf({ command }: Run, { state, workspace }: RunParts): Promise<Script> {
  if ('exec' in command) return { argv: command.exec }
  const [first] = command.heredocs
  if (first === undefined) return { argv: [...state.shell, command.shell] }
  if (readHeredocMark(command.shell.replace(/^(\d*<<-?)\s+/, '$1')) === undefined) {
    const documents = command.heredocs.map(({ name, content }) => `\n${content}${name}`)
    return { argv: [...state.shell, command.shell + documents.join('')] }
  }
  const content = chomped(first)
  if (!content.startsWith('#!')) return { argv: [...state.shell, content] }
  const path = join(await workspace.folder('script'), 'script')
  await writeFile(path, content, { mode: 0o755 })
  const inside = `/dev/pipes/${posix.basename(first.name)}`
  return { argv: [inside], file: { content }, mount: { Type: 'bind', Source: path, Target: inside, ReadOnly: true } }
}

/** What the mount is made of counts for the key where a step could see it; what is left in caches does not. */
async function planMount(
  { type, options }: RunMount,
  parts: RunParts,
): Promise<{ mount: Mount; identity: readonly unknown[] }> {
  const { state, form } = parts
  const option = (name: string, usual = '') => expandWord(options.get(name) ?? usual, state.values, form)
  if (type === 'secret' || type === 'ssh') {
    throw new BuildFailure(`RUN --mount=type=${type} needs a client that offers it (BuildKit), not this builder`)
  }
  if (option('target') === '') throw new BuildFailure(`RUN --mount=type=${type} needs a target`)
  const target = workingFolder(state.workingDir, option('target'))
  const isReadOnly = options.has('readwrite')
    ? !isTrue(option('readwrite'))
    : isTrue(option('readonly', String(type === 'bind')))
  const identity = [type, target, isReadOnly, option('source'), option('from')]
  if (type === 'tmpfs') {
    const size = options.has('size') ? { TmpfsOptions: { SizeBytes: bytesOf(option('size')) } } : {}
    return { mount: { Type: 'tmpfs', Target: target, ...size }, identity: [...identity, option('size')] }
  }
  if (type === 'cache') {
    const id = option('id', target)
    const mount: Mount = {
      Type: 'bind',
      Source: await cacheFolderOf(id, option, parts),
      Target: target,
      ReadOnly: isReadOnly,
    }
    return { mount, identity: [...identity, id] }
  }
  const from = await parts.source(option('from'))
  const path = posix.normalize(`/${option('source')}`).replace(/^\/+|\/+$/g, '') || '.'
  const request = {
    from,
    orders: [{ kind: 'copy' as const, path, destination: '/mounted' }],
    keepsOwner: option('from') !== '',
  }
  const digest = await parts.workspace.digest(request)
  const folder = await parts.workspace.copyOut(request)
  const mount: Mount = { Type: 'bind', Source: join(folder, 'mounted'), Target: target, ReadOnly: isReadOnly }
  return { mount, identity: [...identity, digest] }
}

const isTrue = (text: string): boolean => /^(1|t|true)$/i.test(text)

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 }

function bytesOf(text: string): number {
  const [, amount = '0', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgtp]?)i?b?$/i.exec(text) ?? []
  return Math.floor(Number(amount) * (units[unit.toLowerCase()] ?? 1))
}

/** One folder for each id, for all builds. */
async function cacheFolderOf(
  id: string,
  option: (name: string, usual?: string) => string,
  { cacheFolder }: RunParts,
): Promise<string> {
  if (option('from') !== '') throw new BuildFailure('RUN --mount=type=cache with from is not supported by this engine')
  if (option('sharing', 'shared') !== 'shared') {
    throw new BuildFailure(
      `RUN --mount=type=cache,sharing=${option('sharing')} is not supported by this engine: only shared`,
    )
  }
  const folder = join(cacheFolder, cacheKey('cache-mount', id).slice('sha256:'.length))
  const made = await mkdir(folder, { recursive: true })
  if (made !== undefined) {
    await chmod(folder, Number.parseInt(option('mode', '755'), 8))
    await chown(folder, Number(option('uid', '0')), Number(option('gid', '0')))
  }
  return folder
}
