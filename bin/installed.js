import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether every package that package-lock.json requires is there in the locked version. */
export function isInstalled(root, dev) {
  const wanted = packagesIn(join(root, 'package-lock.json'))
  const present = packagesPresent(root)
  if (!wanted)
    throw new Error(`${join(root, 'package-lock.json')} is missing or broken: get it again from the repository.`)
  if (!present) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || !isRequired(entry, dev)) return true
    return (entry.link || present[path]?.version === entry.version) && existsSync(join(root, path))
  })
}

export const hasDevPackages = (root) => Object.values(packagesPresent(root) ?? {}).some((entry) => entry.dev)

/** npm keeps a list of what it put there. */
const packagesPresent = (root) => packagesIn(join(root, 'node_modules', '.package-lock.json'))

/** Optional packages may be absent, except the one that holds the Node of this platform. */
function isRequired(entry, dev) {
  if (entry.dev) return dev && !entry.optional
  if (entry.devOptional) return false
  if (!entry.optional) return true
  // Of those for one C library each, npm picks one; none of them holds a Node.
  if (entry.libc) return false
  return [entry.os, entry.cpu].flat().join() === [process.platform, process.arch].join()
}

function packagesIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return undefined
  }
}
