// Plugins of docker's CLI, and the CLI in other versions, where this machine has them.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const pluginFolders = [
  ...['/usr/local/lib', '/usr/local/libexec', '/usr/lib', '/usr/libexec'].map(
    (folder) => `${folder}/docker/cli-plugins`,
  ),
  ...(process.env.HOME === undefined ? [] : [join(process.env.HOME, '.docker/cli-plugins')]),
]
const pathFolders = (process.env.PATH ?? '').split(':').filter(Boolean)

/** `docker-buildx`, `docker-compose`; undefined: it is not on this machine. */
export const findPlugin = (name: string): string | undefined =>
  [...pluginFolders, ...pathFolders].map((folder) => join(folder, name)).find((path) => isPlugin(path))

/** Compose 1 is a program of the same name, and no plugin. */
function isPlugin(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    return execFileSync(path, ['docker-cli-plugin-metadata'], { stdio: ['ignore', 'pipe', 'ignore'] }).includes(
      'Vendor',
    )
  } catch {
    return false
  }
}

/** The first CLI of which the version is before another one: before 23 it asked for BuildKit in another way. */
export const findOlderDocker = (before: number): string | undefined =>
  [...new Set([...pathFolders, '/usr/bin'])]
    .map((folder) => join(folder, 'docker'))
    .find((path) => existsSync(path) && majorOf(path) < before)

function majorOf(docker: string): number {
  try {
    const told = execFileSync(docker, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return Number(/version (\d+)\./.exec(told)?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
