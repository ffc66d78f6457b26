// What the parts of the gateway are to each other. Each folder implements one of these; hooks.ts puts them together.
import type { IncomingHttpHeaders } from 'node:http'
import type { Tx } from '@atoll/kernel/db/database'
import type { Action, AgentAction, ChannelKind, Trust, WakeAction } from './actions.ts'
import type { DeliveryState } from './delivery-states.ts'
import type { SignatureConfig } from './ingress/signatures/schema.ts'

/** An HTTP request to a mapped hook, read but not understood. */
export interface HookRequest {
  /** Behind `hooks.path`, without slashes at its ends: `github`, `ci/build`. */
  path: string
  payload: Record<string, unknown>
  /** Lower case; without those that carry secrets. */
  headers: Record<string, string>
  query: Record<string, string>
}

export interface FoundMapping {
  id: string
  /** Takes the place of a token. */
  signature?: SignatureConfig | undefined
}

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** A text is sent as it is, anything else as JSON. */
export interface HookAnswer {
  status: number
  body?: Json | undefined
}

/** What a mapping makes of a request. */
export interface Resolved {
  /** Null: nothing is to be started (204). */
  action: Action | null
  /** In place of the usual one. */
  answer?: HookAnswer
}

/** mappings/ */
export interface Mappings {
  /** The first that matches path, `source` and headers, explicit ones before presets. */
  find(request: Pick<HookRequest, 'path' | 'payload'> & { headers: IncomingHttpHeaders }): FoundMapping | undefined
  /** By which a request to this path may be signed: where there are any, a body is read before it is known whose it is. */
  signatures(path: string, headers: IncomingHttpHeaders): SignatureConfig[]
  /** Throws MappingProblem for what the sender did wrong (400); anything else thrown is the mapping's fault (500). */
  resolve(id: string, request: HookRequest): Promise<Resolved>
}

export class MappingProblem extends Error {
  override name = 'MappingProblem'
}

/** A delivery in the hands of this node. */
export interface ClaimedDelivery {
  id: string
  action: AgentAction & Pick<Action, 'allowUnsafeExternalContent' | 'mapping' | 'setsRoute'>
  trust: Trust
  receivedAt: number
  /** 1 on the first run. */
  attempt: number
  /** Aborted when the lease is lost or the node shuts down. */
  signal: AbortSignal
  /** Its last effects and its end are one commit. Throws, and so undoes `tx`, when the lease was lost. */
  finish(tx: Tx, outcome: Outcome): Promise<void>
  /** Something worth showing to whoever watches: kept with the delivery, and sent to SSE listeners. */
  tell(event: { type: string; [detail: string]: unknown }): Promise<void>
}

export interface Outcome {
  state: 'succeeded' | 'failed' | 'timed_out' | 'skipped'
  summary?: string
  reply?: string
  /** What became of the reply: the outbox's id, or why there is none. */
  delivery?: { outboxId: string } | { suppressed: string }
  error?: string
  /** Of the platform, for whoever looks. */
  threadId?: string
  runId?: string
  /** What was used. */
  model?: string
}

/** deliveries/: durable acceptance, FIFO lanes by session key, leases, retries, dead letters. */
export interface DeliveryQueue {
  /** `run` throws: the attempt failed; it is tried again with backoff, and dead after the last. */
  start(run: (delivery: ClaimedDelivery) => Promise<void>): Promise<void>
  stop(graceMs: number): Promise<void>
}

/** A delivery as it is shown. Times are in milliseconds. */
export interface DeliveryRecord {
  id: string
  state: DeliveryState
  /** Behind `hooks.path`: `wake`, `agent`, `github`. */
  path: string
  mapping: string | null
  /** Of the token or `signature:<mapping>` that let it in; `replay` for one that an operator asked for. */
  sender: string
  trust: Trust
  /** Null where a transform said to skip it. */
  action: Action | null
  /** Without those that carry secrets. */
  headers: Record<string, string>
  /** Of mapped hooks, as it came. */
  body: string | null
  attempts: number
  /** How often it came again: answered as the first time, and not run again. */
  duplicates: number
  error: string | null
  outcome: Outcome | null
  receivedAt: number
  startedAt: number | null
  endedAt: number | null
  replayOf: string | null
}

export interface DeliveryEvent {
  /** Grows within a delivery: what came after one is read with `after`. */
  seq: number
  type: string
  at: number
  detail: Record<string, unknown>
}

export interface DeliveryFilter {
  state?: DeliveryState | undefined
  mapping?: string | undefined
  sessionKey?: string | undefined
  /** Ids of deliveries: the page begins behind it. */
  after?: string | undefined
  limit: number
  /** `desc`: newest first. */
  order: 'asc' | 'desc'
}

/** deliveries/: for whoever looks after them. */
export interface DeliveryDesk {
  list(filter: DeliveryFilter): Promise<DeliveryRecord[]>
  get(id: string): Promise<DeliveryRecord | undefined>
  counts(): Promise<Record<DeliveryState, number>>
  /** In order. */
  events(id: string, after?: number): Promise<DeliveryEvent[]>
  /** Calls back when something happened to a delivery, on whichever node. Returns the way to stop. */
  watch(listener: (id: string) => void): () => void
  /** The same action once more, as a delivery of its own; undefined when there is no such delivery. */
  replay(id: string): Promise<string | undefined>
  /** Nothing (of this mapping) runs from now on, also after a restart; deliveries are accepted and wait. */
  pause(mapping?: string): Promise<void>
  resume(mapping?: string): Promise<void>
  /** `all`, and the mappings. */
  paused(): Promise<{ all: boolean; mappings: string[] }>
}

export interface SystemEvent {
  text: string
  trust: Trust
  /** Where it came from, shown inside the wrapper: `wake`, `mapping:github`, `hook:<name>`. */
  source: string
  /** `now`: a heartbeat follows at once, also when this process dies before it. */
  mode: WakeAction['mode']
  /** Of the delivery it belongs to. */
  deliveryId?: string
  allowUnsafeExternalContent?: boolean
}

/** agent/: sessions, system events, heartbeats, turns. */
export interface AgentRuntime {
  /** On the main session, in the transaction of the deliveries that they come with. */
  addEvents(tx: Tx, events: readonly SystemEvent[]): Promise<void>
  /** Throws ActionProblem when the model may not be used, the channel is not configured … Called before acceptance. */
  check(action: AgentAction): void
  /** One isolated turn: a thread's run, the summary on the main session, the reply to the outbox. */
  run(delivery: ClaimedDelivery): Promise<void>
  /** In the commit that buries a delivery after its last attempt: a summary is posted all the same. */
  died?(tx: Tx, delivery: Pick<ClaimedDelivery, 'id' | 'action' | 'trust'>, error: string): Promise<void>
  /** Heartbeats from now on; events that were waiting for one get it. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** The sender asked for something that cannot be: 400 with these words. */
export class ActionProblem extends Error {
  override name = 'ActionProblem'
}

export interface Target {
  channel: ChannelKind
  to: string
}

export interface OutgoingMessage extends Target {
  text: string
  /** Of the delivery, or of the heartbeat, that it answers. */
  origin: string
  /** Unique: a second message with it is not added. */
  dedupe: string
}

/** channels/: the durable outbox and the eight kinds. */
export interface Outbox {
  /** `last`: the main session's last recipient, else the configured default. Undefined: there is nobody to send to. */
  target(wanted: { channel: 'last' | ChannelKind; to?: string }): Promise<Target | undefined>
  /** Whether messages can be sent there at all, as configured. */
  isConfigured(channel: ChannelKind): boolean
  /** In the transaction of the end of the run; returns its id. */
  add(tx: Tx, message: OutgoingMessage): Promise<string>
  /** The main session's last recipient from now on. */
  remember(tx: Tx, target: Target): Promise<void>
  start(): Promise<void>
  stop(graceMs: number): Promise<void>
}
