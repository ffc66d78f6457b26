// Upgrades of databases: checked as a whole, begun as an action, carried through by the runner.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { ClusterUser } from '../callers.ts'
import * as errors from '../errors.ts'
import { tellsOfFullDisk } from '../redis/full-disk.ts'
import { actionObject } from '../resources/actions/action-objects.ts'
import type { ActionObject } from '../resources/actions/schema.ts'
import type { Action, Actions } from '../resources/actions/service.ts'
import type { Databases } from '../resources/bdbs/service.ts'
import type { Modules } from '../resources/modules/service.ts'
import { neededCapabilities } from './capabilities.ts'
import { type Plan, planUpgrade, type WantedModule } from './plan.ts'
import { ModuleRefused } from './ports.ts'
import { Position, steps } from './position.ts'
import type { UpgradeAnswer } from './schema.ts'
import { findUpgradeKey, insertUpgradeKey, type UpgradeKey, upgradeKey } from './upgrade-keys.ts'
import { type UpgradeRunner, upgradeName } from './upgrade-runner.ts'

interface Parts {
  db: Database
  clock: Clock
  databases: Databases
  modules: Modules
  actions: Actions
  runner: UpgradeRunner
  release: string
}

export interface UpgradeRequest {
  modules: WantedModule[]
  preserve_roles: boolean
  may_discard_data: boolean
  soak_seconds: number
  force_restart?: boolean
}

export class Upgrades {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What would be done. Throws what would speak against it. */
  async rehearse(uid: number, request: UpgradeRequest): Promise<UpgradeAnswer> {
    const plan = await this.#plan(uid, request)
    const { shards } = this.#parts.databases.live(uid)
    const hasReplicas = shards.length > 1
    return {
      ...this.#answer(uid, plan),
      dry_run: true,
      plan: {
        steps: steps.filter((step) => {
          if (step === 'soak') return request.soak_seconds > 0
          return step !== 'roles' || (request.preserve_roles && hasReplicas)
        }),
        through: hasReplicas ? 'its replicas' : 'a replica made for the upgrade',
        /** Only where it cannot be carried over. */
        discards_data: this.#mayDiscard(uid, request),
      },
    }
  }

  async start(
    user: ClusterUser,
    uid: number,
    request: UpgradeRequest,
    key: string | undefined,
  ): Promise<{ actionUid: string; isReplayed: boolean }> {
    const { db, clock, actions, databases, runner, modules } = this.#parts
    const idempotency = key === undefined ? undefined : upgradeKey(user.uid, key, { uid, request })
    const earlier = idempotency && (await this.#earlier(idempotency))
    if (earlier !== undefined) return { actionUid: earlier, isReplayed: true }
    const plan = await this.#plan(uid, request)
    using _held = new DisposableStack()
    for (const { to } of plan.replacements) _held.use(modules.hold(to.module_id))
    const details = await this.#firstPosition(uid, plan, request)
    const action = await db.transaction(async (tx) => {
      const names = plan.replacements.map(({ to }) => `${to.module_name} ${to.semantic_version}`)
      const description = `Upgrade of database ${uid}${names.length > 0 ? ` to ${names.join(', ')}` : ''}`
      const begun = await actions.begin(tx, { name: upgradeName, objectName: `bdb:${uid}`, description, details })
      if (idempotency !== undefined) await insertUpgradeKey(tx, idempotency, begun.uid, clock.now())
      return begun
    })
    try {
      await databases.setStatus(uid, 'active-change-pending')
    } finally {
      // It is on record, and goes on whatever else fails. The action tells how it ended, and so does `finished`.
      void runner.run(action).catch(() => undefined)
    }
    return { actionUid: action.uid, isReplayed: false }
  }

  /** Waits for its end. Throws when it has failed. */
  async finished(actionUid: string): Promise<UpgradeAnswer> {
    const { runner, databases } = this.#parts
    // Asked first: it may end while its record is read, and must not begin again.
    const running = runner.underWay(actionUid)
    const action = await this.#action(actionUid)
    const { bdbUid } = Position.parse(action.details)
    try {
      const position =
        action.status === 'completed' ? Position.parse(action.details) : await (running ?? this.#ended(action, runner))
      return {
        ...this.#answer(bdbUid, replacementsOf(position)),
        action_uid: actionUid,
        longest_pause_ms: position.longestGateMs,
        discarded_data: position.isDiscarding,
      }
    } catch (error) {
      const { error: words = (error as Error).message, state } = await this.#action(actionUid)
      databases.live(bdbUid)
      const isRolledBack = state === 'rolled_back'
      if (tellsOfFullDisk(error, words)) throw errors.upgradeWithoutRoom(words, actionUid, isRolledBack)
      if (error instanceof ModuleRefused) throw errors.moduleRefused(words, actionUid, isRolledBack)
      throw errors.upgradeFailed(words, actionUid, isRolledBack)
    }
  }

  async accepted(actionUid: string): Promise<UpgradeAnswer> {
    const { details, status, progress } = await this.#action(actionUid)
    const position = Position.parse(details)
    return { ...this.#answer(position.bdbUid, replacementsOf(position)), action_uid: actionUid, status, progress }
  }

  /** Takes it back, as long as that is possible. Resolves when it is told; the action tells the rest. */
  async cancel(actionUid: string): Promise<void> {
    const { status } = await this.#action(actionUid)
    const isUnderWay = status === 'pending' || status === 'active'
    if (!isUnderWay || !(await this.#parts.runner.cancel(actionUid))) throw errors.tooLateToCancel(actionUid)
  }

  async actionObject(uid: string): Promise<ActionObject> {
    return actionObject(await this.#action(uid))
  }

  async #ended(action: Action, runner: UpgradeRunner): Promise<Position> {
    if (action.status === 'failed') throw new Error(action.error ?? 'The upgrade has failed.')
    return runner.run(action)
  }

  async #action(uid: string): Promise<Action> {
    const action = await this.#parts.actions.get(uid)
    if (action === undefined) throw errors.noSuchAction(uid)
    return action
  }

  async #earlier({ key, requestSha256 }: UpgradeKey): Promise<string | undefined> {
    const known = await findUpgradeKey(this.#parts.db.queries, key)
    if (known !== undefined && known.request_sha256 !== requestSha256) throw errors.keyReused()
    return known?.action_uid
  }

  async #plan(uid: number, request: UpgradeRequest): Promise<Plan> {
    const { databases, modules, release } = this.#parts
    const { moduleList, settings } = databases.record(uid) // MOD-033
    if (request.modules.length === 0 && !request.force_restart) {
      throw errors.invalidParameter(
        'Missing parameter: modules. Name what is to be upgraded, or ask for force_restart.',
      )
    }
    const known = new Map((await modules.list()).map((module) => [module.uid, module]))
    const database = {
      uid,
      module_list: moduleList,
      engineVersion: databases.get(uid).redis_version,
      needs: neededCapabilities(settings),
    }
    const checkFile = async (moduleUid: string) => {
      const module = known.get(moduleUid)
      if (module === undefined || (await modules.isWhole(module))) return undefined
      return `The file of module ${moduleUid} was changed since it was uploaded: delete the module and upload it again.`
    }
    const plan = await planUpgrade(database, request.modules, { release, find: (each) => known.get(each), checkFile })
    if ('problems' in plan) throw errors.upgradeRefused(plan.problems)
    return plan
  }

  /** MOD-012: of a database that has its data nowhere else. */
  #mayDiscard(uid: number, { may_discard_data }: UpgradeRequest): boolean {
    const { replication, data_persistence } = this.#parts.databases.record(uid).settings
    return may_discard_data && !replication && data_persistence === 'disabled'
  }

  async #firstPosition(uid: number, plan: Plan, request: UpgradeRequest): Promise<Position> {
    const { databases } = this.#parts
    const { shards, bdb } = databases.live(uid)
    const master = shards.find(({ role }) => role === 'master')
    const replica = shards.find(({ role }) => role === 'slave')
    if (master === undefined) throw errors.databaseBusy(uid)
    return {
      bdbUid: uid,
      step: 'snapshot',
      before: bdb.moduleList,
      after: plan.modules,
      upgraded: plan.replacements.map(({ to }) => to.module_name),
      preserveRoles: request.preserve_roles,
      mayDiscardData: this.#mayDiscard(uid, request),
      isDiscarding: false,
      master: master.uid,
      successor: replica?.uid ?? (await databases.newShardUid()),
      isEphemeral: replica === undefined,
      longestGateMs: 0,
      soakSeconds: request.soak_seconds,
      isCancelled: false,
    }
  }

  /** The database with the first of its upgraded modules; `modules` has all of them. */
  #answer(uid: number, { replacements }: Pick<Plan, 'replacements'>): UpgradeAnswer {
    const [first] = replacements
    const modules = replacements.map(({ from, to }) => ({ ...to, previous_semantic_version: from.semantic_version }))
    const database = this.#parts.databases.get(uid)
    const { module_id, module_name, semantic_version } = first?.to ?? {}
    return { ...database, module_id, module_name, semantic_version, modules }
  }
}

function replacementsOf({ before, after, upgraded }: Position): Pick<Plan, 'replacements'> {
  const replacements = before.flatMap((from) => {
    const to = after.find(({ module_name }) => module_name === from.module_name)
    if (to === undefined) return []
    const isAsked = upgraded?.includes(to.module_name) ?? JSON.stringify(to) !== JSON.stringify(from)
    return isAsked ? [{ from, to }] : []
  })
  return { replacements }
}
