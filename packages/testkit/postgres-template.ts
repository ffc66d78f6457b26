// Databases on one PostgreSQL server, copied from templates that are filled when they are first asked for.
import { connect } from '@atoll/kernel/db/postgres/connection'
import type { Template } from './template.ts'

type Client = Awaited<ReturnType<typeof connect>>

const filling = new Map<string, Promise<void>>()

/** Returns its url. `serverUrl` is that of a database that stays. */
export async function createDatabase(serverUrl: string, name: string, template?: Template): Promise<string> {
  if (template) await ensureTemplate(serverUrl, template)
  await onServer(serverUrl, (client) => create(client, name, template?.name ?? 'template1'))
  return urlOf(serverUrl, name)
}

/** With whoever still speaks to it. */
export const dropDatabase = (serverUrl: string, name: string): Promise<void> =>
  onServer(serverUrl, async (client) => void (await client.query(`drop database if exists ${name} with (force)`)))

export function ensureTemplate(serverUrl: string, template: Template): Promise<void> {
  const key = `${serverUrl} ${template.name}`
  const known = filling.get(key) ?? onServer(serverUrl, (client) => fillOnce(client, serverUrl, template))
  filling.set(key, known)
  return known
}

async function fillOnce(client: Client, serverUrl: string, { name, fill }: Template): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  if (rowCount === 1) return
  await create(client, name, 'template1')
  await fill({ kind: 'postgres', url: urlOf(serverUrl, name), poolSize: 1 }).catch(async (error) => {
    await client.query(`drop database ${name} with (force)`)
    filling.delete(`${serverUrl} ${name}`)
    throw error
  })
}

/** Copying files costs a quarter of writing them through the log, where nothing is synced to disk. */
const create = (client: Client, name: string, template: string) =>
  client.query(`create database ${name} template ${template} strategy file_copy`)

async function onServer<T>(serverUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(serverUrl)
  return work(client).finally(() => client.end())
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
