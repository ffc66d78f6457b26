// A platform in a process of its own, with a scripted model behind it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { ServerProcess } from '../../../../../cli/nodes/server-process.ts'
import type { PlatformAddress } from '../platform/platform.ts'
import { ScriptedModel } from './scripted-model.ts'

const apiKey = 'sk-hooks-test'
/** Names that the platform knows the scripted model by. */
export const scriptedModels = ['gpt-4o-mini', 'large', 'house/special']

export interface ScriptedPlatform {
  model: ScriptedModel
  address: PlatformAddress
  process: ServerProcess
  close(): Promise<void>
}

export async function startScriptedPlatform(): Promise<ScriptedPlatform> {
  const model = await ScriptedModel.start()
  const folder = await tempDir()
  const config = join(folder, 'atoll.json')
  const scripted = { kind: 'upstream', replicas: [model.url], model: 'scripted', retries: 0 }
  const models = scriptedModels.map((id) => ({ id, runtime: 'scripted' }))
  writeFileSync(config, JSON.stringify({ platform: { runtimes: { scripted }, models } }))
  const process = new ServerProcess({
    args: ['--data', folder, '--port', '0', '--only', 'platform', '--config', config],
    env: { ATOLL_API_KEY: apiKey, ATOLL_ADMIN_KEY: 'sk-hooks-admin', ATOLL_LOG_LEVEL: 'warn' },
  })
  const close = async (): Promise<void> => {
    await process.stop()
    await model.close()
  }
  return { model, address: { url: await process.ready(), apiKey }, process, close }
}
