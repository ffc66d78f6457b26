// Carries an upgrade through: step by step, each written down before it is begun; after a crash from where it was.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { PendingOp } from '../resources/actions/schema.ts'
import type { Action, Actions } from '../resources/actions/service.ts'
import { type HeldDatabase, ModuleRefused } from './ports.ts'
import { isBeyondReturn, nextStep, Position, progressOf } from './position.ts'
import { discardData, rollBack, type StepContext, stepWork, UpgradeCancelled } from './steps.ts'

interface Parts {
  actions: Actions
  /** Nobody else changes its shards from now on. */
  hold(bdbUid: number): Promise<HeldDatabase>
  folder: string
  clock: Clock
  log: Log
}

/** Processes die: a step is tried again when something had to be started again. */
const maxAttempts = 12
const pauseMs = 200

export class UpgradeRunner {
  readonly #parts: Parts
  readonly #running = new Map<string, Promise<Position>>()
  readonly #positions = new Map<string, Position>()
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Those that an earlier process had begun. */
  async resume(): Promise<void> {
    for (const action of await this.#parts.actions.running()) {
      if (action.name === upgradeName) void this.run(action).catch(() => undefined)
    }
  }

  /** Resolves when it is completed, and rejects with what went wrong when it has failed. */
  run(action: Action): Promise<Position> {
    const known = this.#running.get(action.uid)
    if (known !== undefined) return known
    const running = this.#run(action).finally(() => {
      this.#running.delete(action.uid)
      this.#positions.delete(action.uid)
    })
    this.#running.set(action.uid, running)
    return running
  }

  /** Its end, of one that is under way in this process. */
  underWay(uid: string): Promise<Position> | undefined {
    return this.#running.get(uid)
  }

  /** False when it is too late: the old version is gone. */
  async cancel(uid: string): Promise<boolean> {
    const position = this.#positions.get(uid)
    if (position === undefined || isBeyondReturn(position)) return false
    position.isCancelled = true
    await this.#parts.actions.change(uid, { details: position })
    return true
  }

  /** Leaves upgrades where they are: the next start goes on. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.allSettled(this.#running.values())
  }

  async #run({ uid, details }: Action): Promise<Position> {
    const { actions, hold, folder, clock } = this.#parts
    const position = Position.parse(details)
    this.#positions.set(uid, position)
    using database = await hold(position.bdbUid)
    const pendingOps: Record<string, PendingOp> = {}
    const tell: StepContext['tell'] = (shardUid, operation, progress) => {
      const words = progress < 100 ? 'running' : 'done'
      pendingOps[shardUid] = { op_name: operation, progress, status_code: words, status_description: words }
      void actions.change(uid, { pendingOps }).catch(() => undefined)
    }
    const backup = join(folder, `${uid}.rdb`)
    const context: StepContext = { database, position, backup, tell, now: () => clock.now() }
    try {
      await database.revive()
      if (position.isDiscarding) await this.#discard(uid, context)
      else await this.#forward(uid, context)
    } catch (error) {
      if (this.#isStopped) throw error
      if (!(await this.#goesOn(uid, context, error as Error))) throw error
    }
    await actions.change(uid, {
      status: 'completed',
      progress: 100,
      state: 'completed',
      details: position,
      pendingOps: {},
    })
    return position
  }

  async #forward(uid: string, context: StepContext): Promise<void> {
    const { position } = context
    for (let step: Position['step'] | undefined = position.step; step !== undefined; step = nextStep(step)) {
      position.step = step
      const progress = progressOf(step)
      await this.#parts.actions.change(uid, { status: 'active', progress, state: step, details: position })
      await this.#attempt(context)
    }
  }

  async #attempt(context: StepContext): Promise<void> {
    const { database, position } = context
    for (let attempt = 1; ; attempt++) {
      if (this.#isStopped) throw new Error('Atoll is being stopped.')
      if (position.isCancelled && !isBeyondReturn(position)) throw new UpgradeCancelled()
      try {
        await stepWork[position.step](context)
        return
      } catch (error) {
        if (error instanceof UpgradeCancelled) throw error
        const hadDied = await this.#revived(database)
        const mayHelp = hadDied || isBeyondReturn(position) || !(error instanceof ModuleRefused)
        const limit = hadDied || isBeyondReturn(position) ? maxAttempts : quietAttempts
        this.#parts.log.warn({ err: error, step: position.step, attempt, hadDied }, 'A step of an upgrade failed.')
        if (!mayHelp || attempt >= limit) throw error
        await delay(pauseMs * attempt)
      }
    }
  }

  async #revived(database: HeldDatabase): Promise<boolean> {
    return database.revive().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'A shard could not be started again.')
      return false
    })
  }

  /** False when it has failed, and everything is as it was where that was possible. */
  async #goesOn(uid: string, context: StepContext, error: Error): Promise<boolean> {
    const { position } = context
    const mayGoBack = !isBeyondReturn(position) && !position.isDiscarding
    const rolledBack = mayGoBack && (await this.#rolledBack(uid, context))
    if (!rolledBack && position.step === 'soak') {
      // The old master could not follow: there is nothing to go back to.
      position.step = 'rebuild'
      await this.#forward(uid, context)
      return true
    }
    const isMeant = position.mayDiscardData && rolledBack && !(error instanceof UpgradeCancelled)
    if (isMeant && (await this.#discarded(uid, context))) return true
    await this.#fail(uid, position, { error, rolledBack: rolledBack && !position.isDiscarding })
    return false
  }

  /** What could not be carried over is left behind, unless the modules do not start without it either. */
  async #discarded(uid: string, context: StepContext): Promise<boolean> {
    const { database, position } = context
    try {
      await database.rehearse(undefined, position.after)
      position.isDiscarding = true
      await this.#discard(uid, context)
      return true
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'A database could not begin again without its data.')
      return false
    }
  }

  async #discard(uid: string, context: StepContext): Promise<void> {
    await this.#parts.actions.change(uid, { state: 'discard', details: context.position })
    for (let attempt = 1; ; attempt++) {
      try {
        await discardData(context)
        return
      } catch (error) {
        if (attempt >= maxAttempts) throw error
        await delay(pauseMs * attempt)
      }
    }
  }

  async #fail(
    uid: string,
    position: Position,
    { error, rolledBack }: { error: Error; rolledBack: boolean },
  ): Promise<void> {
    const { actions, log } = this.#parts
    const details = { ...position, rolledBack }
    const words = rolledBack ? `${error.message} Everything is as it was.` : error.message
    log.error({ err: error, step: position.step, rolledBack }, 'An upgrade has failed.')
    await actions.change(uid, { status: 'failed', state: rolledBack ? 'rolled_back' : 'failed', error: words, details })
  }

  async #rolledBack(uid: string, context: StepContext): Promise<boolean> {
    const { actions, log } = this.#parts
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      try {
        await actions.change(uid, { state: 'rolling_back' })
        await context.database.revive()
        await rollBack(context)
        return true
      } catch (error) {
        log.warn({ err: error, attempt }, 'An upgrade could not be rolled back yet.')
        await delay(pauseMs * attempt)
      }
    }
    return false
  }
}

/** For faults with nobody dead: a replica that is slow to catch up. */
const quietAttempts = 3

export const upgradeName = 'SMUpgradeBDB'
