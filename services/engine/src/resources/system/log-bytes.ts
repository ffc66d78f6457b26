// How much the logs of a container take up.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const isLog = (name: string): boolean => /^log\.json(\.|$)/.test(name)

/** `folder` is the container's own; one that is gone has no logs. */
export async function logBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const sizes = names.filter(isLog).map(async (name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
