// The image side as other parts see it. Behind it: blobs by digest, layers as folders, references in the database.
import type { Readable } from 'node:stream'
import type { Rootfs } from '../runtime/runtime.ts'

export interface Platform {
  os: string
  architecture: string
  variant?: string
}

/** The configuration blob of an image (OCI image specification), as stored. */
export interface ImageConfig {
  architecture: string
  os: string
  variant?: string
  'os.version'?: string
  author?: string
  created?: string
  config?: {
    User?: string
    ExposedPorts?: Record<string, object>
    Env?: string[]
    Entrypoint?: string[] | null
    Cmd?: string[] | null
    Volumes?: Record<string, object> | null
    WorkingDir?: string
    Labels?: Record<string, string> | null
    StopSignal?: string
    Shell?: string[]
    Healthcheck?: HealthConfig
    ArgsEscaped?: boolean
    OnBuild?: string[] | null
  }
  rootfs: { type: 'layers'; diff_ids: string[] }
  history?: { created?: string; created_by?: string; author?: string; comment?: string; empty_layer?: boolean }[]
}

export interface HealthConfig {
  Test?: string[]
  Interval?: number
  Timeout?: number
  Retries?: number
  StartPeriod?: number
  StartInterval?: number
}

export interface StoredImage {
  /** `sha256:…` of the configuration. */
  id: string
  config: ImageConfig
  /** `name:tag`, familiar form (`busybox:latest`). */
  repoTags: string[]
  repoDigests: string[]
  /** Bytes of all layers, unpacked. */
  size: number
  created: string | undefined
}

export interface Images {
  /** By id, id prefix, name, name:tag or name@digest; for another platform than the host's when told. Undefined: not here. */
  find(reference: string, platform?: Platform): Promise<StoredImage | undefined>
  /** Keeps an image from being removed while a container uses it: asked by `remove` and `prune`. Ids of containers. */
  usedBy(check: (imageId: string) => readonly (string | ImageUser)[]): void
  /** Folders for a new container of the image: writable ones of its own over the image's layers, with the one it works in. */
  createRootfs(containerId: string, imageId: string, workingFolder?: string): Promise<Rootfs>
  rootfs(containerId: string, imageId: string): Promise<Rootfs>
  removeRootfs(containerId: string): Promise<void>
  /** Bytes of the container's own files, and of all. */
  rootfsSize(containerId: string, imageId: string): Promise<{ own: number; all: number }>
  /** A new image from a container's changes. */
  commit(from: { containerId: string; imageId: string }, as: CommitOptions): Promise<string>
  hostPlatform: Platform
}

export interface ImageUser {
  containerId: string
  isRunning: boolean
}

export interface CommitOptions {
  config: NonNullable<ImageConfig['config']>
  author: string
  comment: string
  /** `name:tag`; absent: no name. */
  reference?: string
  createdBy: string
}

/** What goes into a container's root, or out of it, as a tar stream: inside a chroot, so that no link leads out. */
export interface RootfsFiles {
  /** Tar of a path inside the root. `asName` names the top entry. */
  read(target: RootfsTarget, path: string, asName?: string): Promise<Readable>
  stat(target: RootfsTarget, path: string): Promise<FileStat | undefined>
  /** Unpacks a tar into a folder inside the root. Throws errors of the catalogue for what cannot be. */
  write(target: RootfsTarget, folder: string, tar: Readable, options: WriteOptions): Promise<void>
  /** With all that are above it, where they are not there yet; what links in it lead to, too. */
  makeFolder(rootfs: Rootfs, folder: string): Promise<void>
  /** Paths that differ from the image. 0 changed, 1 added, 2 deleted. */
  changes(rootfs: Rootfs): Promise<{ Path: string; Kind: 0 | 1 | 2 }[]>
}

/** A running container is seen through its first process (mounts and all), one at rest through its folders. */
export type RootfsTarget = (
  | { pid: number }
  | {
      rootfs: Rootfs
      mounts: { source: string; destination: string; readOnly?: boolean }[]
      /** The container's root is marked read-only. */
      readOnly?: boolean
    }
) & {
  /** Only the root file system itself, as for an export. */
  withoutMounts?: boolean
}

export interface WriteOptions {
  noOverwriteDirNonDir: boolean
  /** Who owns what is written; absent: whoever owns it in the tar. */
  owner?: { uid: number; gid: number }
}

export interface FileStat {
  name: string
  size: number
  /** As Go's os.FileMode. */
  mode: number
  mtime: string
  linkTarget: string
}
