// A container's root file system as one tar, without what is mounted in it.
import type { Readable } from 'node:stream'
import type { EngineEvents } from '../../../events/engine-events.ts'
import type { Images, RootfsFiles } from '../../../images/images.ts'
import type { ContainerRecord } from '../record.ts'

export interface ExportParts {
  find(idOrName: string): ContainerRecord
  files: RootfsFiles
  images: Images
  events: EngineEvents
}

export async function exportOf({ find, files, images, events }: ExportParts, name: string): Promise<Readable> {
  const record = find(name)
  const { id, state, config } = record
  const target =
    state.pid > 0
      ? { pid: state.pid, withoutMounts: true }
      : { rootfs: await images.rootfs(id, record.imageId), mounts: [], withoutMounts: true }
  const tar = await files.read(target, '/', '')
  const attributes = { ...config.Labels, image: record.imageName, name: record.name }
  events.emit('container', 'export', id, attributes)
  return tar
}
