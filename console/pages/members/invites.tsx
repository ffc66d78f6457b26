import { ask } from '../../api/client.ts'
import type { InviteObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'

export const invitesPath = '/v1/organization/invites'

export function Invites() {
  const { projects } = useProject()
  const list = useList<InviteObject>({ path: invitesPath })
  const remove = useChange(({ id }: InviteObject) => ask(`${invitesPath}/${id}`, { method: 'DELETE' }), [invitesPath])
  const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? id
  const columns: Column<InviteObject>[] = [
    { title: 'E-mail', show: ({ email }) => <span className="long">{email}</span> },
    { title: 'Role', show: ({ role }) => role },
    {
      title: 'Projects',
      show: ({ projects: theirs }) => theirs.map(({ id, role }) => `${nameOf(id)} (${role})`).join(', ') || 'none',
    },
    { title: 'State', show: ({ status }) => <span className={`tag ${tone[status]}`}>{status}</span> },
    { title: 'Good until', show: ({ expires_at }) => <Time seconds={expires_at} /> },
    {
      title: 'Actions',
      // One that was accepted stays on record.
      show: (invite) =>
        invite.status === 'accepted' ? null : (
          <button
            type="button"
            className="danger small"
            aria-label={`Take back the invite of ${invite.email}`}
            onClick={() => remove.mutate(invite)}
          >
            Take back
          </button>
        ),
    },
  ]
  return (
    <ListTable
      name="Invites"
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={<Empty title="Nobody is invited. The button above does it, or:" code={example} />}
    />
  )
}

const tone = { pending: '', accepted: 'good', expired: 'bad' }
const example = './atoll org invite ada@example.com --role member'
