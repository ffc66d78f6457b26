// Volumes of drivers beside the built-in one: what they are is the driver's to say.
import { notFound } from '../../errors.ts'
import { within } from '../containers/deadline.ts'
import type { DriverVolume, MountedVolume, VolumeDriver, VolumeDrivers } from './volume-driver.ts'

/** A driver that says nothing holds up lists of volumes for so long. */
const listMs = 5_000

export interface ToldVolume extends DriverVolume {
  driver: string
  scope: 'local' | 'global'
}

export const unknownDriver = (driver: string): string =>
  `error looking up volume plugin ${driver}: plugin "${driver}" not found`

export class DriverVolumes {
  readonly #drivers: VolumeDrivers

  constructor(drivers: VolumeDrivers) {
    this.#drivers = drivers
  }

  find(driver: string): VolumeDriver | undefined {
    return this.#drivers.find(driver)
  }

  /** Throws 404 for a driver that is none. */
  get(driver: string): VolumeDriver {
    const found = this.find(driver)
    if (found === undefined) throw notFound(unknownDriver(driver))
    return found
  }

  async describe(driver: string, name: string): Promise<ToldVolume> {
    return this.#describe(this.get(driver), name)
  }

  /** Of whichever driver has one of that name; undefined: none has. */
  async search(name: string): Promise<ToldVolume | undefined> {
    const found = await Promise.all(
      this.#drivers.all().map((driver) => this.#describe(driver, name).catch(() => undefined)),
    )
    return found.find((each) => each !== undefined)
  }

  /** Of all drivers; one that does not answer is told in a warning. */
  async all(): Promise<{ volumes: ToldVolume[]; warnings: string[] }> {
    const warnings: string[] = []
    const lists = this.#drivers.all().map(async (driver): Promise<ToldVolume[]> => {
      try {
        const told = Promise.all([driver.list(listMs), driver.scope()])
        const [volumes, scope] = await within(listMs, `asking plugin ${driver.name}`, told)
        return volumes.map((volume) => ({ ...volume, driver: driver.name, scope }))
      } catch (error) {
        warnings.push(error instanceof Error ? error.message : String(error))
        return []
      }
    })
    return { volumes: (await Promise.all(lists)).flat(), warnings }
  }

  mount(driver: string, name: string, id: string): Promise<MountedVolume> {
    return this.get(driver).mount(name, id)
  }

  unmount(driver: string, name: string, id: string): Promise<void> {
    return this.get(driver).unmount(name, id)
  }

  async #describe(driver: VolumeDriver, name: string): Promise<ToldVolume> {
    const [volume, scope] = await Promise.all([driver.get(name), driver.scope()])
    return { ...volume, name, driver: driver.name, scope }
  }
}
