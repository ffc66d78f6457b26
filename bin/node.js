import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const leastMajor = 24

/** The pinned Node where there is one for this platform and it runs here; else the system's, if it is new enough. */
export function findNode(root) {
  const pinned = join(root, 'node_modules', '.bin', 'node')
  if (majorOf(pinned) >= leastMajor) return { path: pinned, pinned: true }
  const own = Number.parseInt(process.versions.node, 10)
  if (own >= leastMajor) return { path: process.execPath, pinned: false }
  throw new Error(
    `there is no packaged Node ${leastMajor} that runs on this machine (${process.platform} ${process.arch}), and the installed one is ` +
      `${process.version}. Install Node ${leastMajor} or later and try again.`,
  )
}

function majorOf(path) {
  const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return status === 0 ? Number.parseInt(stdout.slice(1), 10) : 0
}
