// Looks at an image in its registry, without fetching it.
import type { Distribution as Description, ImageRegistry, RegistryAuth } from '../../images/image-registry.ts'

export class Distribution {
  readonly #registry: Pick<ImageRegistry, 'distribution'>

  constructor(registry: Pick<ImageRegistry, 'distribution'>) {
    this.#registry = registry
  }

  inspect(name: string, auth: RegistryAuth | undefined, signal: AbortSignal): Promise<Description> {
    return this.#registry.distribution(name, { ...(auth !== undefined && { auth }), signal })
  }
}
