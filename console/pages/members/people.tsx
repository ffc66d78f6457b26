import { ask } from '../../api/client.ts'
import type { UserObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useSession } from '../../app/session.ts'
import { useConfirm } from '../../parts/confirm.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { RoleChoice } from './role-choice.tsx'
import { organizationRoles } from './roles.ts'

const path = '/v1/organization/users'

/** Nobody takes the console from under their own feet: the row of whoever looks has no actions. */
export function People() {
  const { data: session } = useSession()
  const list = useList<UserObject>({ path })
  const confirm = useConfirm()
  const change = useChange(
    ({ id, role }: Pick<UserObject, 'id' | 'role'>) => ask(`${path}/${id}`, { method: 'POST', body: { role } }),
    [path],
  )
  const remove = useChange(({ id }: UserObject) => ask(`${path}/${id}`, { method: 'DELETE' }), [path])
  const askToRemove = async (user: UserObject) => {
    const text = 'They leave every project, and their keys end at once. This cannot be undone.'
    if (await confirm({ title: `Remove ${user.name}?`, text, action: 'Remove them' })) remove.mutate(user)
  }
  const isMe = ({ id }: UserObject) => id === session?.user.id
  const columns: Column<UserObject>[] = [
    {
      title: 'Name',
      show: (user) => (
        <>
          <span className="long">{user.name}</span> {isMe(user) && <span className="tag good">you</span>}
        </>
      ),
    },
    { title: 'E-mail', show: ({ email }) => <span className="long">{email}</span> },
    {
      title: 'Role',
      show: (user) =>
        isMe(user) ? (
          user.role
        ) : (
          <RoleChoice
            of={user.name}
            roles={organizationRoles}
            value={user.role}
            choose={(role) => change.mutate({ id: user.id, role })}
          />
        ),
    },
    { title: 'Since', show: ({ added_at }) => <Time seconds={added_at} /> },
    {
      title: 'Actions',
      show: (user) =>
        isMe(user) ? null : (
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
  return <ListTable name="Members" list={list} columns={columns} idOf={({ id }) => id} empty={null} />
}
