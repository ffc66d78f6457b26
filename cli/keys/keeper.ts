// All secrets that a data folder's Atoll has made, in one hand: keys of the platform, tokens of the gateway, passwords of
// the cluster's admins.

import { listAdmins, resetPassword } from '@atoll/cluster/identity/reset-password'
import { replaceToken } from '@atoll/hooks/ingress/replace-token'
import { findTokenRow } from '@atoll/hooks/ingress/token-store'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Identity } from '@atoll/platform/identity/identity'
import { CommandProblem } from '../command-problem.ts'
import type { AtollConfig } from '../config.ts'
import type { KeptKey, KeyKeeper, MadeKey, NewKey } from './key.ts'
import { PlatformKeys } from './platform-keys.ts'

interface Needs {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'events'>
  config: Pick<AtollConfig, 'hooks' | 'adopt'>
  /** Absent where this database has no platform. */
  identity: Identity | undefined
  hasHooks: boolean
  hasCluster: boolean
}

const tokens = { hooks: 'hook', 'hooks-admin': 'admin' } as const
const clusterPrefix = 'cluster:'

export function createKeeper(needs: Needs): KeyKeeper {
  const { kernel, identity } = needs
  const platform = identity && new PlatformKeys(kernel, identity)
  return {
    async list() {
      const keys = (await platform?.list()) ?? []
      return [...keys, ...(await tokenKeys(needs)), ...(await clusterAdmins(needs))]
    },
    create: (asked: NewKey) => required(platform).create(asked),
    async replace(id) {
      if (id === 'hooks' || id === 'hooks-admin') return replaceHooksToken(needs, id)
      if (id === 'cluster' || id.startsWith(clusterPrefix)) return replacePassword(needs, id)
      return required(platform).replace(id)
    },
    async remove(id) {
      if (id in tokens || id.startsWith('cluster')) throw new CommandProblem(`${id} cannot be deleted, only replaced.`)
      await required(platform).remove(id)
    },
  }
}

function required(platform: PlatformKeys | undefined): PlatformKeys {
  if (platform !== undefined) return platform
  throw new CommandProblem('there is no platform on this data folder: its keys are kept where it runs.')
}

async function tokenKeys({ kernel, hasHooks }: Needs): Promise<KeptKey[]> {
  const keys: KeptKey[] = []
  for (const kind of hasHooks ? (['hooks', 'hooks-admin'] as const) : []) {
    const row = await findTokenRow(kernel.db.queries, tokens[kind])
    if (row === undefined) continue
    const name = kind === 'hooks' ? 'Token of senders' : 'Token of ./atoll hooks'
    const times = { created_at: Math.floor(row.created_at / 1000), last_used_at: null }
    keys.push({ kind, id: kind, name, shown: '', ...times })
  }
  return keys
}

async function clusterAdmins({ kernel, hasCluster }: Needs): Promise<KeptKey[]> {
  const admins = hasCluster ? await listAdmins(kernel) : []
  return admins.map(({ email, name, password_issue_date: since }) => ({
    kind: 'cluster',
    id: `${clusterPrefix}${email}`,
    name,
    shown: email,
    created_at: Math.floor(Date.parse(since) / 1000),
    last_used_at: null,
  }))
}

async function replaceHooksToken({ kernel, config, hasHooks }: Needs, kind: keyof typeof tokens): Promise<MadeKey> {
  if (!hasHooks) throw new CommandProblem('there is no gateway on this data folder: start it once with ./atoll up.')
  const setting = kind === 'hooks' ? 'token' : 'adminToken'
  if (config.hooks[setting] !== undefined) {
    throw new CommandProblem(`this token stands in the configuration file (hooks.${setting}): change it there.`)
  }
  const secret = await replaceToken(kernel, tokens[kind], kind === 'hooks' ? config.adopt.hooksToken : undefined)
  return { kind, id: kind, secret }
}

async function replacePassword({ kernel, hasCluster }: Needs, id: string): Promise<MadeKey> {
  const email = id.startsWith(clusterPrefix) ? id.slice(clusterPrefix.length) : undefined
  const made = hasCluster ? await resetPassword(kernel, email) : undefined
  if (made === undefined) throw new CommandProblem(`there is no admin ${email ?? ''} of a cluster on this data folder.`)
  return { kind: 'cluster', id: `${clusterPrefix}${made.email}`, secret: `${made.email}:${made.password}` }
}
