// Images for the engines, made of what this machine has: busybox to run, and some 200 MB of /usr to load.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { arch } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const bigBytes = 200 * 1000 * 1000
const maxListBytes = 256 * 1024 * 1024

/** A file system as `docker import` takes it. */
export async function makeBusybox(folder: string): Promise<string> {
  const { stdout: found } = await run('sh', ['-c', 'command -v busybox'])
  const rootfs = join(folder, 'busybox')
  for (const name of ['bin', 'etc', 'tmp']) mkdirSync(join(rootfs, name), { recursive: true })
  await copyFile(found.trim(), join(rootfs, 'bin/busybox'))
  for (const name of ['sh', 'true', 'sleep', 'top', 'cat', 'head', 'mkdir'])
    symlinkSync('busybox', join(rootfs, 'bin', name))
  const archive = join(folder, 'busybox.tar')
  await run('tar', ['--numeric-owner', '-C', rootfs, '-cf', archive, '.'])
  return archive
}

export const bigName = 'atoll-bench-big:latest'

/** One layer of programs and libraries, as `docker load` takes it. */
export async function makeBigImage(folder: string): Promise<string> {
  const { stdout } = await run('find', ['/usr/bin', '/usr/lib', '-xdev', '-type', 'f', '-printf', '%s %P\\0%p\\0'], {
    maxBuffer: maxListBytes,
  })
  const image = join(folder, 'big')
  mkdirSync(image, { recursive: true })
  writeFileSync(join(folder, 'big.files'), `${firstFiles(stdout).join('\0')}\0`)
  const layer = join(image, 'layer.tar')
  await run('tar', ['--numeric-owner', '-C', '/', '--null', '-T', join(folder, 'big.files'), '-cf', layer])
  const hash = createHash('sha256')
  await pipeline(createReadStream(layer), hash)
  const config = JSON.stringify({
    architecture: arch() === 'x64' ? 'amd64' : arch(),
    os: 'linux',
    created: '2026-01-01T00:00:00Z',
    config: { Cmd: ['true'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${hash.digest('hex')}`] },
    history: [{ created: '2026-01-01T00:00:00Z', created_by: 'atoll bench' }],
  })
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`
  writeFileSync(join(image, configName), config)
  writeFileSync(
    join(image, 'manifest.json'),
    JSON.stringify([{ Config: configName, RepoTags: [bigName], Layers: ['layer.tar'] }]),
  )
  const archive = join(folder, 'big.tar')
  await run('tar', ['-C', image, '-cf', archive, 'manifest.json', configName, 'layer.tar'])
  // Out of the way of the first measurement: what was just written is read from memory by all.
  await pipeline(createReadStream(archive), createWriteStream('/dev/null'))
  return archive
}

function firstFiles(listed: string): string[] {
  const fields = listed.split('\0')
  const names: string[] = []
  for (let index = 0, total = 0; index + 1 < fields.length && total < bigBytes; index += 2) {
    total += Number.parseInt(fields[index] ?? '0', 10)
    names.push((fields[index + 1] ?? '').slice(1))
  }
  return names
}
