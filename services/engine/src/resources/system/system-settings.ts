// What the configuration makes of what the engine tells of itself.
import type { LiveConfig } from '../../config.ts'
import { logDriverNames } from '../../log-drivers/drivers.ts'
import { formatSubnet } from '../../network/address.ts'
import { defaultPools } from '../../network/address-pools.ts'
import { tcpWarnings } from '../../tcp-access.ts'
import type { SystemSettings } from './ports.ts'

/** Names of enabled plugins of a kind: `volumedriver`. */
export type PluginNames = (capability: string) => string[]

export const systemSettings = (
  { engine, isDebugging }: LiveConfig,
  folder: string,
  plugins: PluginNames,
): SystemSettings => ({
  folder,
  defaultRuntime: engine.runtime,
  // Plugins come and go.
  get drivers() {
    return {
      volume: ['local', ...plugins('volumedriver')],
      network: ['bridge', 'host', 'ipvlan', 'macvlan', 'null'],
      log: [...logDriverNames(), ...plugins('logdriver')], // ENG-053
    }
  },
  addressPools: defaultPools.map(({ base, size }) => ({ Base: formatSubnet(base), Size: size })),
  registry: engine.registry,
  labels: engine.labels,
  genericResources: engine.genericResources,
  isDebugging,
  isRootless: false,
  hasUserNamespaces: false,
  noNewPrivileges: false,
  builder: engine.builderVersion,
  warnings: tcpWarnings(engine),
})
