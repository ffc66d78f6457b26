// Which server is meant, and with which key: from the options and the environment, never from the command line.
import { readFileSync } from 'node:fs'
import { CommandProblem } from '../command-problem.ts'
import { OrgServer } from './org-server.ts'

export interface ServerFlags {
  url?: string
  adminKeyFile?: string
}

const defaultUrl = 'http://127.0.0.1:8080'

export function serverFrom({ url, adminKeyFile }: ServerFlags, env: NodeJS.ProcessEnv): OrgServer {
  const own = adminKeyFile === undefined ? env.ATOLL_ADMIN_KEY?.trim() : keyIn(adminKeyFile)
  if (own) return new OrgServer(addressOf(url || env.ATOLL_URL || defaultUrl), own)
  // As ./atoll up prints them for other clients: this key belongs to that address.
  const other = env.OPENAI_ADMIN_KEY?.trim()
  if (other) return new OrgServer(addressOf(url || env.ATOLL_URL || env.OPENAI_BASE_URL || defaultUrl), other)
  throw new CommandProblem(
    'ATOLL_ADMIN_KEY is not set. Export the admin key that ./atoll up printed at its first start under this name, or name a file that holds it with --admin-key-file.',
  )
}

/** For what needs no key. */
export const openServerFrom = (url: string | undefined, env: NodeJS.ProcessEnv): OrgServer =>
  new OrgServer(addressOf(url || env.ATOLL_URL || defaultUrl), undefined)

function keyIn(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new CommandProblem(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if (/^[\x21-\x7e]{1,512}$/.test(text)) return text
  throw new CommandProblem(`${file} does not hold an admin key, and nothing else.`)
}

/** With or without /v1 at its end. */
function addressOf(given: string): string {
  const url = given.replace(/\/+$/, '').replace(/\/v1$/, '')
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new CommandProblem(`${given} is not an address of a server; it looks like ${defaultUrl}.`)
  }
  if (address.username !== '' || address.password !== '') {
    throw new CommandProblem('the address may not hold a password: ATOLL_ADMIN_KEY is the place of the key.')
  }
  return url
}
