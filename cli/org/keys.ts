// The keys of a project from the command line, and the service accounts that hold some of them.
import type { ProjectApiKeyObject } from '@atoll/platform/resources/organization/projects/api-keys/schema'
import type {
  NewServiceAccountObject,
  ServiceAccountObject,
} from '@atoll/platform/resources/organization/projects/service-accounts/schema'
import { telling } from '../command-problem.ts'
import { show } from '../table.ts'
import { confirm } from './confirm.ts'
import { findProject } from './lookup.ts'
import { type ListFlags, type SureFlags, when } from './people.ts'
import { serverFrom } from './server-from.ts'

const ownerText = ({ owner }: ProjectApiKeyObject): string =>
  owner.type === 'user' ? owner.user.email : `${owner.service_account.name} (service account)`

export const listKeys = (which: string, flags: ListFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id } = await findProject(server, which)
    show(await server.all<ProjectApiKeyObject>(`/organization/projects/${id}/api_keys`), {
      ...flags,
      titles: ['ID', 'NAME', 'KEY', 'OWNER', 'CREATED', 'LAST USED'],
      row: (key) => [
        ...[key.id, key.name, key.redacted_value, ownerText(key)],
        ...[when(key.created_at), when(key.last_used_at)],
      ],
      none: 'The project has no keys.',
    })
  })

export const deleteKey = (which: string, keyId: string, flags: SureFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id } = await findProject(server, which)
    const path = `/organization/projects/${id}/api_keys/${encodeURIComponent(keyId)}`
    const key = await server.get<ProjectApiKeyObject>(path)
    await confirm(`Delete the key ${key.name} (${key.redacted_value}) of ${ownerText(key)}?`, flags.yes)
    await server.send(path, { method: 'DELETE' })
    console.log(`Key ${keyId} is deleted.`)
  })

export const listServiceAccounts = (which: string, flags: ListFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id } = await findProject(server, which)
    show(await server.all<ServiceAccountObject>(`/organization/projects/${id}/service_accounts`), {
      ...flags,
      titles: ['ID', 'NAME', 'ROLE', 'CREATED'],
      row: (account) => [account.id, account.name, account.role, when(account.created_at)],
      none: `The project has none. To make one: ./atoll org create-service-account ${id} NAME`,
    })
  })

export const createServiceAccount = (which: string, name: string, flags: ListFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const project = await findProject(server, which)
    const path = `/organization/projects/${project.id}/service_accounts`
    const made = await server.send<NewServiceAccountObject>(path, { method: 'POST', body: { name } })
    if (flags.json) return console.log(JSON.stringify(made, null, 2))
    console.log(`Service account ${made.name} (${made.id}) of project ${project.name} is there.`)
    console.log(`Its key, shown only this once: ${made.api_key.value}`)
  })

export const deleteServiceAccount = (which: string, accountId: string, flags: SureFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id } = await findProject(server, which)
    const path = `/organization/projects/${id}/service_accounts/${encodeURIComponent(accountId)}`
    const account = await server.get<ServiceAccountObject>(path)
    await confirm(`Delete service account ${account.name} (${accountId}) and end its key?`, flags.yes)
    await server.send(path, { method: 'DELETE' })
    console.log(`Service account ${account.name} is deleted, and its key has ended.`)
  })
