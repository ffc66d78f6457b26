// Where a browser finds the console.

/** A server that listens on all addresses is opened by its first name, or by the loopback one. */
export function consoleUrl(listening: string, hosts: readonly string[]): string {
  const url = new URL('/console/', listening)
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = hosts[0] ?? '127.0.0.1'
  return url.href
}

/** After the #: browsers send that to nobody, and no server writes it to a log. */
export const loginLink = (console: string, secret: string): string => `${console}#login=${secret}`
