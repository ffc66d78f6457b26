// Versions of the interface: `1.47`, and how two of them compare.
import { invalidParameter, notFound } from '../errors.ts'
import { inPlainText } from './plain-errors.ts'

export const newestVersion = '1.47'
export const oldestVersion = '1.18'

const minorOf = (version: string): number => Number(version.slice(2))

export const isBefore = (version: string, other: string): boolean => minorOf(version) < minorOf(other)

/** More digits than a version could have are no version. */
const prefix = /^\/v(\d{1,4})\.(\d{1,4})(?=\/|\?|$)/

/** The address without its version. One without is taken as today's. */
export function takeVersion(url: string): { url: string; version: string } {
  const found = prefix.exec(url)
  if (found === null) return { url, version: newestVersion }
  const [whole] = found
  const major = Number(found[1])
  const minor = Number(found[2])
  const version = `${major}.${minor}`
  if (major > 1 || (major === 1 && minor > minorOf(newestVersion))) {
    throw invalidParameter(`client version ${version} is too new. Maximum supported API version is ${newestVersion}`)
  }
  if (major < 1 || minor < minorOf(oldestVersion)) {
    // ENG-012. Whoever speaks so old a version reads errors as text.
    throw inPlainText(
      notFound(
        `client version ${version} is too old. Minimum supported API version is ${oldestVersion}, please upgrade your client to a newer version`,
      ),
    )
  }
  const rest = url.slice(whole.length)
  return { url: rest.startsWith('/') ? rest : `/${rest}`, version }
}
