// How large a JSON body each route takes.
import type { AnyService } from '../host.ts'
import { defaultBounds, type JsonBounds } from '../json/bounds.ts'

/** Whoever has no key can ask for little: a token, a name, a password. */
const maxPublicBytes = 8 * 1024
const maxUsualBytes = 1024 * 1024

type Limited = Pick<AnyService['routes'][number], 'auth' | 'takesLargeJson' | 'maxJsonNumbers'>
type Limiting = Pick<AnyService, 'maxJsonBytes' | 'trustsAnyone'>

export function jsonLimits(
  { maxJsonBytes, trustsAnyone }: Limiting,
  route: Limited,
): { maxBytes: number; bounds: JsonBounds } {
  const { auth, takesLargeJson, maxJsonNumbers } = route
  const isWide = trustsAnyone || takesLargeJson
  const usual = isPublic(String(auth)) && !trustsAnyone ? maxPublicBytes : isWide ? maxJsonBytes : maxUsualBytes
  const bounds = maxJsonNumbers === undefined ? defaultBounds : { ...defaultBounds, maxNumbers: maxJsonNumbers }
  return { maxBytes: Math.min(usual, maxJsonBytes), bounds }
}

/** A kind of caller that needs no key is called so by every service. */
export const isPublic = (auth: string): boolean => auth === 'public' || auth === 'anyone' || auth === 'none'
