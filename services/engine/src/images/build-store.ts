// Where builds keep what they make: layers by what they depend on, and images made of them.
import type { Readable } from 'node:stream'
import type { ImageConfig, Platform } from './images.ts'

/** A layer of a stage, unpacked and packed. */
export interface BuiltLayer {
  chainId: string
  diffId: string
  /** Of the packed layer. */
  digest: string
  bytes: number
  mediaType: string
}

export interface StoredBase {
  imageId: string
  config: ImageConfig
  layers: BuiltLayer[]
}

/** Where files are copied from: a folder, or layers from the bottom up. */
export type CopyFrom = { folder: string } | { layers: readonly BuiltLayer[] }

export type CopyOrder =
  | { kind: 'copy'; path: string; destination: string }
  | { kind: 'folder'; destination: string }
  | { kind: 'exclude'; path: string }

export interface CopyRequest {
  from: CopyFrom
  orders: readonly CopyOrder[]
  /** Absent: root's, or as in the source with `keepsOwner`. */
  owner?: { uid: number; gid: number } | undefined
  /** Octal, or as for chmod. */
  mode?: string | undefined
  keepsOwner?: boolean
  unpacks?: boolean
}

export interface ListedPath {
  path: string
  isFolder: boolean
}

export interface LayerMade {
  key: string
  parentKey: string
  description: string
  /** Nothing in it is told to be younger, in seconds. */
  epoch?: number | undefined
}

/** One build's place to work in; nothing it needs is swept away until it is closed. */
export interface BuildWorkspace {
  /** A new empty folder, gone with the workspace. */
  folder(name: string): Promise<string>
  /** Unpacks a tar, packed with anything. */
  unpack(tar: Readable, into: string): Promise<{ bytes: number; entries: number }>
  base(reference: string, platform?: Platform): Promise<StoredBase | undefined>
  /** Images that have exactly these layers. */
  imagesWith(diffIds: readonly string[]): Promise<{ imageId: string; config: ImageConfig }[]>
  cached(key: string): Promise<BuiltLayer | undefined>
  /** Whether a step that changes no file was taken before. */
  isNoted(key: string): boolean
  /** Remembers a step that changes no file, on these layers, once the workspace is closed. */
  note(made: LayerMade, chainId: string): void
  list(from: CopyFrom): Promise<ListedPath[]>
  /** Of what would be copied, times aside. */
  digest(request: CopyRequest): Promise<string>
  /** One after the other into one layer. Undefined: it would change nothing. */
  copy(onto: readonly BuiltLayer[], requests: readonly CopyRequest[], made: LayerMade): Promise<BuiltLayer | undefined>
  /** A plain copy of something, for a step to look at. */
  copyOut(request: CopyRequest): Promise<string>
  /** All files of a stage, as one tar. */
  tar(layers: readonly BuiltLayer[]): Promise<Readable>
  /** A file of a stage, as text; undefined: not there, or too large. */
  read(layers: readonly BuiltLayer[], path: string, maxBytes: number): Promise<string | undefined>
  /** Something that a container can be made of; its id. */
  stepImage(layers: readonly BuiltLayer[], config: ImageConfig): string
  /** What a container that has ended wrote becomes a layer, but for the places that something was mounted on. */
  commit(
    onto: readonly BuiltLayer[],
    containerId: string,
    mountedOn: readonly string[],
    made: LayerMade,
  ): Promise<BuiltLayer>
  image(config: ImageConfig, layers: readonly BuiltLayer[]): Promise<string>
  /** Names are canonical. */
  name(imageId: string, names: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface BuildStore {
  open(signal: AbortSignal): Promise<BuildWorkspace>
}
