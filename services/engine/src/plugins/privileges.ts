// What a plugin wants to be allowed, as its user is shown before it is installed, and has to agree to.
import { forbidden } from '../errors.ts'
import type { PluginConfig, PluginPrivilege } from '../resources/plugins/schema.ts'

/** A network namespace of its own is nothing to be asked for. */
const harmlessNetworks = new Set(['', 'none', 'null', 'bridge'])

export function privilegesOf({ Network, IpcHost, PidHost, Mounts, Linux }: PluginConfig): PluginPrivilege[] {
  const asked: [isAsked: boolean, name: string, description: string, value: string[]][] = [
    [!harmlessNetworks.has(Network.Type), 'network', 'permissions to access a network', [Network.Type]],
    [IpcHost, 'host ipc namespace', 'allow access to host ipc namespace', ['true']],
    [PidHost, 'host pid namespace', 'allow access to host pid namespace', ['true']],
    ...Mounts.map(({ Source }): (typeof asked)[number] => [
      Source !== null,
      'mount',
      'host path to mount',
      [Source ?? ''],
    ]),
    ...Linux.Devices.map(({ Path }): (typeof asked)[number] => [
      Path !== null,
      'device',
      'host device to access',
      [Path ?? ''],
    ]),
    [Linux.AllowAllDevices, 'allow-all-devices', "allow 'rwm' access to all devices", ['true']],
    [Linux.Capabilities.length > 0, 'capabilities', 'list of additional capabilities required', Linux.Capabilities],
  ]
  return asked
    .filter(([isAsked]) => isAsked)
    .map(([, Name, Description, Value]) => ({ Name, Description, Value: [...Value] }))
}

/** Whatever the order and the words about them: what is granted must be exactly what is asked for. */
export function requireGranted(config: PluginConfig, granted: readonly PluginPrivilege[]): void {
  const wanted = keysOf(privilegesOf(config))
  const given = keysOf(granted)
  const missing = without(wanted, given)
  const needless = without(given, wanted)
  if (missing.length === 0 && needless.length === 0) return
  const words = [
    ...missing.map((key) => `${key} is asked for and was not granted`),
    ...needless.map((key) => `${key} was granted and is not asked for`),
  ]
  throw forbidden(`incorrect privileges: ${words.join('; ')}`)
}

const keysOf = (privileges: readonly PluginPrivilege[]): string[] =>
  privileges.map(({ Name, Value }) => `${Name} [${[...Value].sort().join(' ')}]`)

/** Each is counted as often as it stands there. */
function without(all: readonly string[], taken: readonly string[]): string[] {
  const left = [...taken]
  return all.filter((each) => {
    const at = left.indexOf(each)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
