// What can be set about an etcd that is there already. Apart from what speaks to it: configurations are read by servers
// without an engine too, which should not carry its code.
import { isIP } from 'node:net'
import { z } from 'zod'

const maxEndpoints = 16
const maxPrefixLetters = 200

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

/** Why it is none; undefined: it is one. */
function endpointProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return 'an address like https://10.0.0.1:2379'
  if (url.username !== '' || url.pathname !== '/' || url.search !== '') return 'nothing but a host and a port'
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return 'https://, as it is not on this machine'
  return undefined
}

const Endpoint = z.string().superRefine((text, context) => {
  const expects = endpointProblem(text)
  if (expects !== undefined) context.addIssue({ code: 'custom', message: `expects ${expects}` })
})

export const OutsideEtcdSettings = z
  .strictObject({
    endpoints: z.array(Endpoint).min(1).max(maxEndpoints),
    /** Paths of PEM files: who signed its certificates, and what this engine shows to it. */
    ca: z.string().min(1).optional(),
    cert: z.string().min(1).optional(),
    key: z.string().min(1).optional(),
    /** Above the keys of the swarm; each swarm in one etcd has another. */
    prefix: z
      .string()
      .max(maxPrefixLetters)
      .regex(/^(\/[\w.-]+)*$/)
      .meta({ expects: 'a path like /teams/blue' })
      .default(''),
  })
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), 'cert and key come together')
export type OutsideEtcdSettings = z.output<typeof OutsideEtcdSettings>
