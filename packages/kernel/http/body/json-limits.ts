// How large a JSON body each route takes.
import type { AnyService } from '../host.ts'
import { defaultBounds, type JsonBounds } from '../json/bounds.ts'

/** Whoever has no key can ask for little: a token, a name, a password. */
const maxPublicBytes = 8 * 1024
const maxUsualBytes = 1024 * 1024

type JsonLimit = 'maxJsonNumbers' | 'maxJsonValues' | 'maxJsonKeys'
type Limited = Pick<AnyService['routes'][number], 'auth' | 'takesLargeJson' | JsonLimit>
type Limiting = Pick<AnyService, 'maxJsonBytes' | 'trustsAnyone'>

export function jsonLimits(
  { maxJsonBytes, trustsAnyone }: Limiting,
  route: Limited,
): { maxBytes: number; bounds: JsonBounds } {
  const { auth, takesLargeJson } = route
  const isWide = trustsAnyone || takesLargeJson
  const usual = isPublic(String(auth)) && !trustsAnyone ? maxPublicBytes : isWide ? maxJsonBytes : maxUsualBytes
  return { maxBytes: Math.min(usual, maxJsonBytes), bounds: boundsOf(route) }
}

const boundsOf = ({ maxJsonNumbers, maxJsonValues, maxJsonKeys }: Limited): JsonBounds => ({
  ...defaultBounds,
  ...(maxJsonNumbers === undefined ? {} : { maxNumbers: maxJsonNumbers }),
  ...(maxJsonValues === undefined ? {} : { maxValues: maxJsonValues }),
  ...(maxJsonKeys === undefined ? {} : { maxKeys: maxJsonKeys }),
})

/** A kind of caller that needs no key is called so by every service. */
export const isPublic = (auth: string): boolean => auth === 'public' || auth === 'anyone' || auth === 'none'
