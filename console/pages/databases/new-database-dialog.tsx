import { type FormEvent, useState } from 'react'
import type { ModuleObject } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { moduleText } from './cluster.ts'

const mebibyte = 1024 ** 2

export function NewDatabaseDialog({ onClose }: { onClose(): void }) {
  const make = useServiceChange('cluster')
  const [name, setName] = useState('')
  const [memory, setMemory] = useState('')
  const [password, setPassword] = useState('')
  const [isReplicated, setIsReplicated] = useState(false)
  const [chosen, setChosen] = useState<string[]>([])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      name,
      replication: isReplicated,
      module_list: chosen.map((module_id) => ({ module_id })),
      ...(memory === '' ? {} : { memory_size: Number(memory) * mebibyte }),
      ...(password === '' ? {} : { authentication_redis_pass: password }),
    }
    make.mutate({ path: '/v1/bdbs', body }, { onSuccess: onClose })
  }
  return (
    <Dialog title="Make a database" onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>Name</span>
          <input
            required
            maxLength={63}
            pattern="[A-Za-z]([A-Za-z0-9\-]*[A-Za-z0-9])?"
            placeholder="orders"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label className="field">
          <span>Memory at most, in MB (empty: no limit)</span>
          <input
            type="number"
            min={1}
            max={1_000_000}
            value={memory}
            onChange={(event) => setMemory(event.target.value)}
          />
        </label>
        <label className="field">
          <span>Password of its clients (empty: none)</span>
          <input
            type="password"
            autoComplete="new-password"
            maxLength={512}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </label>
        <label className="inline">
          <input type="checkbox" checked={isReplicated} onChange={(event) => setIsReplicated(event.target.checked)} />
          <span>With a replica</span>
        </label>
        <ModuleChoice chosen={chosen} choose={setChosen} />
        <div className="dialog-actions">
          <button type="submit" className="primary" disabled={make.isPending}>
            {make.isPending ? 'Making it …' : 'Make it'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function ModuleChoice({ chosen, choose }: { chosen: string[]; choose(uids: string[]): void }) {
  const modules = useService<ModuleObject[]>('cluster', '/v1/modules')
  return modules.data?.map(({ uid, ...module }) => (
    <label key={uid} className="inline">
      <input
        type="checkbox"
        checked={chosen.includes(uid)}
        onChange={({ target }) => choose(target.checked ? [...chosen, uid] : chosen.filter((one) => one !== uid))}
      />
      <span>Module {moduleText(module)}</span>
    </label>
  ))
}
