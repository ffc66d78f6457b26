import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { ProjectUserObject, UserObject } from '../../api/types.ts'
import { useList } from '../../api/use-list.ts'
import { Choice } from '../../parts/choice.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { projectRoles } from '../members/roles.ts'
import { membersPath } from './paths.ts'

/** Somebody of the organization joins the project. */
export function AddMemberDialog({ project, onClose }: { project: string; onClose(): void }) {
  const path = membersPath(project)
  const people = useList<UserObject>({ path: '/v1/organization/users' })
  const members = useList<ProjectUserObject>({ path })
  const [chosen, setChosen] = useState('')
  const [role, setRole] = useState<keyof typeof projectRoles>('member')
  const here = new Set(members.items?.map(({ id }) => id))
  const others = people.items?.filter(({ id }) => !here.has(id)) ?? []
  const userId = chosen === '' ? others[0]?.id : chosen
  if (people.items !== undefined && members.items !== undefined && others.length === 0) {
    return (
      <FormDialog title="Add a member" action="Close" save={async () => undefined} changed={[]} onClose={onClose}>
        <p>Everybody of the organization is in this project already. Others are invited on the page Members.</p>
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title="Add a member"
      action="Add them"
      save={() => ask(path, { method: 'POST', body: { user_id: userId, role } })}
      changed={[path]}
      onClose={onClose}
    >
      <Choice
        label="Who"
        options={Object.fromEntries(others.map(({ id, name, email }) => [id, `${name} (${email})`]))}
        value={userId ?? ''}
        choose={setChosen}
      />
      {people.hasNextPage && (
        <button type="button" className="small" onClick={() => people.fetchNextPage()}>
          Show more people
        </button>
      )}
      <Choice label="Role in the project" options={projectRoles} value={role} choose={setRole} />
    </FormDialog>
  )
}
