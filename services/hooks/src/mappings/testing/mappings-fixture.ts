// Mappings with transforms in a folder of their own, made ready as at a start.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ManualClock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import type { Action } from '../../actions.ts'
import type { HookRequest } from '../../ports.ts'
import { MappingsConfig } from '../config.ts'
import { ConfiguredMappings } from '../mappings.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

async function putFiles(files: Record<string, string>): Promise<{ data: string; folder: string }> {
  const data = await mkdtemp(join(tmpdir(), 'atoll-mappings-'))
  const folder = join(data, 'hooks', 'transforms')
  await mkdir(folder, { recursive: true })
  for (const [name, source] of Object.entries(files)) await writeFile(join(folder, name), source)
  return { data, folder }
}

export async function transformsFolder(files: Record<string, string>): Promise<{ data: string; folder: string }> {
  const folders = await putFiles(files)
  onTestFinished(() => rm(folders.data, { recursive: true, force: true }))
  return folders
}

type Config = z.input<typeof MappingsConfig>

const open = (data: string, config: Config, log: Log): Promise<ConfiguredMappings> =>
  ConfiguredMappings.open(
    { folder: data, clock: new ManualClock(), log, hooksPath: '/hooks' },
    MappingsConfig.parse(config),
  )

export async function openMappings(
  config: Config,
  files: Record<string, string> = {},
  log: Log = silent,
): Promise<{ mappings: ConfiguredMappings; folder: string }> {
  const { data, folder } = await transformsFolder(files)
  const mappings = await open(data, config, log)
  onTestFinished(() => mappings.close())
  return { mappings, folder }
}

/** For all tests of a file, which closes them itself. Transforms are read at once, so their files can go. */
export async function openForFile(config: Config, files: Record<string, string>): Promise<ConfiguredMappings> {
  const { data } = await putFiles(files)
  try {
    return await open(data, config, silent)
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

export const actionOf = async (mappings: ConfiguredMappings, id: string, asked: HookRequest): Promise<Action | null> =>
  (await mappings.resolve(id, asked)).action

export const request = (path: string, payload: Record<string, unknown> = {}): HookRequest => ({
  path,
  payload,
  headers: { 'user-agent': 'tester' },
  query: { tab: 'all' },
})
