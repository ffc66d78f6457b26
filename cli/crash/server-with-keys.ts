// The server as `up` starts it, which also makes and ends keys without pause once it is told to, and notes each step on
// its fourth stream. Run by the crash test and killed by it.
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { ProjectCaller } from '@atoll/platform/callers'
import type { Identity } from '@atoll/platform/identity/identity'
import { Command } from 'commander'
import { loadAtollConfig } from '../config.ts'
import { startAtoll } from '../up/compose.ts'
import { welcome } from '../up/welcome.ts'

/** `made` and `ended` are acknowledged; what is `ending` may be either until `ended` follows. */
export type KeyNote =
  | { made: string; kind: 'project' | 'admin'; secret: string }
  | { ending: string }
  | { ended: string }

interface Maker {
  kind: 'project' | 'admin'
  make(): Promise<{ id: string; secret: string }>
  end(id: string): Promise<void>
}

const noteStream = 3
// Straight to the pipe: what was noted before the kill has been noted.
const note = (step: KeyNote) => writeSync(noteStream, `${JSON.stringify(step)}\n`)

function makers(identity: Identity, { organizationId, projectId, actor }: ProjectCaller): Maker[] {
  const holder = { userId: actor.id, name: 'crash' }
  return [
    {
      kind: 'project',
      make: () => identity.projectKeys.create(organizationId, projectId, holder),
      end: (id) => identity.projectKeys.remove(organizationId, projectId, id),
    },
    {
      kind: 'project',
      async make() {
        const { account, key } = await identity.serviceAccounts.create(organizationId, projectId, 'crash')
        return { id: account.id, secret: key.secret }
      },
      end: (id) => identity.serviceAccounts.remove(organizationId, projectId, id),
    },
    {
      kind: 'admin',
      make: () => identity.adminKeys.create(organizationId, holder),
      end: (id) => identity.adminKeys.remove(organizationId, id),
    },
  ]
}

/** Ends every key but each third. */
async function churn({ kind, make, end }: Maker): Promise<never> {
  for (let turn = 1; ; turn++) {
    const { id, secret } = await make()
    note({ made: id, kind, secret })
    if (turn % 3 === 0) continue
    note({ ending: id })
    await end(id)
    note({ ended: id })
  }
}

async function start(flags: Record<string, string>): Promise<void> {
  const config = await loadAtollConfig({ env: process.env, flags })
  const running = await startAtoll(config)
  process.stdout.write(welcome({ ...running, firstKeys: {} }, config))
  running.told()
  await running.swept
  const { identity } = running.platform ?? {}
  if (identity === undefined) throw new Error('The platform does not run')
  const caller = await identity.authenticate({ headers: { authorization: `Bearer ${config.adopt.apiKey}` } }, 'project')
  flushCompileCache()
  process.stdin.once('data', () => {
    for (const maker of makers(identity, caller)) void churn(maker)
  })
}

await new Command()
  .command('up')
  .requiredOption('--data <folder>')
  .requiredOption('--port <number>')
  .requiredOption('--only <services>')
  .action(start)
  .parent?.parseAsync()
