// What is mounted for a RUN. It is planned first, for the key of the step; what it takes is done only if the step runs.
import { chmod, chown, cp } from 'node:fs/promises'
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
  mounts?: Mount[]
  env?: string[]
  /** A script inside that sets variables which may be written nowhere; the step begins with it. */
  prelude?: string
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
    open: async () => ({ mounts: [{ Type: 'tmpfs', Target: target, ReadOnly: isReadOnly, ...size }] }),
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
      return { mounts: [bound(join(folder, 'mounted'), target, isReadOnly)] }
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
  const owner = ownerOf(option, '755')
  const fill = async (folder: string) => {
    const begun = await workspace.copyOut(copyOf(await source(from), option('source'), true))
    await cp(join(begun, 'mounted'), folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  }
  return {
    target,
    identity: ['cache', target, isReadOnly, option('source'), from, id],
    async open(signal) {
      const taken = await cacheMounts.take({ id, sharing, ...owner, ...(from !== '' && { fill }) }, signal)
      return { mounts: [bound(taken.path, target, isReadOnly)], close: () => taken.release() }
    },
  }
}

const maxSecretBytes = 500 * 1024

function planSecret({ option, has, target, at }: Asked, { secrets, offers, state, workspace }: RunParts): StepMount {
  const id = option('id') || option('source') || posix.basename(target)
  const variable = option('env')
  const place = target === '' && !has('env') ? `/run/secrets/${posix.basename(id)}` : target
  if (variable !== '' && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) {
    throw new BuildFailure(`RUN --mount=type=secret: ${variable} is no name of a variable`)
  }
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
      if (variable !== '' && !(await hasShell(workspace, state))) {
        throw new BuildFailure(`secret ${id}: env=${variable} needs /bin/sh in the image; mount the secret as a file`)
      }
      const asFile = place === '' ? undefined : await secrets.write(secret, ownerOf(option, '400'))
      const asVariable = variable === '' ? undefined : await secrets.write(exported(variable, secret), readable)
      const prelude = `/dev/pipes/secret-variable.${at}`
      return {
        mounts: [
          ...(asFile === undefined ? [] : [bound(asFile.path, place, true)]),
          ...(asVariable === undefined ? [] : [bound(asVariable.path, prelude, true)]),
        ],
        ...(asVariable !== undefined && { prelude }),
        async close() {
          await asFile?.close()
          await asVariable?.close()
        },
      }
    },
  }
}

const readable = { mode: 0o444, uid: 0, gid: 0 }
const maxShellBytes = 64 * 1024 * 1024

const hasShell = async (workspace: RunParts['workspace'], { layers }: RunParts['state']): Promise<boolean> =>
  (await workspace.read(layers, '/bin/sh', maxShellBytes)) !== undefined

/** The settings of a container are written down, its environment with them: a secret goes another way. */
const exported = (name: string, secret: Uint8Array): Buffer =>
  Buffer.from(`export ${name}='${Buffer.from(secret).toString('utf8').replaceAll("'", "'\\''")}'\n`)

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
      const { mode, uid, gid } = ownerOf(option, '600')
      await chmod(path, mode)
      await chown(path, uid, gid)
      return { mounts: [bound(path, place, false)], env: [`SSH_AUTH_SOCK=${place}`], close }
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

const ownerOf = (option: Asked['option'], usualMode: string) => ({
  mode: Number.parseInt(option('mode', usualMode), 8),
  uid: idOf(option('uid')),
  gid: idOf(option('gid')),
})

const idOf = (text: string): number => Number(text || '0')

const isTrue = (text: string): boolean => /^(1|t|true)$/i.test(text)

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 }

function bytesOf(text: string): number {
  const [, amount = '0', unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgtp]?)i?b?$/i.exec(text) ?? []
  return Math.floor(Number(amount) * (units[unit.toLowerCase()] ?? 1))
}
