// A plugin that the tests bring: sample-plugin.c, with a configuration of their choice.
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempDir } from '@atoll/testkit/temp-dir'
import { tarOf } from '../../resources/images/testing/sample-tars.ts'

let program: Promise<Buffer> | undefined

async function compile(): Promise<Buffer> {
  const path = join(await tempDir(), 'sample-plugin')
  const source = fileURLToPath(new URL('./sample-plugin.c', import.meta.url))
  await promisify(execFile)('cc', ['-std=gnu11', '-O1', '-static', '-o', path, source])
  return readFile(path)
}

/** Asks for nothing but what it needs to mount volumes. */
export const sampleConfig = {
  description: 'For tests',
  interface: { types: ['docker.volumedriver/1.0', 'docker.logdriver/1.0'], socket: 'sample.sock' },
  entrypoint: ['/plugin'],
  workdir: '/srv',
  network: { type: 'none' },
  propagatedMount: '/mnt/volumes',
  linux: { capabilities: ['CAP_SYS_ADMIN'] },
  env: [
    { name: 'DEBUG', description: 'misbehaves', settable: ['value'], value: '0' },
    { name: 'FIXED', value: '1' },
  ],
  args: { name: 'args', settable: ['value'], value: ['first'] },
}

const folders = ['rootfs', 'rootfs/srv', 'rootfs/mnt', 'rootfs/mnt/volumes', 'rootfs/state']

/** What `docker plugin create` reads. */
export async function writeSamplePlugin(folder: string, config: object = {}): Promise<void> {
  program ??= compile()
  for (const name of folders) await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify({ ...sampleConfig, ...config }))
  await writeFile(join(folder, 'rootfs/plugin'), await program, { mode: 0o755 })
}

/** What `docker plugin create` sends. */
export async function samplePlugin(config: object = {}): Promise<Buffer> {
  program ??= compile()
  return tarOf([
    { name: 'config.json', data: JSON.stringify({ ...sampleConfig, ...config }) },
    ...folders.map((name) => ({ name: `${name}/`, type: '5' })),
    { name: 'rootfs/plugin', data: await program, mode: 0o755 },
  ])
}
