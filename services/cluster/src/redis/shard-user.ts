// Who shards run as. Where Atoll is root they have a user of their own: what a module does, it does not do as root.
import { execFile } from 'node:child_process'
import { chown, lchown, lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface ShardUser {
  uid: number
  gid: number
}

interface Wish {
  /** As it is set: a name, a number, or two numbers (user:group). */
  wanted: string | undefined
  /** What they have to be able to start. */
  programs: readonly string[]
  /** Of the cluster: a folder in it has to become theirs. */
  folder: string
}

interface Found {
  /** Absent: the user that Atoll runs as. */
  user?: ShardUser
  /** Why they run as root, which nobody has asked for. */
  problem?: string
}

/** Above those of people and below those that systemd gives out: mostly nobody has them, and they need no name. */
const ownUids = { from: 60_700, to: 60_799 }
const answerMs = 10_000
const run = promisify(execFile)
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Throws when the user that was asked for cannot be had. */
export async function findShardUser({ wanted, ...machine }: Wish): Promise<Found> {
  const own = process.getuid?.()
  if (wanted === undefined) return own === 0 ? ownUser(machine) : {}
  const user = await namedUser(wanted)
  if (user.uid === own) return {}
  if (own !== 0) {
    throw new Error(`cluster.user is ${wanted}, and only root can start shards as somebody else: run Atoll as root.`)
  }
  await tryUser(user, machine).catch((error: unknown) => {
    throw new Error(`cluster.user: ${messageOf(error)}`)
  })
  return { user }
}

async function ownUser(machine: Omit<Wish, 'wanted'>): Promise<Found> {
  for (let uid = ownUids.from; uid <= ownUids.to; uid++) {
    if (await hasName(uid)) continue
    const user = { uid, gid: uid }
    return tryUser(user, machine).then(
      () => ({ user }),
      (error: unknown) => ({
        problem: `Shards run as root, since no user of their own can be had: ${messageOf(error)}. cluster.user names another.`,
      }),
    )
  }
  return {
    problem: 'Shards run as root: all users that they could have belong to somebody. cluster.user names another.',
  }
}

const hasName = (uid: number): Promise<boolean> =>
  run('getent', ['passwd', String(uid)], { timeout: answerMs }).then(
    () => true,
    () => false,
  )

async function namedUser(wanted: string): Promise<ShardUser> {
  const [, uid, gid = uid] = /^(\d+)(?::(\d+))?$/.exec(wanted) ?? []
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  // Not from the file: users may be kept elsewhere.
  const idOf = async (flag: string) => Number((await run('id', [flag, '--', wanted], { timeout: answerMs })).stdout)
  try {
    return { uid: await idOf('-u'), gid: await idOf('-g') }
  } catch {
    throw new Error(`cluster.user is ${wanted}, and there is no such user on this machine.`)
  }
}

/** A machine may have no such number (a container with few of them), or Atoll not all rights of root. */
async function tryUser(user: ShardUser, { programs, folder }: Omit<Wish, 'wanted'>): Promise<void> {
  const trial = await mkdtemp(join(folder, 'trial-'))
  try {
    await chown(trial, user.uid, user.gid)
    for (const program of programs) {
      await run(program, ['--version'], { ...user, cwd: trial, timeout: answerMs }).catch((error: unknown) => {
        throw new Error(`${program} cannot be started as user ${user.uid}: ${messageOf(error)}`)
      })
    }
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}

/** What lies in the folder becomes theirs, once: what they put there themselves is not looked at again. */
export async function giveFolder(folder: string, { uid, gid }: ShardUser): Promise<void> {
  if ((await lstat(folder)).uid === uid) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid)
  }
  await chown(folder, uid, gid)
}
