// One answer for both ways to ask for an upgrade: at its end, or at once where the caller prefers that.

import { json } from '@atoll/kernel/http/reply'
import type { Exchange } from '@atoll/kernel/http/route'
import type { ClusterUser } from '../callers.ts'
import type { UpgradeModules } from './schema.ts'
import type { Upgrades } from './upgrades.ts'

const acceptedStatus = 202

export async function answerUpgrade(
  upgrades: Upgrades,
  { caller, params, headers, setHeader }: Exchange<ClusterUser, { uid: number }, unknown, unknown>,
  wanted: UpgradeModules & { force_restart?: boolean },
) {
  if (wanted.dry_run) return upgrades.rehearse(params.uid, wanted)
  const key = headers['idempotency-key']
  const started = await upgrades.start(caller, params.uid, wanted, typeof key === 'string' ? key : undefined)
  if (started.isReplayed) setHeader('idempotency-replayed', 'true')
  if (!prefersAsync(headers['prefer'])) return upgrades.finished(started.actionUid)
  setHeader('preference-applied', 'respond-async')
  setHeader('location', `/v1/actions/${started.actionUid}`)
  return json(acceptedStatus, await upgrades.accepted(started.actionUid))
}

const prefersAsync = (prefer: string | string[] | undefined): boolean =>
  /(^|[,\s])respond-async/i.test(String(prefer ?? ''))
