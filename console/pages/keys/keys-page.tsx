import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { NewServiceAccountObject, ProjectApiKeyObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { useProject } from '../../app/projects.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'

const keysPath = (project: string): string => `/v1/organization/projects/${project}/api_keys`
const accountsPath = (project: string): string => `/v1/organization/projects/${project}/service_accounts`

export function KeysPage() {
  const { project } = useProject()
  const path = keysPath(project.id)
  const list = useList<ProjectApiKeyObject>({ path })
  const [isMaking, setIsMaking] = useState(false)
  const confirm = useConfirm()
  const make = useChange(
    (name: string) => ask<NewServiceAccountObject>(accountsPath(project.id), { method: 'POST', body: { name } }),
    [path],
  )
  const end = useChange((key: ProjectApiKeyObject) => endKey(project.id, key), [path])
  const askToEnd = async (key: ProjectApiKeyObject) => {
    const text = 'Programs that use it are refused from then on. This cannot be undone.'
    if (await confirm({ title: `End the key ${nameOf(key)}?`, text, action: 'End it' })) end.mutate(key)
  }
  const columns: Column<ProjectApiKeyObject>[] = [
    { title: 'Name', show: nameOf },
    { title: 'Key', show: ({ redacted_value }) => <code>{redacted_value}</code> },
    { title: 'Of', show: ownerOf },
    { title: 'Made', show: ({ created_at }) => <Time seconds={created_at} /> },
    { title: 'Last used', show: ({ last_used_at }) => <Time seconds={last_used_at} /> },
    {
      title: 'Actions',
      show: (key) => (
        <button type="button" className="danger small" onClick={() => askToEnd(key)} aria-label={`End ${nameOf(key)}`}>
          End
        </button>
      ),
    },
  ]
  return (
    <>
      <PageHead title="API keys" about={`Of the project ${project.name}. Programs send one with every request.`}>
        <button type="button" className="primary" onClick={() => setIsMaking(true)}>
          Make a key
        </button>
      </PageHead>
      <ListTable
        name="API keys"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={<Empty title="This project has no keys." code="./atoll keys create project" />}
      />
      {isMaking && (
        <NewKeyDialog
          make={(name) => make.mutateAsync(name).then(({ api_key }) => api_key.value)}
          onClose={() => setIsMaking(false)}
        />
      )}
    </>
  )
}

/** The key of a service account ends with the account. */
const endKey = (project: string, { id, owner }: ProjectApiKeyObject): Promise<unknown> =>
  owner.type === 'user'
    ? ask(`${keysPath(project)}/${id}`, { method: 'DELETE' })
    : ask(`${accountsPath(project)}/${owner.service_account.id}`, { method: 'DELETE' })

const ownerOf = ({ owner }: ProjectApiKeyObject): string =>
  owner.type === 'user' ? owner.user.name : 'a service account'

/** Keys of service accounts are all called the same. */
const nameOf = ({ name, owner }: ProjectApiKeyObject): string =>
  owner.type === 'user' ? name : owner.service_account.name
