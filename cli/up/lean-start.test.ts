// What few requests need comes with the first of them: an idle server does not carry it.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { root } from '../places.ts'

const urlOf = (...names: string[]): string => JSON.stringify(pathToFileURL(join(root, ...names)).href)

/** A start of the platform alone, which then tells all that has been loaded: modules, and native libraries. */
async function loadedByStart(): Promise<string> {
  const folder = await tempDir()
  const flags = JSON.stringify({ data: join(folder, 'data'), port: '0', only: 'platform' })
  const program = `
    const { registerHooks } = await import('node:module')
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { loadAtollConfig } = await import(${urlOf('cli', 'config.ts')})
    const { startAtoll } = await import(${urlOf('cli', 'up', 'compose.ts')})
    const config = await loadAtollConfig({ env: {}, flags: ${flags} })
    const running = await startAtoll(config)
    await running.close()
    loaded.push(...process.report.getReport().sharedObjects)
    process.stdout.write(loaded.join('\\n'), () => process.exit(0))`
  const options = { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } } as const
  const file = join(folder, 'start.mjs')
  writeFileSync(file, program)
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], options)
  expect(status, stderr).toBe(0)
  return stdout
}

it('brings no WebSockets, realtime sessions, vector index, TLS or engine before somebody asks for them', async () => {
  const loaded = await loadedByStart()
  expect(loaded).toContain('resources/realtime/sockets.ts')
  expect(loaded).toContain('engine/src/config.ts')
  expect(loaded).toMatch(/^node:crypto$/m)
  for (const later of [/\/ws\//, /realtime\/session\.ts/, /usearch/, /node:(https|tls|readline)$/m, /etcd-client/]) {
    expect(loaded).not.toMatch(later)
  }
}, 60_000)
