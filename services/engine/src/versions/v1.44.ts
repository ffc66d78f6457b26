// What version 1.44 changed.
import type { Change } from './change.ts'
import { create, inspect, newConfig, newHostConfig } from './container-fields.ts'
import { at, type Entry, inTurn, isEntry, withDefaults, without } from './shape.ts'

const since = '1.44'
const never = '0001-01-01T00:00:00Z'

export const changes: readonly Change[] = [
  {
    since,
    summary: 'Images have one size; they had it under a second name.',
    requirements: ['ENG-384', 'ENG-385', 'ENG-386', 'ENG-680'],
    routes: ['GET /images/json', 'GET /images/:name/json', 'GET /system/df'],
    answer: inTurn(at('', addVirtualSize), at('[]', addVirtualSize), at('Images.[]', addVirtualSize)),
  },
  newHostConfig(
    {
      since,
      summary: 'Bind mounts say how far read-only reaches.',
      requirements: ['ENG-111', 'ENG-112', 'ENG-220', 'ENG-221'],
    },
    'Mounts.[].BindOptions.ReadOnlyNonRecursive',
    'Mounts.[].BindOptions.ReadOnlyForceRecursive',
  ),
  {
    since,
    summary: 'Read-only bind mounts are read-only all the way down; they were so at the top alone.',
    requirements: ['ENG-109', 'ENG-110'],
    routes: [create],
    body: at('HostConfig.Mounts.[]', (mount) => {
      if (mount.Type !== 'bind' || mount.ReadOnly !== true) return
      mount.BindOptions = { ...(isEntry(mount.BindOptions) ? mount.BindOptions : {}), ReadOnlyNonRecursive: true }
    }),
    // For those under Binds, which cannot say it.
    way: 'read-only-at-the-top',
  },
  newConfig(
    { since, summary: 'Health checks are more frequent while starting.', requirements: ['ENG-108', 'ENG-239'] },
    'Healthcheck.StartInterval',
  ),
  {
    since,
    summary: 'Containers can be made on several networks.',
    requirements: ['ENG-113'],
    routes: [create],
    way: 'one-endpoint',
  },
  {
    since,
    summary: 'Each network of a container can have an address of its own on the wire.',
    requirements: ['ENG-116', 'ENG-118', 'ENG-437'],
    routes: [create, 'POST /networks/:id/connect'],
    body: without('NetworkingConfig.EndpointsConfig.*.MacAddress', 'EndpointConfig.MacAddress'),
    way: 'container-wide-mac',
  },
  {
    since,
    summary: 'Containers tell the names they are found by.',
    requirements: ['ENG-213'],
    routes: [inspect],
    answer: without('NetworkSettings.Networks.*.DNSNames'),
  },
  {
    since,
    summary: 'Images that do not tell when they were made have no such time; they had one long ago.',
    requirements: ['ENG-387'],
    routes: ['GET /images/:name/json'],
    answer: withDefaults('', { Created: never }),
  },
  {
    since,
    summary: 'The engine tells where descriptions of devices are, and the state of its runtimes.',
    requirements: ['ENG-039', 'ENG-040'],
    routes: ['GET /info'],
    answer: without('CDISpecDirs', 'Runtimes.*.status'),
  },
]

function addVirtualSize(image: Entry): void {
  if (typeof image.Size === 'number') image.VirtualSize = image.Size
}
