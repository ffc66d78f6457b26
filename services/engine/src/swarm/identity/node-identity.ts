// What this machine remembers of the swarm it is in: one file that only root can read.
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const NodeIdentity = z.object({
  nodeId: z.string(),
  clusterId: z.string(),
  /** Where others reach it: `10.0.0.1:2377`. */
  advertiseAddress: z.string(),
  listenAddress: z.string(),
  dataPathAddress: z.string(),
  /** The swarm's key, in base64; or sealed under the unlock key. */
  key: z.union([z.object({ plain: z.string() }), z.object({ sealed: z.string() })]),
})
export interface NodeIdentity extends z.output<typeof NodeIdentity> {
  /** In memory alone: what people were given to unlock this manager with. */
  unlockKey?: string | undefined
}

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

export async function writeIdentity(folder: string, { unlockKey: _, ...kept }: NodeIdentity): Promise<void> {
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
  await rm(folder, { recursive: true, force: true })
}
