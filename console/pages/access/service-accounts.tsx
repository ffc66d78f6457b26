import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { ServiceAccountObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { Time } from '../../parts/time.tsx'
import { RoleChoice } from '../members/role-choice.tsx'
import { projectRoles } from '../members/roles.ts'
import { accountsPath } from './paths.ts'

type Change = Pick<ServiceAccountObject, 'id'> & Partial<Pick<ServiceAccountObject, 'name' | 'role'>>

export function ServiceAccounts({ project }: { project: string }) {
  const path = accountsPath(project)
  const list = useList<ServiceAccountObject>({ path })
  const [renamed, setRenamed] = useState<ServiceAccountObject>()
  const confirm = useConfirm()
  const update = ({ id, ...body }: Change) => ask(`${path}/${id}`, { method: 'POST', body })
  const change = useChange(update, [path])
  const remove = useChange(({ id }: ServiceAccountObject) => ask(`${path}/${id}`, { method: 'DELETE' }), [path])
  const askToRemove = async (account: ServiceAccountObject) => {
    const text = 'Its key ends with it: programs that use it are refused from then on. This cannot be undone.'
    if (await confirm({ title: `Delete ${account.name}?`, text, action: 'Delete it' })) remove.mutate(account)
  }
  const columns = columnsWith({ change: change.mutate, rename: setRenamed, remove: askToRemove })
  return (
    <>
      <ListTable
        name="Service accounts"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="This project has no service accounts." code="./atoll keys create project" />}
      />
      {renamed !== undefined && (
        <RenameDialog
          account={renamed}
          save={(name) => update({ id: renamed.id, name })}
          changed={path}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </>
  )
}

interface Actions {
  change(change: Change): void
  rename(account: ServiceAccountObject): void
  remove(account: ServiceAccountObject): void
}

const columnsWith = ({ change, rename, remove }: Actions): Column<ServiceAccountObject>[] => [
  { title: 'Name', show: ({ name }) => <span className="long">{name}</span> },
  {
    title: 'Role',
    show: ({ id, name, role }) => (
      <RoleChoice of={name} roles={projectRoles} value={role} choose={(chosen) => change({ id, role: chosen })} />
    ),
  },
  { title: 'Made', show: ({ created_at }) => <Time seconds={created_at} /> },
  { title: 'Id', show: ({ id }) => <code>{id}</code> },
  {
    title: 'Actions',
    show: (account) => (
      <div className="actions">
        <button type="button" className="small" aria-label={`Rename ${account.name}`} onClick={() => rename(account)}>
          Rename
        </button>
        <button
          type="button"
          className="danger small"
          aria-label={`Delete ${account.name}`}
          onClick={() => remove(account)}
        >
          Delete
        </button>
      </div>
    ),
  },
]

interface RenameProps {
  account: ServiceAccountObject
  save(name: string): Promise<unknown>
  changed: string
  onClose(): void
}

function RenameDialog({ account, save, changed, onClose }: RenameProps) {
  const [name, setName] = useState(account.name)
  return (
    <FormDialog
      title={`Rename ${account.name}`}
      action="Rename it"
      save={() => save(name)}
      changed={[changed]}
      onClose={onClose}
    >
      <TextField label="Name" value={name} change={setName} />
    </FormDialog>
  )
}
