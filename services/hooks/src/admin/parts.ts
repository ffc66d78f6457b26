// What the admin interface looks after.
import type { Kernel } from '@atoll/kernel/kernel'
import type { Agent } from '../agent/agent.ts'
import type { WorkingOutbox } from '../channels/outbox.ts'
import type { ConfiguredMappings } from '../mappings/mappings.ts'
import type { DeliveryDesk } from '../ports.ts'

export type AdminAgent = Pick<
  Agent,
  | 'check'
  | 'preview'
  | 'requestHeartbeat'
  | 'status'
  | 'heartbeats'
  | 'events'
  | 'listSessions'
  | 'resetSession'
  | 'turnOf'
>

export type AdminOutbox = Pick<
  WorkingOutbox,
  'isConfigured' | 'problemOf' | 'remember' | 'route' | 'target' | 'get' | 'list' | 'counts' | 'retry'
>

export type AdminMappings = Pick<ConfiguredMappings, 'all' | 'find' | 'resolve'>

export interface AdminParts {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'log'>
  desk: DeliveryDesk
  mappings: AdminMappings
  agent: AdminAgent
  outbox: AdminOutbox
}
