// What an image has at the place of a new volume is copied into the volume.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemError } from '../errors.ts'
import { findInLayers } from '../runtime/oci/layered-files.ts'

const run = promisify(execFile)
const copyDeadlineMs = 240_000

/** Beside the volume's content while it is copied: who finds it begins again. */
const markerOf = (subfolder: string): string =>
  subfolder === '' ? '_copying' : `_copying-${createHash('sha256').update(subfolder).digest('hex').slice(0, 32)}`

/**
 * The kernel puts the layers together, in a mount namespace that ends with the command. Whoever has the volume already
 * may put links into it meanwhile: the copy is made in a root that holds the image, the volume, and programs that cannot
 * be written, so that no link leads to anything else. `$1` options of the overlay, `$2` the root, `$3` the volume, `$4` the
 * folder in it.
 */
const script = `
set -e
mount -t tmpfs tmpfs "$2"
mkdir "$2/image" "$2/volume"
mount -t overlay -o "$1" overlay "$2/image"
mount --bind "$3" "$2/volume"
for name in usr bin sbin lib lib32 lib64; do
  if [ -L "/$name" ]; then cp -P "/$name" "$2/$name"
  elif [ -d "/$name" ]; then
    mkdir "$2/$name"
    mount --bind "/$name" "$2/$name"
    mount -o remount,bind,ro "$2/$name"
  fi
done
exec chroot "$2" cp -a --reflink=auto /image/. "/volume/$4/"
`

/**
 * `folder` is the volume's own: its content is in `_data`. Only what is empty is filled: the volume, or a folder in it,
 * which lies where it is said to (no link).
 */
export async function copyImageContent(
  folder: string,
  imageFolders: readonly string[],
  destination: string,
  subfolder = '',
): Promise<void> {
  const data = join(folder, '_data')
  const marker = markerOf(subfolder)
  const isUnfinished = await stat(join(folder, marker)).then(
    () => true,
    () => false,
  )
  if (!isUnfinished && (await readdir(join(data, subfolder))).length > 0) return
  const found = await findInLayers(imageFolders, destination)
  if (found?.kind !== 'folder') return
  await (await open(join(folder, marker), 'w')).close()
  await copyMerged(found.folders, data, subfolder)
  await rm(join(folder, marker), { force: true })
}

/** Into a volume of a driver, which is known to be empty. */
export async function fillEmpty(data: string, imageFolders: readonly string[], destination: string): Promise<void> {
  const found = await findInLayers(imageFolders, destination)
  if (found?.kind === 'folder') await copyMerged(found.folders, data, '')
}

async function copyMerged(folders: readonly string[], data: string, subfolder: string): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'atoll-copy-'))
  try {
    // An overlay to be read only has two layers at least.
    const layers = folders.length > 1 ? folders : [...folders, await mkdtemp(join(place, 'empty-'))]
    const options = `ro,lowerdir=${layers.map(escaped).join(':')}`
    const target = await mkdtemp(join(place, 'merged-'))
    const args = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', options, target, data, subfolder]
    await run('unshare', args, { timeout: copyDeadlineMs, killSignal: 'SIGKILL' })
  } catch (error) {
    throw systemError(`failed to copy the image's content into the volume: ${messageOf(error)}`)
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const escaped = (path: string): string => path.replace(/[\\:,]/g, (letter) => `\\${letter}`)

const messageOf = (error: unknown): string => {
  const { stderr, message } = error as { stderr?: string; message?: string }
  return (stderr || message || String(error)).trim().slice(0, 1_000)
}
