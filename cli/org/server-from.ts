// Which server is meant, and with which key: from the options and the environment, never from the command line.
import { readFileSync } from 'node:fs'
import { CommandProblem } from '../command-problem.ts'
import { platformAddress } from '../server-address.ts'
import { OrgServer } from './org-server.ts'

export interface ServerFlags {
  url?: string
  adminKeyFile?: string
}

/** What ./atoll up prints and the openai packages read comes first; a key of the older name goes with its address. */
export function serverFrom({ url, adminKeyFile }: ServerFlags, env: NodeJS.ProcessEnv): OrgServer {
  const key = adminKeyFile === undefined ? env.OPENAI_ADMIN_KEY?.trim() : keyIn(adminKeyFile)
  if (key) return new OrgServer(platformAddress(url, env), key)
  const older = env.ATOLL_ADMIN_KEY?.trim()
  if (older) return new OrgServer(platformAddress(url, env, 'ATOLL_URL'), older)
  throw new CommandProblem(
    'OPENAI_ADMIN_KEY is not set. Export the admin key that ./atoll up printed at its first start, or name a file that holds it with --admin-key-file. A lost one is replaced by ./atoll keys create admin.',
  )
}

/** For what needs no key. */
export const openServerFrom = (url: string | undefined, env: NodeJS.ProcessEnv): OrgServer =>
  new OrgServer(platformAddress(url, env), undefined)

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
