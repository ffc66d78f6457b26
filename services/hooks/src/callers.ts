// Who may call. Senders prove themselves to the ingress, which may have to read the body for it.
import { routeDefiner } from '@atoll/kernel/http/route'

export interface HooksCallers {
  /** Whoever holds the admin token. */
  admin: null
  sender: null
}

export const defineRoute = routeDefiner<HooksCallers>()
