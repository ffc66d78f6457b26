// The agent: puts sessions, events, turns and the heartbeat together.
import { join } from 'node:path'
import type { Tx } from '@atoll/kernel/db/database'
import type { Kernel } from '@atoll/kernel/kernel'
import type { AgentAction } from '../actions.ts'
import {
  ActionProblem,
  type AgentRuntime,
  type ClaimedDelivery,
  type Outbox,
  type SystemEvent,
  type Target,
} from '../ports.ts'
import type { AgentsConfig } from './config.ts'
import { SystemEvents } from './events/events.ts'
import type { EventRow } from './events/store.ts'
import { Beats } from './heartbeat/beat.ts'
import { BeatEnding } from './heartbeat/beat-ending.ts'
import { Heart } from './heartbeat/heart.ts'
import type { HeartbeatRow } from './heartbeat/store.ts'
import { HookTurns } from './hook-turns.ts'
import { chooseModel, chooseThinking } from './models.ts'
import { Platform, type PlatformAddress } from './platform/platform.ts'
import { Sessions } from './sessions/sessions.ts'
import type { SessionRow } from './sessions/store.ts'
import { ToolCalls } from './tools/tool-calls.ts'
import { hookPrompt } from './trust/prompt.ts'
import { newMarker } from './trust/wrapper.ts'
import { deleteEndedTurns, findTurn, newestTurns, type TurnRow } from './turns/store.ts'
import { Turns } from './turns/turns.ts'

const msPerDay = 24 * 3600 * 1000
const pruneEverySeconds = 3600
const maxTimeoutSeconds = 24 * 3600

export interface AgentNeeds {
  kernel: Pick<Kernel, 'db' | 'clock' | 'ids' | 'log' | 'jobs' | 'folder'>
  config: AgentsConfig
  platform: PlatformAddress
  outbox: Outbox & { problemOf?(target: Target): string | undefined }
}

export interface AgentStatus {
  heartbeat: HeartbeatRow
  /** Events that no turn has shown yet, or whose turn has not ended. */
  openEvents: number
}

export class Agent implements AgentRuntime {
  readonly #needs: AgentNeeds
  readonly #events: SystemEvents
  readonly #hookTurns: HookTurns
  readonly #heart: Heart
  readonly sessions: Sessions

  /** Before `kernel.start()`: it registers jobs. */
  constructor(needs: AgentNeeds) {
    const { kernel, config: all, outbox } = needs
    const { db, clock, ids, jobs, log, folder } = kernel
    const config = all.defaults
    const workspace = config.workspace ?? join(folder, 'hooks', 'workspace')
    const platform = new Platform(db, needs.platform, config)
    const sessions = new Sessions({ db, clock, ids, platform })
    const events = new SystemEvents({ db, clock, ids, onUrgent: (tx) => this.#heart.wake(tx) })
    const calls = new ToolCalls({ db, clock, outbox })
    const turns = new Turns({ db, clock, platform, sessions, calls, tools: config.tools })
    const ending = new BeatEnding({ db, clock, config, events, calls, outbox })
    const beats = new Beats({ db, clock, ids, log, config, workspace, sessions, events, turns, ending })
    this.#needs = needs
    this.sessions = sessions
    this.#events = events
    this.#hookTurns = new HookTurns({ db, clock, ids, log, config, sessions, events, turns, calls, outbox })
    this.#heart = new Heart({ db, clock, jobs, log, config, events, beats })
    jobs.registerPeriodic('prune-hook-sessions', pruneEverySeconds, (signal) => this.#prune(signal))
  }

  addEvents(tx: Tx, events: readonly SystemEvent[]): Promise<void> {
    return this.#events.add(tx, ...events)
  }

  check({ model, thinking, timeoutSeconds, deliver, channel, to }: AgentAction): void {
    const { config, outbox } = this.#needs
    chooseModel(config.defaults, model)
    chooseThinking(config.defaults, thinking)
    if (timeoutSeconds !== undefined && timeoutSeconds > maxTimeoutSeconds) {
      throw new ActionProblem(`timeoutSeconds may be at most ${maxTimeoutSeconds}`)
    }
    if (!deliver || channel === 'last') return
    if (!outbox.isConfigured(channel)) throw new ActionProblem(`channel ${channel} is not configured`)
    const problem = to === undefined ? undefined : outbox.problemOf?.({ channel, to })
    if (problem !== undefined) throw new ActionProblem(`to: ${problem}`)
  }

  run(delivery: ClaimedDelivery): Promise<void> {
    return this.#hookTurns.run(delivery)
  }

  died(tx: Tx, delivery: Pick<ClaimedDelivery, 'id' | 'action' | 'trust'>, error: string): Promise<void> {
    return this.#hookTurns.died(tx, delivery, error)
  }

  start(): Promise<void> {
    return this.#heart.start()
  }

  stop(): Promise<void> {
    return this.#heart.stop()
  }

  /** The operator wants a heartbeat now. */
  requestHeartbeat(): Promise<void> {
    return this.#heart.request()
  }

  async status(): Promise<AgentStatus> {
    return { heartbeat: await this.#heart.status(), openEvents: await this.#events.countOpen() }
  }

  /** Newest first, skipped ones too. */
  heartbeats(limit: number): Promise<TurnRow[]> {
    return newestTurns(this.#needs.kernel.db.queries, 'heartbeat', limit)
  }

  /** What a delivery's turn was asked with; undefined where it has had none yet. */
  turnOf(deliveryId: string): Promise<TurnRow | undefined> {
    return findTurn(this.#needs.kernel.db.queries, deliveryId)
  }

  /** Newest first. */
  events(limit: number): Promise<EventRow[]> {
    return this.#events.list(limit)
  }

  listSessions(limit: number): Promise<SessionRow[]> {
    return this.sessions.list(limit)
  }

  /** Its conversation is forgotten; what comes next starts anew, and is trusted anew. */
  resetSession(id: string): Promise<boolean> {
    return this.sessions.reset(id)
  }

  /** What the model would be shown of an action that came through a hook. */
  preview(action: Pick<AgentAction, 'message' | 'name'>, mapping: string, isUnsafe: boolean): string {
    const { clock, ids } = this.#needs.kernel
    const source = `webhook ${mapping}`
    const shown = { action, source, trust: 'external', isUnsafe, receivedAt: clock.now() } as const
    return hookPrompt({ ...shown, marker: newMarker(ids.hex()) })
  }

  async #prune(signal: AbortSignal): Promise<void> {
    const { kernel, config } = this.#needs
    const before = kernel.clock.now() - config.defaults.sessionDays * msPerDay
    await this.#events.prune(before)
    await deleteEndedTurns(kernel.db, before)
    await this.sessions.prune(before, signal)
  }
}
