// All mappings of one configuration, ready to be used. What is wrong with them is told at once, with the key of each.
import { ConfigError } from '@atoll/kernel/config/config-error'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { MappingsConfig } from './config.ts'
import { type Mapping, namedMappings, sharedIds } from './mapping.ts'
import { ModuleFileProblem } from './transforms/module-file.ts'
import type { SandboxPool } from './transforms/sandbox-pool.ts'
import { loadTransform, type Transform, TransformProblem } from './transforms/transforms.ts'

interface Loading {
  sandbox: SandboxPool
  /** Of the transforms. */
  folder: string
  log: Log
}

type Named = ReturnType<typeof namedMappings>[number]

export async function loadMappings(config: MappingsConfig, { sandbox, folder, log }: Loading): Promise<Mapping[]> {
  const named = namedMappings(config)
  const problems = sharedIds(named)
  const loaded: Mapping[] = []
  for (const { transform: wanted, ...mapping } of named) {
    const transform = wanted === undefined ? undefined : await transformOr(problems, mapping.key, wanted)
    loaded.push(transform === undefined ? mapping : { ...mapping, transform })
  }
  if (problems.length > 0) throw new ConfigError(problems)
  for (const mapping of loaded) warn(mapping, log)
  return loaded

  async function transformOr(told: string[], key: string, wanted: NonNullable<Named['transform']>) {
    try {
      return await loadTransform(sandbox, folder, wanted)
    } catch (error) {
      if (!(error instanceof ModuleFileProblem || error instanceof TransformProblem)) throw error
      told.push(`${key}.transform.module: ${error.message}`)
      return undefined as Transform | undefined
    }
  }
}

function warn({ id, key, action, allowUnsafeExternalContent, ...mapping }: Mapping, log: Log): void {
  if (allowUnsafeExternalContent === true) {
    log.warn({ mapping: id }, `${key} lets what comes in reach the agent without the safety wrapper`)
  }
  const template = action === 'wake' ? mapping.textTemplate : mapping.messageTemplate
  if (template === undefined && mapping.transform === undefined) {
    const needed = action === 'wake' ? 'textTemplate' : 'messageTemplate'
    log.warn({ mapping: id }, `${key} has neither ${needed} nor a transform: whatever it matches is refused`)
  }
}
