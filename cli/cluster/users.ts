// The cluster's users from the command line, and the record of what they did.

import type { UserObject } from '@atoll/cluster/resources/users/schema'
import { CommandProblem, telling } from '../command-problem.ts'
import { choosePassword } from '../questions.ts'
import { show } from '../table.ts'
import { serverFrom } from './cluster-server.ts'
import type { ServerFlags } from './databases.ts'

export const listUsers = (flags: ServerFlags & { json?: boolean }): Promise<void> =>
  telling(async () => {
    show(await serverFrom(flags.url, process.env).get<UserObject[]>('/v1/users'), {
      ...(flags.json ? { json: true } : {}),
      titles: ['UID', 'EMAIL', 'NAME', 'ROLE', 'STATUS'],
      row: ({ uid, email, name, role, status }) => [String(uid), email, name, role, status],
      none: 'There are no users.',
    })
  })

export const addUser = (email: string, flags: ServerFlags & { role: string; passwordStdin?: boolean }): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    const { password, isMadeUp } = await choosePassword(`of ${email}`, flags.passwordStdin)
    const body = { email, password, role: flags.role }
    const { uid, role } = await server.send<UserObject>('/v1/users', { method: 'POST', body })
    console.log(`User ${email} (uid ${uid}) is ${role}.`)
    if (isMadeUp) console.log(`The password, shown only this once: ${password}`)
  })

export const verifyAudit = (flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags.url, process.env)
    const report = await server.get<{ intact: boolean; entries: number; broken_at?: number }>('/v1/audit/verify')
    const { intact, entries, broken_at = entries + 1 } = report
    if (!intact) {
      throw new CommandProblem(
        `the audit log was tampered with: entry ${broken_at} is not as it was written, or is missing.`,
      )
    }
    console.log(`The audit log is intact: ${entries} entries, each as it was written.`)
  })
