// Files of containers, in and out. All of it happens inside the container's root.
import type { Readable } from 'node:stream'
import { invalidParameter, isNotFound, notFound } from '../../../errors.ts'
import type { Images, RootfsFiles, RootfsTarget, WriteOptions } from '../../../images/images.ts'
import { readIdentityFiles } from '../../../runtime/oci/identity-files.ts'
import { resolveUser } from '../../../runtime/oci/users.ts'
import type { ContainerRecord } from '../record.ts'
import { type EndingParts, evenWhileItEnds } from '../while-it-ends.ts'

export interface ArchiveParts extends EndingParts {
  files: RootfsFiles
  images: Images
}

/** A running container through its process, one at rest through its folders and mounts. */
export async function targetOf(
  { images }: Pick<ArchiveParts, 'images'>,
  record: ContainerRecord,
): Promise<RootfsTarget> {
  const { state, mounts, hostConfig } = record
  if (state.pid > 0) return { pid: state.pid }
  return {
    rootfs: await images.rootfs(record.id, record.imageId),
    mounts: mounts
      .filter(({ Type }) => Type !== 'tmpfs')
      .map(({ Source, Destination, RW, options }) => ({
        source: options?.subpath === undefined ? Source : `${Source}/${options.subpath}`,
        destination: Destination,
        readOnly: !RW,
      })),
    readOnly: hostConfig.ReadonlyRootfs === true,
  }
}

const missing = (path: string, name: string): Error => notFound(`Could not find the file ${path} in container ${name}`)

function requirePath(path: string): void {
  if (path === '') throw invalidParameter('bad parameter: path cannot be empty')
}

/** What a path is, and how to get it. */
export async function readOut(
  parts: ArchiveParts,
  name: string,
  path: string,
): Promise<{ stat: string; open(): Promise<Readable> }> {
  const record = parts.find(name)
  requirePath(path)
  const found = await evenWhileItEnds(parts, record.id, async (now) =>
    parts.files.stat(await targetOf(parts, now), path),
  )
  if (found === undefined) throw missing(path, name)
  const stat = Buffer.from(JSON.stringify(found)).toString('base64')
  const open = () =>
    evenWhileItEnds(parts, record.id, async (now) => parts.files.read(await targetOf(parts, now), path))
  return { stat, open }
}

export async function copyOut(parts: ArchiveParts, name: string, path: string): Promise<Readable> {
  return (await readOut(parts, name, path)).open()
}

/** The user the container's own process has; undefined when it names none. */
async function userOf({ images }: ArchiveParts, record: ContainerRecord): Promise<WriteOptions['owner']> {
  const { User: user = '' } = record.config
  if (user === '') return undefined
  return resolveUser(user, [], await readIdentityFiles(await images.rootfs(record.id, record.imageId)))
}

export async function putIn(
  parts: ArchiveParts,
  name: string,
  path: string,
  tar: Readable,
  { noOverwriteDirNonDir, copyUidGid }: { noOverwriteDirNonDir: boolean; copyUidGid: boolean },
): Promise<void> {
  const record = parts.find(name)
  requirePath(path)
  const owner = copyUidGid ? await userOf(parts, record) : undefined
  const options = { noOverwriteDirNonDir, ...(owner === undefined ? {} : { owner }) }
  try {
    await parts.files.write(await targetOf(parts, record), path, tar, options)
  } catch (error) {
    throw isNotFound(error) ? missing(path, name) : error
  }
}
