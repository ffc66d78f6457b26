// What this engine uses plugins for. Others are told so instead of being run for nothing.
import { invalidParameter, notImplemented } from '../errors.ts'
import type { PluginRecord } from './plugin-record.ts'

const nodeType = 'docker.csinode/1.0'
const used = ['docker.volumedriver/1.0', 'docker.logdriver/1.0', 'docker.csicontroller/1.0', nodeType]

const kinds: Readonly<Record<string, string>> = {
  'docker.networkdriver/1.0': 'network drivers',
  'docker.ipamdriver/1.0': 'drivers for addresses (IPAM)',
  'docker.authz/1.0': 'plugins that decide who may do what',
  'docker.graphdriver/1.0': 'storage drivers for images',
  'docker.graphdriver/2.0': 'storage drivers for images',
  'docker.metricscollector/1.0': 'collectors of metrics',
  'docker.secretprovider/1.0': 'providers of secrets',
}

/** Throws for a plugin of which some type would never be called. */
export function usableTypes({ name, config: { Interface, PropagatedMount } }: PluginRecord): void {
  if (Interface.Types.includes(nodeType) && PropagatedMount === '') {
    throw invalidParameter(
      `plugin ${name} cannot be enabled: it brings volumes to its node (${nodeType}), and has no propagatedMount to bring them to`,
    )
  }
  const useless = Interface.Types.filter((type) => !used.includes(type))
  if (useless.length === 0) return
  const words = useless.map((type) => (kinds[type] === undefined ? type : `${kinds[type]} (${type})`))
  throw notImplemented(
    `plugin ${name} cannot be enabled: this engine has no use for ${words.join(', ')}; it takes ${used.join(', ')}`,
  )
}
