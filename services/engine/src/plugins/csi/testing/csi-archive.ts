// What `docker plugin create` sends of the sample CSI plugin: it runs with this machine's own Node and programs.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { tarOf } from '../../../resources/images/testing/sample-tars.ts'

const programs = ['/usr', '/lib', '/lib64', '/bin'].filter((path) => existsSync(path))
const inside = '/node'

/** `state`: a folder that the plugins of all machines share. */
export function csiArchive({ node, zone, state }: { node: string; zone: string; state: string }): Buffer {
  const readable = (source: string, destination: string) => ({
    ...{ name: destination, type: 'bind', source: realpathSync(source), destination, options: ['rbind', 'ro'] },
  })
  const config = {
    description: 'CSI for tests',
    interface: { types: ['docker.csicontroller/1.0', 'docker.csinode/1.0'], socket: 'csi.sock' },
    entrypoint: [`${inside}/node`, '/plugin.ts'],
    workdir: '/',
    network: { type: 'none' },
    propagatedMount: '/mnt/published',
    linux: { capabilities: ['CAP_SYS_ADMIN'] },
    env: [
      ...Object.entries({ NODE_NAME: node, ZONE: zone, SOCKET: '/run/docker/plugins/csi.sock', PATH: '/usr/bin:/bin' }),
    ].map(([name, value]) => ({ name, value })),
    mounts: [
      ...programs.map((path) => readable(path, path)),
      readable(dirname(realpathSync(process.execPath)), inside),
      { name: 'state', type: 'bind', source: state, destination: '/state', options: ['rbind'] },
    ],
  }
  const folders = [
    'rootfs',
    ...['usr', 'lib', 'lib64', 'bin', 'node', 'state', 'mnt', 'mnt/published'].map((each) => `rootfs/${each}`),
  ]
  return tarOf([
    { name: 'config.json', data: JSON.stringify(config) },
    ...folders.map((name) => ({ name: `${name}/`, type: '5' })),
    { name: 'rootfs/plugin.ts', data: readFileSync(new URL('./sample-csi-plugin.ts', import.meta.url)) },
  ])
}
