// What the gateway's admin interface answers, as far as it is shown.

export interface Delivery {
  id: string
  state: string
  path: string
  mapping: string | null
  kind: string | null
  name: string | null
  sessionKey: string | null
  attempts: number
  error: string | null
  receivedAt: string
  endedAt: string | null
  replayOf: string | null
}

export interface DeliveryDetail extends Delivery {
  sender: string
  trust: string
  action: { message?: string; text?: string } | null
  outcome: { reply?: string; summary?: string; delivery?: { outboxId?: string; suppressed?: string } } | null
}

export interface Message {
  id: string
  state: string
  channel: string
  to: string
  attempts: number
  error: string | null
  createdAt: string
}

export interface Target {
  channel: string
  to: string
}

export interface Paused {
  all: boolean
  mappings: string[]
}
