// ./atoll keys: for whoever owns the data folder, whether Atoll runs or not.
import { CommandProblem, telling } from '../command-problem.ts'
import { loadAtollConfig } from '../config.ts'
import { confirm } from '../org/confirm.ts'
import { show, timeText } from '../table.ts'
import type { KeptKey, KeyKeeper, KeyKind, MadeKey, NewKey } from './key.ts'
import { withKeeper } from './open-keeper.ts'

export interface KeysFlags {
  data?: string
  config?: string
  database?: string
  json?: boolean
}

const variables: Record<KeyKind, string> = {
  project: 'OPENAI_API_KEY',
  'service account': 'OPENAI_API_KEY',
  admin: 'OPENAI_ADMIN_KEY',
  hooks: 'ATOLL_HOOKS_TOKEN',
  'hooks-admin': 'ATOLL_HOOKS_ADMIN_TOKEN',
  cluster: 'ATOLL_CLUSTER_USER',
}

export const listKeys = (flags: KeysFlags): Promise<void> =>
  onKeeper(flags, async (keeper) =>
    show(await keeper.list(), {
      ...flags,
      titles: ['KIND', 'ID', 'NAME', 'KEY', 'PROJECT', 'CREATED', 'LAST USED'],
      row: (key: KeptKey) => [
        ...[key.kind, key.id, key.name, key.shown, key.project ?? ''],
        ...[when(key.created_at), when(key.last_used_at)],
      ],
      none: 'There are no keys. To make one: ./atoll keys create project',
    }),
  )

export const createKey = (asked: NewKey, flags: KeysFlags): Promise<void> =>
  onKeeper(flags, async (keeper) => {
    if (!['project', 'admin'].includes(asked.kind)) {
      throw new CommandProblem(`keys are made for a project or an admin, not for ${asked.kind}.`)
    }
    showMade(await keeper.create(asked), flags)
  })

export const replaceKey = (id: string, flags: KeysFlags): Promise<void> =>
  onKeeper(flags, async (keeper) => {
    showMade(await keeper.replace(id), flags)
    if (!flags.json) process.stderr.write('The old one is not valid any more.\n')
  })

export const deleteKey = (id: string, flags: KeysFlags & { yes?: boolean }): Promise<void> =>
  onKeeper(flags, async (keeper) => {
    await confirm(`Delete ${id}?`, flags.yes)
    await keeper.remove(id)
    console.log(`${id} is deleted.`)
  })

/** On the standard output alone, so that it can be read into a shell. */
function showMade(made: MadeKey, { json }: KeysFlags): void {
  if (json) {
    console.log(JSON.stringify(made, null, 2))
    return
  }
  const of = made.project === undefined ? '' : ` of project ${made.project}`
  process.stderr.write(`${made.id}${of}, shown only this once:\n`)
  console.log(`export ${variables[made.kind]}=${quoted(made.secret)}`)
}

const quoted = (secret: string): string =>
  /^[\w@.:+=/-]+$/.test(secret) ? secret : `'${secret.replaceAll("'", String.raw`'\''`)}'`

const onKeeper = (flags: KeysFlags, work: (keeper: KeyKeeper) => Promise<void>): Promise<void> =>
  telling(async () => {
    const { config: file, data, database } = flags
    const config = await loadAtollConfig({ file, env: process.env, flags: { data, database } })
    await withKeeper(config, work)
  })

const when = (seconds: number | null): string => (seconds === null ? '' : timeText(seconds * 1000))
