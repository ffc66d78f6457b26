import * as errors from '../../errors.ts'
import type { Engine } from '../../redis/engines.ts'
import type { CreateBdb } from './schema.ts'

/** The first that is what was asked for; `7.0` means any 7.0.x. */
export function chooseEngine(engines: readonly Engine[], { engine, redis_version: version }: CreateBdb): Engine {
  const found = engines.find(
    (each) =>
      (engine === undefined || each.name === engine) &&
      (version === undefined || `${each.version}.`.startsWith(`${version}.`)),
  )
  if (found !== undefined) return found
  const wanted = [engine, version].filter((part) => part !== undefined).join(' ') || 'at all'
  throw errors.noEngine(wanted, engines.map(describeEngine))
}

export const describeEngine = ({ name, version }: Engine): string => `${name} ${version}`
