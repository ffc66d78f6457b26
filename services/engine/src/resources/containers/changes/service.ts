// What a container changed in its root file system.
import type { Images, RootfsFiles } from '../../../images/images.ts'
import type { ContainerRecord } from '../record.ts'
import type { Change } from './schema.ts'

export interface ChangesParts {
  find(idOrName: string): ContainerRecord
  files: RootfsFiles
  images: Images
}

/** Null for none, as clients know it. */
export async function changesOf({ find, files, images }: ChangesParts, name: string): Promise<Change[] | null> {
  const { id, imageId } = find(name)
  const changes = await files.changes(await images.rootfs(id, imageId))
  return changes.length === 0 ? null : changes
}
