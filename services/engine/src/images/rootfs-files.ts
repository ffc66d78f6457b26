// Files inside the roots of containers, running or at rest.
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { z } from 'zod'
import { isNotFound } from '../errors.ts'
import type { Rootfs } from '../runtime/runtime.ts'
import type { FilesProgram } from './files-program.ts'
import { goMode } from './go-mode.ts'
import type { FileStat, RootfsFiles, RootfsTarget, WriteOptions } from './images.ts'

const Stat = z.object({
  size: z.number(),
  mode: z.number(),
  seconds: z.number(),
  nanoseconds: z.number(),
  linkTarget: z.string(),
})
const Changes = z.array(z.object({ Path: z.string(), Kind: z.union([z.literal(0), z.literal(1), z.literal(2)]) }))

const rootfsArgs = ({ lower, upper, work }: Rootfs): string[] => [
  ...lower.flatMap((folder) => ['--lower', folder]),
  '--upper',
  upper,
  '--work',
  work,
]

function targetArgs(target: RootfsTarget): string[] {
  const plain = target.withoutMounts ? ['--plain'] : []
  if ('pid' in target) return ['--pid', String(target.pid), ...plain]
  const mounts = target.withoutMounts ? [] : target.mounts
  return [
    ...rootfsArgs(target.rootfs),
    ...mounts.flatMap(({ source, destination, readOnly }) => ['--bind', source, destination, readOnly ? 'ro' : 'rw']),
    ...(target.readOnly ? ['--read-only'] : []),
  ]
}

/** `/a/b/` and `/a/b/.` mean what `b` leads to; so does nothing at all. */
const absolute = (path: string): string => (path.startsWith('/') ? path : `/${path}`)

/** As a client expects the top entry to be called. */
export function entryName(path: string): string {
  if (/(^|\/)\.$/.test(path)) return '.'
  return posix.basename(absolute(path)) || '/'
}

export function createRootfsFiles(program: FilesProgram): RootfsFiles {
  return {
    async read(target, path, asName) {
      const name = asName ?? entryName(path)
      return program.stream({
        args: ['read', ...targetArgs(target), '--path', absolute(path), '--name', name],
      })
    },
    stat: (target, path) => stat(program, target, path),
    async write(target: RootfsTarget, folder: string, tar: Readable, { noOverwriteDirNonDir, owner }: WriteOptions) {
      const args = ['write', ...targetArgs(target), '--path', absolute(folder)]
      if (noOverwriteDirNonDir) args.push('--no-overwrite')
      if (owner !== undefined) args.push('--owner', String(owner.uid), String(owner.gid))
      await program.report({ args, input: tar }, z.object({}))
    },
    async makeFolder(rootfs, folder) {
      const input = Readable.from([Buffer.from(`d${absolute(folder)}\0`)])
      await program.report({ args: ['copy', ...rootfsArgs(rootfs)], input }, z.object({}))
    },
    async changes(rootfs) {
      return Changes.parse(JSON.parse(await program.output({ args: ['changes', ...rootfsArgs(rootfs)] })))
    },
  }
}

async function stat(program: FilesProgram, target: RootfsTarget, path: string): Promise<FileStat | undefined> {
  try {
    const { size, mode, seconds, nanoseconds, linkTarget } = await program.report(
      { args: ['stat', ...targetArgs(target), '--path', absolute(path)] },
      Stat,
    )
    const whole = new Date(seconds * 1_000).toISOString().slice(0, 19)
    const fraction = nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`
    return { name: entryName(path), size, mode: goMode(mode), mtime: `${whole}${fraction}Z`, linkTarget }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
