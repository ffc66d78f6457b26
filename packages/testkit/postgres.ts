// A real PostgreSQL from the system's packages for tests: one server to a test process, a new database to a test.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterFile } from './after-tests.ts'
import { type PostgresInstall, type PostgresServer, startPostgres } from './postgres-server.ts'
import { createDatabase, dropDatabase, ensureTemplate } from './postgres-template.ts'
import type { Template } from './template.ts'

const found = findInstall()

/** Whether tests can have a PostgreSQL on this machine, and if not, why. */
export const postgresAvailable: { available: true } | { available: false; reason: string } =
  typeof found === 'string' ? { available: false, reason: found } : { available: true }

let shared: Promise<PostgresServer> | undefined
let databases = 0

const hastySettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

/** Makes a new database, empty or like `template`, and returns its url. It goes with the test file. */
export async function createPostgresDatabase(template?: Template): Promise<string> {
  shared ??= startPostgres(postgresInstall(), hastySettings, template?.isCommon ? holding(template) : undefined)
  const { url } = await shared
  const name = `test_${++databases}`
  afterFile(() => dropDatabase(url, name))
  return createDatabase(url, name, template)
}

/** The whole run fills a common template once: servers start with it. */
const holding = (template: Template) => ({
  name: template.name,
  fill: (url: string) => ensureTemplate(url, template),
})

/** A durable server of a test's own, for tests that stop it. The test stops it at its end. */
export const ownPostgres = (): Promise<PostgresServer> => startPostgres(postgresInstall(), [])

/** The programs themselves. */
export function postgresInstall(): PostgresInstall {
  if (typeof found === 'string') throw new Error(found)
  return found
}

function findInstall(): PostgresInstall | string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const bin = versions.map((version) => join(root, version, 'bin')).find((path) => existsSync(join(path, 'initdb')))
  if (!bin) return 'PostgreSQL is not installed (Debian: apt-get install postgresql)'
  if (process.getuid?.() !== 0) return { bin, user: undefined }
  const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8').match(/^postgres:(.*?):(\d+):(\d+):/m) ?? []
  if (!uid || !gid) return 'PostgreSQL does not run as root, and there is no system user postgres to run it as'
  return { bin, user: { uid: Number(uid), gid: Number(gid) } }
}
