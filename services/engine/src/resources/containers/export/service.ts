// A container's root file system as one tar, without what is mounted in it.
import type { Readable } from 'node:stream'
import type { EngineEvents } from '../../../events/engine-events.ts'
import type { Images, RootfsFiles } from '../../../images/images.ts'
import { type EndingParts, evenWhileItEnds } from '../while-it-ends.ts'

export interface ExportParts extends EndingParts {
  files: RootfsFiles
  images: Images
  events: EngineEvents
}

export async function exportOf(parts: ExportParts, name: string): Promise<Readable> {
  const { files, images, events } = parts
  const record = parts.find(name)
  const { id, config } = record
  const tar = await evenWhileItEnds(parts, id, async ({ state, imageId }) => {
    const target =
      state.pid > 0
        ? { pid: state.pid, withoutMounts: true }
        : { rootfs: await images.rootfs(id, imageId), mounts: [], withoutMounts: true }
    return files.read(target, '/', '')
  })
  const attributes = { ...config.Labels, image: record.imageName, name: record.name }
  events.emit('container', 'export', id, attributes)
  return tar
}
