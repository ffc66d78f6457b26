// What is mounted for a RUN. It is planned first, for the key of the step; what it takes is done only if the step runs.
import { chmod, chown, cp, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { CopyFrom } from '../images/build-store.ts'
import type { HostSettings } from '../resources/containers/schema.ts'
import { workingFolder } from './config-steps.ts'
import type { RunMount } from './dockerfile/dockerfile.ts'
import { expandWord } from './dockerfile/expand.ts'
import { BuildFailure } from './failure.ts'
import type { RunParts } from './run-parts.ts'

export type Mount = NonNullable<HostSettings['Mounts']>[number]

export interface OpenMount {
  mount?: Mount
  env?: string[]
  close?(): Promise<void> | void
}

export interface StepMount {
  /** Where it is seen inside; empty: nowhere. */
  target: string
  /** What of it counts for the key: what a step could see of it, but not what is left in caches, and no secrets. */
  identity: readonly unknown[]
  open(signal: AbortSignal): Promise<OpenMount>
}

interface Asked {
  option(name: string, usual?: string): string
  has(name: string): boolean
  target: string
  isReadOnly: boolean
  /** Which mount of the step it is. */
  at: number
}

export function planMount({ type, options }: RunMount, at: number, parts: RunParts): Promise<StepMount> | StepMount {
  const { state, form } = parts
  const option = (name: string, usual = '') => expandWord(options.get(name) ?? usual, state.values, form)
  const written = option('target')
  const isReadOnly = options.has('readwrite')
    ? !isTrue(option('readwrite'))
    : isTrue(option('readonly', String(type === 'bind')))
  const target = written === '' ? '' : workingFolder(state.workingDir, written)
  const asked = { option, has: (name: string) => options.has(name), target, isReadOnly, at }
  if (type === 'secret') return planSecret(asked, parts)
  if (type === 'ssh') return planAgent(asked, parts)
  if (target === '') throw new BuildFailure(`RUN --mount=type=${type} needs a target`)
  if (type === 'tmpfs') return planTmpfs(asked)
  return type === 'cache' ? planCache(asked, parts) : planBind(asked, parts)
}

function planTmpfs({ target, option, has, isReadOnly }: Asked): StepMount {
  const size = has('size') ? { TmpfsOptions: { SizeBytes: bytesOf(option('size')) } } : {}
  return {
    target,
    identity: ['tmpfs', target, isReadOnly, option('size')],
    open: async () => ({ mount: { Type: 'tmpfs', Target: target, ReadOnly: isReadOnly, ...size } }),
  }
}

async function planBind({ target, option, isReadOnly }: Asked, parts: RunParts): Promise<StepMount> {
  const request = copyOf(await parts.source(option('from')), option('source'), option('from') !== '')
  const digest = await parts.workspace.digest(request)
  return {
    target,
    identity: ['bind', target, isReadOnly, option('source'), option('from'), digest],
    async open() {
      const folder = await parts.workspace.copyOut(request)
      return { mount: bound(join(folder, 'mounted'), target, isReadOnly) }
    },
  }
}

function planCache({ target, option, isReadOnly }: Asked, { cacheMounts, workspace, source }: RunParts): StepMount {
  const from = option('from')
  const id = option('id', target)
  const sharing = option('sharing', 'shared').toLowerCase()
  if (sharing !== 'shared' && sharing !== 'locked' && sharing !== 'private') {
    throw new BuildFailure(`RUN --mount=type=cache: unsupported sharing value "${sharing}"`)
  }
  const owner = { mode: Number.parseInt(option('mode', '755'), 8), uid: idOf(option('uid')), gid: idOf(option('gid')) }
  const fill = async (folder: string) => {
    const begun = await workspace.copyOut(copyOf(await source(from), option('source'), true))
    await cp(join(begun, 'mounted'), folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  }
  return {
    target,
    identity: ['cache', target, isReadOnly, option('source'), from, id],
    async open(signal) {
      const taken = await cacheMounts.take({ id, sharing, ...owner, ...(from !== '' && { fill }) }, signal)
      return { mount: bound(taken.path, target, isReadOnly), close: () => taken.release() }
    },
  }
}

const maxSecretBytes = 500 * 1024

function planSecret({ option, has, target }: Asked, { workspace, offers }: RunParts): StepMount {
  const id = option('id') || option('source') || posix.basename(target)
  const variable = option('env')
  const place = target === '' && !has('env') ? `/run/secrets/${posix.basename(id)}` : target
  return {
    target: place,
    identity: ['secret', place, id, variable],
    async open(signal) {
      if (offers === undefined) throw needsOffers('secret')
      const secret = await offers.secret(id, signal)
      if (secret === undefined) {
        if (isTrue(option('required'))) throw new BuildFailure(`secret ${id}: not found`)
        return {}
      }
      if (secret.length > maxSecretBytes) throw new BuildFailure(`secret ${id} has more than ${maxSecretBytes} bytes`)
      const env = variable === '' ? [] : [`${variable}=${Buffer.from(secret).toString('utf8')}`]
      if (place === '') return { env }
      const path = join(await workspace.folder('secret'), 'secret')
      await writeFile(path, secret, { mode: 0o400 })
      await own(path, option, '400')
      return { env, mount: bound(path, place, true), close: () => rm(path, { force: true }) }
    },
  }
}

function planAgent({ option, target, at }: Asked, { workspace, offers }: RunParts): StepMount {
  const id = option('id') || option('source') || 'default'
  const place = target || `/run/buildkit/ssh_agent.${at}`
  return {
    target: place,
    identity: ['ssh', place, id],
    async open(signal) {
      if (offers === undefined) throw needsOffers('ssh')
      const path = join(await workspace.folder('agent'), 'agent')
      const close = await offers.agent(id, path, signal)
      if (close === undefined) {
        if (isTrue(option('required'))) throw new BuildFailure(`ssh agent ${id}: not forwarded by the client`)
        return {}
      }
      await own(path, option, '600')
      return { mount: bound(path, place, false), env: [`SSH_AUTH_SOCK=${place}`], close }
    },
  }
}

const needsOffers = (type: string) =>
  new BuildFailure(`RUN --mount=type=${type} needs a client that offers it (BuildKit), not this builder`)

const copyOf = (from: CopyFrom, source: string, keepsOwner: boolean) => ({
  from,
  orders: [{ kind: 'copy' as const, path: insideOf(source), destination: '/mounted' }],
  keepsOwner,
})

const insideOf = (path: string): string => posix.normalize(`/${path}`).replace(/^\/+|\/+$/g, '') || '.'

const bound = (source: string, target: string, isReadOnly: boolean): Mount => ({
  Type: 'bind',
  Source: source,
  Target: target,
  ReadOnly: isReadOnly,
})

async function own(path: string, option: Asked['option'], usualMode: string): Promise<void> {
  await chmod(path, Number.parseInt(option('mode', usualMode), 8))
  await chown(path, idOf(option('uid')), idOf(option('gid')))
}

const idOf = (text: string): number => Number(text || '0')

const isTrue = (text: string): boolean => /^(1|t|true)$/i.test(text)

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 }

function bytesOf(text: string): number {
  const [, amount = '0', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgtp]?)i?b?$/i.exec(text) ?? []
  return Math.floor(Number(amount) * (units[unit.toLowerCase()] ?? 1))
}
