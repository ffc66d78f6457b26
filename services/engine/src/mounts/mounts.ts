// From what a request says about mounts to what a container gets.
import type { MountPoint } from '../resources/containers/record.ts'
import type { ContainerConfig, HostConfig } from '../resources/containers/schema.ts'

export interface ResolvedMounts {
  mounts: MountPoint[]
  /** Anonymous volumes made for this container: they go with it when it is removed with `v`. */
  anonymousVolumes: string[]
}

export interface Mounts {
  /** All that is wrong; changes nothing. */
  check(config: ContainerConfig, hostConfig: HostConfig): Promise<string[]>
  /** Makes volumes that are not there yet. With the way `read-only-at-the-top`, read-only Binds are so at the top alone. */
  resolve(
    containerId: string,
    config: ContainerConfig,
    hostConfig: HostConfig,
    ways?: ReadonlySet<string>,
  ): Promise<ResolvedMounts>
  /**
   * Before each start: sources exist, new volumes get what the image has at their place, and drivers mount theirs.
   * Returns the mounts with their places; `release` gives them back.
   */
  prepare(containerId: string, mounts: readonly MountPoint[], imageFolders: readonly string[]): Promise<MountPoint[]>
  /** After each end: drivers unmount what they mounted. Nobody waits for them. */
  release(containerId: string, mounts: readonly MountPoint[]): void
  /** Once the process is created and before it runs: refuses what is not what was asked for. */
  verify(pid: number, mounts: readonly MountPoint[]): Promise<void>
  /** Tells that volumes came into use with a container's start, or that it has ended. */
  announce(action: 'mount' | 'unmount', containerId: string, mounts: readonly MountPoint[]): void
  removeAnonymous(containerId: string, mounts: readonly MountPoint[]): Promise<void>
  /** Of a container that was never acknowledged: the volumes that were made for it. */
  removeAbandoned(containerId: string): Promise<void>
}
