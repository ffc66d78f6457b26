// What this machine remembers of the swarm it is in: one file that only root can read.
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { removeFolder } from '../remove-folder.ts'
import { RaftValues } from '../store/raft-values.ts'

const common = {
  nodeId: z.string(),
  clusterId: z.string(),
  /** Where others reach it: `10.0.0.1:2377`. */
  advertiseAddress: z.string(),
  listenAddress: z.string(),
  dataPathAddress: z.string(),
}

const ManagerIdentity = z.object({
  ...common,
  /** The swarm's key, in base64; or sealed under the unlock key. */
  key: z.union([z.object({ plain: z.string() }), z.object({ sealed: z.string() })]),
  /** Its credentials towards other managers, sealed under the swarm's key. */
  member: z.string().optional(),
  /** Where other managers were last: `10.0.0.1:2377`. */
  managers: z.array(z.string()).optional(),
  /** What its store starts with; absent in swarms of before. */
  raft: RaftValues.optional(),
  /** Its swarm is in an etcd that is not the engine's. */
  isOutside: z.literal(true).optional(),
})
export interface ManagerIdentity extends z.output<typeof ManagerIdentity> {
  /** In memory alone: what people were given to unlock this manager with. */
  unlockKey?: string | undefined
}

const WorkerIdentity = z.object({
  ...common,
  /** PEM, all of them. */
  credentials: z.object({ certificate: z.string(), key: z.string(), authority: z.string() }),
  /** Where it finds them: `10.0.0.1:2377`. */
  managers: z.array(z.string()),
})
export type WorkerIdentity = z.output<typeof WorkerIdentity>

const NodeIdentity = z.union([ManagerIdentity, WorkerIdentity])
export type NodeIdentity = ManagerIdentity | WorkerIdentity

const fileOf = (folder: string): string => join(folder, 'node.json')

/** Undefined: it is in no swarm. */
export async function readIdentity(folder: string): Promise<NodeIdentity | undefined> {
  try {
    return NodeIdentity.parse(JSON.parse(await readFile(fileOf(folder), 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function writeIdentity(folder: string, identity: NodeIdentity): Promise<void> {
  const { unlockKey: _, ...kept }: NodeIdentity & { unlockKey?: unknown } = identity
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = fileOf(folder)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(kept))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

/** First that it is in a swarm at all, then everything else. */
export async function forgetSwarm(folder: string): Promise<void> {
  await rm(fileOf(folder), { force: true })
  await removeFolder(folder)
}
