// What the pages read of the gateway's objects.

export type DeliveryState = 'queued' | 'running' | 'succeeded' | 'failed' | 'timed_out' | 'skipped' | 'dead'

export interface Delivery {
  id: string
  state: DeliveryState
  path: string
  mapping: string | null
  sender: string
  name: string | null
  sessionKey: string | null
  attempts: number
  duplicates: number
  error: string | null
  receivedAt: string
  startedAt: string | null
  endedAt: string | null
  replayOf: string | null
}

export interface DeliveryDetail extends Delivery {
  trust: 'operator' | 'external'
  action: Record<string, unknown> | null
  outcome: {
    reply?: string
    summary?: string
    error?: string
    model?: string
    threadId?: string
    runId?: string
    delivery?: { outboxId: string } | { suppressed: string }
  } | null
  headers: Record<string, string>
  body: string | null
}

export interface Turn {
  prompt: string
  model: string
  instructions: string
  tools: string[]
  threadId: string | null
}

export interface Message {
  id: string
  state: 'pending' | 'sending' | 'sent' | 'dead'
  channel: string
  to: string
  text: string
  origin: string
  attempts: number
  error: string | null
  createdAt: string
}

export interface Mapping {
  id: string
  isPreset: boolean
  match: { path?: string; source?: string }
  action: 'wake' | 'agent'
  transform: { module: string } | null
  signature: string | null
  isPaused: boolean
}

export interface GatewayStatus {
  deliveries: Record<DeliveryState, number>
  paused: { all: boolean; mappings: string[] }
  heartbeat: { dueAt: string | null; isRunning: boolean; failures: number; openEvents: number }
  outbox: Record<Message['state'], number>
  channels: string[]
}

export const secondsOf = (moment: string | null): number | null => (moment === null ? null : Date.parse(moment) / 1000)

export const admin = (path: string): string => `/hooks-admin${path}`
