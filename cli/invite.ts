// `./atoll invite accept`: how an invited person joins an organization.
import { text } from 'node:stream/consumers'
import type { AcceptedInvite } from '@atoll/platform/resources/organization/invites/schema'
import { telling } from './command-problem.ts'
import { openServerFrom } from './org/server-from.ts'

interface AcceptFlags {
  name?: string
  key?: boolean
  url?: string
  json?: boolean
}

/** A token of `-` comes from the standard input. */
export const acceptInvite = (given: string, flags: AcceptFlags): Promise<void> =>
  telling(async () => {
    const token = given === '-' ? (await text(process.stdin)).trim() : given
    const name = flags.name === undefined ? {} : { name: flags.name }
    const body = { token, ...name, with_key: flags.key ?? false }
    const server = openServerFrom(flags.url, process.env)
    const joined = await server.send<AcceptedInvite>('/invites/accept', { method: 'POST', body })
    if (flags.json) return console.log(JSON.stringify(joined, null, 2))
    const { user, organization_id, api_key } = joined
    console.log(`Welcome, ${user.name}: you are ${user.role} of organization ${organization_id} now.`)
    if (api_key) console.log(`Your key, shown only this once: ${api_key.value}`)
  })
