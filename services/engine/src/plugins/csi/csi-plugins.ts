// The CSI plugins of this engine, as a swarm uses them.
import type { CsiController } from './csi-controller.ts'
import type { CsiNode } from './csi-node.ts'

export interface CsiPlugins {
  /** Throws where there is none of that name, or it is disabled. `signal`: whoever asks has no say any more. */
  controller(name: string, signal: AbortSignal): CsiController
  node(name: string): CsiNode
  /** All that are enabled. */
  nodes(): CsiNode[]
  /** Told when one is enabled or disabled. Returns how to stop listening. */
  listen(changed: () => void): () => void
}
