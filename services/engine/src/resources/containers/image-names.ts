// Containers are listed under the image name they were made from, until that name means another image: then under its id.
import type { World } from './world.ts'

const renaming = new Set(['tag', 'untag', 'delete', 'pull', 'load', 'import', 'prune', 'create'])

export class ImageNames {
  readonly #world: World
  #lost: ReadonlySet<string> = new Set()
  #isDue = false

  constructor(world: World) {
    this.#world = world
    world.ports.events.listen(({ Type, Action }) => {
      if (Type === 'image' && renaming.has(Action)) this.#checkSoon()
    })
  }

  shown({ imageName, imageId }: { imageName: string; imageId: string }): string {
    return this.#lost.has(`${imageName} ${imageId}`) ? imageId : imageName
  }

  /** Many images may change at once. */
  #checkSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.check().catch((error: unknown) => this.#world.ports.log.warn({ error }, 'Image names could not be checked'))
    })
  }

  async check(): Promise<void> {
    const { registry, ports } = this.#world
    const used = new Map(
      registry.all.map(({ record: { imageName, imageId } }) => [`${imageName} ${imageId}`, { imageName, imageId }]),
    )
    const lost = new Set<string>()
    for (const [key, { imageName, imageId }] of used) {
      const found = await ports.images.find(imageName)
      if (found?.id !== imageId) lost.add(key)
    }
    this.#lost = lost
    registry.changed()
  }
}
