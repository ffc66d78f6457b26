// Networks, volumes, and removing what is not used.
import { expect } from 'vitest'
import type { RouteName } from '../change.ts'
import { type Proof, proof } from './proof.ts'

const networks = 'GET /networks'
const network = 'GET /networks/:id'
const connect = 'POST /networks/:id/connect'
const create = 'POST /containers/create'
const containerId = 'c0ffee0123456789c0ffee0123456789c0ffee0123456789c0ffee0123456789'
const prunes: RouteName[] = [
  'POST /containers/prune',
  'POST /images/prune',
  'POST /volumes/prune',
  'POST /networks/prune',
]

export const networkProofs: Record<string, Proof> = {
  'There are volumes.': proof('', async (at) => {
    await at.status('GET /volumes', 404, 200)
    await at.status('POST /volumes/create', 404, 200)
    await at.status('GET /volumes/:name', 404, 200)
    await at.status('DELETE /volumes/:name', 404, 200)
  }),
  'Containers can ask for addresses on their networks.': proof('', async (at) => {
    await at.takes(create, 'NetworkingConfig.EndpointsConfig.net1.IPAMConfig', { IPv4Address: '10.0.0.2' })
    await at.takes(connect, 'EndpointConfig.IPAMConfig', { IPv6Address: 'fd00::2' })
  }),
  'Networks name their containers and tell the options of their address management.': proof('', async (at) => {
    await at.shows(network, `Containers.${containerId}.Name`, 'IPAM.Options')
    await at.shows(networks, '0.IPAM.Options')
  }),
  'Networks can be filtered by name, id and type.': proof('', (at) => at.filters(networks, 'name', 'id', 'type')),
  'Networks can be cut off from the outside.': proof('', (at) => at.takes('POST /networks/create', 'Internal', true)),
  'Containers can be taken off a network by force.': proof('', (at) =>
    at.takes('POST /networks/:id/disconnect', 'Force', true),
  ),
  'Networks tell whether they are internal and have IPv6.': proof('', async (at) => {
    await at.shows(network, 'Internal', 'EnableIPv6')
    await at.shows(networks, '0.Internal', '0.EnableIPv6')
    await at.tells(network, 'Options.Internal', 'kept', 'kept')
  }),
  'IPv6 of a network is switched on by a field; it was a label.': proof('', async (at) => {
    const labels = { 'com.docker.network.enable_ipv6': 'true' }
    await at.body('POST /networks/create', { Labels: labels }, 'EnableIPv6', true, undefined)
    await at.body('POST /networks/create', { Options: labels }, 'EnableIPv6', true, undefined)
    await at.body('POST /networks/create', { EnableIPv6: true }, 'EnableIPv6', false, true)
  }),
  'Volumes can be filtered by name and driver.': proof('', (at) => at.filters('GET /volumes', 'name', 'driver')),
  'Networks can be filtered by label and driver.': proof('', (at) => at.filters(networks, 'label', 'driver')),
  'Volumes can be removed by force.': proof('', (at) => at.asks('DELETE /volumes/:name', 'force', '1')),
  'Volumes tell their options.': proof('', async (at) => {
    await at.shows('GET /volumes/:name', 'Options')
    await at.shows('GET /volumes', 'Volumes.0.Options')
    await at.shows('POST /volumes/create', 'Options')
  }),
  'Networks are listed under an address with a slash at its end, too.': proof('', (at) =>
    at.status('GET /networks/', 404, 200),
  ),
  'Networks tell when they were made, and their peers.': proof('', async (at) => {
    await at.shows(network, 'Created', 'Peers.0.Name', 'Peers.0.IP')
    await at.shows(networks, '0.Created', '0.Peers.0.Name', '0.Peers.0.IP')
  }),
  'What is not used can be removed at once.': proof('', async (at) => {
    for (const prune of prunes) await at.status(prune, 404, 200)
  }),
  'A network can be asked for with its services and tasks.': proof('', (at) => at.asks(network, 'verbose', 'true')),
  'Lists of networks are without their containers; they had them.': proof('', (at) =>
    at.way('networks-with-containers', networks),
  ),
  'A network may be the one that takes requests for a swarm.': proof('', async (at) => {
    await at.takes('POST /networks/create', 'Ingress', true)
    await at.shows(network, 'Ingress')
    await at.shows(networks, '0.Ingress')
  }),
  'Networks can be filtered by scope.': proof('', (at) => at.filters(networks, 'scope')),
  'What is removed because it is not used can be filtered by label.': proof('', async (at) => {
    for (const prune of prunes) {
      await at.status(prune, 400, 200, { query: { filters: '{"label":["a"]}' } })
      await at.status(prune, 400, 200, { query: { filters: '{"label!":{"a=b":true}}' } })
      await at.status(prune, 200, 200, { query: { filters: '{"until":["1h"]}' } })
    }
  }),
  'A network can be asked for in one scope.': proof('', (at) => at.asks(network, 'scope', 'local')),
  'Volumes tell when they were made.': proof('', async (at) => {
    await at.shows('GET /volumes/:name', 'CreatedAt')
    await at.shows('GET /volumes', 'Volumes.0.CreatedAt')
    await at.shows('GET /system/df', 'Volumes.0.CreatedAt')
  }),
  'Networks can be filtered by whether they are used.': proof('', (at) => at.filters(networks, 'dangling')),
  'There are volumes of a cluster.': proof('', async (at) => {
    await at.takes('POST /volumes/create', 'ClusterVolumeSpec', { Group: 'g' })
    await at.shows('GET /volumes/:name', 'ClusterVolume')
    await at.shows('GET /volumes', 'Volumes.0.ClusterVolume')
    await at.shows('GET /system/df', 'Volumes.0.ClusterVolume')
  }),
  'Volumes of a cluster can be changed.': proof('', (at) => at.status('PUT /volumes/:name', 404, 200)),
  'Only volumes without a name are removed when they are not used; all were.': proof('', async (at) => {
    await at.query('POST /volumes/prune', {}, 'filters', '{"all":["true"]}', undefined)
    const older = await at.call('1.41', 'POST /volumes/prune', { query: { filters: '{"label":["a"],"all":["0"]}' } })
    expect(JSON.parse(String(older.seen.query.filters))).toEqual({ label: ['a'], all: ['true'] })
  }),
  'Each network of a container can have an address of its own on the wire.': proof('', async (at) => {
    await at.takes(create, 'NetworkingConfig.EndpointsConfig.net1.MacAddress', '02:00:00:00:00:01')
    await at.takes(connect, 'EndpointConfig.MacAddress', '02:00:00:00:00:01')
    await at.way('container-wide-mac')
  }),
  'Endpoints can have kernel parameters.': proof('', async (at) => {
    const options = { 'com.docker.network.endpoint.sysctls': 'net.ipv4.conf.IFNAME.forwarding=1', other: 'kept' }
    const kept = { other: 'kept' }
    const place = 'NetworkingConfig.EndpointsConfig.net1.DriverOpts'
    const asked = { NetworkingConfig: { EndpointsConfig: { net1: { DriverOpts: options } } } }
    await at.body(create, asked, place, kept, options)
    await at.body(connect, { EndpointConfig: { DriverOpts: options } }, 'EndpointConfig.DriverOpts', kept, options)
  }),
  'Containers can be made on several networks.': proof('', (at) => at.way('one-endpoint')),
}
