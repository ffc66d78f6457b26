// The steps of an upgrade. Each one may be begun again after a crash in its middle.
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { allowAllCommands, denyNewCommands } from './new-commands.ts'
import type { HeldDatabase } from './ports.ts'
import type { Position } from './position.ts'
import { verifyModules, verifySameKeys } from './verify.ts'

export interface StepContext {
  database: HeldDatabase
  position: Position
  /** Where the copy of the data lies while the upgrade goes on. */
  backup: string
  /** Tells how far it is with one of its shards. */
  tell(shardUid: string, operation: string, progress: number): void
  /** Milliseconds. */
  now(): number
}

/** Somebody has changed their mind. */
export class UpgradeCancelled extends Error {
  override readonly name = 'UpgradeCancelled'

  constructor() {
    super('The upgrade was cancelled.')
  }
}

const soakPollMs = 200

type Step = (context: StepContext) => Promise<void>

export const stepWork: Record<Position['step'], Step> = {
  snapshot: async ({ database, position, backup, tell }) => {
    tell(position.master, 'snapshot', 0)
    await database.snapshot(position.master, backup)
    tell(position.master, 'snapshot', 100)
  },

  canary: async ({ database, position, backup, tell }) => {
    tell(position.successor, 'canary', 0)
    await database.rehearse(backup, position.after)
    tell(position.successor, 'canary', 100)
  },

  replicas: async ({ database, position, tell }) => {
    const { successor, after, isEphemeral, master } = position
    const uids = (await database.shards()).map(({ uid }) => uid)
    if (isEphemeral && !uids.includes(successor)) uids.push(successor)
    for (const uid of uids) {
      if (uid === master) continue
      tell(uid, 'upgrade', 0)
      if (uid === successor && isEphemeral) await database.addReplica(uid, after)
      else await database.rebuild(uid, after)
      tell(uid, 'upgrade', 100)
    }
  },

  handover: async ({ database, position, tell }) => {
    const { successor } = position
    const shard = (await database.shards()).find(({ uid }) => uid === successor)
    if (shard?.role === 'master') return
    await verifyModules(database, successor, position.after)
    tell(successor, 'handover', 0)
    const { gateMs } = await database.handOver(successor)
    position.longestGateMs = Math.max(position.longestGateMs, gateMs)
    tell(successor, 'handover', 100)
  },

  soak: async ({ database, position, now }) => {
    const { soakSeconds, successor, master } = position
    if (soakSeconds === 0) return
    position.soakUntil ??= now() + soakSeconds * 1000
    while (now() < position.soakUntil && !position.isCancelled) {
      // Again and again: a shard that was started anew has forgotten it.
      await denyNewCommands(database, { from: successor, unknownTo: master })
      await delay(soakPollMs)
    }
    if (position.isCancelled) throw new UpgradeCancelled()
    await allowAllCommands(database, successor)
  },

  rebuild: async ({ database, position, tell }) => {
    const { master, after, isEphemeral } = position
    await database.setModules(after)
    tell(master, 'upgrade', 0)
    if (isEphemeral) await database.remove(master)
    else await database.rebuild(master, after)
    tell(master, 'upgrade', 100)
  },

  verify: async ({ database, position }) => {
    const shards = await database.shards()
    for (const { uid } of shards) await verifyModules(database, uid, position.after)
    const master = shards.find(({ role }) => role === 'master')
    for (const { uid, role } of shards) {
      if (role === 'slave' && master !== undefined) await verifySameKeys(database, master.uid, uid)
    }
  },

  roles: async ({ database, position, tell }) => {
    const { master, preserveRoles, isEphemeral } = position
    if (!preserveRoles || isEphemeral) return
    const shard = (await database.shards()).find(({ uid }) => uid === master)
    if (shard?.role === 'master') return
    tell(master, 'handover', 0)
    const { gateMs } = await database.handOver(master)
    position.longestGateMs = Math.max(position.longestGateMs, gateMs)
    tell(master, 'handover', 100)
  },

  finish: async ({ backup }) => {
    await rm(backup, { force: true })
  },
}

/** The master begins again with nothing. May be begun again. */
export async function discardData({ database, position, tell }: StepContext): Promise<void> {
  const { master, after } = position
  tell(master, 'discard', 0)
  await database.beginAnew(after)
  await database.setModules(after)
  await verifyModules(database, master, after)
  tell(master, 'discard', 100)
}

/** The old master has never stopped; during a soak it has followed the new one, and takes over from it again. */
export async function rollBack({ database, position, backup, tell }: StepContext): Promise<void> {
  const { before, successor, isEphemeral, master } = position
  const isServing = (await database.shards()).some(({ uid, role }) => uid === successor && role === 'master')
  if (isServing) {
    const { gateMs } = await database.handOver(master)
    position.longestGateMs = Math.max(position.longestGateMs, gateMs)
  }
  for (const { uid } of await database.shards()) {
    if (uid === master) continue
    if (isEphemeral && uid === successor) await database.remove(uid)
    else {
      tell(uid, 'roll back', 0)
      await database.rebuild(uid, before)
      tell(uid, 'roll back', 100)
    }
  }
  await rm(backup, { force: true })
}
