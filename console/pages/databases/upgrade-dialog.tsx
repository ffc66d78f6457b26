// Upgrades a database's modules: first what would be done, then how far it is, then how long clients had to wait.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askOf } from '../../api/service-client.ts'
import type { ActionObject, DatabaseObject, ModuleObject, UpgradeAnswer } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useService } from '../services/use-service.ts'
import { UpgradePlan } from './upgrade-plan.tsx'
import { UpgradeProgress } from './upgrade-progress.tsx'

const everyMs = 500

interface Begun {
  answer: UpgradeAnswer
  key: string
  body: object
}

export function UpgradeDialog({ database, onClose }: { database: DatabaseObject; onClose(): void }) {
  const path = `/v1/bdbs/${database.uid}/upgrade`
  const modules = useService<ModuleObject[]>('cluster', '/v1/modules')
  const [wanted, setWanted] = useState<Record<string, string>>({})
  const [begun, setBegun] = useState<Begun>()
  const body = {
    modules: Object.entries(wanted).map(([current_module, new_module]) => ({ current_module, new_module })),
  }
  const rehearse = useMutation({
    mutationFn: () => askOf<UpgradeAnswer>('cluster', path, { method: 'POST', body: { ...body, dry_run: true } }),
  })
  const start = useMutation({
    mutationFn: async () => {
      const key = newKey()
      const headers = { 'idempotency-key': key, prefer: 'respond-async' }
      const answer = await askOf<UpgradeAnswer>('cluster', path, { method: 'POST', body, headers })
      return { answer, key, body }
    },
    onSuccess: setBegun,
  })
  const choose = (current: string, uid: string) => {
    rehearse.reset()
    const { [current]: _, ...others } = wanted
    setWanted(uid === '' ? others : { ...others, [current]: uid })
  }
  const error = modules.error ?? rehearse.error ?? start.error
  return (
    <Dialog title={`Upgrade ${database.name}`} onClose={onClose}>
      {begun === undefined ? (
        <>
          {database.module_list.map(({ module_id, module_name, semantic_version }) => (
            <ModuleVersion
              key={module_id}
              label={`${module_name}, now ${semantic_version}`}
              versions={modules.data?.filter((one) => one.module_name === module_name && one.uid !== module_id)}
              chosen={wanted[module_id] ?? ''}
              choose={(uid) => choose(module_id, uid)}
            />
          ))}
          {error && <Failure error={error} />}
          {rehearse.data?.plan && <UpgradePlan plan={rehearse.data.plan} />}
          <div className="dialog-actions">
            <button
              type="button"
              disabled={body.modules.length === 0 || rehearse.isPending}
              onClick={() => rehearse.mutate()}
            >
              Show what would be done
            </button>
            <button
              type="button"
              className="primary"
              disabled={rehearse.data === undefined || start.isPending}
              onClick={() => start.mutate()}
            >
              Upgrade
            </button>
          </div>
        </>
      ) : (
        <Following path={path} begun={begun} />
      )}
    </Dialog>
  )
}

interface VersionProps {
  label: string
  versions: ModuleObject[] | undefined
  chosen: string
  choose(uid: string): void
}

const ModuleVersion = ({ label, versions = [], chosen, choose }: VersionProps) => (
  <label className="field">
    <span>{label}</span>
    <select value={chosen} onChange={(event) => choose(event.target.value)}>
      <option value="">leave as it is</option>
      {versions.map(({ uid, semantic_version }) => (
        <option key={uid} value={uid}>
          {semantic_version}
        </option>
      ))}
    </select>
  </label>
)

function Following({ path, begun: { answer, key, body } }: { path: string; begun: Begun }) {
  const queries = useQueryClient()
  const { data: action } = useQuery({
    queryKey: ['cluster action', answer.action_uid],
    queryFn: ({ signal }) => askOf<ActionObject>('cluster', `/v1/actions/${answer.action_uid}`, { signal }),
    refetchInterval: ({ state: { data } }) => (isOver(data) ? false : everyMs),
  })
  // The same key gets the answer to the same upgrade, now that it has ended.
  const { data: done } = useQuery({
    queryKey: ['cluster upgrade', key],
    queryFn: async () => {
      const ended = await askOf<UpgradeAnswer>('cluster', path, {
        method: 'POST',
        body,
        headers: { 'idempotency-key': key },
      })
      await queries.invalidateQueries({ queryKey: ['cluster'] })
      return ended
    },
    enabled: action?.status === 'completed',
    retry: false,
  })
  return <UpgradeProgress answer={answer} action={action} done={done} />
}

const isOver = (action: ActionObject | undefined): boolean =>
  action?.status === 'completed' || action?.status === 'failed'

/** Of 128 bits; browsers have randomUUID for encrypted and local pages only. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
