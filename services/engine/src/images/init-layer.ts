// The layer between an image and a container's own files: the places that are mounted over. They would count as
// changes of the container otherwise.
import { access, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const folders = ['dev', 'dev/pts', 'dev/shm', 'etc', 'proc', 'sys']
const files = ['.dockerenv', 'dev/console', 'etc/hostname', 'etc/hosts', 'etc/resolv.conf']

export const initLayer = (content: string): string => join(content, 'layers/init/diff')

export async function makeInitLayer(content: string): Promise<void> {
  const isThere = await access(initLayer(content)).then(
    () => true,
    () => false,
  )
  if (isThere) return
  const made = join(content, 'staging/init')
  await rm(made, { recursive: true, force: true })
  for (const name of folders) await mkdir(join(made, 'diff', name), { recursive: true, mode: 0o755 })
  for (const name of files) await writeFile(join(made, 'diff', name), '', { mode: 0o755 })
  await symlink('/proc/mounts', join(made, 'diff/etc/mtab'))
  await rename(made, join(content, 'layers/init'))
}
