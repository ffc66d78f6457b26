// Which images of containers are made from another one: their layers begin with its layers, and their histories with its
// history, since many steps make no layer.
import { isDeepStrictEqual } from 'node:util'
import type { ImageConfig, Images } from '../../images/images.ts'
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
  const used = [...new Set(containers.map(({ imageId }) => imageId))]
  const made = await Promise.all(
    used.map(async (id) => {
      const own = await find(id)
      return own !== undefined && isMadeFrom(own.config, ancestor.config) ? [id] : []
    }),
  )
  return new Set([ancestor.id, ...made.flat()])
}

function isMadeFrom(own: ImageConfig, base: ImageConfig): boolean {
  const layers = base.rootfs.diff_ids
  return layers.length > 0 && beginsWith(own.rootfs.diff_ids, layers) && beginsWith(stepsOf(own), stepsOf(base))
}

const beginsWith = (all: readonly unknown[], start: readonly unknown[]): boolean =>
  start.length <= all.length && start.every((each, index) => isDeepStrictEqual(all[index], each))

const stepsOf = ({ history }: ImageConfig) =>
  (history ?? []).map(({ created, created_by, empty_layer }) => [created, created_by, empty_layer === true])
