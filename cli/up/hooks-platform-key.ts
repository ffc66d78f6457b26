// The gateway's own key for the platform beside it: a service account, made once, its key in a file of the gateway's.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Identity } from '@atoll/platform/identity/identity'
import { findOldestOrganization } from '@atoll/platform/identity/organizations/store'
import { requireDefaultProject } from '@atoll/platform/identity/projects/project'

const accountName = 'hooks'

export async function hooksPlatformKey({ db, folder }: Kernel, identity: Identity): Promise<string> {
  const file = join(folder, 'hooks', 'platform.key')
  const kept = await readFile(file, 'utf8').catch(() => '')
  if (kept.trim() !== '' && (await isValid(identity, kept.trim()))) return kept.trim()
  const organization = await findOldestOrganization(db.queries)
  if (organization === undefined) throw new Error('there is no organization yet to make a key for the gateway in')
  const project = await requireDefaultProject(db.queries, organization.id)
  const { key } = await identity.serviceAccounts.create(organization.id, project.id, accountName)
  await mkdir(join(folder, 'hooks'), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, `${key.secret}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return key.secret
}

/** Whoever deleted the account, or began with a new database, gets a new one. */
const isValid = (identity: Identity, key: string): Promise<boolean> =>
  identity.authenticate({ headers: { authorization: `Bearer ${key}` } }, 'project').then(
    () => true,
    () => false,
  )
