// What the queue and its parts work with.
import type { Kernel } from '@atoll/kernel/kernel'
import type { QueueConfig } from '../ingress/config.ts'
import type { AgentRuntime } from '../ports.ts'
import type { QueueDepth } from './depth.ts'

export interface QueueParts {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'events' | 'log'>
  config: QueueConfig
  depth: QueueDepth
  /** In the commit that buries a delivery. */
  died?: AgentRuntime['died'] | undefined
}
