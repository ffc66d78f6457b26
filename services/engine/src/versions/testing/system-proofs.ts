// The engine itself, its events and its disk usage.
import { expect } from 'vitest'
import { type Proof, proof } from './proof.ts'

const info = 'GET /info'
const usage = 'GET /system/df'

export const systemProofs: Record<string, Proof> = {
  'Facts of the host are booleans, and there are more of them; they were numbers.': proof('', async (at) => {
    await at.tells(info, 'Debug', 0, false)
    await at.tells(info, 'IPv4Forwarding', 1, true)
    await at.tells(info, 'MemoryLimit', 1, true)
    await at.tells(info, 'SwapLimit', 0, false)
    await at.shows(info, 'CpuCfsPeriod', 'CpuCfsQuota', 'OomKillDisable')
  }),
  'Events tell their time to the nanosecond.': proof('', async (at) => {
    const [older, newer] = [await at.call('1.20', 'GET /events'), await at.call('1.21', 'GET /events')]
    expect(older.text).not.toContain('timeNano')
    expect(older.text).toContain('"time":1')
    expect(newer.text).toContain('"timeNano":1000000001')
  }),
  'What builds keep can be removed.': proof('', (at) => at.status('POST /build/prune', 404, 200)),
  'Clients can offer something to builds.': proof('', (at) => at.status('POST /session', 404, 200)),
  'Sessions are no experiment any more.': proof('', (at) => at.way('session-is-experimental', 'POST /session')),
  'Events can be filtered by label.': proof('', (at) => at.filters('GET /events', 'label')),
  'The engine tells its version and whether CPU shares and sets work.': proof('', (at) =>
    at.shows(info, 'ServerVersion', 'CPUShares', 'CPUSet'),
  ),
  'The engine tells its architecture and system, and counts containers by state.': proof('', async (at) => {
    await at.shows(info, 'Architecture', 'OSType', 'ContainersRunning', 'ContainersPaused', 'ContainersStopped')
    await at.tells(info, 'SystemStatus', undefined, null)
  }),
  'The time the engine was built is written as in RFC 3339; it was written as Unix does.': proof('', (at) =>
    at.tells('GET /version', 'BuildTime', 'Sun Mar  1 07:09:13 UTC 2026', '2026-03-01T07:09:13.000000000Z'),
  ),
  'The engine tells its cgroup driver and whether kernel memory can be limited.': proof('', async (at) => {
    await at.shows(info, 'CgroupDriver', 'KernelMemory')
  }),
  'The engine tells its security options, and no execution driver any more.': proof('', async (at) => {
    await at.shows(info, 'SecurityOptions')
    await at.tells(info, 'ExecutionDriver', 'crun', undefined)
  }),
  'There are events for reloading and detaching.': proof('', (at) =>
    at.events('daemon reload', 'container detach', 'container exec_detach'),
  ),
  'Events can be filtered by daemon.': proof('', (at) => at.filters('GET /events', 'daemon')),
  'Security options have names and values, and tell user namespaces; they were single words.': proof('ENG-058', (at) =>
    at.tells(info, 'SecurityOptions', ['seccomp'], ['name=seccomp,profile=builtin', 'name=userns']),
  ),
  'The engine tells the isolation of containers.': proof('', (at) => at.shows(info, 'Isolation')),
  'The engine tells the oldest version it serves.': proof('', (at) => at.shows('GET /version', 'MinAPIVersion')),
  'The engine tells its log drivers and the authority of its swarm.': proof('', async (at) => {
    await at.shows(info, 'Plugins.Log', 'Swarm.Cluster.TLSInfo')
    await at.tells(info, 'Plugins.Network', ['bridge'], ['bridge'])
  }),
  'There are events of swarms, and events tell their scope.': proof('', async (at) => {
    await at.events('service create', 'network remove')
    expect((await at.call('1.29', 'GET /events')).text).not.toContain('scope')
    expect((await at.call('1.30', 'GET /events')).text).toContain('"scope":"local"')
  }),
  'Events can be filtered by scope.': proof('', (at) => at.filters('GET /events', 'scope')),
  'There are events of configs.': proof('', (at) => at.events('config create')),
  'Events can be filtered by config, node, secret and service.': proof('', (at) =>
    at.filters('GET /events', 'config', 'node', 'secret', 'service'),
  ),
  'The engine tells its platform and the parts it is made of.': proof('', (at) =>
    at.shows('GET /version', 'Platform.Name', 'Components.0.Name'),
  ),
  'There is an event for the end of a process in a container.': proof('', (at) => at.events('container exec_die')),
  'What is not known of the host is empty; it was written as unknown.': proof('ENG-050', async (at) => {
    await at.tells(info, 'KernelVersion', '<unknown>', '')
    await at.tells(info, 'OperatingSystem', '<unknown>', '')
  }),
  'The engine tells its licence and its warnings.': proof('', (at) => at.shows(info, 'ProductLicense', 'Warnings')),
  'The engine tells whether processes can be limited in number, and the data port of its swarm.': proof('', (at) =>
    at.shows(info, 'PidsLimit', 'Swarm.Cluster.DataPathPort'),
  ),
  'There are events for removing what is not used.': proof('', (at) => at.events('container prune')),
  'The engine tells its cgroups, address pools and system version, and leaves out what it has not.': proof(
    '',
    async (at) => {
      await at.shows(info, 'CgroupVersion', 'DefaultAddressPools', 'OSVersion')
      await at.tells(info, 'SystemStatus', null, undefined)
      await at.tells(info, 'ClusterStore', '', undefined)
      await at.tells(info, 'ClusterAdvertise', '', undefined)
    },
  ),
  'Disk usage has no size of the builder; it had one beside the build cache.': proof('', (at) =>
    at.tells(usage, 'BuilderSize', 5, undefined),
  ),
  'Records of the build cache have parents; they had one.': proof('ENG-690 ENG-691', async (at) => {
    await at.tells(usage, 'BuildCache.0.Parent', 'p1', undefined)
    await at.tells(usage, 'BuildCache.0.Parents', undefined, ['p1', 'p2'])
  }),
  'Disk usage can be asked for by kind.': proof('', (at) => at.asks(usage, 'type', 'image')),
  'The engine leaves out limits of kernel memory that the host has not; they were false.': proof(
    'ENG-068 ENG-069',
    async (at) => {
      await at.tells(info, 'KernelMemory', false, undefined)
      await at.tells(info, 'KernelMemoryTCP', false, undefined)
    },
  ),
  'The engine tells where descriptions of devices are, and the state of its runtimes.': proof('', (at) =>
    at.shows(info, 'CDISpecDirs', 'Runtimes.crun.status'),
  ),
  'The engine tells its connection to containerd, where it has one.': proof('', (at) => at.shows(info, 'Containerd')),
  'Logging in to a registry may give an identity token.': proof('', (at) => at.shows('POST /auth', 'IdentityToken')),
}
