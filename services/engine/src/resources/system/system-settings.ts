// What the configuration makes of what the engine tells of itself.
import type { LiveConfig } from '../../config.ts'
import { logDriverNames } from '../../log-drivers/drivers.ts'
import { formatSubnet } from '../../network/address.ts'
import { defaultPools } from '../../network/address-pools.ts'
import { tcpWarnings } from '../../tcp-access.ts'
import type { SystemSettings } from './ports.ts'

export const systemSettings = ({ engine, isDebugging }: LiveConfig, folder: string): SystemSettings => ({
  folder,
  defaultRuntime: engine.runtime,
  drivers: { volume: ['local'], network: ['bridge', 'host', 'ipvlan', 'macvlan', 'null'], log: logDriverNames() },
  addressPools: defaultPools.map(({ base, size }) => ({ Base: formatSubnet(base), Size: size })),
  registry: engine.registry,
  labels: engine.labels,
  isDebugging,
  isRootless: false,
  hasUserNamespaces: false,
  noNewPrivileges: false,
  builder: engine.builderVersion,
  warnings: tcpWarnings(engine),
})
