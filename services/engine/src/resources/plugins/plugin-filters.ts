// Which plugins a caller wants.
import { invalidParameter } from '../../errors.ts'
import { interfaceTypes } from '../../plugins/plugin-config.ts'
import type { PluginRecord } from '../../plugins/plugin-record.ts'
import type { Filters } from '../query/schema.ts'

const words: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

export function pluginFilter(filters: Filters): (plugin: PluginRecord) => boolean {
  const conditions = Object.entries(filters).map(([name, values]) => condition(name, values))
  return (plugin) => conditions.every((fits) => fits(plugin))
}

function condition(name: string, values: readonly string[]): (plugin: PluginRecord) => boolean {
  // The documents call it `enable`, clients `enabled`.
  if (name === 'enabled' || name === 'enable') {
    const wanted = values.map((value) => words[value])
    if (wanted.includes(undefined)) throw invalidParameter(`invalid filter '${name}=${values}'`)
    return ({ isEnabled }) => wanted.includes(isEnabled)
  }
  if (name !== 'capability') throw invalidParameter(`invalid filter '${name}'`)
  return ({ config }) =>
    values.every((value) => interfaceTypes(config).some(({ capability }) => capability === value.toLowerCase()))
}
