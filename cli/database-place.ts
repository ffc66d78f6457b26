/** Where a database is, without its password: for people to read, and to tell one from another. */
export function databasePlace(url: string): string {
  const address = URL.parse(url)
  return address === null ? 'an address that cannot be read' : `${address.host}${address.pathname}`
}
