// Registries as the image side needs them: images come from there and go there. Behind it: src/images/registry/.
import type { Platform } from './images.ts'

/** One line of the progress that clients print. */
export interface ProgressMessage {
  status?: string
  id?: string
  progress?: string
  progressDetail?: { current?: number; total?: number; hidecounts?: boolean }
  /** The end of a stream that failed. */
  error?: string
  errorDetail?: { code?: number; message: string }
  aux?: unknown
}

/** Who asks, as the X-Registry-Auth header says it. */
export interface RegistryAuth {
  username?: string
  password?: string
  serveraddress?: string
  identitytoken?: string
  registrytoken?: string
}

export interface PullOptions {
  /** A tag or a digest; absent together with one in the reference: `latest`. Empty with `isAll`. */
  tag?: string
  /** Every tag of the repository. */
  isAll?: boolean
  platform?: Platform
  auth?: RegistryAuth
  signal: AbortSignal
}

export interface PushOptions {
  /** Absent: every tag of the repository. */
  tag?: string
  /** One platform of an image that has several. */
  platform?: Platform
  auth?: RegistryAuth
  signal: AbortSignal
}

/** What a registry says of an image, without fetching it. */
export interface Distribution {
  Descriptor: { mediaType: string; digest: string; size: number; urls?: string[]; annotations?: Record<string, string> }
  Platforms: {
    architecture: string
    os: string
    variant?: string
    'os.version'?: string
    'os.features'?: string[]
  }[]
}

export interface SearchHit {
  /** As it is pulled: `busybox`, `localhost:5000/team/web`. */
  name: string
  description: string
  isOfficial: boolean
  stars: number
}

export interface SearchOptions {
  /** The registry to look in; docker.io and its mirrors unless told. */
  host?: string
  limit: number
  auth: RegistryAuth | undefined
  signal: AbortSignal
}

export interface ImageRegistry {
  /** Errors before the first message are thrown with their status; later ones are the last message of the stream. */
  pull(reference: string, options: PullOptions): AsyncIterable<ProgressMessage>
  push(reference: string, options: PushOptions): AsyncIterable<ProgressMessage>
  distribution(reference: string, options: { auth?: RegistryAuth; signal: AbortSignal }): Promise<Distribution>
  /** Throws when no registry that can search answers. */
  search(word: string, options: SearchOptions): Promise<SearchHit[]>
}
