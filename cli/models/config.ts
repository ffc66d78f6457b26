// The settings of the `models` commands are those of `up`.
import { join } from 'node:path'
import { loadAtollConfig } from '../config.ts'

export interface FolderFlags {
  data?: string
  config?: string
}

export async function loadModelsConfig({ data, config: file }: FolderFlags): Promise<{ folder: string; hub: string }> {
  const config = await loadAtollConfig({ file, env: process.env, flags: { data } })
  return { folder: config.platform.modelsFolder ?? join(config.data, 'models'), hub: config.platform.modelHub }
}
