// Reads the configuration again while everything runs: what can change does, the rest is named, what is wrong changes
// nothing.
import { isDeepStrictEqual } from 'node:util'
import { reloadableSettings } from '@atoll/engine/config'
import { reloadableSettings as reloadableHooksSettings } from '@atoll/hooks/ingress/config'
import { ConfigError } from '@atoll/kernel/config/config-error'
import { redact } from '@atoll/kernel/telemetry/redaction'
import type { AtollConfig } from '../config.ts'

const atRunTime = new Set([
  ...['log.level', 'shutdown.graceSeconds'],
  ...reloadableSettings.map((key) => `engine.${key}`),
  ...reloadableHooksSettings.map((key) => `hooks.${key}`),
])

export interface Reloading {
  /** The one that holds; replaced. */
  config: AtollConfig
  load(): Promise<AtollConfig>
  takeOn(config: AtollConfig): void
  say(line: string): void
}

export async function reload(reloading: Reloading): Promise<void> {
  const { load, takeOn, say } = reloading
  try {
    const next = await load()
    const waiting = changedSettings(reloading.config, next).filter((key) => !atRunTime.has(key))
    takeOn(next)
    reloading.config = next
    say('The configuration was read again.')
    if (waiting.length > 0) say(`Taken on at the next start: ${waiting.join(', ')}`)
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [String(error)]
    say('The configuration is wrong; all stays as it was.')
    for (const problem of problems) say(`  ${redact(problem)}`)
  }
}

/** Names of settings that differ, lists as a whole: `engine.registry.mirrors`. */
function changedSettings(before: unknown, after: unknown, path = ''): string[] {
  if (!isGroup(before) || !isGroup(after)) return isDeepStrictEqual(before, after) ? [] : [path]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => changedSettings(before[name], after[name], path === '' ? name : `${path}.${name}`))
}

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
