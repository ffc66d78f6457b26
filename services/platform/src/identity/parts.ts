// What identity is built from.
import type { Kernel } from '@atoll/kernel/kernel'

export type IdentityParts = Pick<Kernel, 'db' | 'events' | 'ids' | 'clock' | 'log'>
