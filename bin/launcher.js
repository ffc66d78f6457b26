// Prepares a checkout: installs what package-lock.json asks for unless it is there already, and prints the path of the
// Node to run Atoll with. Plain JavaScript for any Node from 18 on; everything for people goes to standard error.
import { closeSync, openSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './install.js'
import { hasDevPackages, isInstalled } from './installed.js'
import { withLock } from './lock.js'
import { findNode } from './node.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamps = ['.atoll-ready', '.atoll-ready-dev'].map((name) => join(root, 'node_modules', name))
// Who once ran the tests keeps their packages: installing without them would take them away.
const dev = needsDevPackages(process.argv.slice(2)) || hasDevPackages(root)

try {
  if (!isInstalled(root, dev)) {
    await withLock(root, async () => {
      // Another start may have done it while this one waited.
      if (isInstalled(root, dev)) return
      for (const path of stamps) rmSync(path, { force: true })
      await install(root, dev)
    })
  }
  const node = findNode(root)
  if (node.pinned) stamp()
  process.stdout.write(`${node.path}\n`)
} catch (error) {
  process.stderr.write(`atoll: ${error.message}\n`)
  process.exitCode = 1
}

/** The tests and benchmarks themselves; not what tells of them. */
function needsDevPackages([command, ...args]) {
  if (args.includes('--help') || args.includes('-h')) return false
  return command === 'test' || command === 'chaos' || (command === 'bench' && args.length > 0)
}

/** Lets the next start skip all this. A read-only checkout goes without: it is only slower. */
function stamp() {
  for (const path of dev ? stamps : stamps.slice(0, 1)) {
    try {
      closeSync(openSync(path, 'a'))
      utimesSync(path, new Date(), new Date())
    } catch (error) {
      if (!['EROFS', 'EACCES', 'EPERM'].includes(error.code)) throw error
    }
  }
}
