// Guards against pages of other sites that make a browser call the console with its cookie.
import type { HostRule } from '@atoll/kernel/http/own-host'
import type { RequestHead } from '@atoll/kernel/http/route'
import { consoleErrors } from '../errors/console.ts'

type Head = Pick<RequestHead, 'headers'>

/** A header that no page of another site can send unless it was allowed to. */
const saysConsole = ({ headers }: Head): boolean => headers['x-atoll-console'] === '1'

/** Whether the session stands for the key: whoever sends a key means the key. */
export const isOfConsole = (head: Head): boolean => head.headers.authorization === undefined && saysConsole(head)

export function requireOwnPage(head: Head, isOwnHost: HostRule): void {
  if (!saysConsole(head)) throw consoleErrors.notFromConsole()
  requireOwnAddress(head, isOwnHost)
}

/** A WebSocket carries no header of the page's choice; browsers always tell which page opens it. */
export function requireOwnSocket(head: Head, isOwnHost: HostRule): void {
  if (head.headers.origin === undefined) throw consoleErrors.foreignPage()
  requireOwnAddress(head, isOwnHost)
}

function requireOwnAddress({ headers: { origin, host } }: Head, isOwnHost: HostRule): void {
  if (!isOwnHost(host)) throw consoleErrors.foreignHost()
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) throw consoleErrors.foreignPage()
}

/** Undefined for `null`, which browsers send for pages without a place of their own. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
