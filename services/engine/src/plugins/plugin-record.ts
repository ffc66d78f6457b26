// What the engine remembers of a plugin.
import type { PluginConfig, PluginSettings } from '../resources/plugins/schema.ts'

export interface PluginLayer {
  /** Of the packed layer, as registries know it. */
  digest: string
  size: number
  mediaType: string
  diffId: string
}

/** As made here. */
export const packedLayerType = 'application/vnd.docker.image.rootfs.diff.tar.gzip'

/** What came in: from a registry, or from somebody who made it. */
export interface PluginParts {
  config: PluginConfig
  /** The configuration's own bytes are kept by it. */
  configDigest: string
  configBytes: number
  /** The bottom one first. */
  layers: PluginLayer[]
}

export interface PluginRecord extends PluginParts {
  /** 64 hexadecimal digits. */
  id: string
  /** `vieux/sshfs:latest` */
  name: string
  /** Where it came from: `docker.io/vieux/sshfs:latest`. */
  reference: string
  settings: PluginSettings
  isEnabled: boolean
  /** How long it may take to answer a call. */
  timeoutMs: number
}
