import { ask } from '../../api/client.ts'
import type { ProjectUserObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { RoleChoice } from '../members/role-choice.tsx'
import { projectRoles } from '../members/roles.ts'
import { membersPath } from './paths.ts'

export function ProjectMembers({ project }: { project: string }) {
  const path = membersPath(project)
  const list = useList<ProjectUserObject>({ path })
  const confirm = useConfirm()
  const change = useChange(
    ({ id, role }: Pick<ProjectUserObject, 'id' | 'role'>) => ask(`${path}/${id}`, { method: 'POST', body: { role } }),
    [path],
  )
  const remove = useChange(({ id }: ProjectUserObject) => ask(`${path}/${id}`, { method: 'DELETE' }), [path])
  const askToRemove = async (user: ProjectUserObject) => {
    const text = 'Their keys of this project end at once. They stay in the organization.'
    if (await confirm({ title: `Remove ${user.name} from the project?`, text, action: 'Remove them' })) {
      remove.mutate(user)
    }
  }
  const columns: Column<ProjectUserObject>[] = [
    { title: 'Name', show: ({ name }) => <span className="long">{name}</span> },
    { title: 'E-mail', show: ({ email }) => <span className="long">{email}</span> },
    {
      title: 'Role',
      show: ({ id, name, role }) => (
        <RoleChoice
          of={name}
          roles={projectRoles}
          value={role}
          choose={(chosen) => change.mutate({ id, role: chosen })}
        />
      ),
    },
    { title: 'Since', show: ({ added_at }) => <Time seconds={added_at} /> },
    {
      title: 'Actions',
      show: (user) => (
        <button
          type="button"
          className="danger small"
          aria-label={`Remove ${user.name}`}
          onClick={() => askToRemove(user)}
        >
          Remove
        </button>
      ),
    },
  ]
  return (
    <ListTable
      name="Members of the project"
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={<Empty title="Nobody works in this project but the owners of the organization." />}
    />
  )
}
