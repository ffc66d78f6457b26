// Puts the image side together.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { CacheRecords } from '../../images/build-cache.ts'
import type { BuildStore } from '../../images/build-store.ts'
import { Content } from '../../images/content.ts'
import { FilesProgram } from '../../images/files-program.ts'
import type { ImageBlobs } from '../../images/image-intake.ts'
import type { Images, RootfsFiles } from '../../images/images.ts'
import { createRootfsFiles } from '../../images/rootfs-files.ts'
import { LibraryBuilds } from './build-workspace.ts'
import { LibraryCache } from './cache-records.ts'
import { ImageLibrary } from './image-library.ts'
import { createImageBlobs } from './intake.ts'
import { createImages, removeStrayRootfs } from './local-images.ts'
import { ImagesService } from './service.ts'

export interface ImageSide {
  images: Images
  files: RootfsFiles
  /** For the registry client. */
  blobs: ImageBlobs
  /** For builds: what they make, what they keep, and the folder that their steps share caches in. */
  builds: BuildStore
  buildCache: CacheRecords
  cacheFolder: string
  /** Where folders of clients are kept from build to build. */
  contextFolder: string
  /** For the routes. */
  service: ImagesService
}

export interface ImageNeeds {
  kernel: Pick<Kernel, 'db' | 'clock' | 'log'>
  events: EngineEvents
  /** Of the engine: blobs, layers and containers lie in it. */
  folder: string
  /** native/files.c, built. */
  program: string
  syncDelayMs?: number | undefined
}

export async function openImages({ kernel, events, folder, program, syncDelayMs }: ImageNeeds): Promise<ImageSide> {
  const files = new FilesProgram(program)
  const content = new Content(folder, files)
  const { db, log, clock } = kernel
  const library = new ImageLibrary({ content, db, log, now: () => clock.now(), syncDelayMs })
  await library.open()
  await removeStrayRootfs(library, await readdir(join(folder, 'containers')))
  const service = new ImagesService(library, events)
  const cacheFolder = join(folder, 'build-cache')
  const contextFolder = join(folder, 'build-contexts')
  const rootfsFiles = createRootfsFiles(files)
  return {
    images: createImages({ library, service, files: rootfsFiles }),
    files: rootfsFiles,
    blobs: createImageBlobs(library),
    builds: new LibraryBuilds(library, files),
    buildCache: new LibraryCache(library, { 'exec.cachemount': cacheFolder, 'source.local': contextFolder }),
    ...{ cacheFolder, contextFolder },
    service,
  }
}
