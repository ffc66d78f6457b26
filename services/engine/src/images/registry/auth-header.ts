// Who asks, as clients say it in headers: base64url of JSON. `X-Registry-Auth` is for the registry at hand,
// `X-Registry-Config` for several, by their addresses.
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { RegistryAuth } from '../image-registry.ts'
import { parseReference } from '../reference.ts'
import { hostOfAddress } from './endpoints.ts'

const maxHeaderLength = 64 * 1024
const word = z.string().max(32_768).optional()

const Auth = z.object({
  username: word,
  password: word,
  serveraddress: word,
  identitytoken: word,
  registrytoken: word,
  /** `user:password` in base64, as configuration files have it. */
  auth: word,
})

const AuthConfigs = z.record(z.string(), Auth)

/**
 * The credentials for the registry of an image (by its name). Headers that cannot be read count as none: clients are known to send any word there
 * just to have the header, and the registry itself says what it wants.
 */
export function readRegistryAuth(headers: IncomingHttpHeaders, image: string): RegistryAuth | undefined {
  const own = Auth.safeParse(decode(headers['x-registry-auth']))
  if (own.success) return toAuth(own.data)
  const several = AuthConfigs.safeParse(decode(headers['x-registry-config']))
  if (!several.success) return undefined
  const wanted = parseReference(image).registry
  const entry = Object.entries(several.data).find(([address]) => hostOfAddress(address) === wanted)
  return entry === undefined ? undefined : toAuth(entry[1])
}

function decode(header: string | string[] | undefined): unknown {
  if (typeof header !== 'string' || header === '' || header.length > maxHeaderLength) return undefined
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8')) // reads both alphabets
  } catch {
    return undefined
  }
}

function toAuth({ auth, ...given }: z.infer<typeof Auth>): RegistryAuth | undefined {
  const pair = auth === undefined || auth === '' ? undefined : Buffer.from(auth, 'base64').toString('utf8')
  const colon = pair?.indexOf(':') ?? -1
  const named =
    pair === undefined || colon < 0 ? {} : { username: pair.slice(0, colon), password: pair.slice(colon + 1) }
  const filled = Object.entries({ ...named, ...given }).filter(([, value]) => value !== undefined && value !== '')
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}
