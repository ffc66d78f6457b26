// Volume drivers beside the built-in one.
export interface DriverVolume {
  name: string
  /** On the host; empty while it is mounted nowhere. */
  mountpoint: string
  /** RFC 3339; empty: the driver does not say. */
  createdAt: string
  /** Whatever the driver has to say of it. */
  status?: Record<string, unknown>
}

export interface MountedVolume {
  /** On the host. */
  source: string
  /** The folder that it must lie in, whatever links the driver puts there. */
  within: string
}

/** Every call may fail, and ends after a while. */
export interface VolumeDriver {
  /** `vieux/sshfs:latest` */
  name: string
  scope(): Promise<'local' | 'global'>
  create(name: string, options: Readonly<Record<string, string>>): Promise<void>
  remove(name: string): Promise<void>
  get(name: string): Promise<DriverVolume>
  list(timeoutMs: number): Promise<DriverVolume[]>
  /** `id`: of who mounts it. The driver counts them, so each is unmounted by its own. */
  mount(name: string, id: string): Promise<MountedVolume>
  unmount(name: string, id: string): Promise<void>
}

export interface VolumeDrivers {
  /** Undefined: no driver is called so, or it is disabled. */
  find(name: string): VolumeDriver | undefined
  all(): readonly VolumeDriver[]
}

export const noDrivers: VolumeDrivers = { find: () => undefined, all: () => [] }
