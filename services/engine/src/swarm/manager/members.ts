// The store's members follow the managers: who becomes one is added as a learner first, which has no say yet and so
// cannot hold anybody up, and gets its say once it has everything. Who is no longer one is removed.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import { peerUrlOf } from '../addresses.ts'
import type { EtcdClient, Member } from '../store/etcd-client.ts'
import type { KeptNode } from '../store/objects.ts'
import type { SwarmStore } from '../store/swarm-store.ts'
import { isPresent } from './leadership.ts'

export interface MembersParts {
  client: EtcdClient
  store: SwarmStore
  nodeId: string
  log: Log
}

const betweenPromotionsMs = 100
/** A learner that has not caught up by then will not. */
const learnMs = 60_000
const betweenLooksMs = 1_000

export class Members {
  readonly #parts: MembersParts
  #isPromoting = false
  #isStopped = false

  constructor(parts: MembersParts) {
    this.#parts = parts
  }

  stop(): void {
    this.#isStopped = true
  }

  /** All members with the new one, which begins with nothing: an older one at its place is gone for good. */
  async add(peerUrl: string): Promise<Member[]> {
    const { client } = this.#parts
    const { members } = await client.members()
    const stale = members.find(({ peerUrls }) => peerUrls.includes(peerUrl))
    if (stale !== undefined) await client.removeMember(stale.id)
    const all = await client.addLearner(peerUrl)
    this.#promoteSoon()
    return all
  }

  /** Of the leader: keeps members and managers the same. Returns how to stop it. */
  keep(): () => void {
    const { store, log } = this.#parts
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const look = (): void => {
      clearTimeout(timer)
      if (isOver || this.#isStopped) return
      this.#followManagers()
        .catch((error: Error) => {
          log.debug({ error: error.message }, 'members of the store do not follow the managers yet')
          return true
        })
        .then((isUnfinished) => {
          if (isUnfinished && !isOver) timer = setTimeout(look, betweenLooksMs).unref()
        })
    }
    const stopListening = store.listen(({ kind, before, after }) => {
      if (kind === 'node' && (before as KeptNode)?.Spec.Role !== (after as KeptNode)?.Spec.Role) look()
    })
    look()
    return () => {
      isOver = true
      clearTimeout(timer)
      stopListening()
    }
  }

  /**
   * True: some are to go, or to come, later. One that is to go and is there goes by itself. A learner may have been added
   * by a manager that is gone by now.
   */
  async #followManagers(): Promise<boolean> {
    const { client, store } = this.#parts
    const managers = store.all('node').filter(({ Spec }) => Spec.Role === 'manager')
    const { own, members } = await client.members()
    const others = members.filter((member) => member.id !== own && !managers.some(isMemberOf(member)))
    for (const member of others) if (!isPresent(store, member.name)) await client.removeMember(member.id)
    const voters = members.filter(({ isLearner }) => !isLearner)
    if (voters.length < members.length) this.#promoteSoon()
    return others.length > 0 || managers.some((manager) => !voters.some((member) => isMemberOf(member)(manager)))
  }

  #promoteSoon(): void {
    if (this.#isPromoting) return
    this.#isPromoting = true
    this.#promote()
      .catch((error: Error) => this.#parts.log.warn({ error: error.message }, 'a learner could not be promoted'))
      .finally(() => {
        this.#isPromoting = false
      })
  }

  async #promote(): Promise<void> {
    const { client } = this.#parts
    const since = new Map<string, number>()
    while (!this.#isStopped) {
      const learners = (await client.members()).members.filter(({ isLearner }) => isLearner)
      if (learners.length === 0) return
      for (const { id } of learners) {
        const seenAt = since.get(id) ?? performance.now()
        since.set(id, seenAt)
        if (performance.now() - seenAt > learnMs) await client.removeMember(id)
        // Refused while it has not caught up.
        else await client.promoteMember(id).catch(() => {})
      }
      await pause(betweenPromotionsMs, undefined, { ref: false })
    }
  }
}

const isMemberOf =
  ({ name, peerUrls }: Member) =>
  ({ ID, ManagerStatus }: KeptNode): boolean =>
    ID === name || (ManagerStatus?.Addr !== undefined && peerUrls.includes(peerUrlOf(ManagerStatus.Addr)))
