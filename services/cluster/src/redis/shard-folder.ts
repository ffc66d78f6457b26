// What a shard finds in its folder when it starts. The folder may belong to a user whom Atoll does not trust: files are
// made anew, so that no link that lies there leads elsewhere.
import { constants, copyFile, link, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configFile, localModule, type ShardSpec, socketOf } from './shard-config.ts'
import { giveFolder } from './shard-user.ts'

const configName = 'shard.conf'
export const logOf = ({ folder }: Pick<ShardSpec, 'folder'>): string => join(folder, 'shard.log')

/** Its configuration to read, and its log to write. */
export async function prepareFolder(spec: ShardSpec) {
  const { folder, user } = spec
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeModules(folder) // before all in it becomes theirs: these are links to what is not
  if (user !== undefined) await giveFolder(folder, user)
  await rm(socketOf(spec), { force: true })
  await placeModules(spec)
  const path = join(folder, configName)
  await rm(path, { recursive: true, force: true })
  await writeFile(path, configFile(spec), { mode: 0o600, flag: 'wx' })
  await rename(logOf(spec), `${logOf(spec)}.before`).catch(() => rm(logOf(spec), { recursive: true, force: true }))
  return { config: await open(path, 'r'), log: await open(logOf(spec), 'ax', 0o600) }
}

async function removeModules(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.endsWith('.so')) await rm(join(folder, name), { force: true })
}

/** Beside the data: where they are kept, the user of the shard may not be able to go. */
async function placeModules({ folder, modules }: ShardSpec): Promise<void> {
  for (const { file } of modules) {
    const place = join(folder, localModule(file))
    // A link takes no room, but cannot lead to another file system.
    await link(file, place).catch(() => copyFile(file, place, constants.COPYFILE_EXCL))
  }
}

/** Of a file of the shard's own, and of nothing that it points to. */
export const openOwn = (path: string) => open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
