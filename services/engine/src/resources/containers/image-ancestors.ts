// Which images of containers are made from another one: their layers begin with its layers.
import type { Images } from '../../images/images.ts'
import { seconds, within } from './deadline.ts'

const findDeadline = seconds(15)

/** Empty: there is no such image. */
export async function imagesFrom(
  images: Pick<Images, 'find'>,
  reference: string,
  containers: readonly { imageId: string }[],
): Promise<ReadonlySet<string>> {
  const find = (asked: string) => within(findDeadline, 'looking up the image', images.find(asked))
  const ancestor = await find(reference)
  if (ancestor === undefined) return new Set()
  const layers = ancestor.config.rootfs.diff_ids
  const used = [...new Set(containers.map(({ imageId }) => imageId))]
  const made = await Promise.all(
    used.map(async (id) => {
      const own = (await find(id))?.config.rootfs.diff_ids ?? []
      return layers.length > 0 && layers.every((layer, index) => own[index] === layer) ? [id] : []
    }),
  )
  return new Set([ancestor.id, ...made.flat()])
}
