// Pictures put together.
import type { Kernel } from '@atoll/kernel/kernel'
import type { RunningInference } from '../../inference/create-inference.ts'
import type { Files } from '../files/service.ts'
import { KeptImages } from './kept-images.ts'
import { imageRoutes } from './routes.ts'
import { Images } from './service.ts'

const removeOverdueEverySeconds = 60

export function createImages(kernel: Kernel, { inference, files }: { inference: RunningInference; files: Files }) {
  const { db, blobs, segments, ids, clock, jobs } = kernel
  const kept = new KeptImages({ db, blobs, segments, ids, clock, files })
  jobs.registerPeriodic('remove-images', removeOverdueEverySeconds, () => kept.removeOverdue())
  const images = new Images({ inference, kept, blobs, clock })
  return { routes: imageRoutes(images, kept), kept, images }
}
